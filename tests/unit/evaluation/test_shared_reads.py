"""Fragments that ask one store for the same rows, found among those of a query."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from evaluation.federation.compile import Compiler
from evaluation.federation.compiled import CompiledFragment
from evaluation.federation.keys import KeyFilter, KeySource
from evaluation.federation.shared_reads import shared_reads
from evaluation.federation.store_dialect import StoreDialect
from placement.fragment import Fragment
from placement.fragments.enumeration import enumerate_fragments
from placement.fragments.reductions import reduced_fragments
from placement.fragments.shared_fragments import shared_fragments
from placement.plan import RoutedFragment
from placement.stores import Capability
from tests.catalogs import shop, table
from tests.data_fixtures import ReadQueries, statement
from tests.unit.evaluation.test_reading import fragment
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.footprint import Footprint
from workloads.sql import footprint
from workloads.workload import Workload


def plain(number: int, sql: str, store: str = "pg", reads: int = 1) -> CompiledFragment:
    return replace(fragment(number, 0), sql=sql, rows=sql, store=store, keys=(), reads=reads)


def reduced(number: int, sql: str, *keys: tuple[str, int]) -> CompiledFragment:
    """A fragment with columns that are restricted to the keys of others."""
    filters = (
        KeyFilter(
            column=column,
            quoted=column,
            source=KeySource(view=f"fragment_{of}", column="k", store="pg"),
        )
        for column, of in keys
    )
    return replace(
        fragment(number, 0),
        sql=sql,
        rows=sql,
        columns=("k", "x", "y", "z"),
        keys=tuple(filters),
    )


def views_of_keys(compiled: CompiledFragment) -> list[str]:
    return [key.source.view for key in compiled.keys]


def test_the_same_sql_in_the_same_store_is_read_once():
    found = shared_reads([plain(0, "a", reads=2), plain(1, "b"), plain(2, "a", reads=3)])
    assert [each.same_as for each in found] == [None, None, "fragment_0"]
    assert [each.reads for each in found[:2]] == [5, 1]


def test_the_same_sql_in_another_store_is_another_read():
    assert [each.same_as for each in shared_reads([plain(0, "a"), plain(1, "a", "maria")])] == [
        None,
        None,
    ]


def test_keys_come_from_the_view_that_is_read():
    found = shared_reads([plain(0, "a"), plain(1, "a"), reduced(2, "b", ("x", 1))])
    assert views_of_keys(found[2]) == ["fragment_0"]


def test_the_same_sql_with_the_same_keys_is_read_once_and_with_others_twice():
    dates = [plain(0, "a"), plain(1, "a"), plain(2, "c")]
    found = shared_reads(
        [
            *dates,
            reduced(3, "b", ("x", 0)),
            reduced(4, "b", ("x", 1)),
            reduced(5, "b", ("x", 2)),
            reduced(6, "b", ("y", 0)),
        ]
    )
    assert [each.same_as for each in found[3:]] == [None, "fragment_3", None, None]


def test_fragments_are_the_same_whose_keys_come_from_fragments_with_the_same_keys():
    """The one that waits may stand before the one that it waits for."""
    found = shared_reads(
        [
            reduced(0, "c", ("z", 3)),
            reduced(1, "c", ("z", 4)),
            plain(2, "a"),
            reduced(3, "b", ("x", 2)),
            reduced(4, "b", ("x", 5)),
            plain(5, "a"),
        ]
    )
    same = {each.view: each.same_as for each in found if each.same_as is not None}
    assert same == {
        "fragment_1": "fragment_0",
        "fragment_4": "fragment_3",
        "fragment_5": "fragment_2",
    }
    assert views_of_keys(found[0]) == ["fragment_3"]
    assert views_of_keys(found[3]) == ["fragment_2"]


def test_keys_of_keys_come_from_the_view_that_is_read():
    behind = KeySource(view="fragment_1", column="k", store="pg")
    source = KeySource(
        view="fragment_2",
        column="k",
        store="pg",
        sql="SELECT k",
        keys=(KeyFilter(column="k", quoted="k", source=behind),),
    )
    last = replace(plain(3, "d"), keys=(KeyFilter(column="k", quoted="k", source=source),))
    found = shared_reads([plain(0, "a"), plain(1, "a"), plain(2, "c"), last])
    assert found[3].keys[0].source.keys[0].source.view == "fragment_0"


def renamed(number: int, alias: str) -> CompiledFragment:
    """A source under an alias of its own: its columns are called after it."""
    return replace(
        plain(number, f"of {alias}"), rows="of 0", columns=(f"{alias}__k", f"{alias}__v")
    )


def test_the_same_rows_under_another_alias_are_read_once():
    found = shared_reads([renamed(0, "a"), renamed(1, "b")])
    assert [each.same_as for each in found] == [None, "fragment_0"]
    assert found[1].columns == ("b__k", "b__v")


def test_keys_are_in_the_column_of_the_view_that_is_read():
    source = KeySource(view="fragment_1", column="b__v", store="pg")
    key = KeyFilter(column="k", quoted="k", source=source)
    waiting = replace(plain(2, "c"), keys=(key,))
    found = shared_reads([renamed(0, "a"), renamed(1, "b"), waiting])
    assert (found[2].keys[0].source.view, found[2].keys[0].source.column) == ("fragment_0", "a__v")


def test_keys_in_the_same_column_by_position_make_no_other_rows():
    def sent(number: int, alias: str, column: str) -> CompiledFragment:
        source = KeySource(view="fragment_0", column="k", store="pg")
        name = f"{alias}__{column}"
        return replace(
            renamed(number, alias), keys=(KeyFilter(column=name, quoted=name, source=source),)
        )

    asked = [plain(0, "a"), sent(1, "a", "k"), sent(2, "b", "k"), sent(3, "c", "v")]
    assert [each.same_as for each in shared_reads(asked)] == [None, None, "fragment_1", None]


def compiler_of(catalog: Catalog, workload: Workload) -> Compiler:
    return Compiler(workload, catalog, {"duck": StoreDialect(dialect="duckdb", namespace="main")})


def read(
    compiler: Compiler,
    asked: Footprint,
    every: Sequence[Fragment],
    chosen: Sequence[Fragment] = (),
) -> tuple[CompiledFragment, ...]:
    """A query's tables, each fetched alone, but for fragments that are `chosen`."""
    taken = {source for each in chosen for source in each.sources}
    scans = [
        each for each in every if each.kind is Capability.SCAN and taken.isdisjoint(each.sources)
    ]
    order = {source.name: index for index, source in enumerate(asked.sources())}
    routing = sorted((*chosen, *scans), key=lambda each: min(order[s] for s in each.sources))
    return compiler.compile(
        asked.query,
        [RoutedFragment(fragment=each, store="duck", predicted_s=0.0) for each in routing],
    ).fragments


def compiled(catalog: Catalog, workload: Workload, name: str) -> tuple[CompiledFragment, ...]:
    asked = footprint(workload.query(name), catalog, workload.dialect)
    every = enumerate_fragments(asked, Estimator(catalog, asked))
    return read(compiler_of(catalog, workload), asked, every)


def test_three_channels_read_their_dates_once(tiny: Catalog, queries: Workload):
    """q77 joins the same days with the sales and the returns of each channel."""
    fragments = compiled(tiny, queries, "q77")
    dates = [each for each in fragments if each.fragment.tables == {"date_dim"}]
    assert len(dates) == 6
    assert {each.same_as for each in dates[1:]} == {dates[0].view}
    assert dates[0].reads == 6


@pytest.mark.parametrize(("query", "table", "times"), [("q95", "web_sales", 3), ("q44", "item", 2)])
def test_a_table_under_two_aliases_is_read_once(
    tiny: Catalog, queries: Workload, query: str, table: str, times: int
):
    """q95 looks for orders that left two warehouses; q44 names two items by their ranks."""
    found = compiled(tiny, queries, query)
    read = [each for each in found if each.fragment.tables == {table}]
    assert len(read) == times
    (repeated,) = (each for each in read if each.same_as is not None)
    (first,) = (each for each in read if each.view == repeated.same_as)
    assert first.sql != repeated.sql
    assert first.columns != repeated.columns


def test_what_is_priced_once_is_read_once(queries: Workload, tiny_queries: ReadQueries):
    """Of all fragments that a plan may run as one in a store, where their keys are in that store.

    All of one kind are asked for, each offer of more than that being several of these.
    """
    for query in queries.queries:
        asked = tiny_queries.footprints[query.name]
        estimated = tiny_queries.estimated(query.name)
        every = estimated.fragments
        by_keys = reduced_fragments(asked, estimated.estimator, every)
        found = shared_fragments(asked, every + by_keys)
        names = [{member.name for member in each.members} for each in found]
        largest = [
            each
            for each, own in zip(found, names, strict=True)
            if not any(own < others for others in names)
        ]
        for each in largest:
            fragments = read(tiny_queries.compiler, asked, every, each.members)
            same_as = {one.fragment.name: one.same_as for one in fragments}
            first, *others = each.members
            assert same_as[first.name] is None, each.name
            assert all(same_as[other.name] is not None for other in others), each.name


def shop_query(sql: str) -> tuple[CompiledFragment, ...]:
    asked = Workload(name="w", dialect="duckdb", queries=(statement(sql),))
    return compiled(shop(), asked, "q")


def test_what_a_function_gives_anew_each_time_is_asked_for_each_time():
    drawn = "SELECT c_id FROM customer WHERE c_id < 1000 * {}"
    for call, same_as in (("1.0", "fragment_0"), ("random()", None), ("their_own(c_id)", None)):
        read = shop_query(" UNION ALL ".join([drawn.format(call)] * 2))
        assert [each.same_as for each in read] == [None, same_as]


def test_columns_in_capitals_are_the_same_under_other_aliases():
    capitals = table("Customer", 1_000, {"C_ID": "BIGINT", "C_Name": "VARCHAR"}, ("C_ID",))
    asked = Workload(
        name="w",
        dialect="duckdb",
        queries=(statement("SELECT a.c_id FROM customer a, customer b WHERE a.c_id > b.c_id"),),
    )
    catalog = Catalog(name="c", tables={capitals.name: capitals})
    assert [each.same_as for each in compiled(catalog, asked, "q")] == [None, "fragment_0"]
