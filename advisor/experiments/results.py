"""Results of cells: a file each, so that what is measured outlives whatever ends the command."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from advisor.experiments.cells import Cell
from evaluation.measuring.machine import Machine
from evaluation.measuring.measurement import QueryMeasurement
from placement.plan import PlacementPlan, RoutedFragment
from workloads.adapters import adapter
from workloads.whole_files import write_whole

FOLDER = "cells"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The measurement of a cell, with its time, machine, command and commit.

    `digest` tells what the figures hold for: another plan or another setting has another.
    `predicted_s` is the plan's for one execution. `commit` None: git does not tell it.
    """

    cell: Cell
    digest: str
    measurement: QueryMeasurement
    predicted_s: float
    machine: Machine
    versions: Mapping[str, str]
    started_at: str
    command: str
    commit: str | None


def digest(cell: Cell, plan: PlacementPlan, sql: str, others: Mapping[str, object]) -> str:
    """Return what tells apart results of a cell that may not be mixed.

    `others` are the settings that hold for all cells, such as the number of rounds.
    """
    routed = [
        (adapter(RoutedFragment).dump_python(each)["fragment"], each.store)
        for each in plan.routing[cell.query]
    ]
    described = adapter(Cell).dump_python(cell)
    if not cell.setting.alone:
        # Results of earlier versions do not tell, and hold.
        del described["setting"]["alone"]
    known = [described, routed, sql, dict(others)]
    text = json.dumps(known, sort_keys=True, default=_plain)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _plain(value: object) -> object:
    return sorted(value, key=str) if isinstance(value, set | frozenset) else str(value)


def write(result: Result, folder: Path) -> None:
    """Write a result beside its place and rename it; OSError where that cannot be done."""
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    text = adapter(Result).dump_json(result, indent=1)
    write_whole(folder / FOLDER / result.cell.file_name, text)


def forget(result: Result, folder: Path) -> None:
    """Remove the file of a result, so that its cell is left to be measured."""
    (folder / FOLDER / result.cell.file_name).unlink(missing_ok=True)


def read(folder: Path, cells: Iterable[Cell]) -> Mapping[Cell, Result]:
    """Return the results that there are of `cells`; files that hold none are as if not there."""
    return {each.cell: each for each in _found(folder, cells)}


def _found(folder: Path, cells: Iterable[Cell]) -> Iterator[Result]:
    for cell in cells:
        try:
            result = adapter(Result).validate_json((folder / FOLDER / cell.file_name).read_bytes())
        except (OSError, ValidationError):
            continue
        if result.cell == cell:
            yield result
