"""Queries that are run with several sets of literals: each set as a query, and all as one again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import mean
from typing import TypeVar

from evaluation.measuring.fragment_measurement import medians
from evaluation.measuring.literals import MeasuredLiterals
from evaluation.measuring.live_measurement import DirectMeasurement
from evaluation.measuring.measurement import (
    CandidateMeasurement,
    Moved,
    QueryMeasurement,
    QueryOutcome,
)
from evaluation.running.job import GivenLiterals, Job
from placement.plan import PlacementPlan
from workloads.workload import Query

Measured = TypeVar("Measured", QueryMeasurement, DirectMeasurement)
Figure = TypeVar("Figure", int, float)

_WORST_FIRST = (
    QueryOutcome.WRONG,
    QueryOutcome.FAILED,
    QueryOutcome.TIMEOUT,
    QueryOutcome.VERIFIED,
    QueryOutcome.STALE,
)


def set_names(given: GivenLiterals) -> Sequence[str]:
    """Return the query's name with each of its sets: with the first its own."""
    return [given.query if number == 0 else each.name for number, each in enumerate(given.sets)]


def with_sets(job: Job) -> Job:
    """Return the job with a query for each set, which have equal parts of the executions."""
    if not job.literals:
        return job
    by_name = {each.query: each for each in job.literals if each.sets}
    queries = tuple(one for query in job.workload.queries for one in _sets(query, by_name))
    return replace(job, workload=replace(job.workload, queries=queries))


def _sets(query: Query, by_name: Mapping[str, GivenLiterals]) -> Iterator[Query]:
    given = by_name.get(query.name)
    if given is None:
        yield query
        return
    for name, filled in zip(set_names(given), given.sets, strict=True):
        executions = query.executions / len(given.sets)
        yield replace(query, name=name, sql=filled.sql, values=(), executions=executions)


def routing_sets(job: Job, plan: PlacementPlan) -> PlacementPlan:
    """Return a plan that routes each set as it routes the query."""
    routing = dict(plan.routing)
    for given in job.literals:
        if (routed := plan.routing.get(given.query)) is not None:
            routing.update(dict.fromkeys(set_names(given), routed))
    return replace(plan, routing=routing)


def told(job: Job) -> tuple[MeasuredLiterals, ...]:
    """Return what is said of the literals: not what they are."""
    return tuple(
        MeasuredLiterals(
            query=each.query, source=each.source, sets=len(each.sets), reason=each.reason
        )
        for each in job.literals
    )


def as_one(
    job: Job, plans: Sequence[PlacementPlan], measured: Sequence[CandidateMeasurement]
) -> tuple[CandidateMeasurement, ...]:
    """Return the candidates with one measurement a query, of all its sets."""
    if not job.literals:
        return tuple(measured)
    of_job = {plan.strategy: plan for plan in plans}
    return tuple(
        replace(
            each,
            plan=of_job[each.plan.strategy],
            queries=tuple(_by_query(job, each.queries, _together)),
            loops=tuple(replace(loop, query=_query_of(job, loop.query)) for loop in each.loops),
        )
        for each in measured
    )


def _query_of(job: Job, name: str) -> str:
    """Return the query that a set is one of; other names as they are."""
    return next((each.query for each in job.literals if name in set_names(each)), name)


def direct_as_one(job: Job, measured: Sequence[DirectMeasurement]) -> tuple[DirectMeasurement, ...]:
    """Return one measurement a query, of all its sets, of what was sent to servers directly."""
    return tuple(_by_query(job, measured, _direct_together))


def _by_query(
    job: Job,
    measured: Sequence[Measured],
    together: Callable[[str, Sequence[Measured]], Measured],
) -> Iterator[Measured]:
    """Yield each query's measurement, at the place of its first set."""
    query_of = {name: each.query for each in job.literals for name in set_names(each)}
    parts: dict[str, list[Measured]] = {}
    for each in measured:
        parts.setdefault(query_of.get(each.query, each.query), []).append(each)
    for query, several in parts.items():
        yield several[0] if len(several) == 1 else together(query, several)


def _direct_together(query: str, parts: Sequence[DirectMeasurement]) -> DirectMeasurement:
    failed = next((each for each in parts if not each.seconds), None)
    rounds = zip(*(each.seconds for each in parts), strict=False)
    return replace(
        failed or parts[0],
        query=query,
        executions=sum(each.executions for each in parts),
        seconds=() if failed else tuple(map(mean, rounds)),
    )


def _together(query: str, parts: Sequence[QueryMeasurement]) -> QueryMeasurement:
    """Return the measurement of a query over its sets.

    The worst outcome of a set is its own. A set that has several answers has no part in the
    seconds of the others, which are means over the sets.
    """
    found = {each.outcome for each in parts}
    outcome = next((each for each in _WORST_FIRST if each in found), parts[0].outcome)
    said = next((each for each in parts if each.outcome is outcome), parts[0])
    whole = replace(said, query=query, executions=sum(each.executions for each in parts))
    others = [each for each in parts if each.outcome is not QueryOutcome.VERIFIED]
    if others:
        told_by = others[0] if outcome is QueryOutcome.VERIFIED else said
        whole = replace(
            whole, message=f"{len(others)} of {len(parts)} sets of literals: {told_by.message}"
        )
    if outcome is not QueryOutcome.VERIFIED:
        return whole
    right = [each for each in parts if each.outcome is QueryOutcome.VERIFIED]
    stores = dict.fromkeys(store for each in right for store in each.moved)
    engine_s = _told([each.engine_s for each in right])
    return replace(
        whole,
        seconds=tuple(map(mean, zip(*(each.seconds for each in right), strict=False))),
        moved={
            store: Moved(
                rows=round(mean(_moved(each, store).rows for each in right)),
                bytes=round(mean(_moved(each, store).bytes for each in right)),
            )
            for store in stores
        },
        shuffle_bytes=_mean([each.shuffle_bytes for each in right]),
        peak_memory_bytes=max(_told([each.peak_memory_bytes for each in right]), default=None),
        operators_memory_bytes=max(
            _told([each.operators_memory_bytes for each in right]), default=None
        ),
        shuffle_records=_mean([each.shuffle_records for each in right]),
        exchanged_rows=_mean([each.exchanged_rows for each in right]),
        exchanged_bytes=_mean([each.exchanged_bytes for each in right]),
        spilled_bytes=max(_told([each.spilled_bytes for each in right]), default=None),
        fragments=medians([each.fragments for each in right]),
        engine_s=mean(engine_s) if engine_s else None,
    )


def _mean(figures: Sequence[int | None]) -> int | None:
    told = _told(figures)
    return round(mean(told)) if told else None


def _told(figures: Sequence[Figure | None]) -> list[Figure]:
    return [each for each in figures if each is not None]


def _moved(measured: QueryMeasurement, store: str) -> Moved:
    return measured.moved.get(store, Moved(rows=0, bytes=0))
