"""The two placements of TPC-DS that the paper measured.

Sideris, Papadopoulos, Paranomos: Distributed Execution of SQL Queries Using Trino, table III:
partition 1 (by proximity) and partition 2 (by hand after measuring partition 1).
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from placement.limits.packing import Packing
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.routing.routing import plan_for
from workloads.errors import ConfigurationError

KINDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"A": ("accumulo", "duckdb"), "P": ("postgresql",), "M": ("mysql",)}
)
"""The paper's letter → kinds of store that stand for it, the first one there is."""

PARTITIONS: Mapping[int, Mapping[str, str]] = MappingProxyType(
    {
        1: MappingProxyType(
            {
                "A": "store_sales store_returns date_dim time_dim promotion "
                "household_demographics store reason income_band",
                "P": "catalog_sales inventory catalog_returns item catalog_page call_center "
                "warehouse",
                "M": "web_sales web_returns web_page web_site customer customer_address "
                "customer_demographics ship_mode",
            }
        ),
        2: MappingProxyType(
            {
                "A": "web_returns promotion household_demographics web_page web_site reason "
                "income_band",
                "P": "store_sales inventory web_sales store_returns item date_dim time_dim store "
                "warehouse",
                "M": "catalog_sales catalog_returns customer_demographics customer "
                "customer_address catalog_page call_center ship_mode",
            }
        ),
    }
)
"""Partition → letter → tables, separated by spaces."""


def missing_kind(kinds: Collection[str]) -> str | None:
    """Return what kind of store the partitions lack among `kinds`; None where they lack none."""
    for standing_for in KINDS.values():
        if not set(standing_for) & set(kinds):
            return " or ".join(standing_for)
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperPartition:
    """Places TPC-DS as partition 1 or 2 of the paper; other tables go where there is room."""

    number: int

    @property
    def name(self) -> str:
        """Return the candidate's name."""
        return f"paper_partition_{self.number}"

    def __call__(self, problem: PlacementProblem) -> PlacementPlan:
        """Return the plan; INFEASIBLE, as a reference, where it breaks a hard limit.

        Raises:
            ConfigurationError: The tables are not TPC-DS's, or a kind of store is missing.
        """
        home = {
            table: letter
            for letter, tables in PARTITIONS[self.number].items()
            for table in tables.split()
        }
        missing = sorted(home.keys() - problem.table_bytes.keys())
        if missing:
            raise ConfigurationError(
                f"Strategy '{self.name}' places the {len(home)} tables of TPC-DS, and this "
                f"catalog lacks {', '.join(missing[:3])}{', …' if len(missing) > 3 else ''}: "  # noqa: PLR2004
                f"take it out of [place].strategies."
            )
        stores = {letter: self._store(problem, letter) for letter in KINDS}
        packing = Packing(problem=problem)
        placement = {table: (stores[letter],) for table, letter in home.items()}
        for table, (store,) in placement.items():
            if table not in packing.stores_of:
                packing.put(table, store)
        packing.put_by_size(problem.table_bytes)
        return plan_for(problem, self.name, {**packing.placement, **placement})

    def _store(self, problem: PlacementProblem, letter: str) -> str:
        for kind in KINDS[letter]:
            for store in problem.stores:
                if store.kind == kind:
                    return store.name
        raise ConfigurationError(
            f"Strategy '{self.name}' needs a store of kind {' or '.join(KINDS[letter])}, and "
            f"there is none: add one under [stores], or take it out of [place].strategies."
        )
