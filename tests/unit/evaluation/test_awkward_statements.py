"""Statements whose parts are easily taken for one another, cut in many ways and run by DuckDB."""

from pathlib import Path

import pytest

from placement.fragments import preaggregation, reductions
from tests.fuzzing.in_duckdb import InDuckDB
from tests.fuzzing.outcomes import Kind
from tests.fuzzing.schemas import ColumnSpec, Database, TableSpec

LONG = "имя" * 12
"""More bytes than a store's name of a column has."""


def table(name: str, columns: dict[str, str], *rows: str) -> TableSpec:
    return TableSpec(
        name=name,
        columns=tuple(ColumnSpec(name=each, type=type_) for each, type_ in columns.items()),
        rows=tuple(tuple(row.split()) for row in rows),
    )


SHOP = Database(
    tables=(
        table("a", {"k": "INTEGER", "x": "INTEGER", "f": "DOUBLE"}, "1 1 0.0", "1 2 -0.0",
              "2 1 0.0", "3 5 1.5", "4 4 -0.0", "5 5 2.5"),
        table("b", {"k": "INTEGER", "x": "INTEGER"}, "1 7", "2 NULL", "9 1", "3 4"),
        table("t", {"k": "INTEGER", "b__c": "INTEGER"}, "1 10", "2 20"),
        table("u", {"k": "INTEGER", "c": "INTEGER"}, "1 100", "2 200"),
    )
)  # fmt: skip
OUTER = "SELECT a.k, d.m FROM a LEFT JOIN (SELECT k, max(x) AS m FROM b GROUP BY k) d ON a.k = d.k"
LIKE_ALIASES = "t AS a JOIN u AS a__b ON a.k = a__b.k"
STATEMENTS = (
    f"{OUTER} WHERE coalesce(d.m, 0) IS NOT NULL",
    f"{OUTER} WHERE (d.m IS NULL) IS NOT NULL",
    f"{OUTER} WHERE d.m IS NOT NULL",
    f"SELECT a.b__c, a__b.c FROM {LIKE_ALIASES}",
    f"SELECT sum(a.b__c) AS s, sum(a__b.c) AS n FROM {LIKE_ALIASES}",
    f"SELECT z.k, a.b__c, a__b.c FROM u z LEFT JOIN ({LIKE_ALIASES}) ON z.k = a.k",
    f"SELECT x AS {LONG} FROM a ORDER BY {LONG} DESC LIMIT 2",
    f"""SELECT v.{LONG} FROM (SELECT max(x) AS {LONG}, k FROM a GROUP BY k) v
    JOIN b ON b.x = v.{LONG}""",
    "SELECT sum(x) AS s, count(*) AS n FROM a WHERE CAST(f AS VARCHAR) <> '-0.0'",
    "SELECT a.k, b.k FROM a JOIN b ON a.x = b.x UNION ALL SELECT k, x FROM b",
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> InDuckDB:
    folder: Path = tmp_path_factory.mktemp("shop")
    return InDuckDB.of_database(SHOP, folder)


@pytest.mark.parametrize("sql", STATEMENTS)
def test_every_cut_has_the_statement_s_answer(
    shop: InDuckDB, monkeypatch: pytest.MonkeyPatch, sql: str
) -> None:
    # Tables of so few rows are otherwise neither reduced nor aggregated beforehand.
    for room in (reductions, preaggregation):
        monkeypatch.setattr(room, "FEWEST_DROPPED", 0)
        monkeypatch.setattr(room, "MOST_KEPT", 1)
    found = shop.tried(sql, 0, covers=12)
    assert found.kind is Kind.RIGHT, found.said
