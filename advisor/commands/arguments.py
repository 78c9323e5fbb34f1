"""The options and arguments of every command."""

import argparse
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from importlib.metadata import version
from pathlib import Path
from typing import NoReturn

from advisor.commands.movement_arguments import add_movements
from advisor.commands.reason_arguments import add_reasons

USER_ERROR = 2
STORE_ACTIONS = ("up", "down", "status")
CALIBRATION_SCALE_FACTOR, CALIBRATION_REPEATS = 0.2, 2
_LARGEST_SCALE_FACTOR = 100


def parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the arguments; an option that a command does not have names the nearest it has."""
    top = parser()
    arguments, unknown = top.parse_known_args(argv)
    if unknown:
        actions = (a for a in top._actions if isinstance(a, argparse._SubParsersAction))
        command: argparse.ArgumentParser = next(actions).choices[arguments.command]
        command.error(_unknown(unknown[0], command))
    return arguments


def _unknown(argument: str, command: argparse.ArgumentParser) -> str:
    if not argument.startswith("-"):
        return f"'{argument}' is one argument too many"
    option = argument.partition("=")[0]
    known = [name for name in command._option_string_actions if name.startswith("--")]
    near = get_close_matches(option, known, n=1, cutoff=0.6)
    hint = f": did you mean '{near[0]}'?" if near else ""
    return f"`{command.prog}` has no option '{option}'{hint}"


class _Parser(argparse.ArgumentParser):
    """Names the nearest command for one that does not exist."""

    def error(self, message: str) -> NoReturn:
        """Say the error in one line, with the way to the help, and exit with 2."""
        self.exit(USER_ERROR, f"advisor: {message} (see `{self.prog} --help`)\n")

    def _check_value(self, action: argparse.Action, value: str) -> None:
        if action.choices is not None and value not in action.choices:
            near = get_close_matches(value, list(action.choices), n=1, cutoff=0.5)
            known = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(action.choices)}"
            kind = "command" if action.dest == "command" else action.dest
            raise argparse.ArgumentError(None, f"unknown {kind} '{value}': {known}")


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    top = _Parser(
        prog="advisor",
        description="Which table should live in which store, what it costs and gains, proved on "
        "the real stores.",
        epilog="example: advisor demo",
    )
    top.add_argument("--version", action="version", version=f"advisor {_version()}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add = _Adder(commands)
    demo = add("demo", "the main job on embedded stores", "advisor demo -o report/")
    _overriding(demo, "repeats", "strategies", "engine", "spark")
    _optional_stores(demo)
    _output_folder(demo)
    run = add("run", "the main job on your project", "advisor run project.toml --repeats 5")
    run.add_argument("project", type=Path, metavar="PROJECT", help="a project file (TOML)")
    _overriding(run, "repeats", "strategies", "skip_invalid", "engine", "spark")
    _optional_stores(run)
    _output_folder(run)
    _add_steps(add)
    add_reasons(add)
    add_movements(add)
    _add_tracking(add)
    stores = add("stores", "keep embedded stores up for work by hand", "advisor stores up")
    stores.add_argument("action", choices=STORE_ACTIONS, metavar="|".join(STORE_ACTIONS))
    _optional_project(stores, "?")
    _optional_stores(stores)
    return top


def _version() -> str:
    return version("placement-advisor")


class _Adder:
    """Adds a command with what all of them have: ``--json``, ``--debug`` and an example."""

    def __init__(self, commands: "argparse._SubParsersAction[_Parser]") -> None:
        self._commands = commands

    def __call__(self, name: str, text: str, example: str) -> argparse.ArgumentParser:
        command = self._commands.add_parser(
            name,
            help=text,
            description=text,
            epilog=f"example: {example}",
            allow_abbrev=False,
        )
        command.add_argument("--json", action="store_true", help="print one JSON object")
        command.add_argument("--debug", action="store_true", help="show tracebacks")
        return command


def _add_steps(add: Callable[[str, str, str], argparse.ArgumentParser]) -> None:
    _analyze(add)
    calibrate = add(
        "calibrate", "measure the stores' rates, for predictions", "advisor calibrate p.toml"
    )
    calibrate.add_argument("project", type=Path, metavar="PROJECT", help="a project file (TOML)")
    calibrate.add_argument(
        "--scale-factor",
        type=_positive,
        default=CALIBRATION_SCALE_FACTOR,
        dest="calibration_scale_factor",
        metavar="SF",
        help=f"of the TPC-H data that is measured on [{CALIBRATION_SCALE_FACTOR:g}]",
    )
    calibrate.add_argument(
        "--repeats",
        type=_whole,
        default=CALIBRATION_REPEATS,
        dest="calibration_repeats",
        metavar="N",
        help=f"measured runs of each query, after one warm-up [{CALIBRATION_REPEATS}]",
    )
    place = add(
        "place",
        "placements and their predicted cost",
        "advisor place p.toml -s optimal -o plan.json",
    )
    place.add_argument("project", type=Path, metavar="PROJECT", help="a project file (TOML)")
    place.add_argument("-s", "--strategy", help="the candidate to show [the best predicted]")
    place.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the plan here")
    _overriding(place, "strategies", "skip_invalid")
    _optional_stores(place)
    evaluate = add(
        "evaluate", "load, run, verify and track plans", "advisor evaluate p.toml plan.json"
    )
    evaluate.add_argument("project", type=Path, metavar="PROJECT", help="a project file (TOML)")
    evaluate.add_argument("plans", type=Path, nargs="+", metavar="PLAN", help="from `place -o`")
    _overriding(evaluate, "repeats", "skip_invalid", "engine", "spark")
    _optional_stores(evaluate)
    _output_folder(evaluate)
    export = add(
        "export",
        "the evaluation as a job for spark-submit, the stores as catalogs of Trino",
        "advisor export p.toml -o job.json",
    )
    export.add_argument("project", type=Path, metavar="PROJECT", help="a project file (TOML)")
    export.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the job here")
    export.add_argument(
        "--trino", type=Path, metavar="FOLDER", help="write the stores as Trino's catalogs here"
    )
    _overriding(export, "repeats", "skip_invalid", "engine", "spark")
    _optional_stores(export)


def _analyze(add: Callable[[str, str, str], argparse.ArgumentParser]) -> None:
    analyze = add(
        "analyze",
        "what each query touches, and what is used together",
        "advisor analyze queries/ --catalog schema.sql --html analysis.html",
    )
    analyze.add_argument(
        "sources",
        nargs="+",
        metavar="PROJECT|PATH",
        help="a project file, or files and folders of SQL and logs",
    )
    analyze.add_argument(
        "--spark", action="store_true", help="fold logs with Spark, for more than one machine"
    )
    analyze.add_argument("--html", type=Path, metavar="FILE", help="write the analysis as a page")
    paths = analyze.add_argument_group("for paths, without a project file")
    paths.add_argument("--dialect", metavar="D", help="SQL dialect [detected]")
    paths.add_argument(
        "--catalog",
        action="append",
        metavar="SOURCE",
        help="tpcds, tpch, a folder of Parquet, or DDL (may be given several times) [tpcds]",
    )
    paths.add_argument("--rows", metavar="FILE", help="rows of the tables of DDL: table,rows")
    paths.add_argument("--frequencies", metavar="FILE", help="executions of the queries by name")
    _overriding(analyze, "skip_invalid")


def _positive(text: str) -> float:
    number = float(text)
    if not 0 < number <= _LARGEST_SCALE_FACTOR:
        limits = f"above 0, and at most {_LARGEST_SCALE_FACTOR}"
        raise argparse.ArgumentTypeError(f"{text} is not {limits}")
    return number


def _whole(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def _add_tracking(add: Callable[[str, str, str], argparse.ArgumentParser]) -> None:
    compare = add("compare", "print what was tracked", "advisor compare --project project.toml")
    compare.add_argument(
        "experiment", nargs="?", metavar="EXPERIMENT", help="MLflow's experiment [the project's]"
    )
    _optional_project(compare)
    ui = add("ui", "MLflow's UI on what was tracked, on 127.0.0.1", "advisor ui --port 5001")
    ui.add_argument("--port", type=int, help="port [5000, or a free one]")
    _optional_project(ui)


def _optional_project(command: argparse.ArgumentParser, positional: str = "") -> None:
    text = "a project file [the demo's]"
    if positional:
        command.add_argument("project", type=Path, nargs=positional, metavar="PROJECT", help=text)
    else:
        command.add_argument("--project", type=Path, metavar="PROJECT", help=text)


def _output_folder(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "-o", "--output", type=Path, metavar="DIR", help="folder of report.html [the project's]"
    )


def _optional_stores(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--with",
        dest="with_stores",
        metavar="LIST",
        help="stores that the project file has as optional, such as duck,mem",
    )


def _overriding(command: argparse.ArgumentParser, *others: str) -> None:
    """Add the options that take precedence over the project file; `others` beside the common."""
    group = command.add_argument_group("instead of what the project file says")
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
    if "skip_invalid" in others:
        group.add_argument(
            "--skip-invalid",
            action="store_true",
            default=None,
            help="leave out statements that are not understood",
        )
