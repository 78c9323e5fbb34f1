"""Measurements: nouns of the evaluation, with medians, spreads and the ranking of candidates.

`Measurements.ranked` is the order in every report; `Measurements.recommended` is the choice.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from evaluation.measuring.fragment_measurement import FragmentMeasurement
from evaluation.measuring.literals import MeasuredLiterals
from evaluation.measuring.live_measurement import DirectMeasurement, LiveTable
from evaluation.measuring.machine import Machine, SparkSetting
from evaluation.measuring.rounds import noise
from placement.plan import PlacementPlan


class QueryOutcome(StrEnum):
    """The end of a query of a candidate.

    UNDETERMINED: DuckDB itself answers it otherwise once its rows come in another order, or cannot,
    since values are missing, so that an answer is neither right nor wrong. STALE: its rows are
    others than those of the judge, since a live table that it read changed meanwhile. KEPT: a
    statement that is passed through was not run, as its answer on a copy can be compared with
    nothing.
    """

    VERIFIED = "verified"
    WRONG = "wrong"
    UNDETERMINED = "undetermined"
    FAILED = "failed"
    TIMEOUT = "timeout"
    KEPT = "kept"
    STALE = "stale"

    @property
    def is_judged(self) -> bool:
        """Whether there is one answer that the query's own was right or wrong by, if it came."""
        return self not in (QueryOutcome.UNDETERMINED, QueryOutcome.STALE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """The transfer from a store to the engine in one execution of a query.

    `rows` are counted; `bytes` are computed from rows and the columns' mean widths.
    """

    rows: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryMeasurement:
    """One query of one candidate, over all its rounds.

    `seconds` holds one figure a round, without the warm-up; it is empty unless `outcome` is
    VERIFIED: a failure is never a duration. `fragments`, `engine_s`, what the longest fragment
    does not account for, and `busy_cores`, those of this machine that were busy meanwhile, are
    medians over the rounds; `moved` and what exchanges wrote are of
    the last one, memory and spill of the worst. `peak_memory_bytes` is of Spark's largest operator,
    of all that DuckDB had where it combined, or of the whole query in Trino;
    `operators_memory_bytes` is of all operators of Spark. What the engine does not tell, or no
    execution is there to tell, is None, never 0. `message` says what went wrong, without secrets,
    or how a verified answer came about otherwise than planned.
    """

    query: str
    executions: float
    outcome: QueryOutcome
    seconds: tuple[float, ...] = ()
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
    engine_s: float | None = None
    busy_cores: float | None = None
    message: str = ""

    @property
    def measured_s(self) -> float | None:
        """Median over the rounds; None where the query did not verify."""
        return median(self.seconds) if self.seconds else None

    @property
    def spread_s(self) -> float | None:
        """Largest less smallest over the rounds; one round alone has none."""
        return max(self.seconds) - min(self.seconds) if len(self.seconds) > 1 else None

    @property
    def rows_moved(self) -> int:
        """Rows that left all stores."""
        return sum(moved.rows for moved in self.moved.values())

    @property
    def bytes_moved(self) -> int:
        """Bytes that left all stores."""
        return sum(moved.bytes for moved in self.moved.values())

    @property
    def stores_s(self) -> Mapping[str, float]:
        """Store → seconds that the engine's connections waited for it, added up over them all."""
        found: dict[str, float] = {}
        for each in self.fragments:
            found[each.store] = found.get(each.store, 0.0) + each.seconds
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopRound:
    """One run of a closed loop: the `seconds` of each query as they ended, and the loop's own."""

    seconds: tuple[float, ...]
    elapsed_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedLoop:
    """So many `clients` at once, each of which asks its next query once it has the last answer.

    Every round asks the same queries. Unless `outcome` is VERIFIED there are no rounds: `query`
    ended one of them, or was answered otherwise, and `message` says why. `predicted_per_s` is None
    where nothing predicts it.
    """

    clients: int
    outcome: QueryOutcome
    rounds: tuple[LoopRound, ...] = ()
    predicted_per_s: float | None = None
    query: str = ""
    message: str = ""

    @property
    def seconds(self) -> tuple[float, ...]:
        """Seconds of each query, of all rounds."""
        return tuple(second for each in self.rounds for second in each.seconds)

    @property
    def totals_s(self) -> tuple[float, ...]:
        """Seconds of the loop, one figure a round."""
        return tuple(each.elapsed_s for each in self.rounds)

    @property
    def queries_per_s(self) -> float | None:
        """Return the throughput of all clients together, in the median of the rounds."""
        return median(self._rates) if self.rounds else None

    @property
    def spread_per_s(self) -> float | None:
        """Largest less smallest throughput of the rounds; one round alone has none."""
        return max(self._rates) - min(self._rates) if len(self.rounds) > 1 else None

    @property
    def _rates(self) -> tuple[float, ...]:
        return tuple(len(each.seconds) / each.elapsed_s for each in self.rounds)


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateMeasurement:
    """One plan with all its queries.

    `load_s` is what its copies took to load, whenever that was. A query that is UNDETERMINED or
    STALE has no part in the seconds of any candidate (`left_out_alike`). `loops` are those of
    several clients, by their number, where they were asked for.
    """

    plan: PlacementPlan
    load_s: float
    queries: tuple[QueryMeasurement, ...]
    loops: tuple[ClosedLoop, ...] = ()

    @property
    def verified(self) -> bool:
        """Whether every query that has one gave the right answer in time."""
        return all(query.outcome is QueryOutcome.VERIFIED for query in self.determined)

    @property
    def determined(self) -> tuple[QueryMeasurement, ...]:
        """The queries that have one answer, as far as is known."""
        return tuple(query for query in self.queries if query.outcome.is_judged)

    @property
    def predicted_s(self) -> float:
        """Return the plan's prediction for the queries that are measured: the determined ones."""
        left_out = sum(
            query.executions * self.plan.query_s(query.query)
            for query in self.queries
            if not query.outcome.is_judged and query.query in self.plan.routing
        )
        return self.plan.predicted_s - left_out

    @property
    def totals_s(self) -> tuple[float, ...]:
        """Weighted seconds of the workload, one figure a round; empty unless verified.

        Those of all queries that are determined.
        """
        if not self.verified:
            return ()
        per_repeat = zip(*(query.seconds for query in self.determined), strict=True)
        weights = [query.executions for query in self.determined]
        return tuple(
            sum(weight * second for weight, second in zip(weights, seconds, strict=True))
            for seconds in per_repeat
        )

    @property
    def rounds(self) -> int:
        """Number of measured rounds that the candidate had, verified or not."""
        return max((len(query.seconds) for query in self.queries), default=0)

    @property
    def measured_s(self) -> float | None:
        """Median of the workload's seconds over the rounds; None unless verified."""
        return median(self.totals_s) if self.totals_s else None

    @property
    def spread_s(self) -> float | None:
        """Largest less smallest of the workload's seconds; one round alone has none."""
        return max(self.totals_s) - min(self.totals_s) if len(self.totals_s) > 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedThrough:
    """A statement that `store` ran whole, the same on every placement.

    Its rows were compared with the server's own answer by its own driver. `seconds` holds one
    figure a round, and is empty unless `outcome` is VERIFIED; `message` says what went wrong.
    """

    query: str
    executions: float
    store: str
    outcome: QueryOutcome
    seconds: tuple[float, ...] = ()
    message: str = ""

    @property
    def measured_s(self) -> float | None:
        """Return the median of its rounds; None where it was not verified."""
        return median(self.seconds) if self.seconds else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurements:
    """All candidates measured in one interleaved run. `versions` names software → version.

    `repeats` are the most rounds that a candidate could have (see `evaluation.measuring.rounds`).
    `engine` answered the queries, `spark` says how where it is Spark. `fetch_size` is the rows that
    Spark was to fetch from a store in a round trip; Trino has its own, which is not known.
    `passed_through` are the statements that only their own server can run: no candidate's. `live`
    are the live tables that were read, and `direct` what their servers take alone. `literals` are
    the statements that got literals for their parameters, and those that got none.
    """

    workload: str
    catalog: str
    scale_factor: float | None
    repeats: int
    seed: int
    candidates: tuple[CandidateMeasurement, ...]
    machine: Machine
    versions: Mapping[str, str]
    started_at: str
    seconds: Mapping[str, float]
    """Seconds of each stage: set_up, generate, load, run."""
    engine: str = "fragments"
    spark: SparkSetting | None = None
    fetch_size: int | None = None
    passed_through: tuple[PassedThrough, ...] = ()
    live: tuple[LiveTable, ...] = ()
    direct: tuple[DirectMeasurement, ...] = ()
    literals: tuple[MeasuredLiterals, ...] = ()

    @property
    def ranked(self) -> tuple[CandidateMeasurement, ...]:
        """Verified candidates by measured seconds, then the others in their order."""
        verified = [c for c in self.candidates if c.measured_s is not None]
        others = [c for c in self.candidates if c.measured_s is None]
        return (*sorted(verified, key=lambda c: c.measured_s or 0.0), *others)

    def apart(self, left: CandidateMeasurement, right: CandidateMeasurement) -> bool:
        """Tell whether the rounds tell two verified candidates apart."""
        found = noise(candidate.totals_s for candidate in self.candidates)
        return found.apart(left.totals_s, right.totals_s)

    @property
    def recommended(self) -> CandidateMeasurement | None:
        """The fastest verified candidate that respects every limit; None if there is none."""
        return next((c for c in self.ranked if c.plan.feasible and c.measured_s is not None), None)
