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
    ("postgres", "SELECT sin(ratio)::text FROM fact", "the text of a computed number in floating"),
    ("postgres", "SELECT grp || avg(n) FROM fact GROUP BY grp", "a NUMERIC without a scale"),
    ("postgres", "SELECT to_char(d, 'DDth') FROM fact", "TO_CHAR is known of"),
    ("postgres", "SELECT to_char(d, 'DAy') FROM fact", "TO_CHAR is known of"),
    ("postgres", "SELECT to_char(d, 'FMYYYY') FROM fact", "TO_CHAR is known of"),
    ("postgres", "SELECT to_char(d, grp) FROM fact", "TO_CHAR is known of formats"),
    ("postgres", "SELECT to_char(n, '999') FROM fact", "TO_CHAR of a number"),
    ("postgres", "SELECT regexp_matches(grp, 'z') FROM fact", "REGEXP_MATCHES gives rows"),
    (
        "postgres",
        "SELECT greatest(w, fine) FROM (SELECT fine, CAST(id AS numeric(38, 0)) AS w FROM fact)",
        "decimals of more than 38 digits",
    ),
    (
        "postgres",
        "SELECT id FROM fact WHERE CAST(n AS numeric(38, 0)) = CAST(n AS numeric(38, 5))",
        "decimals of more than 38 digits",
    ),
    ("postgres", "SELECT format('%I', grp) FROM fact", "FORMAT is known with %s"),
    ("postgres", "SELECT format('%s%s', grp) FROM fact", "FORMAT is known with %s"),
    ("postgres", "SELECT format(grp, n) FROM fact", "FORMAT is known with %s"),
    ("postgres", "SELECT id FROM fact WHERE grp COLLATE \"de_DE\" < 'b'", "COLLATE de_de"),
    ("postgres", "SELECT (@ f.n) FROM fact f", "@ before a column: use ABS"),
    ("postgres", "SELECT ts::timestamp(0) FROM fact", "fractions of a second"),
    ("mysql", "SELECT CAST(ts AS DATETIME) FROM fact", "fractions of a second"),
    ("mysql", "SELECT concat(round(ratio, 2)) FROM fact", "the text of a computed number"),
    ("mysql", "SELECT concat(ts) FROM fact", "the text of a moment has as many digits"),
    ("mysql", "SELECT grp COLLATE utf8mb4_general_ci FROM fact", "COLLATE utf8mb4_general_ci"),
    ("mysql", "SELECT week(d, 2) FROM fact", "weeks are numbered in several ways"),
    ("mysql", "SELECT yearweek(d, 7) FROM fact", "weeks are numbered in several ways"),
    ("mysql", "SELECT date_format(d, '%X-%V') FROM fact", "DATE_FORMAT has no weeks from Sunday"),
    ("mysql", "SELECT date_format(d, grp) FROM fact", "DATE_FORMAT is known of formats"),
    ("mysql", "SELECT format(ratio, 2) FROM fact", "FORMAT is known of exact numbers"),
    ("mysql", "SELECT time(ts) FROM fact", "TIME as a function"),
    ("mysql", "SELECT d + 0 FROM fact", "a date meets a number"),
    ("mysql", "SELECT d - d FROM fact", "a date meets a number"),
    ("mysql", "SELECT n, n FROM fact GROUP BY n, n WITH ROLLUP", "a key that is written twice"),
    ("mysql", "SELECT id FROM fact HAVING count(*) OVER () > 1", "HAVING of a window function"),
    ("mysql", "SELECT unhex(grp) FROM fact", "UNHEX gives bytes"),
    ("mysql", "SELECT ord(grp) FROM fact", "ORD counts bytes"),
    ("mysql", "SELECT interval(n, 1, 3) FROM fact", "INTERVAL as a function"),
    ("mysql", "SELECT insert(grp, 1, 1, 'x') FROM fact", "INSERT as a function"),
    ("mysql", "SELECT ts + INTERVAL '1:30' HOUR_MINUTE FROM fact", "INTERVAL of HOUR_MINUTE"),
    ("mysql", "SELECT id FROM fact WHERE d = 20000131", "a date meets a number"),
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
