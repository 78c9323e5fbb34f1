"""Why a fragment is no larger: what its store cannot express, does not hold, or does dearly."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from placement.fragment import Fragment
from placement.plan import PlacementPlan, RoutedFragment
from placement.pricing import able
from placement.problem import PlacementProblem, QueryProblem
from placement.stores import Capability, Store

MOST_TABLES = 4
KINDS = tuple(Capability)


class LimitKind(StrEnum):
    """The obstacle to a larger fragment."""

    FEATURE = "feature"  # the store cannot express something that the larger one has
    CAPABILITY = "capability"  # the store runs no fragments of that kind
    ABSENT = "absent"  # the store lacks tables of the larger one
    COST = "cost"  # the larger one is possible, and predicted to be no cheaper


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeLimit:
    """One reason why a fragment is no larger, with a larger one that it holds for.

    `features` are the SQL features (`Fragment.features`) that the store lacks for `larger`,
    `tables` those that it has no copy of; empty for other kinds.
    """

    kind: LimitKind
    store: str
    larger: Fragment
    features: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    sentence: str


def size_limits(
    problem: PlacementProblem, plan: PlacementPlan, query: QueryProblem, routed: RoutedFragment
) -> tuple[SizeLimit, ...]:
    """Return why `routed` is no larger in its store: what cannot be expressed comes first.

    Every feature that the store lacks is named once, with the smallest fragment that needs it;
    of missing tables those of the fragment that lacks the fewest. Nothing is returned for a whole
    query.
    """
    own = set(routed.fragment.sources)
    larger = sorted(
        (each for each in query.fragments if _is_larger(each, routed.fragment, own)),
        key=lambda each: (len(each.sources), KINDS.index(each.kind), each.name),
    )
    store = problem.store(routed.store)
    limits = _unable(store, [each for each in larger if not able(store, each)])
    expressed = [each for each in larger if able(store, each)]
    possible = [each for each in expressed if not _missing(plan, store, each)]
    if possible:
        limits.append(_dearer(problem, plan, query, store, possible[-1]))
    elif expressed:
        limits.append(_absent(plan, store, expressed))
    return tuple(limits)


def _is_larger(other: Fragment, fragment: Fragment, own: set[str]) -> bool:
    """Whether `other` covers all of `fragment`, and more of its sources or of its work."""
    if other.reduction.reducers or other.reduction.preaggregated:
        return False
    covered = set(other.sources)
    if covered > own:
        return True
    parts = (Capability.SCAN, Capability.JOIN)
    return covered == own and fragment.kind in parts and other.kind not in parts


def _missing(plan: PlacementPlan, store: Store, fragment: Fragment) -> tuple[str, ...]:
    return tuple(
        table for table in sorted(fragment.tables) if store.name not in plan.placement[table]
    )


def _unable(store: Store, fragments: Sequence[Fragment]) -> list[SizeLimit]:
    """Say what of `fragments` the store cannot express, whether or not it holds their tables."""
    limits: list[SizeLimit] = []
    named: set[str] = set()
    kinds: set[Capability] = set()
    for each in fragments:
        lacking = (each.work.features & store.lacks) - named
        if lacking:
            named |= lacking
            features = tuple(sorted(lacking))
            words = ", ".join(feature.replace("_", " ") for feature in features)
            limits.append(
                SizeLimit(
                    kind=LimitKind.FEATURE,
                    store=store.name,
                    larger=each,
                    features=features,
                    sentence=f"Store '{store.name}' ({store.kind}) cannot express {words}, which "
                    f"the {_described(each)} needs.",
                )
            )
        elif each.kind not in store.capabilities and each.kind not in kinds:
            kinds.add(each.kind)
            limits.append(
                SizeLimit(
                    kind=LimitKind.CAPABILITY,
                    store=store.name,
                    larger=each,
                    sentence=f"Store '{store.name}' ({store.kind}) runs no {_described(each)}.",
                )
            )
    return limits


def _absent(plan: PlacementPlan, store: Store, fragments: Sequence[Fragment]) -> SizeLimit:
    """Say which tables `store` lacks for the larger fragment that lacks the fewest."""
    nearest = min(fragments, key=lambda each: (len(_missing(plan, store, each)), each.name))
    tables = _missing(plan, store, nearest)
    verb = "is" if len(tables) == 1 else "are"
    return SizeLimit(
        kind=LimitKind.ABSENT,
        store=store.name,
        larger=nearest,
        tables=tables,
        sentence=f"{_listed(tables)} {verb} not in store '{store.name}', which the "
        f"{_described(nearest)} needs.",
    )


def _dearer(
    problem: PlacementProblem,
    plan: PlacementPlan,
    query: QueryProblem,
    store: Store,
    larger: Fragment,
) -> SizeLimit:
    """Say what a larger fragment would cost that the store could run, beside what it replaces."""
    cost = problem.costs.fragment(larger, store, len(query.sources))
    inside = [
        each
        for each in plan.routing[query.name]
        if set(each.fragment.sources) <= set(larger.sources)
    ]
    replaced_s = sum(each.predicted_s for each in inside)
    tiled = sum(len(each.fragment.sources) for each in inside) == len(larger.sources)
    beside = f", against {replaced_s:.3g} s for what it would replace" if tiled else ""
    return SizeLimit(
        kind=LimitKind.COST,
        store=store.name,
        larger=larger,
        sentence=f"Store '{store.name}' could run the {_described(larger)}, predicted to take "
        f"{cost.total_s:.3g} s{beside}.",
    )


def _described(fragment: Fragment) -> str:
    if fragment.kind is Capability.QUERY:
        return "whole query"
    return f"{fragment.kind} of {_listed(sorted(fragment.tables))}"


def _listed(tables: Sequence[str]) -> str:
    shown = ", ".join(tables[:MOST_TABLES])
    rest = len(tables) - MOST_TABLES
    return f"{shown} and {rest} more" if rest > 0 else shown
