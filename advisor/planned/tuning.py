"""A plan's transfer settings: those that it has, those that are chosen, or those that are said."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from advisor.planned.join_memory import JoinMemory, with_join_memory
from advisor.planned.planned import Planned
from placement.fetching import Budget, fetched_in_portions
from placement.plan import PlacementPlan, RoutedFragment
from placement.problem import QueryProblem
from placement.transfer.bounds import LEAST_MESSAGE, MOST_MESSAGE
from placement.transfer.link import TransferSettings
from placement.tuned import Point, curve, rerouted, tuned, with_transfer
from workloads.errors import ConfigurationError

_SAID = re.compile(r"(?P<name>.+)=(?:(?P<none>none)|(?P<rows>\d+)(?::(?P<message>\d+))?)")


@dataclass(frozen=True, slots=True, kw_only=True)
class TunedFragment:
    """A fragment as the plan fetches it and as it shall be fetched; `curve` is of the latter.

    `executions` are its query's.
    """

    query: str
    executions: float
    before: RoutedFragment
    after: RoutedFragment
    curve: Sequence[Point]

    @property
    def name(self) -> str:
        """The name by which settings are said."""
        return self.after.fragment.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """A plan before and after, and its fragments that have settings in one of them.

    `memories` are those whose sessions get a working memory of their own.
    """

    before: PlacementPlan
    after: PlacementPlan
    fragments: tuple[TunedFragment, ...]
    memories: tuple[JoinMemory, ...] = ()


def tuning(given: Planned, budget: Budget, said: Sequence[str], *, memory: bool = False) -> Tuning:
    """Return the plan with chosen settings, but for those that are `said` as ``NAME=ROWS[:BYTES]``.

    With `memory` sessions get a working memory of their own where their joins are known to want it.

    Raises:
        ConfigurationError: What is said cannot be read, or names what has no settings.
    """
    asked = dict(_read(each) for each in said)
    chosen = tuned(given.problem, given.plan, budget)
    fetched = _with_said(given, chosen, asked) if asked else chosen
    after, memories = with_join_memory(given, fetched) if memory else (fetched, ())
    return Tuning(
        before=given.plan,
        after=after,
        fragments=tuple(_fragments(given, given.plan, after)),
        memories=memories,
    )


def _read(said: str) -> tuple[str, TransferSettings | None]:
    found = _SAID.fullmatch(said)
    if found is None:
        raise ConfigurationError(
            f"--set {said}: write NAME=ROWS, NAME=ROWS:BYTES of a message, or NAME=none for the "
            "settings of the run, with the name of a fragment."
        )
    if found["none"]:
        return found["name"], None
    rows, message = int(found["rows"]), int(found["message"] or MOST_MESSAGE)
    if rows < 1 or not LEAST_MESSAGE <= message <= MOST_MESSAGE:
        raise ConfigurationError(
            f"--set {said}: a batch has at least 1 row, and a message {LEAST_MESSAGE} to "
            f"{MOST_MESSAGE} bytes."
        )
    return found["name"], TransferSettings(fetch_rows=rows, message_bytes=message)


def _with_said(
    given: Planned,
    plan: PlacementPlan,
    asked: Mapping[str, TransferSettings | None],
) -> PlacementPlan:
    problem = given.problem
    known = [
        each.fragment.name
        for routed in plan.routing.values()
        for each in routed
        if fetched_in_portions(each.fragment, problem.store(each.store))
    ]
    for name in asked:
        if name not in known:
            listed = ", ".join(known) or "there is none"
            raise ConfigurationError(
                f"--set {name}: no fragment of this name is fetched in portions. Those that are: "
                f"{listed}."
            )

    def fetched(query: QueryProblem, each: RoutedFragment) -> RoutedFragment:
        name = each.fragment.name
        return with_transfer(problem, query, each, asked[name]) if name in asked else each

    routing = {
        query.name: tuple(fetched(query, each) for each in plan.routing[query.name])
        for query in problem.queries
    }
    return rerouted(problem, plan, routing)


def _fragments(
    given: Planned, before: PlacementPlan, after: PlacementPlan
) -> Iterator[TunedFragment]:
    for query in given.problem.queries:
        pairs = zip(before.routing[query.name], after.routing[query.name], strict=True)
        for old, new in pairs:
            if old.transfer is not None or new.transfer is not None:
                yield TunedFragment(
                    query=query.name,
                    executions=query.executions,
                    before=old,
                    after=new,
                    curve=curve(given.problem, query, new),
                )
