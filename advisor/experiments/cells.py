"""Cells of experiments: each is one query on one placement with one setting."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args
from urllib.parse import quote

from advisor.project.experiment_settings import ExperimentSettings, ExperimentsSettings
from evaluation.kinds import in_catalogs
from evaluation.running.job import OURS, EngineName
from evaluation.spark.joins import JoinStrategy
from placement.plan import PlacementPlan
from placement.strategies import stands_for

_CHARACTERS = 40


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Setting:
    """An engine, a number of workers and a join strategy, with which queries are answered.

    `workers` None leaves the engine as the project has it. One that is `alone` has no placements
    that take turns, so that caches hold what its one placement reads.
    """

    engine: EngineName
    workers: int | None = None
    joins: JoinStrategy = "automatic"
    alone: bool = False

    @property
    def name(self) -> str:
        """Return it as words."""
        parts: list[str] = [self.engine]
        if self.workers is not None:
            parts.append(f"{self.workers} worker{'' if self.workers == 1 else 's'}")
        if self.joins != "automatic":
            parts.append(f"{self.joins} joins")
        return ", ".join(parts)

    @property
    def where(self) -> "Setting":
        """Return what settings have in common that run in one place: Spark's engines share it."""
        engine: EngineName = "trino" if self.engine == "trino" else OURS
        return Setting(engine=engine, workers=self.workers)

    @property
    def place(self) -> str:
        """Return the place as words."""
        name = "Trino" if self.engine == "trino" else "Spark"
        return name if self.workers is None else f"{name} of {self.workers}"

    @property
    def on_cluster(self) -> int | None:
        """Return the workers that Spark needs on a cluster; None where it needs none."""
        return None if self.engine == "trino" else self.workers


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One query on one placement with one setting; experiments that need it share it."""

    setting: Setting
    placement: str
    query: str

    @property
    def file_name(self) -> str:
        """Return the name of the file of its result: readable, short, and no other cell's."""
        workers = "" if self.setting.workers is None else f"-{self.setting.workers}w"
        known = (self.setting.engine, self.setting.joins, self.placement, self.query)
        digest = hashlib.sha256("\0".join((*known, workers)).encode()).hexdigest()[:8]
        names = (quote(name, safe="")[:_CHARACTERS] for name in (self.placement, self.query))
        alone = "-alone" if self.setting.alone else ""
        how = f"{self.setting.engine}{workers}-{self.setting.joins}{alone}"
        return f"{how}-{'-'.join(names)}-{digest}.json"


def settings_of(experiment: ExperimentSettings, engines: Sequence[EngineName]) -> list[Setting]:
    """Return the settings of an experiment, engine by engine."""
    workers = experiment.workers or (None,)
    return [
        Setting(engine=engine, workers=number, joins=joins)
        for engine in engines
        for number in workers
        for joins in experiment.join_strategies
    ]


def cells_of(
    experiment: ExperimentSettings,
    engines: Sequence[EngineName],
    placements: Collection[str],
    queries: Sequence[str],
) -> list[Cell]:
    """Return the cells of an experiment on those of `placements` that its strategies make.

    Ways to join that are compared on one placement are measured alone, automatic joins too. Those
    that took turns with other placements would find caches full of what these read.
    """
    names = dict.fromkeys(
        name for each in experiment.placements for name in placements if stands_for(each, name)
    )
    alone = len(names) == 1 and len(experiment.join_strategies) > 1
    return [
        Cell(setting=replace(setting, alone=alone), placement=name, query=query)
        for setting in settings_of(experiment, engines)
        for query in queries
        for name in names
    ]


def cells(
    settings: ExperimentsSettings,
    numbers: Collection[int],
    placements: Collection[str],
    queries: Sequence[str],
) -> tuple[Cell, ...]:
    """Return the cells of several experiments, each once."""
    found: dict[Cell, None] = {}
    for number in sorted(numbers):
        experiment = settings.numbered[number]
        found |= dict.fromkeys(cells_of(experiment, settings.engines, placements, queries))
    return tuple(found)


def by_place(wanted: Collection[Cell]) -> list[tuple[Setting, list[Cell]]]:
    """Return each place with its cells: this machine's Spark, then clusters, then Trino."""
    groups: dict[Setting, list[Cell]] = {}
    for cell in wanted:
        groups.setdefault(cell.setting.where, []).append(cell)
    return sorted(
        groups.items(), key=lambda each: (each[0].engine == "trino", each[0].workers or 0)
    )


def by_turn(wanted: Collection[Cell]) -> dict[tuple[Setting, str], list[Cell]]:
    """Return setting and query → its cells, which are measured in turns, query by query.

    The settings of a query follow one another, so that a machine that becomes busy meanwhile slows
    down all of them. Those that are alone begin with another one at each query: the first of them
    finds an engine that has not compiled as much.
    """
    groups: dict[tuple[Setting, str], list[Cell]] = {}
    queries = {query: number for number, query in enumerate({each.query: 0 for each in wanted})}
    alone = {each.setting.joins for each in wanted if each.setting.alone}
    compared = [each for each in get_args(JoinStrategy) if each in alone]

    def turn(cell: Cell) -> tuple[int, str, int, bool, int]:
        setting, query = cell.setting, queries[cell.query]
        place = (compared.index(setting.joins) + query) % len(compared) if setting.alone else 0
        return query, setting.engine, setting.workers or 0, setting.alone, place

    for cell in sorted(wanted, key=lambda each: (*turn(each), each.setting.joins)):
        groups.setdefault((cell.setting, cell.query), []).append(cell)
    return groups


def impossible(
    cell: Cell, plan: PlacementPlan, kinds: Mapping[str, str], *, own_trino: bool
) -> str | None:
    """Return why a cell cannot be measured; None where it can.

    `kinds` maps store → kind. `own_trino` says that the project names a Trino that runs already.
    """
    if cell.setting.engine == OURS:
        return None
    if cell.setting.engine == "trino" and cell.setting.workers is not None and own_trino:
        return "the Trino that the project names has the workers that it has"
    used = sorted({each.store for each in plan.routing[cell.query]})
    unlisted = [name for name in used if not in_catalogs(kinds[name])]
    if not unlisted:
        return None
    return (
        f"{cell.setting.engine} cannot read store '{unlisted[0]}': it has no catalog of kind "
        f"'{kinds[unlisted[0]]}'"
    )
