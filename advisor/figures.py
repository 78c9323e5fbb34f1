"""Formats of figures: seconds, bytes, counts and candidates' names."""

from collections.abc import Sequence

from evaluation.measuring.measurement import CandidateMeasurement, Measurements, QueryOutcome
from placement.plan import PlacementPlan

KILO = 1000.0
NONE = "\N{EN DASH}"
SINGLE_STORE = "single_store:"


def seconds(value: float | None) -> str:
    """Write seconds with three significant figures, never ``-0``; an en dash for None."""
    if value is None:
        return NONE
    amount = abs(value)
    if amount >= 100:  # noqa: PLR2004
        return f"{value:,.0f}"
    if amount >= 1:
        return f"{value:.1f}" if amount >= 10 else f"{value:.2f}"  # noqa: PLR2004
    return f"{value:z.3f}"


def rate(per_second: float | None) -> str:
    """Write how many there are in a second, with three figures; an en dash for None."""
    return seconds(per_second)


def lasting(seconds: float) -> str:
    """Write how long something lasts, in the unit that suits it."""
    for unit, seconds_of in (("days", 86_400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * seconds_of:
            return f"{seconds / seconds_of:.3g} {unit}"
    return f"{seconds:.3g} seconds"


def factor(value: float) -> str:
    """Write a factor of 1 or more with two or three figures."""
    if value >= 1000:  # noqa: PLR2004
        return count(value)
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"  # noqa: PLR2004


def spread(value: float | None) -> str:
    """Write a spread with two significant figures; it is never written as nothing."""
    if value is None:
        return NONE
    if value < 0.01:  # noqa: PLR2004
        return "<0.01"
    return f"{value:.2f}" if value < 1 else seconds(value)


def size(value: float) -> str:
    """Write bytes with a decimal unit."""
    for unit in ("B", "kB", "MB", "GB"):
        if value < KILO:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"  # noqa: PLR2004
        value /= KILO
    return f"{value:.1f} TB"


def count(value: float) -> str:
    """Write a count with a decimal suffix."""
    for suffix in ("", " k", " M"):
        if value < KILO:
            return f"{value:.0f}" if not suffix else f"{value:.3g}{suffix}"
        value /= KILO
    return f"{value:.3g} G"


def counted(number: int, noun: str) -> str:
    """Write a number with its noun, whose plural ends in s."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def weight(value: float) -> str:
    """Write executions: whole numbers without a point."""
    return f"{value:g}"


def percent(share: float) -> str:
    """Write a share; what is not nothing is never written as nothing."""
    if 0 < share < 0.0001:  # noqa: PLR2004
        return "less than 0.01 %"
    return f"{100 * share:.3g} %"


def signed_percent(share: float) -> str:
    """Write a difference as a share in whole per cent, with its sign where rounding leaves any."""
    written = f"{100 * share:+.0f} %".replace("-", "\N{MINUS SIGN}")
    return "0 %" if written[1:] == "0 %" else written


def multiple(ratio: float) -> str:
    """Write a ratio above 1 with two figures, and with more where two would call it 1."""
    if ratio >= 10:  # noqa: PLR2004
        return f"{ratio:.0f}"
    return f"{ratio:.2g}" if ratio >= 1.1 else f"{ratio:.2f}"  # noqa: PLR2004


def listed(names: Sequence[str]) -> str:
    """Write names with commas and an "and" before the last."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def money(value: float) -> str:
    """Write an amount of money with cents; the currency is the user's."""
    return "<0.01" if 0 < value < 0.005 else f"{value:,.2f}"  # noqa: PLR2004


def candidate_name(strategy: str) -> str:
    """Return ``pg alone`` for ``single_store:pg``; other names as they are."""
    if strategy.startswith(SINGLE_STORE):
        return f"{strategy.removeprefix(SINGLE_STORE)} alone"
    return strategy


def fragment_name(
    kind: str, tables: Sequence[str], reducers: Sequence[str] = (), *, preaggregated: bool = False
) -> str:
    """Name a fragment by its kind, its tables, the sources whose keys are sent along, its rows."""
    by = ", ".join(each.rpartition(".")[2] for each in reducers)
    keys = f", by keys of {by}" if by else ""
    return f"{kind} of {', '.join(tables)}{keys}{', pre-aggregated' if preaggregated else ''}"


def spelled(feature: str) -> str:
    """Write a feature of SQL as words."""
    return feature.replace("_", " ")


def single_store(plan: PlacementPlan) -> str | None:
    """Return the store that holds every table and no other holds any; None if there is none."""
    held = set(plan.placement.values())
    only = next(iter(held)) if len(held) == 1 else ()
    return only[0] if len(only) == 1 else None


def verified_count(candidate: CandidateMeasurement) -> int:
    """Count the queries that gave the right answer in time."""
    return sum(query.outcome is QueryOutcome.VERIFIED for query in candidate.queries)


def undetermined(measurements: Measurements) -> dict[str, str]:
    """Return the queries that are left out of the seconds of all candidates, with the reasons."""
    return {
        query.query: query.message
        for candidate in measurements.candidates
        for query in candidate.queries
        if not query.outcome.is_judged
    }


def live_tables(measurements: Measurements) -> str:
    """Tell when live tables were read, and which of them changed while they were measured."""
    found = [
        f"{counted(len(tables), 'live table')} of '{store}' read at {as_of}"
        for (store, as_of), tables in _live_by_store(measurements).items()
    ]
    changed = sorted(each.table for each in measurements.live if each.is_changed)
    unknown = sorted(each.table for each in measurements.live if each.is_changed is None)
    told = "none has changed since"
    if changed:
        told = f"changed since: {', '.join(changed)}"
    if unknown:
        told += f"; not known of {', '.join(unknown)}, of which no store told it at the end"
    return f"{'; '.join(found)}; {told}."


def _live_by_store(measurements: Measurements) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for each in measurements.live:
        found.setdefault((each.store, each.as_of), []).append(each.table)
    return found


def rows_moved(candidate: CandidateMeasurement) -> float:
    """Return the rows that left the stores in one run of the whole workload."""
    return sum(query.executions * query.rows_moved for query in candidate.queries)


def bytes_moved(candidate: CandidateMeasurement) -> float:
    """Return the bytes that left the stores in one run of the whole workload."""
    return sum(query.executions * query.bytes_moved for query in candidate.queries)


def gap(plan: PlacementPlan) -> str:
    """Write what is proven of the plan's quality."""
    if plan.gap is None:
        return NONE
    return f"{plan.gap:.1%}"
