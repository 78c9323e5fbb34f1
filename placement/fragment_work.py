"""The work of one execution of a fragment in a store, and its seconds by the store's rates.

A change here is made a second time in `placement.limits.own_prices`, which checks plans.
"""

from dataclasses import dataclass

from placement.access_paths import cheapest_reads, disk_s, missed_pages, read_rows, scan_bytes
from placement.fetching import FEW_BYTES
from placement.fragment import EstimatedWork, Fragment
from placement.stores import Capability, Strength
from placement.transfer.bounds import MOST_MESSAGE
from placement.transfer.link import TransferSettings

KEY_ROW_BYTES = 64.0
"""Bytes of other tables that are loaded in the time of a key: its row takes more than its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FragmentWork:
    """The work of one execution of a fragment in its store and the engine: amounts, no seconds.

    `conditions` are tested by aggregates (`EstimatedWork.conditions`).
    `starts` are the statements that its store is asked: none for what repeats another's rows.
    `combining` is the fragment's share of the query's combining query (0..1): 0 for a whole query.
    `arriving` says whether a task of the engine takes its rows: not what a store's own driver
    fetches (`Strength.most_driver_rows`). Of `rows_out` these are `driver_rows`, and in the others
    are `decimals_out` values. `delivered_rows` is its share of the query's result, but for whole
    queries of an engine that has their rows by then.
    `scanned_values` are the values that are unpacked of all `scanned_rows`.
    `tables_bytes` is what it reads, each table once however often it is read, or `scanned_bytes` of
    one reading where that is less. `index_rows` are fetched through indexes, the tables of which
    are then not among those scanned, and with them `index_missed_pages` that the store's memory
    does not hold. `tabled_keys` are loaded into so many `key_tables`, told from `tabled_rows`.
    """

    starts: int = 1
    scanned_bytes: float
    scanned_rows: float = 0.0
    scanned_values: float = 0.0
    join_rows: float
    aggregate_rows: float
    rows_out: float
    bytes_out: float
    conditions: float = 0.0
    reducers: int
    keys: float
    combining: float
    arriving: int
    combined_rows: float
    delivered_rows: float = 0.0
    tables_bytes: float = 0.0
    index_rows: float = 0.0
    index_missed_pages: float = 0.0
    key_tables: int = 0
    tabled_keys: float = 0.0
    tabled_rows: float = 0.0
    driver_rows: float = 0.0
    decimals_out: float = 0.0

    def scan_s(self, strength: Strength) -> float:
        """Return the seconds of reading and filtering what is in memory."""
        rows_rate, values_rate = strength.scan_rows_per_s, strength.scan_values_per_s
        return (
            self.scanned_bytes / strength.scan_bytes_per_s
            + (self.scanned_rows / rows_rate if rows_rate else 0.0)
            + (self.scanned_values / values_rate if values_rate else 0.0)
        )

    def rows_s(self, strength: Strength) -> float:
        """Return the seconds of handing rows to the engine, beside those of their bytes."""
        decimals_rate, driver_rate = strength.transfer_decimals_per_s, strength.driver_rows_per_s
        return (
            (self.rows_out - self.driver_rows) / strength.transfer_rows_per_s
            + (self.driver_rows / driver_rate if driver_rate else 0.0)
            + (self.decimals_out / decimals_rate if decimals_rate else 0.0)
        )

    def key_tables_s(self, strength: Strength) -> float:
        """Return the seconds of telling keys from rows, of fetching and of loading them.

        They may come from any store, so that their own counts as one like this.
        """
        return (
            self.key_tables * (strength.start_s + strength.write_start_s)
            + self.tabled_rows / strength.aggregate_rows_per_s
            + self.tabled_keys / strength.transfer_rows_per_s
            + self.tabled_keys * KEY_ROW_BYTES / strength.load_bytes_per_s
        )

    def aggregate_s(self, strength: Strength) -> float:
        """Return the seconds of grouping rows, and of what aggregates test of them."""
        rate = strength.conditions_per_s
        tested_s = self.conditions / rate if rate is not None else 0.0
        return self.aggregate_rows / strength.aggregate_rows_per_s + tested_s

    def index_s(self, strength: Strength) -> float:
        """Return the seconds of fetching rows through indexes."""
        return self.index_rows / strength.index_rows_per_s if strength.index_rows_per_s else 0.0

    def missed_s(self, strength: Strength) -> float:
        """Return the seconds of reading from the store's disk what its memory does not hold."""
        by_index_s = self.index_missed_pages / strength.missed_pages_per_s
        return by_index_s + disk_s(self.scanned_bytes, self.tables_bytes, strength)

    def round_trips(
        self, strength: Strength, fetch_size: int, transfer: TransferSettings | None = None
    ) -> float:
        """Return the waits for next portions of `fetch_size` rows, or of those of `transfer`.

        There are none for what comes at once or is streamed. Portions that are read at the same
        time, each by a statement of its own, wait as often together.
        """
        if not strength.portions:
            return 0.0
        if transfer is not None:
            one_is_all = self.rows_out <= transfer.statements * transfer.fetch_rows
            return 0.0 if one_is_all else self.rows_out / transfer.fetch_rows
        return 0.0 if self.bytes_out <= FEW_BYTES else self.rows_out / fetch_size

    def fetching_s(
        self, strength: Strength, fetch_size: int, transfer: TransferSettings | None = None
    ) -> float:
        """Return the seconds that fetch and message size add to those which the bytes take."""
        message_bytes = MOST_MESSAGE if transfer is None else transfer.message_bytes
        statements = 1 if transfer is None else transfer.statements
        trips = self.round_trips(strength, fetch_size, transfer)
        batch_bytes = self.bytes_out / max(statements, trips) if strength.portions else 0.0
        return strength.link.added_s(self.bytes_out, trips, batch_bytes, message_bytes)


def work(
    fragment: Fragment, strength: Strength, query_sources: int, *, own_drivers: bool = False
) -> FragmentWork:
    """Return what one execution of `fragment` asks for in a store of this `strength`.

    With `own_drivers` these fetch small fragments for the engine. Those that Spark reads by several
    statements are taken for such, too: their scan takes far longer than a task.

    Of the strength only what the store is counts (`columnar`, `clustered`, …), and its rates where
    the cheaper one of a scan and an index is taken. The combining query is shared out over the
    query's `query_sources` sources, so that any exact cover of them pays it once; a whole query
    pays none. What repeats another fragment's rows asks of its store for nothing.
    """
    estimated, reduction = fragment.work, fragment.reduction
    if reduction.repeats is not None:
        return _engine_work(fragment, query_sources)
    times = estimated.readings if strength.repeats_ctes else 1.0
    by_index = cheapest_reads(estimated, strength)
    read = scan_bytes(estimated, strength) - sum(each.spared_bytes for each in by_index)
    joined = estimated.join_rows - sum(each.spared_rows for each in by_index)
    rows = times * read_rows(read, estimated)
    whole = fragment.kind is Capability.QUERY
    by_driver = (whole or own_drivers) and _by_own_driver(estimated, strength)
    return FragmentWork(
        scanned_bytes=times * read,
        scanned_rows=rows,
        scanned_values=rows * estimated.read_row_values,
        join_rows=times * joined,
        aggregate_rows=times * estimated.aggregate_rows,
        conditions=times * estimated.conditions,
        rows_out=estimated.rows_out,
        bytes_out=estimated.bytes_out,
        reducers=len(reduction.reducers),
        keys=reduction.keys,
        combining=0.0 if whole else len(fragment.sources) / query_sources,
        arriving=0 if by_driver else 1,
        combined_rows=0.0 if whole else estimated.rows_out + estimated.combine_rows,
        delivered_rows=0.0 if whole and own_drivers else estimated.delivered_rows,
        driver_rows=estimated.rows_out if by_driver and strength.driver_rows_per_s else 0.0,
        decimals_out=0.0 if by_driver else estimated.rows_out * estimated.decimals_out,
        tables_bytes=min(read, estimated.tables_bytes),
        index_rows=times * sum(each.rows for each in by_index),
        index_missed_pages=times
        * sum(missed_pages(each, estimated, strength) for each in by_index),
        key_tables=len(reduction.key_tables),
        tabled_keys=sum(each.keys for each in reduction.key_tables),
        tabled_rows=sum(each.rows for each in reduction.key_tables),
    )


def _by_own_driver(estimated: EstimatedWork, strength: Strength) -> bool:
    are_few = 0 < strength.most_driver_rows >= estimated.rows_out
    return are_few and estimated.bytes_out <= FEW_BYTES


def _engine_work(fragment: Fragment, query_sources: int) -> FragmentWork:
    """Return what the engine makes of rows that it has."""
    estimated = fragment.work
    return FragmentWork(
        starts=0,
        scanned_bytes=0.0,
        join_rows=0.0,
        aggregate_rows=0.0,
        rows_out=0.0,
        bytes_out=0.0,
        reducers=0,
        keys=0.0,
        combining=len(fragment.sources) / query_sources,
        arriving=0,
        combined_rows=estimated.rows_out + estimated.combine_rows,
        delivered_rows=estimated.delivered_rows,
    )
