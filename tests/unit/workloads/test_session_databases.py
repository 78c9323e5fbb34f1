"""The database of a session of MySQL: no statement counts for the table of another."""

from collections import Counter
from pathlib import Path

from tests.unit.workloads.path_logs import (
    CRM,
    SALES,
    counted,
)
from tests.unit.workloads.test_schemas import catalog
from workloads.progress import Silent
from workloads.sources.logs.recorded import workload
from workloads.sql.statements import understand


def test_a_digest_is_of_the_database_of_its_column(tmp_path: Path):
    file = tmp_path / "digests.csv"
    file.write_text(
        "schema_name,digest_text,count_star\n"
        "crm,SELECT `city` FROM `address`,2\nsales,SELECT `city` FROM `address`,3\n"
        ",SELECT `city` FROM `address`,4\n"
    )
    found = workload(file, "mysql")
    tables, left = Counter[str](), []
    read = understand(found, catalog(), Silent())
    for footprint in read.footprints:
        tables.update({table: round(footprint.executions) for table in footprint.tables})
    left = [each.executions for each in read.skipped]
    assert (tables, left) == ({CRM: 2, SALES: 3}, [4.0])


def test_sessions_of_a_general_log_have_their_own_databases(tmp_path: Path):
    read_address = "SELECT city FROM address WHERE id = "
    lines = [
        "2025-05-01T08:00:00.000000Z\t   7 Connect\tshop@localhost on crm using Socket",
        "2025-05-01T08:00:00.000001Z\t   8 Connect\tshop@localhost on  using Socket",
        f"2025-05-01T08:00:01.000000Z\t   7 Query\t{read_address}1",
        "2025-05-01T08:00:01.000001Z\t   8 Query\t/* app */ USE `sales`",
        f"2025-05-01T08:00:01.000002Z\t   8 Query\t{read_address}2",
        f"2025-05-01T08:00:01.000003Z\t   7 Query\t{read_address}3",
        "2025-05-01T08:00:02.000000Z\t   7 Init DB\tsales",
        f"2025-05-01T08:00:02.000001Z\t   7 Query\t{read_address}4",
        # The log does not have its beginning.
        f"2025-05-01T08:00:02.000002Z\t   5 Query\t{read_address}5",
    ]
    file = tmp_path / "general.log"
    file.write_text("\n".join(lines) + "\n")
    tables, left = counted(file)
    assert tables == {CRM: 2, SALES: 2}
    assert len(left) == 1
