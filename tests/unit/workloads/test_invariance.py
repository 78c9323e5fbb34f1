"""Other words for the same question leave its footprint as it is.

White space, comments and case change nothing at all. Aliases change names alone: footprints are
equal once aliases are numbered by their place. The order of predicates and of inner joins, and
what is a CTE and what a derived table, change which block is read first or twice, so there
what the query asks of base tables is compared (`QueryAccess`), and for the former the blocks'
shapes, in any order.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.installation.artifacts import cache_folder
from tests import rewordings
from tests.catalogs import shop
from tests.data_fixtures import statement
from workloads.benchmarks import tpcds, tpch
from workloads.catalog import Catalog
from workloads.footprint import Aggregation, Block, ColumnRef, Filter, Footprint, Use
from workloads.lineage import Lineage
from workloads.progress import Silent
from workloads.query_access import query_access
from workloads.sql import footprint
from workloads.workload import Query

STATEMENTS = [
    *(("tpcds", query) for query in tpcds.queries("all").queries),
    *(("tpch", query) for query in tpch.queries("all").queries),
]

Seen = Callable[[Footprint], object]


@dataclass(frozen=True)
class Catalogs:
    """By benchmark. Hypothesis shows arguments in full, so there is nothing to show."""

    of: Mapping[str, Catalog] = field(repr=False)
    _found: dict[tuple[str, str], Footprint] = field(default_factory=dict, repr=False)

    def footprint(self, benchmark: str, query: Query) -> Footprint:
        """The footprint of a query of the benchmark as it is written there."""
        key = (benchmark, query.name)
        if key not in self._found:
            self._found[key] = footprint(query, self.of[benchmark], "duckdb")
        return self._found[key]


@pytest.fixture(scope="module")
def catalogs(tiny: Catalog) -> Catalogs:
    small = tpch.generate(0.01, Path(cache_folder()), Silent())
    return Catalogs(of={"tpcds": tiny, "tpch": small})


def as_it_is(found: Footprint) -> Footprint:
    return found


def by_place(found: Footprint) -> tuple[Block, ...]:
    """The blocks with each alias replaced by its place in its block's FROM clause."""
    lineage = Lineage(found)
    places = {
        (block.name, alias): f"{block.name}_{kind}{place}"
        for block in found.blocks
        for kind, aliases in (
            ("source", [source.alias for source in block.sources]),
            ("input", list(block.inputs)),
        )
        for place, alias in enumerate(aliases)
    }

    def placed(block: Block) -> Block:
        def of(alias: str) -> str:
            home = lineage.home(block.name, alias)
            return places[home.name, alias] if home is not None else alias

        def ref(column: ColumnRef | None) -> ColumnRef | None:
            return column and (of(column[0]), column[1])

        def condition(each: Filter) -> Filter:
            sql = re.sub(r"(\w+)\.(?=\w)", lambda match: f"{of(match[1])}.", each.sql)
            return replace(
                each,
                columns=tuple(ref(column) for column in each.columns),
                alternatives=tuple(tuple(map(condition, arm)) for arm in each.alternatives),
                sql="" if "SELECT" in sql else sql,
                ordered=tuple(
                    (ref(left), operator, ref(right)) for left, operator, right in each.ordered
                ),
            )

        def column(each):
            return replace(
                each,
                origin=ref(each.origin),
                carries=ref(each.carries),
                reads=tuple(ref(read) for read in each.reads),
                pushdown=tuple(ref(below) for below in each.pushdown),
            )

        def aggregation(each: Aggregation) -> Aggregation:
            return replace(
                each,
                arguments=tuple(ref(column) for column in each.arguments),
                uses=tuple(
                    Use(column=ref(use.column), within=frozenset(map(of, use.within)))
                    for use in each.uses
                ),
            )

        output = block.output
        return replace(
            block,
            sources=tuple(
                replace(
                    source,
                    alias=of(source.alias),
                    needs=frozenset(of(each) for each in source.needs),
                )
                for source in block.sources
            ),
            inputs={of(alias): child for alias, child in block.inputs.items()},
            outer_inputs=frozenset(of(alias) for alias in block.outer_inputs),
            recursive={of(alias): child for alias, child in block.recursive.items()},
            compared=tuple(ref(each) for each in block.compared),
            joins=tuple(
                replace(join, left=ref(join.left), right=ref(join.right)) for join in block.joins
            ),
            filters=tuple(condition(each) for each in block.filters),
            aggregation=block.aggregation and aggregation(block.aggregation),
            output=replace(
                output,
                columns=tuple(column(each) for each in output.columns),
                group_by=output.group_by and tuple(ref(each) for each in output.group_by),
                having=tuple(condition(each) for each in output.having),
            ),
        )

    return tuple(placed(block) for block in found.blocks)


def by_base_tables(found: Footprint) -> object:
    return query_access(found)


def by_shapes(found: Footprint) -> object:
    shapes = Counter(
        (
            block.kind,
            block.role,
            block.closed,
            tuple(sorted((source.table, source.columns) for source in block.sources)),
            len(block.inputs),
            tuple(sorted((join.kind, join.computed) for join in block.joins)),
            tuple(sorted((f.kind, len(f.columns), len(f.alternatives)) for f in block.filters)),
            tuple(sorted(re.sub(r"_u_\d+", "_u", c.name) for c in block.output.columns)),
            block.output.group_by and frozenset(name for _, name in block.output.group_by),
            len(block.output.having),
            block.output.limit,
            block.features,
            block.aggregation and block.aggregation.partials,
            block.aggregation and frozenset(name for _, name in block.aggregation.arguments),
            block.aggregation
            and frozenset(re.sub(r"_u_\d+", "_u", u.column[1]) for u in block.aggregation.uses),
        )
        for block in found.blocks
    )
    return query_access(found), shapes


REWORDINGS: dict[str, tuple[Callable[[str, random.Random], str], Seen]] = {
    "white space, comments and case": (rewordings.reformat, as_it_is),
    "aliases": (rewordings.rename_aliases, by_place),
    "order of predicates": (rewordings.reorder_predicates, by_shapes),
    "order of inner joins": (rewordings.reorder_joins, by_shapes),
    "CTEs inlined": (rewordings.inline_ctes, by_base_tables),
    "CTEs extracted": (rewordings.extract_ctes, by_base_tables),
}


def same(catalogs: Catalogs, benchmark: str, query: Query, name: str, sql: str) -> bool:
    _, seen = REWORDINGS[name]
    other = Query(name=query.name, sql=sql, origin=query.origin)
    found = footprint(other, catalogs.of[benchmark], "duckdb")
    return seen(catalogs.footprint(benchmark, query)) == seen(found)


@pytest.mark.parametrize("name", REWORDINGS)
def test_no_benchmark_querys_footprint_depends_on_the_wording(catalogs, name: str):
    reword, chance = REWORDINGS[name][0], random.Random(name)
    wrong = [
        f"{benchmark} {query.name}"
        for benchmark, query in STATEMENTS
        if not same(catalogs, benchmark, query, name, reword(query.sql, chance))
    ]
    assert wrong == []


@settings(max_examples=100, deadline=None)
@given(
    place=st.integers(0, len(STATEMENTS) - 1),
    names=st.permutations(list(REWORDINGS)).map(lambda names: names[:3]),
    seed=st.integers(0, 2**32),
)
def test_rewordings_on_top_of_each_other_ask_the_same_of_base_tables(catalogs, place, names, seed):
    benchmark, query = STATEMENTS[place]
    chance = random.Random(seed)
    sql = query.sql
    for name in names:
        sql = REWORDINGS[name][0](sql, chance)
    other = Query(name=query.name, sql=sql, origin=query.origin)
    found = footprint(other, catalogs.of[benchmark], "duckdb")
    assert query_access(found) == query_access(catalogs.footprint(benchmark, query))


@pytest.mark.parametrize("name", REWORDINGS)
def test_a_rewording_rewords(name: str):
    chance = random.Random(0)
    reworded = [REWORDINGS[name][0](query.sql, chance) != query.sql for _, query in STATEMENTS]
    assert sum(reworded) > len(STATEMENTS) / 5


@pytest.mark.parametrize(
    "other",
    [
        "SELECT c_name FROM customer, orders WHERE c_id = o_customer AND o_total > 6",
        "SELECT c_name FROM customer, orders WHERE c_id = o_id AND o_total > 5",
        (
            "SELECT c_name FROM customer LEFT JOIN orders ON c_id = o_customer "
            "WHERE o_total > 5 OR o_total IS NULL"
        ),
        "SELECT c_name, o_day FROM customer, orders WHERE c_id = o_customer AND o_total > 5",
        "SELECT c_name FROM customer, orders WHERE c_id = o_customer AND o_total < 5",
    ],
)
def test_another_question_is_seen_as_another(other: str):
    first = "SELECT c_name FROM customer, orders WHERE c_id = o_customer AND o_total > 5"
    found = [footprint(statement(sql), shop(), "duckdb") for sql in (first, other)]
    for seen in (as_it_is, by_place, by_shapes, by_base_tables):
        assert seen(found[0]) != seen(found[1])
