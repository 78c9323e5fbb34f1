"""The command line: arguments in, one command called, exit code out.

0 is done, 2 a user's error (one line), 1 a fault of ours (one line, or a traceback with
``--debug``), 130 an interruption.
"""

import argparse
import errno
import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from importlib.metadata import version
from pathlib import Path
from types import FrameType
from typing import NoReturn

from workloads.errors import AdvisorError

DONE, FAULT, USER_ERROR, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141

STORE_ACTIONS = ("up", "down", "status")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; argparse's own errors exit with 2."""
    signal.signal(signal.SIGTERM, _interrupt)
    arguments = parser().parse_args(argv)
    try:
        _call(arguments)
    except AdvisorError as error:
        return _failed(USER_ERROR, str(error), debug=arguments.debug)
    except KeyboardInterrupt:
        return _failed(INTERRUPTED, "interrupted; what was started is stopped")
    except BrokenPipeError:
        # the reader has gone, and Python would complain once more when it closes the stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except Exception as error:  # noqa: BLE001 - the one place that turns faults into exit codes
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            return _failed(USER_ERROR, _disk_full(error), debug=arguments.debug)
        text = f"a fault of ours: {type(error).__name__}: {_first_line(error)}"
        way_out = "" if arguments.debug else "; run it with --debug for the traceback"
        return _failed(FAULT, text + way_out, debug=arguments.debug)
    return DONE


def _call(arguments: argparse.Namespace) -> None:
    from advisor import commands
    from advisor.report.output import Output
    from advisor.report.progress import progress_to

    command: commands.Command = getattr(commands, arguments.command)
    output = Output(as_json=arguments.json)
    with output.working(), progress_to(sys.stderr) as progress:
        command(arguments, output, progress)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """Treat SIGTERM as Ctrl-C, so that every `finally` and every server's stop still runs."""
    del number, frame
    raise KeyboardInterrupt


def _failed(code: int, text: str, *, debug: bool = False) -> int:
    if debug:
        traceback.print_exc()
    sys.stderr.write(f"advisor: {' '.join(text.split())}\n")
    return code


def _first_line(error: Exception) -> str:
    try:
        lines = str(error).strip().splitlines()
    except Exception:  # noqa: BLE001 - an error of Java asks Java, which may have ended
        lines = []
    return lines[0] if lines else "without a message"


def _disk_full(error: OSError) -> str:
    where = error.filename or "the cache folder"
    return f"The disk is full at {where}: free space, or point PLACEMENT_ADVISOR_CACHE elsewhere."


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
    _overriding(demo)
    _output_folder(demo)
    run = add("run", "the main job on your project", "advisor run project.toml --repeats 5")
    run.add_argument("project", type=Path, metavar="PROJECT", help="a project file (TOML)")
    _overriding(run)
    _output_folder(run)
    _add_steps(add)
    _add_tracking(add)
    stores = add("stores", "keep embedded stores up for work by hand", "advisor stores up")
    stores.add_argument("action", choices=STORE_ACTIONS, metavar="|".join(STORE_ACTIONS))
    _optional_project(stores, "?")
    return top


def _version() -> str:
    return version("placement-advisor")


class _Adder:
    """Adds a command with what all of them have: ``--json``, ``--debug`` and an example."""

    def __init__(self, commands: "argparse._SubParsersAction[_Parser]") -> None:
        self._commands = commands

    def __call__(self, name: str, text: str, example: str) -> argparse.ArgumentParser:
        command = self._commands.add_parser(
            name, help=text, description=text, epilog=f"example: {example}"
        )
        command.add_argument("--json", action="store_true", help="print one JSON object")
        command.add_argument("--debug", action="store_true", help="show tracebacks")
        return command


def _add_steps(add: Callable[[str, str, str], argparse.ArgumentParser]) -> None:
    analyze = add(
        "analyze",
        "what each query touches, and what is used together",
        "advisor analyze queries/ --dialect postgres --catalog data/",
    )
    analyze.add_argument(
        "sources", type=Path, nargs="+", metavar="PROJECT|PATH", help="a project file, or SQL"
    )
    analyze.add_argument("--dialect", default="duckdb", help="SQL dialect of paths [%(default)s]")
    analyze.add_argument(
        "--catalog", default="tpcds", help="folder of Parquet for paths [%(default)s]"
    )
    _overriding(analyze)
    place = add(
        "place",
        "placements and their predicted cost",
        "advisor place p.toml -s optimal -o plan.json",
    )
    place.add_argument("project", type=Path, metavar="PROJECT", help="a project file (TOML)")
    place.add_argument("-s", "--strategy", help="the candidate to show [the best predicted]")
    place.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the plan here")
    _overriding(place)
    evaluate = add(
        "evaluate", "load, run, verify and track plans", "advisor evaluate p.toml plan.json"
    )
    evaluate.add_argument("project", type=Path, metavar="PROJECT", help="a project file (TOML)")
    evaluate.add_argument("plans", type=Path, nargs="+", metavar="PLAN", help="from `place -o`")
    _overriding(evaluate)
    _output_folder(evaluate)
    export = add(
        "export", "the evaluation as a job for spark-submit", "advisor export p.toml -o job.json"
    )
    export.add_argument("project", type=Path, metavar="PROJECT", help="a project file (TOML)")
    export.add_argument(
        "-o", "--output", type=Path, metavar="FILE", required=True, help="write the job here"
    )
    _overriding(export)


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


def _overriding(command: argparse.ArgumentParser) -> None:
    """Add the options that take precedence over the project file."""
    group = command.add_argument_group("instead of what the project file says")
    group.add_argument("--scale-factor", type=float, metavar="SF", help="TPC-DS scale factor")
    group.add_argument("--queries", metavar="LIST", help="such as 1,9,12, or all")
    group.add_argument("--repeats", type=int, metavar="N", help="measured runs of each query")
    group.add_argument("--strategies", metavar="LIST", help="such as naive,optimal")
