"""The sentences of the recommendation: the placement, its gain, and why no faster one is chosen.

The choice itself and the ranking are `evaluation.measuring.measurement.Measurements`'.
"""

from collections.abc import Sequence

from advisor.figures import (
    candidate_name,
    counted,
    multiple,
    seconds,
    single_store,
    spread,
    verified_count,
)
from advisor.report.parts.broken_limits import broken_limit
from advisor.report.parts.setting import Setting
from evaluation.measuring.measurement import CandidateMeasurement, Measurements

MOST_NAMED = 3


def recommendation(measurements: Measurements, setting: Setting) -> str:
    """Return the sentences of `conclusions` as one text."""
    return " ".join(conclusions(measurements, setting))


def conclusions(measurements: Measurements, setting: Setting) -> tuple[str, ...]:
    """Return a sentence on the plan to take, then those on what was faster or expected to be.

    Differences that the rounds cannot tell are not called faster.
    """
    best = measurements.recommended
    if best is None:
        return (_nothing_to_recommend(measurements, setting),)
    sentences = (
        f"{_lead(best)}; {_against_next(best, measurements)}.",
        _against_references(best, measurements, setting),
        _against_prediction(best, measurements),
    )
    return tuple(sentence for sentence in sentences if sentence)


def _nothing_to_recommend(measurements: Measurements, setting: Setting) -> str:
    reference = next((c for c in measurements.ranked if c.measured_s is not None), None)
    if reference is not None:
        return (
            "No candidate is recommended: none that fits the stores answered every query rightly "
            f"and in time; {_name(reference)} did in {_timing(reference)}, but "
            f"{broken_limit(reference.plan, setting)}."
        )
    tried = ", ".join(
        f"{_name(c)} {verified_count(c)} of {len(c.queries)} queries"
        for c in measurements.candidates
    )
    if not tried:
        return "No candidate is recommended: none was measured."
    return f"No candidate is recommended: none answered every query rightly and in time ({tried})."


def _lead(best: CandidateMeasurement) -> str:
    store = single_store(best.plan)
    if store is not None:
        return f"Keep every table in '{store}': {_timing(best)} measured for the workload"
    return f"Place as {_name(best)}: {_timing(best)} measured for the workload"


def _against_next(best: CandidateMeasurement, measurements: Measurements) -> str:
    others = [
        c
        for c in measurements.ranked
        if not _is_same(c, best) and c.plan.feasible and c.measured_s is not None
    ]
    if not others:
        return "no other placement that fits the stores was verified"
    alone = single_store(best.plan) is not None
    what = "best feasible split over several stores" if alone else "best other feasible placement"
    if alone:
        others = [c for c in others if single_store(c.plan) is None] or others
        if single_store(others[0].plan) is not None:
            what = "best other feasible placement"
    other = others[0]
    described = f"the {what} ({_name(other)}, {seconds(other.measured_s)} s)"
    if not measurements.apart(best, other):
        return f"within the spread it is indistinguishable from {described}"
    return f"{multiple(_ratio(other, best))} times faster than {described}"


def _is_same(one: CandidateMeasurement, other: CandidateMeasurement) -> bool:
    """Tell whether two candidates are one plan that two strategies have found."""
    mine, theirs = (
        (each.plan.placement, each.plan.indexes, each.plan.routing) for each in (one, other)
    )
    return mine == theirs


def _against_references(
    best: CandidateMeasurement, measurements: Measurements, setting: Setting
) -> str:
    """Say why what ranks above is not recommended, or that even a single store is slower."""
    references = [c for c in measurements.ranked if not c.plan.feasible and c.measured_s]
    above = [c for c in references if (c.measured_s or 0.0) < (best.measured_s or 0.0)]
    near = [c for c in references if c not in above and not measurements.apart(best, c)]
    if above or near:
        return _not_recommended(above or near[:1], best, measurements, setting)
    alone = next((c for c in references if single_store(c.plan) is not None), None)
    if alone is None:
        return ""
    return (
        f"Even {_name(alone)}, which is infeasible since it {broken_limit(alone.plan, setting)}, "
        f"is slower ({seconds(alone.measured_s)} s)."
    )


def _not_recommended(
    references: Sequence[CandidateMeasurement],
    best: CandidateMeasurement,
    measurements: Measurements,
    setting: Setting,
) -> str:
    faster = all(measurements.apart(best, each) for each in references)
    if len(references) == 1:
        (one,) = references
        although = "faster" if faster else "the rounds do not tell it apart"
        return (
            f"Although {although}, {_name(one)} at {_timing(one)} is not recommended: it "
            f"{broken_limit(one.plan, setting)}."
        )
    why = [
        f"{_name(each)} ({seconds(each.measured_s)} s) {broken_limit(each.plan, setting)}"
        for each in references[:MOST_NAMED]
    ]
    others = len(references) - MOST_NAMED
    if others > 0:
        why.append(f"{counted(others, 'other')} {'is' if others == 1 else 'are'} infeasible too")
    although = "faster" if faster else "no slower"
    return f"Although {although}, these are not recommended: {', '.join(why)}."


def _against_prediction(best: CandidateMeasurement, measurements: Measurements) -> str:
    feasible = [c for c in measurements.candidates if c.plan.feasible]
    expected = min(feasible, key=lambda c: c.predicted_s)
    if expected is best or expected.plan.placement == best.plan.placement:
        return ""
    said = f"The model had expected {_name(expected)} to be fastest"
    if expected.measured_s is None:
        return f"{said}, which did not verify."
    if not measurements.apart(best, expected):
        return ""
    return f"{said} (it took {seconds(expected.measured_s)} s)."


def _ratio(slower: CandidateMeasurement, faster: CandidateMeasurement) -> float:
    return (slower.measured_s or 0.0) / max(faster.measured_s or 0.0, 1e-9)


def _timing(candidate: CandidateMeasurement) -> str:
    noise = "one round" if candidate.rounds == 1 else f"spread {spread(candidate.spread_s)} s"
    return f"{seconds(candidate.measured_s)} s ({noise})"


def _name(candidate: CandidateMeasurement) -> str:
    name = candidate_name(candidate.plan.strategy)
    return name if name.endswith(" alone") else f"'{name}'"
