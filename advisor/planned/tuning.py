"""A plan's transfer settings: those that it has, those that are chosen, or those that are said."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from advisor.planned.divisions import divisions
from advisor.planned.join_memory import JoinMemory, with_join_memory
from advisor.planned.planned import Planned
from placement.fetching import Budget, fetched_in_portions
from placement.fragment import Fragment
from placement.plan import PlacementPlan, RoutedFragment
from placement.problem import QueryProblem
from placement.streaming import Divided, Division, alternatives, elapsed_s
from placement.transfer.bounds import LEAST_MESSAGE, MOST_MESSAGE
from placement.transfer.link import TransferSettings
from placement.transfer.streams import Streams
from placement.tuned import Point, curve, rerouted, tuned, with_transfer
from workloads.errors import ConfigurationError

_SAID = re.compile(
    r"(?P<name>.+)=(?:(?P<none>none)"
    r"|(?P<rows>\d+)(?::(?P<message>\d+))?(?:/(?P<count>\d+)(?:/(?P<column>.+))?)?)"
)
_MOST_STATEMENTS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Settings that ``--set`` states of a fragment, None for the run's, and how it is divided.

    Without a `count` it is divided as the run does, without a `column` by the first.
    """

    transfer: TransferSettings | None
    count: int | None = None
    column: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dividing:
    """A fragment that several statements may read: what was compared of it, and what is taken.

    `before_s` and `after_s` are the seconds until its last row has come, None where no calibration
    has measured what dividing saves. `usual` is what the run does where nothing is stated.
    """

    usual: Streams
    before_s: float | None
    after_s: float | None
    alternatives: Sequence[Divided]


@dataclass(frozen=True, slots=True, kw_only=True)
class TunedFragment:
    """A fragment as the plan fetches it and as it shall be fetched; `curve` is of the latter.

    `executions` are its query's. `dividing` is None where one statement reads it.
    """

    query: str
    executions: float
    before: RoutedFragment
    after: RoutedFragment
    curve: Sequence[Point]
    dividing: Dividing | None = None

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
    """Return the plan with chosen settings, but for those that are `said`.

    That is ``NAME=ROWS[:BYTES][/STATEMENTS[/COLUMN]]``. With `memory` sessions get a working memory
    of their own where their joins are known to want it.

    Raises:
        ConfigurationError: What is said cannot be read, or names what has no settings.
    """
    asked = dict(_read(each) for each in said)
    divided = divisions(given)
    chosen = tuned(given.problem, given.plan, budget, divided)
    fetched = _with_said(given, chosen, asked, divided) if asked else chosen
    after, memories = with_join_memory(given, fetched) if memory else (fetched, ())
    return Tuning(
        before=given.plan,
        after=after,
        fragments=tuple(_fragments(given, after, budget, divided)),
        memories=memories,
    )


def _read(said: str) -> tuple[str, Said]:
    found = _SAID.fullmatch(said)
    if found is None:
        raise ConfigurationError(
            f"--set {said}: write NAME=ROWS, NAME=ROWS:BYTES of a message, either with /STATEMENTS "
            "or /STATEMENTS/COLUMN behind it, or NAME=none for the settings of the run, with the "
            "name of a fragment."
        )
    if found["none"]:
        return found["name"], Said(transfer=None)
    rows, message = int(found["rows"]), int(found["message"] or MOST_MESSAGE)
    if rows < 1 or not LEAST_MESSAGE <= message <= MOST_MESSAGE:
        raise ConfigurationError(
            f"--set {said}: a batch has at least 1 row, and a message {LEAST_MESSAGE} to "
            f"{MOST_MESSAGE} bytes."
        )
    count = None if found["count"] is None else int(found["count"])
    if count is not None and not 1 <= count <= _MOST_STATEMENTS:
        raise ConfigurationError(
            f"--set {said}: a fragment is read by 1 to {_MOST_STATEMENTS} statements."
        )
    transfer = TransferSettings(fetch_rows=rows, message_bytes=message)
    return found["name"], Said(transfer=transfer, count=count, column=found["column"])


def _with_said(
    given: Planned,
    plan: PlacementPlan,
    asked: Mapping[str, Said],
    divided: Mapping[str, Division],
) -> PlacementPlan:
    problem = given.problem
    known = {
        each.fragment.name: each.fragment
        for routed in plan.routing.values()
        for each in routed
        if each.fragment.name in divided
        or fetched_in_portions(each.fragment, problem.store(each.store))
    }
    for name in asked:
        if name not in known:
            listed = ", ".join(known) or "there is none"
            raise ConfigurationError(
                f"--set {name}: no fragment of this name is fetched in portions, or divided among "
                f"statements. Those that are: {listed}."
            )
    stated = {name: _stated(known[name], each, divided.get(name)) for name, each in asked.items()}

    def fetched(query: QueryProblem, each: RoutedFragment) -> RoutedFragment:
        name = each.fragment.name
        return with_transfer(problem, query, each, stated[name]) if name in stated else each

    routing = {
        query.name: tuple(fetched(query, each) for each in plan.routing[query.name])
        for query in problem.queries
    }
    return rerouted(problem, plan, routing)


def _stated(fragment: Fragment, said: Said, division: Division | None) -> TransferSettings | None:
    """Return the settings that are said of a fragment.

    Raises:
        ConfigurationError: It cannot be divided, or not by this column.
    """
    name = fragment.name
    if said.transfer is None or said.count is None:
        return said.transfer
    if fragment.reduction.key_tables:
        raise ConfigurationError(
            f"--set {name}: its statements cannot be stated, as keys are loaded into its store "
            f"first. Leave out the part from '/' on."
        )
    if division is None:
        raise ConfigurationError(
            f"--set {name}: one statement reads this fragment. Only what a store neither groups "
            "nor sorts is divided, and only by a whole number that is handed out."
        )
    columns = {each.name: each for each in division.columns}
    column = columns.get(said.column or division.columns[0].name)
    if column is None:
        raise ConfigurationError(
            f"--set {name}: it is not divided by {said.column}, but by {' or '.join(columns)}."
        )
    return replace(said.transfer, streams=division.by(column, said.count))


def _fragments(
    given: Planned, after: PlacementPlan, budget: Budget, divided: Mapping[str, Division]
) -> Iterator[TunedFragment]:
    before = given.plan
    for query in given.problem.queries:
        pairs = zip(before.routing[query.name], after.routing[query.name], strict=True)
        for old, new in pairs:
            dividing = _dividing(given, old, new, budget, divided.get(new.fragment.name))
            is_compared = dividing is not None and bool(dividing.alternatives)
            if old.transfer is not None or new.transfer is not None or is_compared:
                yield TunedFragment(
                    query=query.name,
                    executions=query.executions,
                    before=old,
                    after=new,
                    curve=curve(given.problem, query, new),
                    dividing=dividing,
                )


def _dividing(
    given: Planned,
    before: RoutedFragment,
    after: RoutedFragment,
    budget: Budget,
    division: Division | None,
) -> Dividing | None:
    if division is None:
        return None
    costs, store = given.problem.costs, given.problem.store(after.store)
    compared = alternatives(costs, after.fragment, store, division, budget)

    def seconds(routed: RoutedFragment) -> float | None:
        if not compared:
            return None
        run = TransferSettings(fetch_rows=costs.fetch_size, message_bytes=MOST_MESSAGE)
        stated = routed.transfer or run
        transfer = stated if stated.streams else replace(stated, streams=division.usual)
        return elapsed_s(costs, routed.fragment, store, transfer)

    return Dividing(
        usual=division.usual,
        before_s=seconds(before),
        after_s=seconds(after),
        alternatives=compared,
    )
