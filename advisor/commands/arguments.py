"""The command line's arguments: every command's parser, and errors that name the nearest."""

import argparse
import re
from collections.abc import Sequence
from difflib import get_close_matches
from importlib.metadata import version
from typing import NoReturn

from advisor.commands.registry import COMMANDS

USER_ERROR = 2


def parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the arguments; an option that a command does not have names the nearest it has."""
    top, parsers = _parsers()
    arguments, unknown = top.parse_known_args(argv)
    if unknown:
        command = parsers[arguments.command]
        command.error(_unknown(unknown[0], command))
    return arguments


def _unknown(argument: str, command: argparse.ArgumentParser) -> str:
    if not argument.startswith("-"):
        shown = re.sub(r"(://[^:/@]*):.*@", r"\1:***@", argument)
        return f"'{shown}' is one argument too many"
    option = argument.partition("=")[0]
    known = re.findall(r"--[a-z][a-z-]*", command.format_help())
    near = get_close_matches(option, known, n=1, cutoff=0.6)
    hint = f": did you mean '{near[0]}'?" if near else ""
    return f"`{command.prog}` has no option '{option}'{hint}"


class _Parser(argparse.ArgumentParser):
    """Names the nearest command for one that does not exist."""

    def error(self, message: str) -> NoReturn:
        """Say the error in one line, with the way to the help, and exit with 2."""
        # Of a value that a function of ours reads it names the function.
        message = re.sub(r"invalid _\w+ value: (.+)", r"\1 is not understood", message)
        self.exit(USER_ERROR, f"advisor: {message} (see `{self.prog} --help`)\n")

    def _check_value(self, action: argparse.Action, value: str) -> None:
        if action.choices is not None and value not in action.choices:
            near = get_close_matches(value, list(action.choices), n=1, cutoff=0.5)
            known = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(action.choices)}"
            kind = "command" if action.dest == "command" else action.dest
            raise argparse.ArgumentError(None, f"unknown {kind} '{value}': {known}")


def _parsers() -> tuple[_Parser, dict[str, _Parser]]:
    """Return the parser of the command line, and that of each command by its name."""
    top = _Parser(
        prog="advisor",
        description="Which table should live in which store, what it costs and gains, proved on "
        "the real stores.",
        epilog="example: advisor demo",
    )
    top.add_argument(
        "--version", action="version", version=f"advisor {version('placement-advisor')}"
    )
    subparsers = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    parsers = {}
    for command in COMMANDS.values():
        parser = subparsers.add_parser(
            command.name,
            help=command.summary,
            description=command.summary,
            epilog=f"example: {command.example}",
            allow_abbrev=False,
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument("--debug", action="store_true", help="show tracebacks")
        command.add_arguments(parser)
        parsers[command.name] = parser
    return top, parsers
