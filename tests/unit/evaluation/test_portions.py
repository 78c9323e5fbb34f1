"""What large fragments are divided by."""

from dataclasses import replace

import pytest

from evaluation.federation.portions import ROWS_EACH, Ranged, ranged
from evaluation.federation.split import split
from placement.fragment import Coverage, EstimatedWork, Fragment, Reduction
from placement.plan import RoutedFragment
from placement.stores import Capability
from placement.transfer.link import TransferSettings
from placement.transfer.streams import Streams
from workloads.catalog import Catalog
from workloads.sql.canonical.rules import canonical
from workloads.workload import Query

SALES = (
    "SELECT ss_item_sk, ss_customer_sk, ss_list_price, i_brand FROM store_sales, item "
    "WHERE ss_item_sk = i_item_sk AND i_brand > ss_list_price"
)


def of(
    tiny: Catalog,
    sql: str,
    alias: str,
    *,
    rows: float = 1e6,
    preaggregated: bool = False,
    streams: Streams | None = None,
) -> Ranged | None:
    """What the scan of one source of a query is divided by."""
    tree = canonical(Query(name="q", sql=sql, origin="q"), tiny, "duckdb")
    fragment = Fragment(
        coverage=Coverage(
            query="q",
            kind=Capability.SCAN,
            block="b0",
            sources=(f"b0.{alias}",),
            tables=frozenset(),
        ),
        work=EstimatedWork(
            scan_bytes=0,
            column_bytes=0,
            join_rows=0,
            aggregate_rows=0,
            rows_out=rows,
            row_bytes_out=8,
        ),
        reduction=Reduction(preaggregated=preaggregated),
    )
    routed = RoutedFragment(fragment=fragment, store="pg", predicted_s=0)
    # The cut needs no more than the source; whether it is grouped is asked of the fragment alone.
    plain = replace(routed, fragment=replace(fragment, reduction=Reduction()))
    (piece,), _ = split(tree, [plain])
    if streams is not None:
        transfer = TransferSettings(fetch_rows=10, message_bytes=512, streams=streams)
        routed = replace(routed, transfer=transfer)
    return ranged(replace(piece, routed=routed), tiny)


def test_a_large_scan_is_divided_by_its_whole_number_of_most_values(tiny: Catalog):
    found = of(tiny, SALES, "store_sales")
    assert found is not None
    column = tiny.tables["store_sales"].column("ss_customer_sk")
    assert column.statistics is not None
    assert found.column == "store_sales__ss_customer_sk"
    assert (found.low, found.high) == (column.statistics.minimum, column.statistics.maximum)


def test_a_small_scan_is_not_divided(tiny: Catalog):
    assert of(tiny, SALES, "store_sales", rows=2 * ROWS_EACH - 1) is None


def test_what_the_store_groups_is_not_divided(tiny: Catalog):
    assert of(tiny, SALES, "store_sales", preaggregated=True) is None


def test_without_a_whole_number_there_is_nothing_to_divide_by(tiny: Catalog):
    names = "SELECT c_last_name, i_brand FROM customer, item WHERE c_last_name < i_brand"
    assert of(tiny, names, "customer") is None


@pytest.mark.parametrize(
    ("most", "rows", "count"), [(8, 1e6, "4"), (2, 1e6, "2"), (8, 3 * ROWS_EACH, "3")]
)
def test_portions_are_as_many_as_rows_and_cores_are_worth(most: int, rows: float, count: str):
    options = Ranged(column="n", low=1, high=100, rows=rows).options(most)
    assert options["numPartitions"] == count
    assert (options["lowerBound"], options["upperBound"]) == ("1", "101")


def test_the_upper_bound_has_64_bits():
    """Spark reads no longer number, and a table may have the largest one for "without end"."""
    options = Ranged(column="n", low=1, high=2**63 - 1, rows=1e6).options(2)
    assert options["upperBound"] == str(2**63 - 1)


@pytest.mark.parametrize(("most", "high"), [(1, 100), (8, 1)])
def test_one_core_or_one_value_is_one_portion(most: int, high: int):
    assert Ranged(column="n", low=1, high=high, rows=1e6).options(most) == {}


BY_ITEM = Streams(count=3, column="store_sales.ss_item_sk")


def test_a_plan_states_the_column_and_the_statements_of_a_small_result_too(tiny: Catalog):
    found = of(tiny, SALES, "store_sales", rows=1_000.0, streams=BY_ITEM)
    assert found is not None
    assert (found.column, found.statements) == ("store_sales__ss_item_sk", 3)
    assert found.options(1)["numPartitions"] == "3"
    one = of(tiny, SALES, "store_sales", streams=replace(BY_ITEM, count=1))
    assert one is not None
    assert one.options(8) == {}


def test_what_is_grouped_or_not_handed_out_is_read_by_one_statement_whatever_is_stated(
    tiny: Catalog,
):
    assert of(tiny, SALES, "store_sales", preaggregated=True, streams=BY_ITEM) is None
    other = replace(BY_ITEM, column="store_sales.ss_ticket_number")
    assert of(tiny, SALES, "store_sales", streams=other) is None
    price = replace(BY_ITEM, column="store_sales.ss_list_price")
    assert of(tiny, SALES, "store_sales", streams=price) is None
