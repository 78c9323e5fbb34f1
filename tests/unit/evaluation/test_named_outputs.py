"""Output columns are called as DuckDB calls them, whatever a query does with them."""

import duckdb
import pytest

from evaluation.federation.compile import Compiler
from evaluation.federation.store_dialect import StoreDialect
from placement.plan import RoutedFragment
from placement.stores import Capability
from tests.catalogs import shop
from tests.data_fixtures import statement
from tests.unit.evaluation.test_split import routed
from workloads.sql import footprint
from workloads.workload import Workload

STATEMENTS = (
    "SELECT count(*), max(o_id) + 1, 'x', O_ID FROM orders GROUP BY O_ID ORDER BY 2, count(*)",
    "SELECT O_Total, -o_id, CAST(o_id AS INT) FROM orders ORDER BY o_total, O_ID",
    "SELECT count(*), count(*) FROM orders",
    "SELECT count(*) FROM orders UNION ALL SELECT o_id AS other FROM orders ORDER BY 1",
    "(SELECT o_id * 2 FROM orders ORDER BY 1 LIMIT 3) UNION SELECT 1",
    'WITH t AS (SELECT o_id AS "ID" FROM orders) SELECT id, sum(id) FROM t GROUP BY id',
    'SELECT * FROM (SELECT o_id AS "Odd", sum(o_total) FROM orders GROUP BY 1)',
    "SELECT DISTINCT o_id + 1 FROM orders ORDER BY o_id + 1",
    "SELECT o_id, o_id FROM orders ORDER BY o_id",
    "SELECT CASE WHEN o_id > 1 THEN 'a text of more than sixty characters' END FROM orders",
)


def _routed(sql: str) -> tuple[Compiler, RoutedFragment]:
    found = footprint(statement(sql), shop(), "duckdb")
    workload = Workload(name="w", dialect="duckdb", queries=(statement(sql),))
    duck = StoreDialect(dialect="duckdb", namespace="main")
    sources = sorted(source.name for source in found.sources())
    whole = routed(found, Capability.QUERY, "b0", sources)
    return Compiler(workload, shop(), {"duck": duck}), whole


@pytest.mark.parametrize("sql", STATEMENTS)
def test_output_columns_are_called_as_duckdb_calls_them(sql: str):
    compiler, _ = _routed(sql)
    with duckdb.connect() as connection:
        for table in shop().tables.values():
            columns = ", ".join(f"{each.name} {each.type}" for each in table.columns)
            connection.execute(f"CREATE TABLE {table.name} ({columns})")
        expected = [column[0] for column in connection.execute(sql).description]
        assert compiler.tree("q").named_selects == expected
        connection.execute(compiler.tree("q").sql("duckdb", identify=True))


@pytest.mark.parametrize("sql", STATEMENTS)
def test_a_store_is_asked_for_columns_that_it_can_tell_apart(sql: str):
    compiler, whole = _routed(sql)
    names = compiler.compile("q", [whole]).fragments[0].columns
    assert len({name.lower() for name in names}) == len(names)
    assert all(len(name.encode()) <= 60 for name in names)
