"""Text that is no SQL, or nearly is: it is understood, or refused by our own error in its place."""

import random

import pytest

from tests.corpora import spark_catalog, spark_queries
from tests.mutations import MISTAKES, mutated
from workloads.catalog import Catalog
from workloads.errors import SqlError
from workloads.progress import Silent
from workloads.sql import footprint
from workloads.sql.parsing.nesting import MOST_NESTED
from workloads.sql.statements import understand
from workloads.workload import Query, Workload

FIRST_LINE, FIRST_COLUMN = 7, 3


def is_within(error: SqlError, text: str) -> bool:
    """Whether the error's place is a character of `text`, or the end of one of its lines."""
    if error.line is None or error.column is None:
        return False
    lines = text.split("\n")
    index = error.line - FIRST_LINE
    if not 0 <= index < len(lines):
        return False
    before = FIRST_COLUMN - 1 if index == 0 else 0
    return 1 <= error.column - before <= max(1, len(lines[index]))


def outcome(text: str, catalog: Catalog, dialect: str) -> str | None:
    """Return what is wrong with how `text` is treated; None if it is understood or refused."""
    query = Query(name="q", sql=text, origin="q.sql", line=FIRST_LINE, column=FIRST_COLUMN)
    try:
        footprint(query, catalog, dialect)
    except SqlError as error:
        return None if is_within(error, text) else f"a place outside the text: {error}"
    except Exception as error:  # noqa: BLE001 - that none other is raised is the claim
        return repr(error)
    return None


@pytest.mark.parametrize("seed", range(4))
def test_a_thousand_mutated_queries_raise_nothing_but_our_own_error_with_a_place(
    seed: int, tiny: Catalog, queries: Workload
):
    draw = random.Random(seed)
    sources = [(query.sql, tiny, "duckdb") for query in queries.queries]
    for folder in ("tpch", "ssb"):
        catalog = spark_catalog(folder)
        sources += [(query.sql, catalog, "spark") for query in spark_queries(folder)]
    wrong = {}
    for _ in range(250):
        sql, catalog, dialect = draw.choice(sources)
        text = mutated(sql, draw)
        found = outcome(text, catalog, dialect)
        if found is not None:
            wrong[text] = found
    assert wrong == {}


def test_every_mutated_statement_of_a_workload_is_understood_or_listed(
    tiny: Catalog, queries: Workload
):
    draw = random.Random(0)
    broken = tuple(
        Query(name=query.name, sql=mutated(query.sql, draw).replace(";", ""), origin=query.origin)
        for query in queries.queries
    )
    understood = understand(
        Workload(name="broken", dialect="duckdb", queries=broken), tiny, Silent()
    )
    assert len(understood.footprints) + len(understood.writes) + len(understood.skipped) == 99
    assert any(each.kind == "invalid" and each.reason for each in understood.skipped)
    assert understood.footprints


@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_kind_of_mistake_changes_the_text(mistake):
    before = ["SELECT", " ", "a", " ", "FROM", " ", "b", " ", "WHERE", " ", "c", "=", "'x'"]
    solid = [index for index, token in enumerate(before) if token != " "]
    drawn = [list(before) for _ in range(20)]
    for seed, tokens in enumerate(drawn):
        mistake(tokens, solid, random.Random(seed))
    assert any(tokens != before for tokens in drawn)


@pytest.mark.parametrize("depth", [50, 500, 5_000, 100_000])
@pytest.mark.parametrize(
    "text",
    [
        lambda n: "SELECT " + "(" * n + "1" + ")" * n,
        lambda n: "SELECT " + "(" * n,
        lambda n: "SELECT * FROM " + "(SELECT * FROM " * n + "customer" + ")" * n,
        lambda n: "SELECT 1 FROM " + "(" * n + "customer" + ")" * n,
        lambda n: "SELECT " + "NOT " * n + "true",
        lambda n: "SELECT " + "CASE WHEN true THEN " * n + "1" + " END" * n,
        lambda n: "SELECT " + "CASE " * n + "1",
        lambda n: "SELECT " + "IF " * n + "1",
        lambda n: "SELECT " + "[" * n + "]" * n,
        lambda n: "SELECT 1" + "[1]" * n,
        lambda n: "SELECT 1" + "::int" * n,
        lambda n: "SELECT CAST(1 AS " + "ARRAY<" * n + "int" + ">" * n + ")",
        lambda n: "SELECT 1" + " OR c_id = 1" * n,
        lambda n: "SELECT 1" + " UNION SELECT 1" * n,
    ],
)
def test_no_depth_of_nesting_brings_the_interpreter_down(text, depth: int, tiny: Catalog):
    assert outcome(text(depth), tiny, "duckdb") is None


@pytest.mark.parametrize(
    "text",
    [
        lambda n: "SELECT " + "(" * n + "1" + ")" * n,
        lambda n: "SELECT " + "CASE " * n + "1",
        lambda n: "SELECT " + "NOT " * n + "true",
        lambda n: "SELECT CAST(1 AS " + "ARRAY<" * n + "int" + ">" * n + ")",
        lambda n: "SELECT " + "IF true THEN " * n + "1" + " END" * n,
    ],
)
def test_what_is_nested_too_deeply_is_told_with_the_limit(text, tiny: Catalog):
    query = Query(name="q", sql=text(MOST_NESTED + 1), origin="q.sql")
    with pytest.raises(SqlError, match=f"nested more than {MOST_NESTED} deep"):
        footprint(query, tiny, "duckdb")


def test_many_cases_side_by_side_are_not_deep(tiny: Catalog):
    cases = ", ".join(["CASE WHEN c_customer_sk = 1 THEN 1 END"] * (MOST_NESTED + 1))
    sql = f"SELECT {cases} FROM customer"
    assert footprint(Query(name="q", sql=sql, origin="q.sql"), tiny, "duckdb").tables


def test_a_long_list_is_not_deep(tiny: Catalog):
    numbers = ", ".join(map(str, range(20_000)))
    sql = f"SELECT c_customer_id FROM customer WHERE c_customer_sk IN ({numbers})"
    found = footprint(Query(name="q", sql=sql, origin="q.sql"), tiny, "duckdb")
    assert found.tables == {"customer"}
