"""Throughput of several clients: its rows, and what it says of one store and of several."""

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.figures import candidate_name, counted, multiple, rate, single_store
from evaluation.measuring.measurement import CandidateMeasurement, ClosedLoop, Measurements
from evaluation.measuring.throughput import (
    are_apart,
    at_most_clients,
    most_clients,
    pairs_apart,
    percentiles,
    throughput_tau,
)

ABOUT = (
    "So many clients at once asked the same queries, drawn by their executions, each as soon as it "
    "had its last answer. Queries a second are the median of the rounds, and the spread is the "
    "largest less the smallest of them. p50, p95 and p99 are the seconds that so many per cent of "
    "the queries took at most, over all rounds. The predictions are of the plans' seconds and of "
    "the cores that stores and engine share on a machine; where [stores.NAME].cores does not tell "
    "those of another machine, they are upper bounds."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopRow:
    """A candidate with one number of clients; `percentiles` are p50, p95 and p99."""

    candidate: CandidateMeasurement
    loop: ClosedLoop
    percentiles: tuple[float | None, ...]
    is_first: bool


def loop_rows(measurements: Measurements) -> Sequence[LoopRow]:
    """Return the loops of the candidates, in the order of the ranking and by their clients."""
    return [
        LoopRow(
            candidate=candidate,
            loop=loop,
            percentiles=tuple(percentiles(loop).values()),
            is_first=place == 0,
        )
        for candidate in measurements.ranked
        for place, loop in enumerate(candidate.loops)
    ]


def throughput_sentences(measurements: Measurements) -> Sequence[str]:
    """Say which has more throughput, one store or several, and how well that was predicted."""
    most = most_clients(measurements)
    if most is None:
        return ()
    found = at_most_clients(measurements)
    measured = [each for each in measurements.candidates if each.plan.strategy in found]
    alone = _best(_alone(measured), found)
    split = _best([c for c in measured if _is_split(c) and c.plan.feasible], found)
    sentences = [f"With {counted(most, 'client')} {_compared(split, alone, found)}."]
    tau = throughput_tau(measurements)
    if tau is not None:
        sentences.append(
            "Kendall's tau-b of predicted and measured queries a second with "
            f"{counted(most, 'client')}: {tau:.2f} (1: same order)."
        )
    pairs = pairs_apart(measurements)
    if pairs is not None:
        sentences.append(
            f"The rounds tell {pairs.apart} of {counted(pairs.compared, 'pair')} of candidates "
            f"apart, {pairs.as_predicted} of them in the predicted order."
        )
    return sentences


def _compared(
    split: CandidateMeasurement | None,
    alone: CandidateMeasurement | None,
    found: dict[str, ClosedLoop],
) -> str:
    if split is None and alone is None:
        return "no candidate that is compared has a throughput"
    if split is None or alone is None:
        other = "single store" if alone is None else "placement over several stores within limits"
        one = split or alone
        return f"no {other} has a throughput, but {_told(one, found) if one else ''}"
    more, less = split, alone
    if _per_s(alone, found) > _per_s(split, found):
        more, less = alone, split
    ratio = _per_s(more, found) / _per_s(less, found)
    what = "single store" if less is alone else "placement over several stores"
    reference = "" if less.plan.feasible else ", a reference"
    pair = (found[each.plan.strategy] for each in (more, less))
    unsure = "" if are_apart(found.values(), *pair) else ", which their rounds do not tell apart"
    return (
        f"{_told(more, found)}, {multiple(ratio)} times as many as the best {what}, "
        f"{_named(less)} ({rate(_per_s(less, found))}{reference}){unsure}"
    )


def _told(candidate: CandidateMeasurement, found: dict[str, ClosedLoop]) -> str:
    reference = "" if candidate.plan.feasible else " (a reference)"
    per_s = rate(_per_s(candidate, found))
    return f"{_named(candidate)}{reference} answers {per_s} queries a second"


def _named(candidate: CandidateMeasurement) -> str:
    name = candidate_name(candidate.plan.strategy)
    return name if name.endswith(" alone") else f"'{name}'"


def _alone(measured: Sequence[CandidateMeasurement]) -> Sequence[CandidateMeasurement]:
    """Return the single stores that keep all limits; where none does, the others."""
    alone = [each for each in measured if not _is_split(each)]
    return [each for each in alone if each.plan.feasible] or alone


def _is_split(candidate: CandidateMeasurement) -> bool:
    return single_store(candidate.plan) is None


def _best(
    candidates: Sequence[CandidateMeasurement], found: dict[str, ClosedLoop]
) -> CandidateMeasurement | None:
    return max(candidates, key=lambda each: _per_s(each, found), default=None)


def _per_s(candidate: CandidateMeasurement, found: dict[str, ClosedLoop]) -> float:
    return found[candidate.plan.strategy].queries_per_s or 0.0
