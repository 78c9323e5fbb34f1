"""Who combines the fragments of a query, without Spark."""

from dataclasses import replace

import pytest

from evaluation.federation.compile import Compiler
from evaluation.federation.compiled import CompiledQuery
from evaluation.spark.combining import combined, combiner_of_small
from evaluation.spark.planned_once import MOST_BYTES
from placement.stores import Capability
from tests.data_fixtures import statement
from tests.unit.evaluation.over_facts import compiler, routed, written_for
from workloads.catalog import Catalog
from workloads.workload import Workload

JOINED = "SELECT a.id, b.n FROM fact AS a JOIN fact AS b ON a.n = b.m"
ODD = "SELECT a.id, list_value(a.id, b.id) AS pair FROM fact AS a JOIN fact AS b ON a.n = b.m"


def compiled(facts: Catalog, sql: str) -> CompiledQuery:
    routing = routed(facts, sql, Capability.SCAN)
    return compiler(facts, sql, "postgres", frozenset()).compile(statement(sql).name, routing)


@pytest.mark.parametrize(
    ("combine", "joins", "master", "combiner"),
    [
        ("automatic", "automatic", "local[*]", "duckdb"),
        ("automatic", "automatic", "local[2]", "duckdb"),
        ("spark", "automatic", "local[2]", "spark"),
        ("automatic", "broadcast", "local[2]", "spark"),
        ("automatic", "partitioned", "local[2]", "spark"),
        ("automatic", "automatic", "spark://10.0.0.1:7077", "spark"),
        ("automatic", "automatic", "yarn", "spark"),
    ],
)
def test_small_queries_are_combined_in_the_driver_of_a_local_master(
    combine, joins, master, combiner
):
    assert combiner_of_small(combine, joins, master) == combiner


def test_a_small_query_is_combined_by_the_sql_of_duckdb(facts):
    query = compiled(facts, JOINED)
    assert "`" in (query.combine_sql or "")
    found = combined(query, "duckdb")
    assert (found.combiner, found.lacked) == ("duckdb", ())
    assert found.combine_sql == query.driver_sql
    assert '"' in query.driver_sql
    assert found.fragments == query.fragments
    assert combined(query, "spark") is query


def test_a_large_query_is_left_to_spark(facts):
    query = compiled(facts, JOINED)
    first, *others = query.fragments

    def of_size(size: float) -> CompiledQuery:
        work = replace(first.fragment.work, rows_out=size / 8, row_bytes_out=8.0)
        larger = replace(first, fragment=replace(first.fragment, work=work))
        small = [replace(each, same_as=first.view) for each in others]
        return replace(query, fragments=(larger, *small))

    assert combined(of_size(MOST_BYTES), "duckdb").combiner == "duckdb"
    assert combined(of_size(MOST_BYTES + 8), "duckdb").combiner == "spark"


def test_what_duckdb_has_to_combine_stays_as_it_is(facts):
    query = compiled(facts, ODD)
    assert query.combiner == "duckdb"
    assert query.lacked
    assert combined(query, "spark") is query
    assert combined(query, "duckdb") is query


def test_a_workload_of_another_meaning_is_sparks(facts):
    sql = JOINED
    workload = Workload(name="w", dialect="spark", queries=(statement(sql),))
    of = Compiler(workload, facts, {"store": written_for("postgres")})
    query = of.compile(statement(sql).name, routed(facts, sql, Capability.SCAN))
    assert query.driver_sql == ""
    assert combined(query, "duckdb").combiner == "spark"
