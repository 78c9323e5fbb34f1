"""Measurements of plans that are made up: the formula's seconds times the true factors."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from evaluation.measuring.fragment_measurement import FragmentMeasurement
from evaluation.measuring.machine import Machine
from evaluation.measuring.measurement import (
    CandidateMeasurement,
    Measurements,
    QueryMeasurement,
    QueryOutcome,
)
from placement.plan import execution_s


@dataclass(frozen=True, kw_only=True)
class Truth:
    """How long everything takes: `work` maps a store to its true seconds over the predicted ones.

    `wild` maps (query, store) to a factor of its own, `rest` is that of the seconds beyond the
    fragments, `failed` maps a query to its outcome. Fragments are read one after another, as the
    objective adds them up, unless `at_the_same_time`.
    """

    work: Mapping[str, float] = field(default_factory=dict)
    wild: Mapping[tuple[str, str], float] = field(default_factory=dict)
    rest: float = 1.0
    failed: Mapping[str, QueryOutcome] = field(default_factory=dict)
    at_the_same_time: bool = False

    def factor(self, query, store):
        return self.wild.get((query, store), self.work.get(store, 1.0))


def measured(made, plans, **truth):
    """Measure plans of a problem, each in one round."""
    return Measurements(
        workload="made up",
        catalog="made up",
        scale_factor=None,
        repeats=1,
        seed=0,
        candidates=tuple(
            CandidateMeasurement(
                plan=plan,
                load_s=0.0,
                queries=tuple(_query(made, plan, each, Truth(**truth)) for each in made.queries),
            )
            for plan in plans
        ),
        machine=Machine(cores=2, memory_bytes=1, system="made up", load_average=(0.0, 0.0)),
        versions={},
        started_at="2026-01-01T00:00:00+00:00",
        seconds={},
    )


def of_query(run, name, change):
    """Return a run in which each fragment of a query was measured as `change` says."""

    def changed(query):
        if query.query != name:
            return query
        return replace(query, fragments=tuple(map(change, query.fragments)))

    return replace(
        run,
        candidates=tuple(
            replace(each, queries=tuple(map(changed, each.queries))) for each in run.candidates
        ),
    )


def _query(made, plan, query, truth):
    routed = plan.routing[query.name]
    parts = []
    for each in routed:
        store = made.store(each.store)
        cost = made.costs.formula.fetched(each.fragment, store, len(query.sources), each.transfer)
        work_s = truth.factor(query.name, each.store) * cost.work_s
        parts.append((each, work_s, truth.rest * cost.rest_s, truth.rest * cost.engine_s))
    longest_s = max(work_s for _, work_s, _, _ in parts)
    in_stores_s = longest_s
    if not truth.at_the_same_time:
        works = [replace(each, predicted_s=work_s, engine_s=0.0) for each, work_s, _, _ in parts]
        in_stores_s = execution_s(works, plan.objective)
    rests = [
        replace(each, predicted_s=rest_s, engine_s=engine_s) for each, _, rest_s, engine_s in parts
    ]
    outcome = truth.failed.get(query.name, QueryOutcome.VERIFIED)
    return QueryMeasurement(
        query=query.name,
        executions=query.executions,
        outcome=outcome,
        seconds=(in_stores_s + execution_s(rests, plan.objective),)
        if outcome is QueryOutcome.VERIFIED
        else (),
        moved={},
        # What the fragments took is known up to waits for one another.
        fragments=tuple(
            _fragment(each, work_s * in_stores_s / longest_s) for each, work_s, _, _ in parts
        ),
    )


def _fragment(routed, seconds):
    fragment = routed.fragment
    return FragmentMeasurement(
        name=fragment.name,
        view=fragment.name,
        store=routed.store,
        kind=str(fragment.kind),
        tables=tuple(sorted(fragment.tables)),
        rows=1,
        bytes=1,
        execute_s=seconds,
        fetch_s=0.0,
        partitions=1 if fragment.reduction.repeats is None else 0,
    )
