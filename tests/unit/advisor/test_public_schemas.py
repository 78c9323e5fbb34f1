"""Well-known schemas with statements of their systems: all are read, and placed."""

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from advisor.analysis.analysis import Analysis
from advisor.analysis.analyze import analyze
from advisor.pipeline import place, prepare
from advisor.project.config import load_project
from placement.limits.check import check
from tests.corpora import spark_queries, tables_by_duckdb
from workloads.progress import Silent

SCHEMAS = Path(__file__).parents[2] / "schemas"
"""A folder a schema: what `schema.sql` defines is read by the statements of `statements.sql`."""

_PROJECT = """
[workload]
source = "{statements}"
[catalog]
source = "{schema}"
[stores.warehouse]
kind = "postgresql"
embedded = true
[stores.shop]
kind = "mysql"
embedded = true
[stores.lake]
kind = "duckdb"
[place]
strategies = ["naive", "optimal"]
"""
_HEADER = re.compile(r"^-- (name|left out): (.+)\n((?:-- .+\n)*)", re.MULTILINE)
_FACT = re.compile(r"^-- (reads|writes): (.*)$", re.MULTILINE)


class Touched(NamedTuple):
    reads: frozenset[str]
    writes: frozenset[str]


def analysed(statements: Path, schema: Path, folder: Path) -> Analysis:
    """Return the analysis of statements, of which every store's plan is checked."""
    file = folder / "shop.toml"
    file.write_text(_PROJECT.format(statements=statements, schema=schema))
    project = load_project(file)
    analysis = analyze(project, Silent())
    problem = prepare(project, analysis).problem
    for plan in place(problem, project.place.strategies, Silent()).plans:
        assert check(problem, plan) == (), plan.strategy
        assert set(plan.placement) >= set(analysis.graph.tables), plan.strategy
    return analysis


def expected(text: str) -> tuple[dict[str, Touched], Counter[str]]:
    """Return what the comments before statements say of each, and the kinds of those left out."""
    touched: dict[str, Touched] = {}
    left_out: Counter[str] = Counter()
    for kind, value, rest in _HEADER.findall(text):
        facts = {key: _names(names) for key, names in _FACT.findall(rest)}
        if kind == "left out":
            left_out[value] += 1
        else:
            assert value not in touched
            nothing = frozenset[str]()
            touched[value] = Touched(facts.get("reads", nothing), facts.get("writes", nothing))
    return touched, left_out


def found(analysis: Analysis) -> dict[str, Touched]:
    """Return what each statement reads and writes, that of its parts together."""
    touched: dict[str, Touched] = {}
    for footprint in analysis.statements_read:
        name = footprint.query.partition("/")[0]
        before = touched.get(name, Touched(frozenset(), frozenset()))
        touched[name] = Touched(before.reads | footprint.tables, before.writes | footprint.writes)
    return touched


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip() for name in text.split(",") if name.strip())


@pytest.mark.parametrize(
    "name", sorted(each.parent.name for each in SCHEMAS.glob("*/statements.sql"))
)
def test_every_statement_on_a_public_schema_is_read_and_placed(name: str, tmp_path: Path):
    folder = SCHEMAS / name
    statements = folder / "statements.sql"
    analysis = analysed(statements, folder / "schema.sql", tmp_path)
    touched, left_out = expected(statements.read_text())
    assert [(each.line, each.reason) for each in analysis.invalid] == []
    assert Counter(each.kind for each in analysis.skipped) == left_out
    assert found(analysis) == touched
    assert analysis.assumed_rows == ()
    assert len(touched) + left_out.total() == analysis.statements
    unread = set(analysis.catalog.tables) - {t for each in touched.values() for t in each.reads}
    assert unread <= {table for each in touched.values() for table in each.writes}


def test_the_queries_of_ssb_are_read_over_its_own_ddl_and_placed(tmp_path: Path):
    queries = spark_queries("ssb")
    statements = tmp_path / "queries.sql"
    statements.write_text("".join(f"-- name: {q.name}\n{q.sql};\n" for q in queries))
    analysis = analysed(statements, SCHEMAS / "ssb" / "schema.sql", tmp_path)
    assert analysis.skipped == ()
    read = {each.query: each.tables for each in analysis.footprints}
    assert read == {query.name: tables_by_duckdb(query.sql) for query in queries}
