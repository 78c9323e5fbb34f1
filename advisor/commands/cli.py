"""The command line: arguments in, one command called, exit code out.

0 is done, 2 a user's error (one line), 1 a fault of ours (one line, or a traceback with
``--debug``), 130 an interruption.
"""

import argparse
import errno
import os
import sys
import traceback
from collections.abc import Sequence

from advisor.commands.arguments import USER_ERROR, parsed
from advisor.commands.interrupts import Interrupts
from advisor.commands.registry import COMMANDS
from workloads.errors import AdvisorError

DONE, FAULT, INTERRUPTED, PIPE_CLOSED = 0, 1, 130, 141
# The deepest statement that `workloads.sql.parsing.tokens` allows takes more than Python's 1,000.
_RECURSION_LIMIT = 10_000
MOST_LINES = 20
"""So many lines of an error are shown; more are in a file."""
REFUSED = "refused.txt"
"""The file, in the cache folder, with all lines of the last error that had more."""
_OTHERS_WRITE = 0o022
"""The right of the group and of others to write: files are at most 0644, folders 0755."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; argparse's own errors exit with 2."""
    # Others may not replace what we keep, such as tracking.db; a stricter mask stays.
    os.umask(os.umask(_OTHERS_WRITE) | _OTHERS_WRITE)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION_LIMIT))
    arguments = parsed(argv)
    with Interrupts() as interrupts:
        try:
            _call(arguments)
        except KeyboardInterrupt:
            return _interrupted()
        except Exception as error:  # noqa: BLE001 - the one place that turns faults into exit codes
            # An import that has swallowed an interruption fails of what it lacks.
            return _interrupted() if interrupts.came else _told(error, debug=arguments.debug)
    return _interrupted() if interrupts.came else DONE


def _interrupted() -> int:
    return _failed(INTERRUPTED, "interrupted; what was started is stopped")


def _told(error: Exception, *, debug: bool) -> int:
    """Say why a command failed, and return its exit code."""
    if isinstance(error, AdvisorError):
        shown, rest = _details(error)
        for line in shown:
            sys.stderr.write(f"{line}\n")
        return _failed(USER_ERROR, f"{error}{rest}", debug=debug)
    if isinstance(error, BrokenPipeError):
        # the reader has gone, and Python would complain once more when it closes the stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return _failed(USER_ERROR, _disk_full(error), debug=debug)
    text = f"a fault of ours: {type(error).__name__}: {_first_line(error)}"
    way_out = "" if debug else "; run it with --debug for the traceback"
    return _failed(FAULT, text + way_out, debug=debug)


def _details(error: AdvisorError) -> tuple[Sequence[str], str]:
    """Return the first of an error's lines, and what is said of the rest."""
    from workloads.cache import cache_folder
    from workloads.whole_files import write_whole

    if len(error.details) <= MOST_LINES:
        return error.details, ""
    rest = f" {len(error.details) - MOST_LINES} more lines"
    try:
        file = cache_folder() / REFUSED
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, "".join(f"{line}\n" for line in error.details))
    except (OSError, AdvisorError):
        return error.details[:MOST_LINES], f"{rest} are not shown."
    return error.details[:MOST_LINES], f"{rest} are in {file}, which has all of them."


def _call(arguments: argparse.Namespace) -> None:
    from advisor.report.output import Output
    from advisor.report.plain_characters import print_anything
    from advisor.report.progress import progress_to

    command = COMMANDS[arguments.command]
    request = command.request(arguments)
    print_anything(sys.stdout)
    output = Output(as_json=arguments.json)
    with output.working(), progress_to(sys.stderr) as progress:
        command.run(request, output, progress)


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
