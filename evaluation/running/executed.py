"""One finished execution of a query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from evaluation.federation.compiled import CompiledQuery
from evaluation.judging.answer import Answer, AnswerColumn
from evaluation.measuring.fragment_measurement import (
    FragmentMeasurement,
    engine_s,
    fragment_measurements,
)
from evaluation.measuring.measurement import Moved
from evaluation.running.bounded_frames import Collected
from evaluation.running.driver_duckdb import DriverFrame
from evaluation.running.moved import moved
from evaluation.running.store_answer import StoreAnswer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One finished execution: its columns and rows, its seconds and what was counted.

    What the engine does not tell is None, never 0; one that tells of no fragment has none.
    `second_try` is the error for which the answer is that of DuckDB in the driver over whole
    tables; nothing where the first try gave it. `alone` tells that the store's own driver gave the
    answer, and the engine had no part in it. `by_spark` is why Spark gave it instead, where that
    driver could not, or read a fragment of it, or combined it where DuckDB could not. `busy_cores`
    are those of this machine that were busy meanwhile, if whoever ran it has counted them.
    """

    columns: tuple[AnswerColumn, ...]
    rows: Sequence[Sequence[object]]
    seconds: float
    moved: Mapping[str, Moved]
    exchanges: int | None = None
    shuffle_bytes: int | None = None
    peak_memory_bytes: int | None = None
    operators_memory_bytes: int | None = None
    shuffle_records: int | None = None
    exchanged_rows: int | None = None
    exchanged_bytes: int | None = None
    spilled_bytes: int | None = None
    fragments: tuple[FragmentMeasurement, ...] = ()
    second_try: str = ""
    alone: bool = False
    by_spark: str = ""
    busy_cores: float | None = None

    @property
    def answer(self) -> Answer:
        """The columns and rows that are compared with DuckDB's answer."""
        return Answer(columns=self.columns, rows=self.rows)

    @property
    def otherwise(self) -> str:
        """The way, other than planned, in which the answer came about, and why; else nothing."""
        if self.second_try:
            return f"answered over whole tables, after {self.second_try}"
        return f"Spark took part instead, after {self.by_spark}" if self.by_spark else ""

    @property
    def engine_s(self) -> float | None:
        """Seconds beyond the longest fragment (see `fragment_measurement.engine_s`)."""
        return engine_s(self.seconds, self.fragments)


def executed(
    query: CompiledQuery,
    done: Collected["DataFrame"] | Collected[DriverFrame] | Collected[StoreAnswer],
    key_rows: Mapping[str, int] = MappingProxyType({}),
) -> Execution:
    """Return an execution of `query`, which fetched so many `key_rows` from stores on their own."""
    answered = Execution(
        columns=done.answer.columns,
        rows=done.answer.rows,
        seconds=done.seconds,
        moved={},
        alone=isinstance(done.frame, StoreAnswer),
        by_spark=done.frame.refused if isinstance(done.frame, DriverFrame) else "",
    )
    found = done.counted
    if found is None:
        return answered
    # DuckDB in the driver tells of its memory as a whole alone, if it does.
    is_told = query.combiner != "duckdb"
    has_peak = not isinstance(done.frame, DriverFrame) or done.frame.took is not None
    return replace(
        answered,
        moved=moved(query.fragments, found.rows, key_rows),
        exchanges=found.exchanges,
        shuffle_bytes=found.shuffle_bytes,
        peak_memory_bytes=found.peak_memory_bytes if has_peak else None,
        operators_memory_bytes=found.operators_memory_bytes if is_told else None,
        shuffle_records=found.shuffle_records,
        exchanged_rows=found.exchanged_rows,
        spilled_bytes=found.spilled_bytes,
        fragments=fragment_measurements(query.fragments, found.scans),
    )
