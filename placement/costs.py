"""The cost formulas: what a fragment's work in a store and in the engine adds up to.

A change here is made a second time in `placement.limits.own_prices`, which checks plans.
"""

from dataclasses import dataclass, replace

from placement.corrections import Corrections
from placement.fetching import Budget, settings_of
from placement.fragment import Fragment
from placement.fragment_cost import FragmentCost
from placement.fragment_work import work
from placement.stores import Engine, Store
from placement.transfer.link import TransferSettings

GIGABYTE = 1e9
DAYS_OF_MONTH = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CostModel:
    """Prices fragments in seconds, and copies in seconds and in money.

    `upkeep_s_per_byte` is charged once for every byte of every copy: with it a copy that gains
    nothing costs something. `fetch_size` is the rows of a round trip, `rows_per_write` what a
    statement that writes is taken to change. `period_days` says how long the workload's
    executions take place: seconds are of one period, money is of a month. `budget` is the memory
    within which results have settings of their own where these save seconds; without it all are
    fetched with those of the run. `corrections` are what measurements made of the formula's
    seconds; None are the formula's alone.
    """

    engine: Engine
    upkeep_s_per_byte: float = 1e-12
    fetch_size: int = 10_000
    rows_per_write: float = 1.0
    period_days: float = 30.0
    budget: Budget | None = None
    corrections: Corrections | None = None

    @property
    def formula(self) -> "CostModel":
        """Return the prices without corrections."""
        return replace(self, corrections=None)

    def fragment(self, fragment: Fragment, store: Store, query_sources: int) -> FragmentCost:
        """Return what one execution of `fragment` in `store` costs: its work by the rates."""
        transfer = self.transfer(fragment, store)
        return self.fetched(fragment, store, query_sources, transfer)

    def transfer(self, fragment: Fragment, store: Store) -> TransferSettings | None:
        """Return the settings that `fragment` is fetched with from `store`; None for the run's.

        Only a link that was measured tells which save seconds, and only these are taken.
        """
        strength = store.strength
        if self.budget is None or not strength.link_measured:
            return None
        found = settings_of(fragment, store, self.budget, self.fetch_size)
        if found is None:
            return None
        asked = work(fragment, strength, len(fragment.sources))
        plain_s = asked.fetching_s(strength, self.fetch_size)
        return found if asked.fetching_s(strength, self.fetch_size, found) < plain_s else None

    def fetched(
        self,
        fragment: Fragment,
        store: Store,
        query_sources: int,
        transfer: TransferSettings | None,
    ) -> FragmentCost:
        """Return the cost of a fragment whose rows are fetched with settings of its own, if any.

        Where these divide it, each statement is begun, and each that no index serves is computed.
        """
        strength, engine = store.strength, self.engine
        asked = work(fragment, strength, query_sources, own_drivers=engine.own_drivers)
        streams = None if transfer is None else transfer.streams
        keys_s = asked.reducers * engine.keys_s + asked.keys / engine.keys_per_s
        keys_s += asked.key_tables_s(strength)
        begun, computed = (1, 1) if streams is None else (streams.count, streams.computed)
        disk_s = computed * asked.missed_s(strength)
        cost = FragmentCost(
            start_s=begun * asked.starts * strength.start_s,
            scan_s=computed * (asked.scan_s(strength) + asked.index_s(strength)) + disk_s,
            join_s=computed * asked.join_rows / strength.join_rows_per_s,
            aggregate_s=computed * asked.aggregate_s(strength),
            transfer_s=asked.rows_s(strength)
            + asked.bytes_out / strength.transfer_bytes_per_s
            + asked.fetching_s(strength, self.fetch_size, transfer)
            + keys_s,
            engine_s=asked.arriving * engine.fragment_s
            + asked.combining * engine.start_s
            + asked.combined_rows / engine.rows_per_s
            + asked.delivered_rows / engine.delivered_rows_per_s,
            keys_s=keys_s,
            disk_s=disk_s,
        )
        if self.corrections is None:
            return cost
        return cost.corrected(self.corrections.factors(fragment, store.name))

    def upkeep_s(self, table_bytes: int, writes: float, store: Store) -> float:
        """Return the seconds a period that one copy of a table takes in `store`.

        `writes` are the executions of the statements that write the table: each changes all
        copies.
        """
        strength = store.strength
        write_s = strength.write_start_s + self.rows_per_write / strength.write_rows_per_s
        return self.upkeep_s_per_byte * table_bytes + writes * write_s

    def index_upkeep_s(self, index_bytes: int, writes: float, store: Store) -> float:
        """Return the seconds a period that a chosen index takes in `store`.

        Each row that is written has an entry in it, which takes as long to write as the row.
        """
        written_s = self.rows_per_write / store.strength.write_rows_per_s
        return self.upkeep_s_per_byte * index_bytes + writes * written_s

    def load_s(self, table_bytes: int, store: Store) -> float:
        """Return the seconds of loading a new copy of a table into `store`."""
        return table_bytes / store.strength.load_bytes_per_s

    def storage_money(self, table_bytes: int, store: Store) -> float:
        """Return what a copy of a table costs a month."""
        return table_bytes / GIGABYTE * store.prices.storage_gb_month

    def transfer_money(self, fragment: Fragment, store: Store, executions: float) -> float:
        """Return what a month of a fragment costs; `executions` are those of a period."""
        a_month = executions * DAYS_OF_MONTH / self.period_days
        return a_month * fragment.bytes_moved / GIGABYTE * store.prices.transfer_gb


DEFAULT_COSTS = CostModel(engine=Engine(start_s=0.15, fragment_s=0.035, rows_per_s=4_000_000))
"""Prices with the default rates of an engine that combines itself: Spark on two cores."""
