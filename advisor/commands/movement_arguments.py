"""The options and arguments of the commands that compare and move: pareto, diff and migrate."""

import argparse
from collections.abc import Callable
from pathlib import Path

Add = Callable[[str, str, str], argparse.ArgumentParser]

FEWEST_POINTS, MOST_POINTS = 2, 100


def add_movements(add: Add) -> None:
    """Add the three commands."""
    _pareto(add)
    _diff(add)
    _migrate(add)


def _pareto(add: Add) -> None:
    pareto = add(
        "pareto",
        "the plans that trade seconds for bytes moved, money and migration",
        "advisor pareto project.toml --html frontier.html",
    )
    pareto.add_argument("project", type=Path, metavar="PROJECT", help="a project file (TOML)")
    pareto.add_argument(
        "--points", type=_points, default=8, metavar="N", help="bounds of each objective [8]"
    )
    pareto.add_argument("--html", type=Path, metavar="FILE", help="write table and picture here")
    pareto.add_argument("--svg", type=Path, metavar="FILE", help="write the picture here")
    pareto.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write the recommended plan here"
    )
    group = pareto.add_argument_group("instead of what the project file says")
    group.add_argument(
        "--scale-factor", type=float, metavar="SF", help="of generated TPC-DS and TPC-H"
    )
    group.add_argument("--queries", metavar="LIST", help="such as 1,9,12, or all")


def _diff(add: Add) -> None:
    diff = add("diff", "what differs between two plans", "advisor diff now.json next.json")
    diff.add_argument("before", type=Path, metavar="A", help="a plan from `place -o`")
    diff.add_argument("after", type=Path, metavar="B", help="another one of the same project")
    _project(diff)


def _migrate(add: Add) -> None:
    migrate = add(
        "migrate",
        "the ordered steps from one placement to another, as commands",
        "advisor migrate --to plan.json --sql steps.sql",
    )
    migrate.add_argument(
        "plans", type=Path, nargs="*", metavar="A B", help="plans from `place -o`: from A to B"
    )
    migrate.add_argument(
        "--from",
        dest="start",
        type=Path,
        metavar="A",
        help="the plan to start from [[place].current of the project]",
    )
    migrate.add_argument("--to", dest="goal", type=Path, metavar="B", help="the plan to go to")
    migrate.add_argument(
        "--sql", type=Path, metavar="FILE", help="write the commands of all steps here"
    )
    _project(migrate)


def _project(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--project", type=Path, metavar="PROJECT", help="the plans' project [that of the last]"
    )


def _points(text: str) -> int:
    if not text.isdecimal() or not FEWEST_POINTS <= int(text) <= MOST_POINTS:
        raise argparse.ArgumentTypeError(
            f"'{text}' is no number of points from {FEWEST_POINTS} to {MOST_POINTS}"
        )
    return int(text)
