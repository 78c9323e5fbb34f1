"""Errors of predictions, over all fragments and over the candidates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluation.measuring.measurement import CandidateMeasurement, Measurements, QueryMeasurement
from placement.plan import RoutedFragment

FEWEST_ROWS = 1.0
LEAST_S = 0.1
"""Seconds below this are not compared: they are the start of a connection for the most part."""
WORST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedFragment:
    """One fragment of one candidate's query, as predicted and as measured in one execution.

    `predicted_s` leaves out the engine's share, as `measured_s` does. It has a connection, which
    `measured_s` has not (see `seconds_q_error`).
    """

    candidate: str
    query: str
    name: str
    store: str
    kind: str
    tables: tuple[str, ...]
    reducers: tuple[str, ...]
    preaggregated: bool
    predicted_rows: float
    measured_rows: int
    predicted_s: float
    measured_s: float

    @property
    def rows_q_error(self) -> float:
        """Q-error of the rows, each taken for at least one."""
        return q_error(self.predicted_rows, self.measured_rows, least=FEWEST_ROWS)

    @property
    def seconds_q_error(self) -> float | None:
        """Q-error of the seconds; None where both are below `LEAST_S`."""
        return seconds_q_error(self.predicted_s, self.measured_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class QErrors:
    """Quantiles of a q-error over the `number` fragments compared, and the worst, worst first.

    Among the worst a fragment of several candidates stands once.
    """

    number: int
    median: float
    p90: float
    largest: float
    worst: tuple[ComparedFragment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedCandidate:
    """One verified candidate's seconds of the whole workload."""

    candidate: str
    predicted_s: float
    measured_s: float

    @property
    def relative_error(self) -> float:
        """Predicted less measured, as a share of measured: below 0 where it took longer."""
        return (self.predicted_s - self.measured_s) / self.measured_s


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionQuality:
    """Predicted against measured. `rows` and `seconds` are None where no fragment is compared.

    `fragments` are those of all queries of all candidates, `candidates` the verified ones.
    `tau` is Kendall's tau-b between predicted and measured seconds of the candidates; None where
    there are fewer than two, or all have equal seconds.
    """

    rows: QErrors | None
    seconds: QErrors | None
    candidates: tuple[ComparedCandidate, ...]
    fragments: tuple[ComparedFragment, ...]
    tau: float | None


def prediction_quality(measurements: Measurements) -> PredictionQuality:
    """Return how well the plans' predictions hold; queries that did not verify do not count."""
    fragments = tuple(
        each
        for candidate in measurements.candidates
        for query in candidate.queries
        for each in compared_fragments(candidate, query)
    )
    candidates = tuple(
        ComparedCandidate(
            candidate=each.plan.strategy,
            predicted_s=each.predicted_s,
            measured_s=each.measured_s,
        )
        for each in measurements.ranked
        if each.measured_s
    )
    return PredictionQuality(
        rows=_q_errors([(each.rows_q_error, each) for each in fragments]),
        seconds=_q_errors(
            [(error, each) for each in fragments if (error := each.seconds_q_error) is not None]
        ),
        candidates=candidates,
        fragments=fragments,
        tau=kendall_tau_b(
            [each.predicted_s for each in candidates], [each.measured_s for each in candidates]
        ),
    )


def compared_fragments(
    candidate: CandidateMeasurement, query: QueryMeasurement
) -> Iterator[ComparedFragment]:
    """Yield the fragments of a candidate's query that were read, beside their predictions.

    A fragment that was never read (the other side of its join was empty) tells nothing, nor does
    one that ran in another store than the plan says.
    """
    routed = {
        (each.fragment.name, each.store): each
        for each in candidate.plan.routing.get(query.query, ())
    }
    for fragment in query.fragments:
        planned = routed.get((fragment.name, fragment.store))
        if planned is None or not fragment.partitions:
            continue
        yield ComparedFragment(
            candidate=candidate.plan.strategy,
            query=query.query,
            name=fragment.name,
            store=fragment.store,
            kind=fragment.kind,
            tables=fragment.tables,
            reducers=planned.fragment.reduction.reducers,
            preaggregated=planned.fragment.reduction.preaggregated,
            predicted_rows=planned.fragment.work.rows_out,
            measured_rows=fragment.rows,
            predicted_s=store_s(planned),
            measured_s=fragment.seconds,
        )


def store_s(routed: RoutedFragment) -> float:
    """Return the predicted seconds of a fragment in its store and on the way to the engine."""
    return routed.predicted_s - routed.engine_s


def q_error(predicted: float, measured: float, *, least: float) -> float:
    """Return the larger of predicted/measured and measured/predicted, both at least `least`.

    It is 1 or more (Moerkotte, Neumann and Steidl, PVLDB 2009).
    """
    high, low = max(predicted, least), max(measured, least)
    return max(high / low, low / high)


def seconds_q_error(predicted_s: float, measured_s: float) -> float | None:
    """Return the q-error of seconds, each taken for at least `LEAST_S`; None where both are below.

    A fragment of a few rows is predicted to take what a connection takes to start, and its driver
    is waited for a millisecond: their ratio says nothing of the model.
    """
    if max(predicted_s, measured_s) < LEAST_S:
        return None
    return q_error(predicted_s, measured_s, least=LEAST_S)


def kendall_tau_b(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Return Kendall's tau-b (1945) of two equally long series, -1 to 1; None without an order.

    Concordant less discordant pairs, over the geometric mean of the pairs that are not tied in
    either series.
    """
    concordant = discordant = untied_left = untied_right = 0
    for i in range(len(left)):
        for j in range(i):
            a, b = left[i] - left[j], right[i] - right[j]
            untied_left += a != 0
            untied_right += b != 0
            if a and b:
                alike = (a > 0) == (b > 0)
                concordant += alike
                discordant += not alike
    if not untied_left or not untied_right:
        return None
    return float((concordant - discordant) / (untied_left * untied_right) ** 0.5)


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` of the ascending values do not exceed."""
    position = max(0, -int(-share * len(ordered) // 1) - 1)
    return ordered[min(len(ordered) - 1, position)]


def _q_errors(compared: Sequence[tuple[float, ComparedFragment]]) -> QErrors | None:
    if not compared:
        return None
    ranked = sorted(compared, key=lambda pair: -pair[0])
    ordered = [error for error, _ in reversed(ranked)]
    worst: dict[tuple[str, str], ComparedFragment] = {}
    for _, fragment in ranked:
        worst.setdefault((fragment.name, fragment.store), fragment)
    return QErrors(
        number=len(ordered),
        median=quantile(ordered, 0.5),
        p90=quantile(ordered, 0.9),
        largest=ordered[-1],
        worst=tuple(worst.values())[:WORST],
    )
