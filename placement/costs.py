"""What a fragment costs in a store, and what the engine pays for what arrives."""

from dataclasses import dataclass

from placement.fragments import Fragment
from placement.stores import Capability, Engine, Store


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
    """Prices fragments; upkeep makes a copy that gains nothing cost something.

    `upkeep_s_per_byte` is charged once for every byte of every copy that is placed.
    """

    engine: Engine
    upkeep_s_per_byte: float = 1e-12

    def fragment(self, fragment: Fragment, store: Store, query_sources: int) -> FragmentCost:
        """Return what one execution of `fragment` in `store` costs.

        The combining query's fixed seconds are shared out over the query's `query_sources`
        sources, so that any exact cover of them pays it once; a whole query pays none.
        """
        strength = store.strength
        scanned = fragment.column_bytes if strength.columnar else fragment.scan_bytes
        whole = fragment.kind is Capability.QUERY
        share = 0.0 if whole else len(fragment.sources) / query_sources
        engine_s = 0.0
        if not whole:
            engine_s = (
                self.engine.fragment_s
                + self.engine.start_s * share
                + fragment.rows_out / self.engine.rows_per_s
            )
        return FragmentCost(
            start_s=strength.start_s,
            scan_s=scanned / strength.scan_bytes_per_s,
            join_s=fragment.join_rows / strength.join_rows_per_s,
            aggregate_s=fragment.aggregate_rows / strength.aggregate_rows_per_s,
            transfer_s=fragment.rows_out / strength.transfer_rows_per_s
            + fragment.bytes_out / strength.transfer_bytes_per_s,
            engine_s=engine_s,
        )


DEFAULT_COSTS = CostModel(engine=Engine(start_s=0.15, fragment_s=0.01, rows_per_s=4_000_000))
"""Prices with the engine's default rates: Spark on two cores, until it is calibrated."""
