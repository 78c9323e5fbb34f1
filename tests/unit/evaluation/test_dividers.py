"""Large scans of copies are divided by the key in whose order their rows lie."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from sqlglot import parse_one

from evaluation.federation.compile import Compiler
from evaluation.federation.compiled import CompiledFragment
from evaluation.federation.dividers import FEWEST_VALUES, HIDDEN, Divider, dividers
from evaluation.federation.store_dialect import StoreDialect
from placement.fragment import Fragment, IndexRead, KeyTable, Match, Reduction
from placement.fragments.enumeration import enumerate_fragments
from placement.plan import RoutedFragment
from placement.stores import Capability
from placement.streaming import ROWS_EACH
from placement.transfer.link import TransferSettings
from placement.transfer.streams import Streams
from tests.catalogs import table
from tests.data_fixtures import statement
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.indexes import Index, NamedIndex
from workloads.sql import footprint
from workloads.workload import Workload

COLUMNS = {"i_order": "BIGINT", "i_line": "BIGINT", "i_price": "DECIMAL(9,2)", "i_count": "INTEGER"}
KEY = ("i_order", "i_line")
ITEM = table("item", 2_000_000, COLUMNS, KEY)
PRICES = "SELECT sum(i_price) FROM item WHERE i_count > 3"


def catalog_of(item=ITEM) -> Catalog:
    orders = table("orders", 1_000, {"o_id": "BIGINT", "o_day": "DATE"}, ("o_id",))
    return Catalog(name="shop", tables={"item": item, "orders": orders})


def scans(sql: str, catalog: Catalog) -> list[Fragment]:
    found = footprint(statement(sql), catalog, "duckdb")
    return [
        each
        for each in enumerate_fragments(found, Estimator(catalog, found))
        if each.kind is Capability.SCAN and each.reduction == type(each.reduction)()
    ]


def compiler_of(
    sql: str, catalog: Catalog, keys: Mapping[str, tuple[str, ...]], dialect: str
) -> Compiler:
    workload = Workload(name="w", dialect="duckdb", queries=(statement(sql),))
    target = StoreDialect(dialect=dialect, namespace="shop", primary_keys=keys)
    return Compiler(workload, catalog, {"a": target})


def compiled(
    sql: str = PRICES,
    catalog: Catalog | None = None,
    keys: Mapping[str, tuple[str, ...]] | None = None,
    **changes,
) -> CompiledFragment:
    """The scan of item, with all of its rows handed out."""
    catalog = catalog or catalog_of()
    routing = []
    for each in scans(sql, catalog):
        work = replace(each.work, rows_out=changes.get("rows_out", 2e6))
        fragment = replace(
            each,
            work=replace(work, index_reads=changes.get("index_reads", ())),
            reduction=changes.get("reduction", Reduction()),
        )
        transfer = changes.get("transfer")
        routing.append(
            RoutedFragment(
                fragment=fragment,
                store="a",
                predicted_s=0.0,
                transfer=transfer,
                read_by=changes.get("read_by"),
            )
        )
    compiler = compiler_of(sql, catalog, {"item": KEY} if keys is None else keys, "mysql")
    (found,) = [x for x in compiler.compile("q", routing).fragments if "item" in x.fragment.tables]
    return found


def test_a_scan_is_divided_by_the_first_column_of_the_key_which_nobody_asks_for():
    found = compiled()
    assert found.ranged is not None
    assert (found.ranged.column, found.ranged.hidden) == (HIDDEN, "i_order")
    assert (found.ranged.low, found.ranged.high) == (0, 2_000_000)
    assert found.ranged.sql == (
        "SELECT `item`.`i_price` AS `item__i_price`, `item`.`i_order` AS `placement_advisor_key` "
        "FROM `shop`.`item` AS `item` FORCE INDEX (`PRIMARY`) WHERE `item`.`i_count` > 3"
    )
    # One statement is told nothing, and hands out what was asked for.
    assert found.sql == (
        "SELECT `item`.`i_price` AS `item__i_price` FROM `shop`.`item` AS `item` "
        "WHERE `item`.`i_count` > 3"
    )
    assert found.columns == ("item__i_price",)


def test_a_key_that_is_handed_out_is_divided_by_under_its_own_name():
    found = compiled("SELECT max(i_order), sum(i_line) FROM item")
    assert found.ranged is not None
    assert (found.ranged.column, found.ranged.hidden) == ("item__i_order", "")
    assert HIDDEN not in found.ranged.sql
    assert "FORCE INDEX (`PRIMARY`)" in found.ranged.sql


def test_without_a_key_of_the_server_s_the_columns_that_are_handed_out_are_left():
    found = compiled("SELECT sum(i_count), sum(i_price) FROM item", keys={})
    assert found.ranged is not None
    assert (found.ranged.column, found.ranged.sql) == ("item__i_count", "")
    assert compiled(keys={}).ranged is None
    assert compiled(keys={"item": ("i_price",)}).ranged is None


def test_a_key_of_few_values_is_not_dealt_out_evenly():
    few = [
        replace(each, statistics=replace(each.statistics, distinct=FEWEST_VALUES - 1))
        if each.name == "i_order" and each.statistics is not None
        else each
        for each in ITEM.columns
    ]
    assert compiled(catalog=catalog_of(replace(ITEM, columns=tuple(few)))).ranged is None


READ = IndexRead(source="b0.item", clustered=True, rows=1.0, spared_bytes=1.0)
CHOSEN = NamedIndex("item", ("i_count",))


@pytest.mark.parametrize(
    ("read", "read_by", "divided"),
    [
        (READ, None, False),
        (READ, (), False),
        (replace(READ, index=CHOSEN), (CHOSEN,), False),
        (replace(READ, index=CHOSEN), None, False),
        # The price has not that one.
        (replace(READ, index=CHOSEN), (), True),
        # That is a way of stores whose rows lie otherwise.
        (replace(READ, clustered=False), None, True),
    ],
)
def test_what_may_be_read_by_an_index_is_not_told_to_read_by_the_key(
    read: IndexRead, read_by: tuple[NamedIndex, ...] | None, *, divided: bool
):
    found = compiled(index_reads=(read,), read_by=read_by)
    assert (found.ranged is not None) is divided


def test_a_scan_of_many_rows_is_divided_however_few_it_hands_out():
    found = compiled(rows_out=10.0, read_by=())
    assert found.ranged is not None
    assert (found.ranged.by_key, found.ranged.rows) == (True, 4 * ROWS_EACH)
    assert found.ranged.options(64)["numPartitions"] == "4"
    # By another column each statement reads all rows, and few are handed out.
    few = "SELECT sum(i_count), sum(i_price) FROM item"
    assert compiled(few, keys={}, rows_out=10.0, read_by=()).ranged is None
    small = replace(ITEM, rows=2 * ROWS_EACH - 1)
    assert compiled(catalog=catalog_of(small), rows_out=10.0, read_by=()).ranged is None


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT sum(i_price) FROM item WHERE i_count = 3 OR i_line = 2", ("i_count",)),
        ("SELECT sum(i_price) FROM item WHERE i_count < 3 OR i_count > 900", ("i_count",)),
        ("SELECT sum(i_count) FROM item", ("i_count",)),
    ],
)
def test_few_rows_that_an_index_of_the_copy_may_find_are_left_to_it(
    sql: str, columns: tuple[str, ...]
):
    """No price has these ways, so that no `index_reads` tell of them."""
    indexed = catalog_of(replace(ITEM, indexes=(Index(columns=columns),)))
    assert compiled(sql, indexed, rows_out=10.0, read_by=()).ranged is None
    chosen = (NamedIndex("item", columns),)
    assert compiled(sql, rows_out=10.0, read_by=chosen).ranged is None
    # A plan of an earlier version does not tell which were chosen.
    assert compiled(sql, rows_out=10.0, read_by=None).ranged is None
    assert compiled(sql, rows_out=10.0, read_by=()).ranged is not None
    # Most rows are handed out: no index finds them faster.
    assert compiled(sql, indexed, read_by=()).ranged is not None


def reduced_by(*columns: str, **changes) -> Reduction:
    """Keys of another source are sent to these columns of item."""
    matches = tuple(Match(column=("b0.item", each), key=("b0.orders", "o_id")) for each in columns)
    return Reduction(reducers=("b0.orders",), keys=10.0, matches=matches, **changes)


@pytest.mark.parametrize(
    ("columns", "divided"),
    [(("i_line",), True), (("i_order",), False), (("i_line", "I_Order"), False), ((), False)],
)
def test_keys_are_sent_to_each_statement_unless_the_primary_key_finds_them(
    columns: tuple[str, ...], *, divided: bool
):
    """MariaDB finds the rows of few keys by the index that begins with their column."""
    assert (reads(reduced_by(*columns)) is not None) is divided


def reads(
    reduction: Reduction, item=ITEM, read_by: tuple[NamedIndex, ...] | None = ()
) -> Divider | None:
    catalog = catalog_of(item)
    (scan,) = scans(PRICES, catalog)
    routed = RoutedFragment(
        fragment=replace(scan, reduction=reduction), store="a", predicted_s=0.0, read_by=read_by
    )
    (piece,) = compiler_of(PRICES, catalog, {}, "mysql").pieces("q", [routed])
    return next(iter(dividers(piece, catalog, {"item": KEY})), None)


def test_keys_that_another_index_may_find_are_sent_to_one_statement():
    by_line = reduced_by("i_line")
    assert reads(by_line) is not None
    indexed = replace(ITEM, indexes=(Index(columns=("i_line", "i_count")),))
    assert reads(by_line, indexed) is None
    assert reads(by_line, read_by=(NamedIndex("item", ("i_line",)),)) is None
    assert reads(by_line, read_by=(NamedIndex("orders", ("i_line",)),)) is not None
    assert reads(by_line, read_by=None) is None


def test_keys_that_are_a_table_of_the_store_are_asked_for_once():
    table_of_keys = KeyTable(source="b0.orders", keys=1e5, rows=1e5)
    assert reads(reduced_by("i_line", key_tables=(table_of_keys,))) is None


def test_a_key_that_is_filtered_by_is_not_dealt_out_evenly():
    sql = "SELECT sum(i_line) FROM item WHERE i_order >= 1000000"
    found = compiled(sql)
    assert found.ranged is not None
    assert (found.ranged.column, found.ranged.by_key) == ("item__i_line", False)


def test_no_key_is_looked_for_in_what_reads_no_table():
    catalog = catalog_of()
    sql = "SELECT sum(i_price) FROM item"
    (piece,) = compiler_of(sql, catalog, {}, "mysql").pieces(
        "q", [RoutedFragment(fragment=scans(sql, catalog)[0], store="a", predicted_s=0.0)]
    )
    of_keys = parse_one("SELECT DISTINCT s.x FROM (SELECT i_order AS x FROM item) AS s")
    assert dividers(replace(piece, expression=of_keys), catalog, {"item": KEY}) == []
    distinct = parse_one("SELECT DISTINCT i.i_price AS p FROM item AS i")
    assert dividers(replace(piece, expression=distinct), catalog, {"item": KEY}) == []


def test_a_table_with_a_column_of_the_hidden_name_is_not_divided_by_a_hidden_one():
    named = replace(ITEM.columns[3], name=HIDDEN.upper())
    item = replace(ITEM, columns=(*ITEM.columns, named))
    assert compiled(catalog=catalog_of(item)).ranged is None
    asked = compiled("SELECT max(i_order), sum(i_line) FROM item", catalog=catalog_of(item))
    assert asked.ranged is not None


@pytest.mark.parametrize(("stated", "divided"), [("item.i_order", True), ("item.i_line", False)])
def test_a_plan_may_state_the_hidden_key_and_no_other_column(stated: str, *, divided: bool):
    streams = Streams(count=3, column=stated)
    transfer = TransferSettings(fetch_rows=10, message_bytes=512, streams=streams)
    found = compiled(transfer=transfer)
    assert (found.ranged is not None) is divided
    if found.ranged is not None:
        assert found.ranged.options(1)["numPartitions"] == "3"


def test_a_key_that_is_handed_out_is_offered_once_and_first():
    sql = "SELECT max(i_order), sum(i_line), sum(i_count) FROM item"
    catalog = catalog_of()
    compiler = compiler_of(sql, catalog, {}, "mysql")
    routing = [
        RoutedFragment(fragment=each, store="a", predicted_s=0.0) for each in scans(sql, catalog)
    ]
    (piece,) = compiler.pieces("q", routing)
    names = [each.name for each in dividers(piece, catalog, {"item": ("i_line", "i_order")})]
    assert names[0] == "item.i_line"
    assert sorted(names) == ["item.i_count", "item.i_line", "item.i_order"]
    assert [each.by_key for each in dividers(piece, catalog)] == [False] * 3


def test_a_join_is_not_divided_by_a_hidden_key():
    sql = "SELECT sum(i_price) FROM item JOIN orders ON i_order = o_id"
    catalog = catalog_of()
    found = footprint(statement(sql), catalog, "duckdb")
    (joined,) = [
        each
        for each in enumerate_fragments(found, Estimator(catalog, found))
        if each.kind is Capability.JOIN and each.reduction == type(each.reduction)()
    ]
    compiler = compiler_of(sql, catalog, {}, "mysql")
    (piece,) = compiler.pieces("q", [RoutedFragment(fragment=joined, store="a", predicted_s=0.0)])
    assert dividers(piece, catalog, {"item": KEY, "orders": ("o_id",)}) == []
