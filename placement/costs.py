"""What a fragment costs in a store, and what the engine pays for what arrives."""

from dataclasses import dataclass

from placement.fragments import Fragment
from placement.stores import Capability, Engine, Store

GIGABYTE = 1e9
DAYS_OF_MONTH = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FragmentCost:
    """Seconds of one execution of a fragment in a store, by kind of work."""

    start_s: float
    scan_s: float
    join_s: float
    aggregate_s: float
    transfer_s: float
    engine_s: float

    @property
    def total_s(self) -> float:
        """Sum over all kinds."""
        return (
            self.start_s
            + self.scan_s
            + self.join_s
            + self.aggregate_s
            + self.transfer_s
            + self.engine_s
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CostModel:
    """Prices fragments in seconds, and copies in seconds and in money.

    `upkeep_s_per_byte` is charged once for every byte of every copy: with it a copy that gains
    nothing costs something. `fetch_size` is the rows of a round trip, `rows_per_write` what a
    statement that writes is taken to change. `period_days` says how long the workload's
    executions take place: seconds are of one period, money is of a month.
    """

    engine: Engine
    upkeep_s_per_byte: float = 1e-12
    fetch_size: int = 10_000
    rows_per_write: float = 1.0
    period_days: float = 30.0

    def fragment(self, fragment: Fragment, store: Store, query_sources: int) -> FragmentCost:
        """Return what one execution of `fragment` in `store` costs.

        The combining query's fixed seconds are shared out over the query's `query_sources`
        sources, so that any exact cover of them pays it once; a whole query pays none.
        """
        strength = store.strength
        scanned = fragment.column_bytes if strength.columnar else fragment.scan_bytes
        times = fragment.readings if strength.repeats_ctes else 1.0
        whole = fragment.kind is Capability.QUERY
        share = 0.0 if whole else len(fragment.sources) / query_sources
        engine_s = 0.0
        if not whole:
            engine_s = (
                self.engine.fragment_s
                + self.engine.start_s * share
                + (fragment.rows_out + fragment.combine_rows) / self.engine.rows_per_s
            )
        return FragmentCost(
            start_s=strength.start_s,
            scan_s=times * scanned / strength.scan_bytes_per_s,
            join_s=times * fragment.join_rows / strength.join_rows_per_s,
            aggregate_s=times * fragment.aggregate_rows / strength.aggregate_rows_per_s,
            transfer_s=fragment.rows_out / strength.transfer_rows_per_s
            + fragment.bytes_out / strength.transfer_bytes_per_s
            + fragment.rows_out / self.fetch_size * strength.round_trip_s
            + len(fragment.reducers) * self.engine.keys_s
            + fragment.keys / self.engine.keys_per_s,
            engine_s=engine_s,
        )

    def upkeep_s(self, table_bytes: int, writes: float, store: Store) -> float:
        """Return the seconds a period that one copy of a table takes in `store`.

        `writes` are the executions of the statements that write the table: each changes all
        copies.
        """
        strength = store.strength
        write_s = strength.write_start_s + self.rows_per_write / strength.write_rows_per_s
        return self.upkeep_s_per_byte * table_bytes + writes * write_s

    def load_s(self, table_bytes: int, store: Store) -> float:
        """Return the seconds of loading a new copy of a table into `store`."""
        return table_bytes / store.strength.load_bytes_per_s

    def storage_money(self, table_bytes: int, store: Store) -> float:
        """Return what a copy of a table costs a month."""
        return table_bytes / GIGABYTE * store.prices.storage_gb_month

    def transfer_money(self, fragment: Fragment, store: Store, executions: float) -> float:
        """Return what a month of a fragment costs; `executions` are those of a period."""
        a_month = executions * DAYS_OF_MONTH / self.period_days
        return a_month * fragment.bytes_out / GIGABYTE * store.prices.transfer_gb


DEFAULT_COSTS = CostModel(engine=Engine(start_s=0.15, fragment_s=0.01, rows_per_s=4_000_000))
"""Prices with the engine's default rates: Spark on two cores, until it is calibrated."""
