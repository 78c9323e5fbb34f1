"""Any way of cutting a query gives the answer of the whole, when DuckDB plays every part."""

import random
from collections.abc import Iterable

import duckdb
import pytest
from sqlglot import exp

from evaluation.federation.compile import Compiler
from evaluation.federation.split import split, view_reads
from evaluation.federation.store_dialect import StoreDialect
from evaluation.judging.oracle import Oracle
from evaluation.kinds import SQL_KINDS
from placement.fragment import Coverage, EstimatedWork, Fragment
from placement.plan import RoutedFragment
from placement.stores import Capability
from tests.answers import refused_sql
from tests.catalogs import shop
from tests.data_fixtures import ReadQueries, statement
from workloads.footprint import Block, Footprint, Source
from workloads.sql import footprint
from workloads.sql.canonical.rules import canonical
from workloads.sql.trees.copies import written
from workloads.workload import Workload

CUTS = 4


def routed(found: Footprint, kind: Capability, block: str, sources: list[str]) -> RoutedFragment:
    fragment = Fragment(
        coverage=Coverage(
            query=found.query,
            kind=kind,
            block=block,
            sources=tuple(sorted(sources)),
            tables=frozenset(),
        ),
        work=EstimatedWork(
            scan_bytes=0,
            column_bytes=0,
            join_rows=0,
            aggregate_rows=0,
            rows_out=0,
            row_bytes_out=0,
        ),
    )
    return RoutedFragment(fragment=fragment, store="duck", predicted_s=0)


def different_cuts(found: Footprint, seeds: Iterable[int]) -> list[list[RoutedFragment]]:
    """Cut a query at random, and leave out what is cut as for an earlier seed."""
    found_cuts = [random_cut(found, seed) for seed in seeds]
    by_parts = {tuple(each.fragment.name for each in cut): cut for cut in found_cuts}
    return list(by_parts.values())


def random_cut(found: Footprint, seed: int) -> list[RoutedFragment]:
    """Cover every source of a query by random blocks and random connected joins."""
    choose = random.Random(seed)
    if choose.random() < 0.1:
        every = [source.name for source in found.sources()]
        return [routed(found, Capability.QUERY, "b0", every)]
    whole_block = choose.choice([0.0, 0.3, 0.7])
    cut: list[RoutedFragment] = []
    covered: set[str] = set()
    stack = ["b0"]
    while stack:
        block = found.block(stack.pop())
        if block.name in covered:
            continue
        below = found.below(block.name)
        every = [source.name for each in below for source in each.sources]
        alone = block.name != "b0" and block.closed and every
        if alone and choose.random() < whole_block:
            cut.append(routed(found, Capability.BLOCK, block.name, every))
            covered.update(each.name for each in below)
            continue
        covered.add(block.name)
        for group in random_groups(block, choose):
            names = [f"{block.name}.{alias}" for alias in group]
            kind = Capability.SCAN if len(group) == 1 else Capability.JOIN
            cut.append(routed(found, kind, block.name, names))
        stack.extend(reversed(block.children))
    return cut


def random_groups(block: Block, choose: random.Random) -> list[set[str]]:
    """Partition a block's sources into connected groups that outer joins allow."""
    sources = {source.alias: source for source in block.sources}
    left = sorted(sources)
    choose.shuffle(left)
    groups = []
    while left:
        group = {left.pop()}
        while choose.random() < 0.7:
            near = [alias for alias in left if joined(block, alias, group)]
            if not near:
                break
            group.add(choose.choice(near))
            left = [alias for alias in left if alias not in group]
        if len(group) > 1 and not allowed(sources, group):
            keep = min(group)
            left += sorted(group - {keep})
            group = {keep}
        groups.append(group)
    return groups


def joined(block: Block, alias: str, group: set[str]) -> bool:
    ends = [{join.left[0], join.right[0]} for join in block.joins]
    return any(alias in end and end & group for end in ends)


def allowed(sources: dict[str, Source], group: set[str]) -> bool:
    return all(sources[alias].needs <= group for alias in group)


def test_every_cut_of_every_tpcds_query_gives_its_answer(
    queries: Workload,
    tiny_oracle: Oracle,
    tiny_database: duckdb.DuckDBPyConnection,
    tiny_queries: ReadQueries,
):
    wrong, database = {}, tiny_database
    for number, query in enumerate(queries.queries):
        found = tiny_queries.footprints[query.name]
        seeds = range(number * CUTS, (number + 1) * CUTS)
        for cut in different_cuts(found, seeds):
            compiled = tiny_queries.compiler.compile(query.name, cut)
            if compiled.combine_sql is None:
                sql = compiled.fragments[0].sql
            else:
                for fragment in compiled.fragments:
                    database.execute(
                        f"CREATE OR REPLACE TEMP TABLE {fragment.view} AS {fragment.sql}"
                    )
                _, combining = split(tiny_queries.compiler.tree(query.name), cut)
                assert combining is not None
                sql = written(combining, "duckdb")
            said = refused_sql(tiny_oracle, query, database, sql, len(compiled.names))
            if said is not None:
                wrong[tuple(each.fragment.name for each in cut)] = said
    assert wrong == {}


def one_join(sql: str, *groups: set[str]) -> tuple[list[str], str]:
    found = footprint(statement(sql), shop(), "duckdb")
    cut = [
        routed(
            found,
            Capability.JOIN if len(g) > 1 else Capability.SCAN,
            "b0",
            [f"b0.{alias}" for alias in g],
        )
        for g in groups
    ]
    pieces, rest = split(canonical(statement(sql), shop(), "duckdb"), cut)
    assert rest is not None
    return [piece.expression.sql("duckdb") for piece in pieces], rest.sql("duckdb")


def test_a_filter_leaves_with_its_source():
    (first, second), rest = one_join(
        "SELECT c_name FROM customer, orders WHERE c_id = o_customer AND o_total > 5",
        {"customer"},
        {"orders"},
    )
    assert "WHERE" not in first
    assert second.endswith("WHERE orders.o_total > 5")
    assert "o_total" not in rest


def test_a_filter_on_the_nullable_side_waits_for_the_outer_join():
    (_, second), rest = one_join(
        "SELECT c_name FROM customer LEFT JOIN orders ON c_id = o_customer AND o_total > 5 "
        "WHERE o_day IS NULL",
        {"customer"},
        {"orders"},
    )
    assert "o_total > 5" in second
    assert "IS NULL" not in second
    assert "IS NULL" in rest


def test_only_the_columns_that_are_still_needed_leave_a_store():
    (joined_,), _ = one_join(
        "SELECT c_name FROM customer, orders WHERE c_id = o_customer", {"customer", "orders"}
    )
    assert joined_.startswith("SELECT customer.c_name AS customer__c_name FROM")


def test_views_below_a_cte_read_twice_are_counted_twice():
    sql = (
        "WITH v AS (SELECT o_customer, count(*) AS k FROM orders GROUP BY o_customer) "
        "SELECT c_name FROM customer, v AS a, v AS b "
        "WHERE c_id = a.o_customer AND a.o_customer = b.o_customer"
    )
    found = footprint(statement(sql), shop(), "duckdb")
    orders = next(s for s in found.sources() if s.table == "orders")
    customer = next(s for s in found.sources() if s.table == "customer")
    cut = [
        routed(found, Capability.SCAN, source.block, [source.name]) for source in (orders, customer)
    ]
    _, rest = split(canonical(statement(sql), shop(), "duckdb"), cut)
    assert isinstance(rest, exp.Query)
    assert view_reads(rest) == {"fragment_0": 2, "fragment_1": 1}


@pytest.mark.parametrize("kind", SQL_KINDS)
def test_division_and_averages_are_doubles_in_every_dialect(kind: str):
    sql = "SELECT avg(o_total) AS a, sum(o_id) / count(*) AS r FROM orders"
    found = footprint(statement(sql), shop(), "duckdb")
    workload = Workload(name="w", dialect="duckdb", queries=(statement(sql),))
    compiler = Compiler(workload, shop(), {"duck": SQL_KINDS[kind].dialect("ns")})
    compiled = compiler.compile("q", [routed(found, Capability.QUERY, "b0", ["b0.orders"])])
    assert compiled.fragments[0].sql.upper().count("AS DOUBLE") >= 2


def test_repeated_output_names_are_numbered_in_a_whole_query():
    sql = "SELECT o_id, o_total, o_id AS O_ID FROM orders"
    found = footprint(statement(sql), shop(), "duckdb")
    workload = Workload(name="w", dialect="duckdb", queries=(statement(sql),))
    compiler = Compiler(workload, shop(), {"duck": StoreDialect(dialect="duckdb", namespace="n")})
    compiled = compiler.compile("q", [routed(found, Capability.QUERY, "b0", ["b0.orders"])])
    assert compiled.fragments[0].sql.count('AS "o_id"') == 1
    assert 'AS "O_ID_2"' in compiled.fragments[0].sql
