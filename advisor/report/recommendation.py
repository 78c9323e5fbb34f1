"""The recommendation: one sentence that says what to do, by how much, and against what."""

from advisor.figures import (
    candidate_name,
    seconds,
    single_store,
    spread,
    verified_count,
)
from advisor.report.parts.setting import Setting
from evaluation.measuring.measurement import CandidateMeasurement, Measurements


def recommendation(measurements: Measurements, setting: Setting) -> str:
    """Return the sentence. Differences that the rounds cannot tell are not called faster."""
    best = measurements.recommended
    if best is None:
        return _nothing_to_recommend(measurements, setting)
    parts = [
        _lead(best),
        _against_next(best, measurements),
        _against_single_stores(best, measurements, setting),
        _against_prediction(best, measurements),
    ]
    return "; ".join(part for part in parts if part) + "."


def _nothing_to_recommend(measurements: Measurements, setting: Setting) -> str:
    reference = next((c for c in measurements.ranked if c.measured_s is not None), None)
    if reference is not None:
        return (
            "No candidate is recommended: none that fits the stores answered every query rightly "
            f"and in time; {_name(reference)} did in {_timing(reference)}, but "
            f"{_excess(reference, setting)}."
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
        if c is not best and c.plan.feasible and c.measured_s is not None
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
    return f"{_times(other, best)} times faster than {described}"


def _against_single_stores(
    best: CandidateMeasurement, measurements: Measurements, setting: Setting
) -> str:
    """Say what a single store that cannot be had would have given; it keeps a plan honest."""
    references = [
        c
        for c in measurements.ranked
        if not c.plan.feasible and c.measured_s is not None and single_store(c.plan) is not None
    ]
    if not references:
        return ""
    fastest = references[0]
    if not measurements.apart(best, fastest):
        return (
            f"{_name(fastest)}, {_timing(fastest)}, cannot be told from it, but "
            f"{_excess(fastest, setting)}"
        )
    if (fastest.measured_s or 0.0) < (best.measured_s or 0.0):
        return (
            f"{_name(fastest)} would take {seconds(fastest.measured_s)} s but "
            f"{_excess(fastest, setting)}"
        )
    return (
        f"even {_name(fastest)}, which cannot be had since it {_excess(fastest, setting)}, is "
        f"slower ({seconds(fastest.measured_s)} s)"
    )


def _against_prediction(best: CandidateMeasurement, measurements: Measurements) -> str:
    feasible = [c for c in measurements.candidates if c.plan.feasible]
    expected = min(feasible, key=lambda c: c.predicted_s)
    if expected is best or expected.plan.placement == best.plan.placement:
        return ""
    if expected.measured_s is None:
        return f"the model had expected {_name(expected)} to be fastest, which did not verify"
    if not measurements.apart(best, expected):
        return ""
    return (
        f"the model had expected {_name(expected)} to be fastest "
        f"(it took {seconds(expected.measured_s)} s)"
    )


def _times(slower: CandidateMeasurement, faster: CandidateMeasurement) -> str:
    factor = (slower.measured_s or 0.0) / max(faster.measured_s or 0.0, 1e-9)
    if factor < 1.1:  # noqa: PLR2004 - fewer digits would call a difference none
        return f"{factor:.2f}"
    return f"{factor:.2g}" if factor < 10 else f"{factor:.0f}"  # noqa: PLR2004


def _timing(candidate: CandidateMeasurement) -> str:
    noise = "one round" if candidate.rounds == 1 else f"spread {spread(candidate.spread_s)} s"
    return f"{seconds(candidate.measured_s)} s ({noise})"


def _name(candidate: CandidateMeasurement) -> str:
    name = candidate_name(candidate.plan.strategy)
    return name if name.endswith(" alone") else f"'{name}'"


def _excess(candidate: CandidateMeasurement, setting: Setting) -> str:
    """Return by how much the fullest store is over its capacity, or the first broken limit."""
    worst = 0.0
    for store, held in setting.held_bytes(candidate.plan.placement).items():
        capacity = setting.capacities_bytes.get(store)
        if capacity:
            worst = max(worst, held / capacity)
    if worst > 1:
        return f"needs {worst:.2g} times {_whose(candidate)} capacity"
    return f"breaks a limit: {candidate.plan.violations[0].rstrip('.')}"


def _whose(candidate: CandidateMeasurement) -> str:
    return "its" if single_store(candidate.plan) is not None else "a store's"
