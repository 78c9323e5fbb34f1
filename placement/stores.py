"""Stores as the model sees them: capacity, capabilities and strengths."""

from dataclasses import dataclass, replace
from enum import StrEnum

from placement.memory.store_memory import StoreMemory
from placement.transfer.link import FREE, Link, MessageCost
from placement.transfer.streams import Points, StreamTimes
from workloads.indexes import NamedIndex

TYPICAL_ROW_BYTES = 100.0
"""Bytes of a row where a table's are not at hand."""
TYPICAL_ROW_VALUES = 8.0
"""Values of a row that are unpacked where a fragment is not at hand."""
MOST_TABLED = 10_000_000
"""Keys of a source, at most, that are loaded into a store: each takes memory of the driver."""


class Capability(StrEnum):
    """Capabilities of a store: the largest fragment, from least to most, and rows sent to it."""

    SCAN = "scan"  # one table with filters
    JOIN = "join"  # several tables of one block
    BLOCK = "block"  # a whole block with its aggregation
    QUERY = "query"  # a whole query
    KEYS = "keys"  # only rows with certain keys, which are sent along
    KEY_TABLES = "key tables"  # more keys than a statement holds, as a table of ours in the store
    ONE_SCAN = "one scan"  # a table scanned once for fragments that want different rows of it


FULL_SQL = frozenset(Capability) - {Capability.ONE_SCAN}


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """The rates of a store, for one execution on an otherwise idle machine.

    `source` names where the figures come from: 'default' until the store is calibrated.

    repeats_ctes: whether it computes a CTE anew for each of its readers.
    clustered: whether rows lie in the order of their primary key, and are found by it, also one
        after another by those of another table (nested loops).
    key_ranges: whether rows lie so in blocks, of which only those with a row of the keys that are
        sent are read.
    most_driver_rows: predicted rows at most of a whole query's answer that its own driver fetches,
        value by value, if it has at most `fetching.FEW_BYTES`: the engine has no part in it. So
        come other fragments of that size, to an engine that takes them (`Engine.own_drivers`). 0 is
        a store whose driver fetches none.
    start_s: seconds before the first row of any fragment (login, planning).
    scan_bytes_per_s: bytes of a table read and filtered a second; a column store reads only the
        columns it needs (`columnar`).
    scan_rows_per_s: rows of it that are read and filtered a second, beside their bytes; None where
        rows take no time of their own.
    scan_values_per_s: values of these rows that are unpacked a second, up to the last that is
        looked at (`placement.fragments.unpacked`); None for a store that finds each by itself.
    index_rows_per_s: rows that an index finds, and keys that are sought in it, a second; None for
        a store that reads through no index.
    indexes: those that its tables have beside the ones that all copies get.
    join_rows_per_s: rows that enter a join, a second.
    aggregate_rows_per_s: rows that enter an aggregation, a sort or a set operation, a second.
    conditions_per_s: conditions that aggregates test of a row (CASE, FILTER), a second; None for a
        store that aggregates nothing.
    transfer_bytes_per_s and transfer_rows_per_s: what the engine receives from it.
    transfer_decimals_per_s: values of decimal types that it receives, beside the rows that they are
        in; None where they take no time of their own.
    driver_rows_per_s: rows that its own driver fetches (`most_driver_rows`), instead of
        `transfer_rows_per_s`; None where that is the same.
    portions: whether its driver asks for each next portion of `CostModel.fetch_size` rows, and the
        engine waits for it; others have the rows streamed, or ask ahead. Results of at most
        `fetching.FEW_BYTES` come at once.
    link: what portions and messages add to the seconds of a transfer. What its bytes take in any
        case is in `transfer_bytes_per_s`.
    link_measured: whether a calibration has measured the link, so that settings may be chosen by
        it.
    stream_times: what reading a result by several statements saves; None where that was not
        measured. No price uses it: prices are of the work, however many do it.
    at_once: how long statements of equal work take that it answers at the same time; empty where
        that was not measured. No price uses it.
    memory: how its hash joins take memory; None where that was not measured. No price uses it.
    write_start_s and write_rows_per_s: one statement of the workload that changes rows, its
        commit included, and the rows that it changes.
    load_bytes_per_s: bytes of a table (the catalog's) loaded by the bulk path.
    kept_bytes: bytes of tables (the catalog's) that a scan finds in memory when it reads
        them again; None where everything is taken to be.
    missed_bytes_per_s: bytes of tables read from its disk where they are not.
    pool_bytes: bytes of tables (the catalog's) whose pages stay in memory that are asked for in no
        order, by indexes. Where it is None these are `kept_bytes`.
    missed_pages_per_s: such pages read from its disk, one after another.
    """

    source: str = "default"
    columnar: bool = False
    portions: bool = False
    repeats_ctes: bool = False
    clustered: bool = False
    key_ranges: bool = False
    most_driver_rows: int = 0
    start_s: float
    scan_bytes_per_s: float
    scan_rows_per_s: float | None = None
    scan_values_per_s: float | None = None
    join_rows_per_s: float
    aggregate_rows_per_s: float
    transfer_bytes_per_s: float
    transfer_rows_per_s: float
    write_start_s: float = 0.002
    write_rows_per_s: float = 10_000.0
    load_bytes_per_s: float = 20e6
    kept_bytes: float | None = None
    missed_bytes_per_s: float = 200e6
    pool_bytes: float | None = None
    missed_pages_per_s: float = 12_000.0
    index_rows_per_s: float | None = None
    conditions_per_s: float | None = None
    transfer_decimals_per_s: float | None = None
    driver_rows_per_s: float | None = None
    indexes: frozenset[NamedIndex] = frozenset()
    link: Link = FREE
    link_measured: bool = False
    stream_times: StreamTimes | None = None
    at_once: Points = ()
    memory: StoreMemory | None = None

    @property
    def typical_scan_bytes_per_s(self) -> float:
        """Bytes of a table in rows of `TYPICAL_ROW_BYTES` that are read and filtered a second."""
        row_s = self.scan_row_s(TYPICAL_ROW_VALUES)
        return 1 / (1 / self.scan_bytes_per_s + row_s / TYPICAL_ROW_BYTES)

    def scan_row_s(self, values: float) -> float:
        """Return the seconds of a scanned row with so many values to unpack, without its bytes."""
        of_row = 1 / self.scan_rows_per_s if self.scan_rows_per_s else 0.0
        return of_row + (values / self.scan_values_per_s if self.scan_values_per_s else 0.0)

    @property
    def round_trip_s(self) -> float:
        """Seconds that the engine waits for each next portion, before a byte of it."""
        return self.link.first.start_s

    def holding(self, table_bytes: float) -> "Strength":
        """Return the rates of the store where all tables together have so many bytes at most.

        What fits in all of its memory for pages is found again by scans too.
        """
        if self.pool_bytes is None or table_bytes > self.pool_bytes:
            return self
        return replace(self, kept_bytes=None)

    def with_round_trip(self, round_trip_s: float) -> "Strength":
        """Return the rates with so many seconds for each next portion."""
        first = replace(self.link.first, start_s=round_trip_s)
        return replace(self, link=replace(self.link, first=first))


def waiting(round_trip_s: float) -> Link:
    """Return a link of which only the wait for each next portion is known."""
    return Link(first=MessageCost(start_s=round_trip_s))


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Prices of a store, in one currency for all stores.

    `storage_gb_month`: 10⁹ bytes of a copy kept for a month. `transfer_gb`: 10⁹ bytes handed out.
    """

    storage_gb_month: float = 0.0
    transfer_gb: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """A system that holds tables and runs fragments. `capacity_bytes` None is unlimited.

    Capacities are in the catalog's bytes (rows times mean width), the same for every store.
    `lacks` names SQL features (`Fragment.features`) that the store cannot run. Of the keys of one
    source at most `most_tabled` are loaded into it.
    """

    name: str
    kind: str
    strength: Strength
    capacity_bytes: int | None = None
    capabilities: frozenset[Capability] = FULL_SQL
    lacks: frozenset[str] = frozenset()
    most_tabled: int = MOST_TABLED
    prices: Prices = Prices()


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """The engine that combines fragments across stores: Spark, or DuckDB in its driver.

    start_s: seconds to plan and run the combining query of a query that is not one fragment.
    fragment_s: seconds to take a fragment from its store, whatever its size (plan, task).
    rows_per_s: rows that the combining query handles a second.
    keys_s: seconds to fetch the keys of one source, before a fragment is reduced by them.
    keys_per_s: keys fetched and sent along a second.
    delivered_rows_per_s: rows of a query's result handed to whoever asked, a second.
    own_drivers: whether stores' own drivers fetch small fragments for it, as they fetch whole
        answers (`Strength.most_driver_rows`): then `fragment_s` is of others. The rows of a whole
        answer are delivered as soon as it has them.
    """

    source: str = "default"
    start_s: float
    fragment_s: float
    rows_per_s: float
    keys_s: float = 0.08
    keys_per_s: float = 100_000.0
    delivered_rows_per_s: float = 300_000.0
    own_drivers: bool = False


DRIVER = Engine(
    start_s=0.04,
    fragment_s=0.035,
    rows_per_s=23_000_000,
    keys_s=0.002,
    delivered_rows_per_s=3_000_000,
    own_drivers=True,
)
"""Default rates of an engine that combines in the driver: DuckDB."""
