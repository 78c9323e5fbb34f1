"""The measurement of one fragment: rows handed out, and seconds in its store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

from evaluation.measuring.plan_metrics import ScanMetrics

if TYPE_CHECKING:
    from evaluation.federation.compiled import CompiledFragment


@dataclass(frozen=True, slots=True, kw_only=True)
class FragmentMeasurement:
    """One fragment of a query, as the engine read it: of one execution, or medians of several.

    `name` is `Fragment.name`, `view` what the combining query calls it. `rows` are counted by the
    scan: what left the store, which Spark asks for rows without NULL in columns that it joins by
    itself; `bytes` are computed from rows and the columns' mean widths. The seconds are those that
    the scan waited for its driver, added up over its `partitions`: `execute_s` until the statement
    answered (in the store: planning, and all work before the first portion of rows), `fetch_s`
    for the next portions and for turning rows into the engine's. Connecting, asking for the
    schema and starting the engine's task are in neither. An engine that never read the view, as
    a join's other side was empty or the same rows are those of an earlier view, has 0 partitions.
    """

    name: str
    view: str
    store: str
    kind: str
    tables: tuple[str, ...]
    rows: int
    bytes: int
    execute_s: float
    fetch_s: float
    partitions: int

    @property
    def seconds(self) -> float:
        """Seconds in the store and on the way from it, added up over the partitions."""
        return self.execute_s + self.fetch_s

    @property
    def elapsed_s(self) -> float:
        """The least wall time that reading took: its partitions at the same time."""
        return self.seconds / max(1, self.partitions)


def fragment_measurements(
    fragments: Sequence["CompiledFragment"], scans: Mapping[str, ScanMetrics]
) -> tuple[FragmentMeasurement, ...]:
    """Return what was read of each compiled fragment; `scans` maps views to what was counted."""
    return tuple(_measured(each, scans.get(each.view, ScanMetrics())) for each in fragments)


def engine_s(seconds: float, fragments: Sequence[FragmentMeasurement]) -> float | None:
    """Return the part of an execution's `seconds` that its longest fragment does not account for.

    None without fragments: the stores' part of such an execution is not known.
    Stores work side by side, so that all but the longest may be hidden behind it. What is left is
    the engine's: planning, connecting, exchanges and joins, and what it did not read at once.
    """
    if not fragments:
        return None
    return max(0.0, seconds - max(each.elapsed_s for each in fragments))


def _measured(compiled: "CompiledFragment", scan: ScanMetrics) -> FragmentMeasurement:
    fragment = compiled.fragment
    return FragmentMeasurement(
        name=fragment.name,
        view=compiled.view,
        store=compiled.store,
        kind=str(fragment.kind),
        tables=tuple(sorted(fragment.tables)),
        rows=scan.rows,
        bytes=round(scan.rows * fragment.work.row_bytes_out),
        execute_s=scan.execute_s,
        fetch_s=scan.fetch_s,
        partitions=scan.partitions,
    )


def medians(
    executions: Sequence[Sequence[FragmentMeasurement]],
) -> tuple[FragmentMeasurement, ...]:
    """Return each fragment with the medians over executions, in the order of the last one.

    A fragment that ran elsewhere in an earlier execution, since its store was down, has the
    medians of the executions in its last store alone.
    """
    if not executions:
        return ()
    return tuple(
        _median(
            [
                each
                for fragments in executions
                for each in fragments
                if (each.view, each.store) == (last.view, last.store)
            ]
        )
        for last in executions[-1]
    )


def _median(runs: Sequence[FragmentMeasurement]) -> FragmentMeasurement:
    return replace(
        runs[-1],
        rows=round(median(run.rows for run in runs)),
        bytes=round(median(run.bytes for run in runs)),
        execute_s=median(run.execute_s for run in runs),
        fetch_s=median(run.fetch_s for run in runs),
        partitions=max(run.partitions for run in runs),
    )
