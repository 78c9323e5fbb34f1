"""The setting of a run: the tables, the stores and the workload."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from advisor.measuring.contradicted_rates import Doubt
from evaluation.calibration.calibration import Calibration
from workloads.access_graph import AccessGraph


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The facts that a report needs beside the measurements.

    `table_bytes` and `table_rows` are the catalog's; `capacities_bytes` is store → capacity, None
    without a limit; `kinds` is store → kind; `executions` is query → how often it is run;
    `command` repeats the run. `rates` is store → where its rates are from, `calibration` what they
    were measured by, without stores that are others now. `doubt` is None unless the run contradicts
    quick rates.
    """

    project: str
    table_bytes: Mapping[str, int]
    table_rows: Mapping[str, int]
    capacities_bytes: Mapping[str, int | None]
    kinds: Mapping[str, str]
    graph: AccessGraph
    executions: Mapping[str, float]
    command: str
    rates: Mapping[str, str] = field(default_factory=dict)
    calibration: Calibration | None = None
    doubt: Doubt | None = None

    @property
    def catalog_bytes(self) -> int:
        """Size of all tables."""
        return sum(self.table_bytes.values())

    def held_bytes(self, placement: Mapping[str, tuple[str, ...]]) -> Mapping[str, int]:
        """Return store → bytes that it holds under `placement`."""
        held = dict.fromkeys(self.capacities_bytes, 0)
        for table, stores in placement.items():
            for store in stores:
                held[store] = held.get(store, 0) + self.table_bytes.get(table, 0)
        return held
