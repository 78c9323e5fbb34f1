"""What statements of PostgreSQL and MySQL mean, in DuckDB's SQL: texts, and what is refused.

That the texts mean it is tried against the servers (`tests/stores/test_declared_dialects.py`).
"""

from pathlib import Path

import pytest

from tests.dialect_facts import catalog
from workloads.catalog import Catalog
from workloads.errors import SqlError
from workloads.sql.translate import meant
from workloads.workload import Query

GOLDEN = Path(__file__).with_name("meaning")
STATEMENTS = Path(__file__).parents[2] / "declared_dialects"
REFUSED = [
    ("postgres", "SELECT grp SIMILAR TO name FROM fact, other", "SIMILAR TO is known of patterns"),
    ("postgres", "SELECT grp::char(3) FROM fact", "a CHAR has blanks at its end"),
    ("postgres", "SELECT ratio::text FROM fact", "the text of a number in floating point"),
    ("postgres", "SELECT grp || avg(n) FROM fact GROUP BY grp", "a NUMERIC without a scale"),
    ("postgres", "SELECT to_char(d, 'Day') FROM fact", "TO_CHAR is known of"),
    ("postgres", "SELECT substring(grp FROM '[a-c]') FROM fact", "SUBSTRING by a pattern"),
    ("postgres", "SELECT format('%s', grp) FROM fact", "FORMAT has another syntax"),
    ("postgres", "SELECT id FROM fact WHERE grp COLLATE \"de_DE\" < 'b'", "COLLATE de_de"),
    ("postgres", "SELECT (@ f.n) FROM fact f", "@ before a column: use ABS"),
    ("postgres", "SELECT ts::timestamp(0) FROM fact", "fractions of a second"),
    ("mysql", "SELECT CAST(ts AS DATETIME) FROM fact", "fractions of a second"),
    ("mysql", "SELECT concat(ratio, 'x') FROM fact", "the text of a number in floating point"),
    ("mysql", "SELECT grp COLLATE utf8mb4_general_ci FROM fact", "COLLATE utf8mb4_general_ci"),
    ("mysql", "SELECT week(d, 1) FROM fact", "weeks are numbered in several ways"),
    ("mysql", "SELECT yearweek(d) FROM fact", "weeks are numbered otherwise"),
    ("mysql", "SELECT unhex(grp) FROM fact", "UNHEX gives bytes"),
    ("mysql", "SELECT ord(grp) FROM fact", "ORD counts bytes"),
    ("mysql", "SELECT interval(n, 1, 3) FROM fact", "INTERVAL as a function"),
    ("mysql", "SELECT insert(grp, 1, 1, 'x') FROM fact", "INSERT as a function"),
    ("mysql", "SELECT ts + INTERVAL '1:30' HOUR_MINUTE FROM fact", "INTERVAL of HOUR_MINUTE"),
    ("mysql", "SELECT id FROM fact WHERE d = 20000131", "a date is compared with a number"),
    ("mysql", "SELECT trim(grp FROM 'aab') FROM fact", "TRIM of a computed text"),
    ("mysql", "SELECT coalesce(ratio, 'none') FROM fact", "texts and other values in turn"),
]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return catalog(tmp_path_factory.mktemp("meaning"))


@pytest.mark.parametrize("dialect", ["postgres", "mysql"])
def test_each_statement_has_the_text_that_its_meaning_has_in_duckdb(tables: Catalog, dialect: str):
    lines = (STATEMENTS / f"{dialect}.sql").read_text(encoding="utf-8").splitlines()
    texts = [line for line in lines if not line.startswith("--")]
    found = [meant(Query(name="q", sql=sql, origin="q"), tables, dialect) for sql in texts]
    assert found == (GOLDEN / f"{dialect}.sql").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(("dialect", "sql", "reason"), REFUSED)
def test_what_has_no_known_meaning_in_duckdb_is_refused_with_what_to_write_instead(
    tables: Catalog, dialect: str, sql: str, reason: str
):
    with pytest.raises(SqlError, match=reason):
        meant(Query(name="q", sql=sql, origin="q"), tables, dialect)
