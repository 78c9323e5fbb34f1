"""Why each table is where it is: what holds it there, and what it would cost elsewhere."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

from placement.constraints.pins import pinned_for
from placement.plan import PlacementPlan
from placement.problem import PlacementProblem
from placement.reasons.alternatives import (
    Alternative,
    Change,
    changes,
    with_others_fixed,
    with_others_free,
)
from placement.reasons.query_changes import SAME
from placement.time_limit import OutOfTimeError, with_share
from workloads.progress import Progress, Silent

Holder = Literal[
    "pin", "exclusion", "tag", "live", "store", "capacity", "limit", "cost", "tie", "nothing"
]
"""The reason for a table's stores.

Pins, exclusions and tags are the user's. With 'live' the table is live and not movable, with
'store' no other store can hold it. 'tie' is no cost either way, 'nothing' is a better place.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableReasons:
    """One table: what it would cost elsewhere, and what holds it where it is.

    `queries` counts those that read it, `executions` theirs. `fixed` are the alternatives with
    every other table where it is, the cheapest first and those that cannot be run last; `free`
    those with everything else solved anew, in the same order, none where that was not asked for.
    `late` are changes that there was no time to solve for.
    `because` says in a sentence what `held_by` stands for.
    """

    table: str
    stores: tuple[str, ...]
    size_bytes: int
    queries: int
    executions: float
    held_by: Holder
    because: str
    fixed: tuple[Alternative, ...]
    free: tuple[Alternative, ...] = ()
    late: tuple[Change, ...] = ()

    @property
    def cheapest(self) -> Alternative | None:
        """Return the cheapest other place with everything else fixed: one that breaks no limit.

        Where all do, the cheapest of them. A further copy is no other place.
        """
        elsewhere = (a for a in self.fixed if a.plan is not None and a.change.kind != "add")
        return min(elsewhere, key=lambda a: (bool(a.violations), a.delta_s), default=None)


def explain_table(
    problem: PlacementProblem,
    plan: PlacementPlan,
    table: str,
    *,
    free: bool = True,
    progress: Progress | None = None,
) -> TableReasons:
    """Return why `table` is where `plan` has it; with `free`, at most one solve an alternative.

    All solves together end at the problem's time limit.
    """
    fixed = [
        with_others_fixed(problem, plan, change)
        for change in changes(problem, plan.placement, table)
    ]
    fixed.sort(key=lambda each: (each.plan is None, each.delta_s))
    solved = _all_free(problem, plan, fixed, progress or Silent()) if free else ()
    reading = [q for q in problem.queries if any(table in f.tables for f in q.fragments)]
    done = {each.change for each in solved}
    held_by, because = _holder(problem, plan, table, fixed, solved)
    return TableReasons(
        table=table,
        stores=plan.placement[table],
        size_bytes=problem.table_bytes[table],
        queries=len(reading),
        executions=sum(query.executions for query in reading),
        held_by=held_by,
        because=because,
        fixed=tuple(fixed),
        free=solved,
        late=tuple(each.change for each in fixed if each.change not in done) if free else (),
    )


def explain_tables(
    problem: PlacementProblem, plan: PlacementPlan, progress: Progress | None = None
) -> tuple[TableReasons, ...]:
    """Return the reasons of every table with everything else fixed, in the problem's order."""
    found = []
    with (progress or Silent()).task("Explaining tables", len(problem.table_bytes)) as task:
        for table in problem.table_bytes:
            found.append(explain_table(problem, plan, table, free=False))
            task.advance()
    return tuple(found)


def _all_free(
    problem: PlacementProblem,
    plan: PlacementPlan,
    fixed: Sequence[Alternative],
    progress: Progress,
) -> tuple[Alternative, ...]:
    """Return the alternatives with everything else solved anew, in the order of `fixed`.

    The best plan without a copy is also the best with it moved to a store that the table is in
    then, and is not solved for twice. Each has an equal part of the time that is left, so that what
    one leaves is for those after it. One without a plan by then is left out.
    """
    problem = with_share(problem)
    found: dict[Change, Alternative] = {}
    dropped: dict[str | None, Alternative] = {}
    changed = [each.change for each in fixed]
    with progress.task("Solving with all else free", len(fixed)) as task:
        ordered = sorted(changed, key=lambda each: each.kind != "drop")
        for number, change in enumerate(ordered):
            known = dropped.get(change.leaves)
            if known is not None and change.enters in (known.placement or {}).get(change.table, ()):
                found[change] = replace(known, change=change)
            else:
                part = with_share(problem, 1 / (len(ordered) - number))
                with suppress(OutOfTimeError):
                    found[change] = with_others_free(part, plan, change)
            if change.kind == "drop" and change in found:
                dropped[change.leaves] = found[change]
            task.advance()
    return tuple(found[change] for change in changed if change in found)


def _holder(
    problem: PlacementProblem,
    plan: PlacementPlan,
    table: str,
    fixed: Sequence[Alternative],
    free: Sequence[Alternative],
) -> tuple[Holder, str]:
    """Say what holds the table: a rule for it, a limit that its better places break, or cost.

    A further copy that would gain but breaks a limit does not hold those that there are.
    """
    ruled = _rule(problem, plan.placement[table], table)
    if ruled is not None:
        return ruled
    least_s = SAME * plan.predicted_s
    possible = [each for each in fixed if each.plan is not None]
    had = [each for each in possible if each.delta_s < -least_s and not each.violations]
    if had:
        return "nothing", f"It would cost {-had[0].delta_s:.3g} s less elsewhere."
    elsewhere = [each for each in possible if each.change.kind != "add"]
    if not elsewhere:
        reasons = [each.reason for each in fixed if each.change.kind != "add"]
        return "limit", reasons[0] if reasons else "There is no other store."
    held_by, because = _by_cost(problem, elsewhere[0], least_s)
    all_free = len(free) == len(fixed)
    more = _if_free(plan, free) if held_by == "cost" and all_free else ""
    return held_by, because + more


def _by_cost(
    problem: PlacementProblem, cheapest: Alternative, least_s: float
) -> tuple[Holder, str]:
    """Say what holds a table of which `cheapest` is the cheapest other place."""
    if cheapest.delta_s < -least_s:
        kind: Holder = "capacity" if _over_capacity(problem, cheapest) else "limit"
        return kind, cheapest.violations[0]
    if cheapest.delta_s <= least_s:
        return "tie", "It costs the same elsewhere."
    return "cost", f"Any other place costs at least {cheapest.delta_s:.3g} s more, all else fixed."


def _if_free(plan: PlacementPlan, free: Sequence[Alternative]) -> str:
    """Say what is proven of the other places where everything else may move as well."""
    elsewhere = [each for each in free if each.plan is not None and each.change.kind != "add"]
    bounds_s = [each.bound_s for each in elsewhere if each.bound_s is not None]
    if not bounds_s or len(bounds_s) < len(elsewhere):
        return ""
    more_s = min(bounds_s) - plan.predicted_s
    if more_s <= SAME * plan.predicted_s:
        return " With all else placed anew it may cost nothing more."
    return f" With all else placed anew, at least {more_s:.3g} s."


def _rule(
    problem: PlacementProblem, held: tuple[str, ...], table: str
) -> tuple[Holder, str] | None:
    """Return the pins and exclusions that leave the table no other stores; None if none do."""
    constraints = problem.constraints
    pin = constraints.pin.get(table, frozenset())
    stays = bool(pin) and pin <= constraints.staying.get(table, {}).keys()
    where = ", ".join(sorted(pin))
    why = "".join(pinned_for(problem, table, store) for store in sorted(pin))
    if pin and pin.issuperset(held):
        if stays:
            return "live", f"It stays in {where}{why}."
        tag = _tag(problem, table, "pin", pin)
        by = f" by the rule for '{tag}'" if tag else ""
        return ("tag" if tag else "pin"), f"It is pinned to {where}{by}{why}."
    exclude = constraints.exclude.get(table, frozenset())
    others = {store.name for store in problem.stores}.difference(held)
    if not exclude or not exclude >= others:
        return None
    unheld = constraints.unheld.get(table, {})
    cannot = "".join(f" Store '{s}' cannot hold it: {unheld[s]}." for s in sorted(unheld))
    if others <= unheld.keys():
        if stays:
            return "live", f"It stays in {where}{why}.{cannot}"
        return "store", cannot.strip()
    tag = _tag(problem, table, "exclude", exclude)
    by = f" by the rule for '{tag}'" if tag else ""
    return ("tag" if tag else "exclusion"), (
        f"It is excluded from {', '.join(sorted(exclude))}{by}.{cannot}"
    )


def _tag(
    problem: PlacementProblem, table: str, rule: Literal["pin", "exclude"], stores: frozenset[str]
) -> str | None:
    """Return the tag of the table whose tables all have the rule; None if there is none."""
    constraints = problem.constraints
    rules = constraints.pin if rule == "pin" else constraints.exclude
    for tag, tables in constraints.tags.items():
        if table in tables and all(stores <= rules.get(each, frozenset()) for each in tables):
            return tag
    return None


def _over_capacity(problem: PlacementProblem, alternative: Alternative) -> bool:
    """Whether the store that the table would enter is too small for what it would hold."""
    enters = alternative.change.enters
    if enters is None or alternative.placement is None:
        return False
    capacity = problem.store(enters).capacity_bytes
    held = sum(
        problem.table_bytes[table]
        for table, stores in alternative.placement.items()
        if enters in stores
    )
    return capacity is not None and held > capacity
