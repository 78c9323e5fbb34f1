"""All that experiments have shown so far, for the page and its other forms."""

from collections.abc import Mapping
from dataclasses import dataclass

from advisor.experiments.cells import Cell, cells_of
from advisor.experiments.claims import Direction, Finished, claims, directions, finished
from advisor.experiments.laboratory import Laboratory
from advisor.experiments.paper import Paper, paper
from advisor.experiments.results import Result
from advisor.experiments.series import Figure, figures

TITLES: Mapping[int, str] = {
    1: "One store alone, and several",
    2: "One placement against another",
    3: "More workers",
    4: "Exchanges between stages",
    5: "How joins are distributed",
}
JOINS = 5
"""The experiment that compares ways to join."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The figures and directions of the experiments, with what was left out and why.

    `left` counts the cells that are not measured yet, `impossible` maps a reason to the cells that
    it rules out.
    """

    name: str
    scale_factor: float | None
    numbers: tuple[int, ...]
    figures: tuple[Figure, ...]
    directions: tuple[Direction, ...]
    finished: tuple[Finished, ...]
    paper: Paper
    results: tuple[Result, ...]
    cells: int
    left: int
    impossible: Mapping[str, tuple[Cell, ...]]


def findings(laboratory: Laboratory) -> Findings:
    """Return what the experiments that were asked for have shown so far."""
    done = laboratory.done()
    measured = figures(laboratory, done)
    stores = laboratory.project.stores
    known = paper(stores)
    settings = laboratory.project.experiments
    ends: list[Finished] = []
    for number in laboratory.numbers:
        queries = list(laboratory.queries)
        own = cells_of(settings.numbered[number], settings.engines, laboratory.plans, queries)
        ends += finished(number, {cell: done[cell] for cell in own if cell in done})
    impossible: dict[str, list[Cell]] = {}
    for cell, reason in laboratory.impossible.items():
        impossible.setdefault(reason, []).append(cell)
    return Findings(
        name=laboratory.project.name,
        scale_factor=laboratory.project.catalog.scale_factor,
        numbers=laboratory.numbers,
        figures=measured,
        directions=directions(claims(stores), measured, known),
        finished=tuple(ends),
        paper=known,
        results=tuple(done.values()),
        cells=len(laboratory.cells),
        left=len(laboratory.left()),
        impossible={reason: tuple(cells) for reason, cells in impossible.items()},
    )
