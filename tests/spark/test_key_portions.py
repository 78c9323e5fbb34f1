"""A large scan of a MariaDB or MySQL is divided by the key that its rows lie in the order of."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from evaluation.federation.compile import Compiler
from evaluation.federation.compiled import CompiledFragment, CompiledQuery
from evaluation.federation.dividers import HIDDEN
from evaluation.federation.keys import KeyFilter, KeySource
from evaluation.kinds import BACKENDS, JDBC, KINDS
from evaluation.running.execution import Federation
from evaluation.running.restricting import LoadedKeys, with_keys
from evaluation.store_protocol.connection import Connection
from placement.fragments.enumeration import enumerate_fragments
from placement.plan import RoutedFragment
from placement.stores import Capability
from tests.catalogs import table
from tests.data_fixtures import statement
from tests.stores.each_store import named
from tests.stores.test_embedded_servers import execute, maria
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint
from workloads.workload import Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]

ORDERS, LINES = 1_000, 10
COLUMNS = {"Order": "BIGINT", "line": "BIGINT", "day": "DATE", "price": "DECIMAL(9,2)"}
SALES = table("sales", ORDERS, COLUMNS, ("Order", "line"))
CATALOG = Catalog(name="star", tables={"sales": SALES})
SQL = (
    "SELECT count(*) AS n, sum(price) AS p, min(day) AS d, max(day) AS e, max(line) AS l FROM sales"
)
DIGITS = " UNION ALL ".join(f"SELECT {n} AS d" for n in range(10))
# Keys below and above those that the statistics know: they are in the outer ranges.
TABLES = (
    "CREATE TABLE digits (d int)",
    f"INSERT INTO digits {DIGITS}",
    (
        "CREATE TABLE sales (`Order` bigint, line bigint, day date, price decimal(9, 2),"
        " PRIMARY KEY (`Order`, line))"
    ),
    (
        "INSERT INTO sales SELECT a.d + 10 * b.d + 100 * c.d - 50, l.d,"
        " DATE_ADD('2001-01-01', INTERVAL a.d DAY), b.d FROM digits a, digits b, digits c, digits l"
    ),
    "ANALYZE TABLE sales",
)
SENT = [2, 5, 9]
READ = "SHOW SESSION STATUS LIKE 'Handler_read_%%'"


@pytest.fixture(params=["mysql", "mysql8"])
def shop(request: pytest.FixtureRequest) -> Iterator[Connection]:
    """A store with a copy of 10,000 rows, as its kind loads them."""
    found = replace(named(request, request.param), namespace="key portions")
    BACKENDS[found.kind].prepare(found)
    with maria(found) as session:
        try:
            for each in ("USE `key portions`", *TABLES):
                execute(session, each)
            yield found
        finally:
            execute(session, "DROP DATABASE `key portions`")


def asked(store: Connection) -> CompiledQuery:
    """The query whose scan is predicted to be large, for a store that was asked for its keys."""
    found = footprint(statement(SQL), CATALOG, "duckdb")
    (scan,) = [
        each
        for each in enumerate_fragments(found, Estimator(CATALOG, found))
        if each.kind is Capability.SCAN and not each.reduction.preaggregated
    ]
    large = replace(scan, work=replace(scan.work, rows_out=1e6))
    routed = RoutedFragment(fragment=large, store=store.store, predicted_s=0.0)
    workload = Workload(name="w", dialect="duckdb", queries=(statement(SQL),))
    dialects = {store.store: KINDS[store.kind].dialect_for(store)}
    return Compiler(workload, CATALOG, dialects).compile("q", [routed])


def with_lines(fragment: CompiledFragment, store: Connection) -> CompiledFragment:
    """The fragment as it is asked for where its lines are matched with those of another."""
    source = KeySource(view="other", column="line", store=store.store)
    key = KeyFilter(column="sales__line", quoted="`sales__line`", source=source)
    tables = LoadedKeys(connections={store.store: store}, run="key portions")
    sent = with_keys(replace(fragment, keys=(key,)), {source: pa.array(SENT)}, tables)
    return replace(sent, keys=())


def test_each_row_comes_once_and_the_key_is_not_seen(spark: "SparkSession", shop: Connection):
    query = asked(shop)
    (one,) = query.fragments
    assert one.ranged is not None
    assert (one.ranged.column, one.ranged.hidden) == (HIDDEN, "Order")
    whole = replace(query, fragments=(replace(one, ranged=None),))
    stated = replace(query, fragments=(replace(one, ranged=replace(one.ranged, statements=3)),))
    with Federation(spark, {shop.store: shop}, timeout_s=60) as federation:
        done = [federation.run(each) for each in (whole, query, stated)]
        again = federation.run(stated, counted=False)
        rows = f"SELECT * FROM {one.view} LIMIT 1"
        of_view = replace(query, names=one.columns, types=one.types, driver_sql="")
        seen = federation.run(replace(of_view, combine_sql=rows))
    first, *others = ([tuple(row) for row in each.rows] for each in (*done, again))
    assert first[0][0] == ORDERS * LINES
    assert others == [first] * 3
    assert [each.fragments[0].partitions for each in done] == [1, 2, 3]
    assert [len(row) for row in seen.rows] == [len(one.columns)]
    # What nobody counted is not there.
    assert (again.fragments, again.moved, again.exchanges, again.engine_s) == ((), {}, None, None)


def test_each_statement_has_the_keys_that_are_sent(spark: "SparkSession", shop: Connection):
    query = asked(shop)
    one = with_lines(query.fragments[0], shop)
    assert one.ranged is not None
    whole = replace(query, fragments=(replace(one, ranged=None),))
    stated = replace(query, fragments=(replace(one, ranged=replace(one.ranged, statements=2)),))
    with Federation(spark, {shop.store: shop}, timeout_s=60) as federation:
        first, divided = (federation.run(each) for each in (whole, stated))
    assert [tuple(row) for row in divided.rows] == [tuple(row) for row in first.rows]
    assert first.rows[0][0] == ORDERS * len(SENT)
    assert [each.fragments[0].partitions for each in (first, divided)] == [1, 2]


@pytest.mark.parametrize("sent", [False, True])
def test_a_statement_reads_its_range_alone(shop: Connection, *, sent: bool):
    (one,) = asked(shop).fragments
    lines = LINES
    if sent:
        one, lines = with_lines(one, shop), len(SENT)
    assert one.ranged is not None
    # As Spark asks for a range of a store whose statements have a mark.
    types = {**dict(zip(one.columns, one.types, strict=True)), HIDDEN: "BIGINT"}
    marked = f"SELECT * FROM ({JDBC[shop.kind].carried.sent(one.ranged.sql, types)}) marked"
    half = f"SELECT {', '.join(one.columns)} FROM ({marked}) f"
    below = f"{half} WHERE {HIDDEN} < 450 OR {HIDDEN} IS NULL"
    with maria(shop) as session:
        read = {}
        for name, sql in (("whole", half), ("half", below)):
            execute(session, "FLUSH STATUS")
            rows = execute(session, sql)
            counts: Mapping[str, str] = dict(execute(session, READ))
            read[name] = len(rows), sum(int(each) for each in counts.values())
    assert read["whole"][0] == ORDERS * lines
    assert read["half"][0] == ORDERS * lines // 2
    # But for the row behind the range, and the one before it.
    assert read["half"][1] <= ORDERS * LINES // 2 + 10
    assert read["whole"][1] >= ORDERS * LINES
