"""A command of the advisor, and the arguments that several of them have."""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from advisor.project.chosen_project import SETTINGS, STORES, ProjectChoice
from workloads.progress import Progress

if TYPE_CHECKING:
    from advisor.report.output import Output

Request = TypeVar("Request")
Parser = argparse.ArgumentParser


@dataclass(frozen=True, slots=True, kw_only=True)
class Command(Generic[Request]):
    """A command: its name, a line of help, an example, and what it does.

    `add_arguments` adds its arguments to a parser, `request` makes of them the frozen type that
    `run` is called with: argparse ends there.
    """

    name: str
    summary: str
    example: str
    add_arguments: Callable[[Parser], None]
    request: Callable[[argparse.Namespace], Request]
    run: Callable[[Request, "Output", Progress], None]


def choice(arguments: argparse.Namespace) -> ProjectChoice:
    """Return the project that arguments name, with the options that they have."""
    return ProjectChoice(file=vars(arguments).get("project"), options=options(arguments))


def options(arguments: argparse.Namespace) -> Mapping[str, object]:
    """Return the options that were given and take precedence over a project file, by name."""
    given = vars(arguments)
    known = (*SETTINGS, STORES)
    return {name: given[name] for name in known if given.get(name) is not None}


def add_project(parser: Parser) -> None:
    """Add the project file, which has to be named."""
    parser.add_argument("project", type=Path, metavar="PROJECT", help="a project file (TOML)")


def add_optional_project(parser: Parser, *, positional: bool = False) -> None:
    """Add a project file that is the demo's where none is named."""
    text = "a project file [the demo's]"
    if positional:
        parser.add_argument("project", type=Path, nargs="?", metavar="PROJECT", help=text)
    else:
        parser.add_argument("--project", type=Path, metavar="PROJECT", help=text)


def add_plan_or_project(parser: Parser) -> None:
    """Add a plan or a project file, and the plan's project."""
    parser.add_argument(
        "plan",
        type=Path,
        metavar="PROJECT|PLAN",
        help="a plan from `place -o`, or a project file (TOML), whose best plan is solved for",
    )
    parser.add_argument(
        "--project", type=Path, metavar="PROJECT", help="the plan's project [that it was made of]"
    )


def add_output_folder(parser: Parser) -> None:
    """Add the folder of a report."""
    parser.add_argument(
        "-o", "--output", type=Path, metavar="DIR", help="folder of report.html [the project's]"
    )


def add_optional_stores(parser: Parser) -> None:
    """Add the names of the optional stores that take part."""
    parser.add_argument(
        "--with",
        dest=STORES,
        metavar="LIST",
        help="stores that the project file has as optional, such as duck,mem",
    )


def add_overriding(parser: Parser, *others: str) -> None:
    """Add the options that take precedence over the project file; `others` beside the common."""
    group = parser.add_argument_group("instead of what the project file says")
    group.add_argument(
        "--scale-factor", type=float, metavar="SF", help="of generated TPC-DS and TPC-H"
    )
    group.add_argument("--queries", metavar="LIST", help="such as 1,9,12, or all")
    if "repeats" in others:
        group.add_argument(
            "--repeats", type=int, metavar="N", help="most measured rounds of a candidate"
        )
        group.add_argument(
            "--all-repeats",
            action="store_true",
            default=None,
            help="as many rounds for each candidate, even if its place in the ranking is settled",
        )
    if "clients" in others:
        group.add_argument(
            "--clients",
            metavar="LIST",
            help="numbers of clients that run the workload at once after the rounds, such as 1,2,4",
        )
    if "spark" in others:
        group.add_argument(
            "--join-strategy", metavar="NAME", help="automatic, broadcast or partitioned"
        )
        group.add_argument(
            "--workers", type=int, metavar="N", help="executors of a cluster, or local threads"
        )
    if "engine" in others:
        group.add_argument(
            "--engine", metavar="NAME", help="what answers: fragments, spark-native or trino"
        )
    if "strategies" in others:
        group.add_argument("--strategies", metavar="LIST", help="such as naive,optimal")
    if "rates" in others:
        group.add_argument(
            "--no-quick-rates",
            action="store_const",
            const=False,
            dest="quick_rates",
            help="measure no rates first: go by those that there are, or by default ones",
        )
    if "skip_invalid" in others:
        group.add_argument(
            "--skip-invalid",
            action="store_true",
            default=None,
            help="leave out statements that are not understood",
        )
    if "filters" in others:
        _add_filters(parser)


def _add_filters(parser: Parser) -> None:
    """Add the options that say which executions of the workload count."""
    group = parser.add_argument_group("which executions count, instead of what the file says")
    for name, text in (
        ("user", "run by one of these users"),
        ("database", "run in one of these databases"),
        ("application", "run by one of these programs"),
    ):
        group.add_argument(f"--{name}", metavar="LIST", help=text)
    group.add_argument("--since", metavar="TIME", help="run at or after, such as 2025-05-01")
    group.add_argument("--until", metavar="TIME", help="run before")
    group.add_argument("--shortest-s", type=float, metavar="S", help="that took S seconds or more")
    group.add_argument("--longest-s", type=float, metavar="S", help="that took S seconds or less")
