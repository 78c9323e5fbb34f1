"""Random statements over tables of no rows, one row, NULLs alone and extreme values are placed."""

import math
import random
from pathlib import Path

import duckdb
import pytest

from advisor import pipeline
from advisor.analysis.analyze import analyze
from advisor.project.config import load_project
from workloads.progress import Silent

COLUMNS = ("k", "s", "f", "d", "m")
TABLES = {
    "nothing": """SELECT 1 AS k, 'a' AS s, 1.5::DOUBLE AS f, DATE '2000-01-01' AS d,
        1.00::DECIMAL(9, 2) AS m WHERE false""",
    "one": """SELECT 1 AS k, 'a' AS s, 1.5::DOUBLE AS f, DATE '2000-01-01' AS d,
        1.00::DECIMAL(9, 2) AS m""",
    "nulls": """SELECT NULL::INT AS k, NULL::VARCHAR AS s, NULL::DOUBLE AS f, NULL::DATE AS d,
        NULL::DECIMAL(9, 2) AS m FROM range(5)""",
    "wild": """SELECT CASE WHEN i % 3 = 0 THEN 2147483647 ELSE -2147483648 END::INT AS k,
        ['', '%', 'a\\b'][1 + i % 3] AS s,
        (['inf', 'nan', '-inf', '1e308', '-1e308'])[1 + i % 5]::DOUBLE AS f,
        (['0001-01-01', '9999-12-31', 'infinity'])[1 + i % 3]::DATE AS d,
        9999999.99::DECIMAL(9, 2) AS m FROM range(40) t(i)""",
    "many": """SELECT i::INT AS k, 's' || (i % 7) AS s, (i % 3 - 1) * 1e300 AS f,
        DATE '2000-01-01' + i::INT AS d, (i * 1.5)::DECIMAL(9, 2) AS m FROM range(300) t(i)""",
}
LITERALS = {
    "k": ("0", "2147483647", "NULL", "-5"),
    "s": ("'a'", "''", "'%'", "NULL"),
    "f": ("1e308", "-1e308", "'nan'::DOUBLE", "'inf'::DOUBLE", "NULL"),
    "d": ("DATE '2000-01-01'", "DATE '9999-12-31'", "DATE '0001-01-01'"),
    "m": ("1.00", "0", "99999999999999"),
}
JOINS = ("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN")
SETS = ("UNION", "UNION ALL", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL")
GROUPS = ("{0}, {1}", "ROLLUP ({0}, {1})", "CUBE ({0}, {1})", "GROUPING SETS (({0}), ({1}), ())")
PROJECT = """
[workload]
source = "queries.sql"
dialect = "duckdb"
[catalog]
source = "data"
[stores.pg]
kind = "postgresql"
embedded = true
[stores.duck]
kind = "duckdb"
[place]
strategies = ["optimal"]
"""


class Statements:
    """Draws statements."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)

    def query(self, depth: int = 2) -> str:
        """Return a query of the columns of COLUMNS."""
        found = self._select(depth)
        if depth > 0 and self._draw.random() < 0.25:
            found += f" {self._draw.choice(SETS)} {self._select(depth - 1)}"
        return found + self._draw.choice(["", "", "", " LIMIT 0", " LIMIT 5"])

    def _select(self, depth: int) -> str:
        relations, aliases = self._relations(depth)
        where = f" WHERE {self._condition(aliases)}" if self._draw.random() < 0.7 else ""
        k, s, f, d, m = (f"{self._draw.choice(aliases)}.{column}" for column in COLUMNS)
        if self._draw.random() < 0.5:
            distinct = self._draw.choice(["", "DISTINCT "])
            columns = f"{k} AS k, {s} AS s, {f} AS f, {d} AS d, {m} AS m"
            return f"SELECT {distinct}{columns} FROM {relations}{where}"
        group = self._draw.choice(GROUPS).format(k, s)
        having = ["", "count(*) > 1", f"sum({f}) > 1e3", f"avg({m}) < 5", f"max({k}) = 7"]
        kept = self._draw.choice(having)
        kept = f" HAVING {kept}" if kept else ""
        columns = f"{k} AS k, {s} AS s, sum({f}) AS f, max({d}) AS d, avg({m}) AS m"
        return f"SELECT {columns} FROM {relations}{where} GROUP BY {group}{kept}"

    def _relations(self, depth: int) -> tuple[str, list[str]]:
        written, aliases = "", []
        for number in range(self._draw.randint(1, 3)):
            alias = f"t{depth}{number}"
            relation = f"{self._relation(depth)} AS {alias}"
            if not aliases:
                written = relation
            else:
                join, column = self._draw.choice(JOINS), self._draw.choice(COLUMNS)
                compared = self._draw.choice(["=", "=", "<", "IS NOT DISTINCT FROM"])
                other = self._draw.choice(aliases)
                written += f" {join} {relation} ON {alias}.{column} {compared} {other}.{column}"
                if join in ("SEMI JOIN", "ANTI JOIN"):
                    continue
            aliases.append(alias)
        return written, aliases

    def _relation(self, depth: int) -> str:
        if depth and self._draw.random() < 0.2:
            return f"({self.query(depth - 1)})"
        if self._draw.random() < 0.1:
            values = "(VALUES (1, 'a'), (2, NULL)) u(n, s)"
            return f"(SELECT n AS k, s, 1e0 AS f, NULL::DATE AS d, 1.0 AS m FROM {values})"
        return self._draw.choice(list(TABLES))

    def _condition(self, aliases: list[str], depth: int = 2) -> str:
        draw = self._draw
        if depth and draw.random() < 0.4:
            left, right = (self._condition(aliases, depth - 1) for _ in range(2))
            return draw.choice([f"({left} AND {right})", f"({left} OR {right})", f"NOT ({left})"])
        column = draw.choice(COLUMNS)
        value, table = f"{draw.choice(aliases)}.{column}", draw.choice(list(TABLES))
        one, two = draw.choices(LITERALS[column], k=2)
        return draw.choice(
            [
                f"{value} {draw.choice(['=', '<', '>=', '<>'])} {one}",
                f"{value} IS NULL",
                f"{value} BETWEEN {one} AND {two}",
                f"{value} IN ({one}, {two})",
                f"{draw.choice(aliases)}.s LIKE '{draw.choice(['%', 'a%', '_', ''])}'",
                f"{value} < {draw.choice(aliases)}.{column}",
                f"{value} IN (SELECT q.{column} FROM {table} q)",
                f"EXISTS (SELECT 1 FROM {table} q WHERE q.{column} = {value})",
                f"{value} = (SELECT max(q.{column}) FROM {table} q)",
            ]
        )


AVERAGES = "SELECT s, avg(f) AS a FROM many GROUP BY s HAVING avg(f) > 1e300"
FOUND = (
    "SELECT a.k FROM many a JOIN nothing b ON a.s = b.s",
    """SELECT c1.c0 FROM (SELECT u.s AS c0 FROM many AS b, (VALUES (1, 'a'), (2, NULL)) AS u (n, s)
    WHERE b.k = u.n INTERSECT ALL SELECT 'x') AS c1
    JOIN many AS c6 ON c1.c0 IS NOT DISTINCT FROM 'a'""",
    AVERAGES,
)
"""What ended in an error once."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("degenerate")
    (made / "data").mkdir()
    for name, sql in TABLES.items():
        duckdb.sql(f"COPY ({sql}) TO '{made / 'data' / name}.parquet' (FORMAT parquet)")
    (made / "project.toml").write_text(PROJECT)
    return made


@pytest.mark.parametrize("seed", range(4))
def test_any_statement_over_degenerate_data_is_placed(folder: Path, seed: int):
    draw = Statements(seed)
    statements = [*FOUND, *(draw.query() for _ in range(15))]
    (folder / "queries.sql").write_text(";\n".join(statements))
    project = load_project(folder / "project.toml")
    analysis = analyze(project, Silent())
    assert len(analysis.footprints) >= len(FOUND) + 10
    plans = pipeline.place(
        pipeline.prepare(project, analysis).problem, project.place.strategies, Silent()
    ).plans
    assert plans
    assert all(math.isfinite(plan.predicted_s) and plan.predicted_s > 0 for plan in plans)


def test_what_ended_in_an_error_is_estimated_by_its_values(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    """An error of arithmetic is no longer seen: the sizes alone are taken then."""

    def by_sizes(_: object) -> None:
        pytest.fail("an estimate ended in an error of arithmetic")

    monkeypatch.setattr("workloads.catalog.Catalog.without_values", by_sizes)
    (folder / "queries.sql").write_text(";\n".join(FOUND))
    analyze(load_project(folder / "project.toml"), Silent())


def test_values_that_overflow_an_estimate_leave_it_the_sizes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    def overflows(_: object) -> None:
        raise OverflowError("Numerical result out of range")

    monkeypatch.setattr("workloads.estimation.group_values.moments", overflows)
    (folder / "queries.sql").write_text(AVERAGES)
    analysis = analyze(load_project(folder / "project.toml"), Silent())
    (fragments,) = analysis.fragments.values()
    assert all(math.isfinite(each.work.rows_out) and each.work.scan_bytes > 0 for each in fragments)
