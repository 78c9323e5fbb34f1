"""Fragments that ask one store for the same rows, found among those of a query."""

from dataclasses import replace

from evaluation.federation.compile import Compiler, StoreDialect
from evaluation.federation.compiled import CompiledFragment
from evaluation.federation.keys import KeyFilter, KeySource
from evaluation.federation.shared_reads import shared_reads
from placement.fragments import enumerate_fragments
from placement.plan import RoutedFragment
from placement.stores import Capability
from tests.unit.evaluation.test_reading import fragment
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint
from workloads.workload import Workload


def plain(number: int, sql: str, store: str = "pg", reads: int = 1) -> CompiledFragment:
    return replace(fragment(number, 0), sql=sql, store=store, keys=(), reads=reads)


def reduced(number: int, sql: str, *keys: tuple[str, int]) -> CompiledFragment:
    """A fragment with columns that are restricted to the keys of others."""
    filters = (
        KeyFilter(quoted=column, source=KeySource(view=f"fragment_{of}", column="k", store="pg"))
        for column, of in keys
    )
    return replace(fragment(number, 0), sql=sql, keys=tuple(filters))


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
        keys=(KeyFilter(quoted="k", source=behind),),
    )
    last = replace(plain(3, "d"), keys=(KeyFilter(quoted="k", source=source),))
    found = shared_reads([plain(0, "a"), plain(1, "a"), plain(2, "c"), last])
    assert found[3].keys[0].source.keys[0].source.view == "fragment_0"


def test_three_channels_read_their_dates_once(tiny: Catalog, queries: Workload):
    """q77 joins the same days with the sales and the returns of each channel."""
    query = queries.query("q77")
    asked = footprint(query, tiny, queries.dialect)
    scans = [
        RoutedFragment(fragment=each, store="duck", predicted_s=0.0)
        for each in enumerate_fragments(asked, Estimator(tiny, asked))
        if each.kind is Capability.SCAN
    ]
    compiler = Compiler(queries, tiny, {"duck": StoreDialect(dialect="duckdb", namespace="main")})
    fragments = compiler.compile("q77", scans).fragments
    dates = [each for each in fragments if each.fragment.tables == {"date_dim"}]
    assert len(dates) == 6
    assert {each.same_as for each in dates[1:]} == {dates[0].view}
    assert dates[0].reads == 6
