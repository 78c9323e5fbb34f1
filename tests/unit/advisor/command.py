"""The command line: in a process of its own, or in this one, which saves a second of imports."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import IO

import pytest

from advisor.commands import cli


def advisor(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "advisor", *arguments],
        capture_output=True,
        check=False,
        text=True,
        timeout=360,
        **options,
    )


def called(*arguments, cwd=None, env=None):
    """Run a command in this process; return its code and texts as `advisor` does.

    Streams are files, as in a process of its own: what libraries print past Python is caught too.
    """
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as out,
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="backslashreplace") as err,
    ):
        with ExitStack() as stack:
            stack.enter_context(chdir(cwd or Path.cwd()))
            patch = stack.enter_context(pytest.MonkeyPatch.context())
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            stack.enter_context(_instead(1, out))
            stack.enter_context(_instead(2, err))
            stack.enter_context(redirect_stdout(out))
            stack.enter_context(redirect_stderr(err))
            try:
                code = cli.main(arguments)
            except SystemExit as ended:
                code = ended.code
        return subprocess.CompletedProcess(arguments, code, _text(out), _text(err))


@contextmanager
def _instead(number: int, file: IO[str]) -> Iterator[None]:
    """Let the handle `number` be that of `file`."""
    before = os.dup(number)
    os.dup2(file.fileno(), number)
    try:
        yield
    finally:
        os.dup2(before, number)
        os.close(before)


def _text(file: IO[str]) -> str:
    file.flush()
    file.seek(0)
    return file.read()


def one_line(text):
    """Whether a text is one line of ours, but for the progress that a busy machine shows before."""
    progress = re.compile(r"^\S.* (…|\d+%, .* s|done in .* s)$", re.MULTILINE)
    text = progress.sub("", text).lstrip("\n")
    return text.startswith("advisor: ") and text.count("\n") == 1
