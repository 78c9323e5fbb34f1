"""Commands that are interrupted, at whatever they are."""

import signal
import subprocess
import sys
import time

import pytest

from tests.unit.advisor.command import one_line

SLEEPING = """
import sys, time
from advisor.commands import cli
from dataclasses import replace
from advisor.commands.registry import COMMANDS

def compare(request, output, progress):
    try:
        print("started", flush=True)
        time.sleep(60)
    finally:
        print("stopped", flush=True)

COMMANDS["compare"] = replace(COMMANDS["compare"], run=compare)
sys.exit(cli.main(["compare"]))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_still_cleans_up_and_exits_with_130(number):
    with subprocess.Popen(
        [sys.executable, "-c", SLEEPING], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "started\n"
        process.send_signal(number)
        shown, said = process.communicate(timeout=90)
    assert process.returncode == 130
    assert shown == "stopped\n"
    assert one_line(said)


IMPORTING = """
import sys
from advisor import __main__
from dataclasses import replace
from advisor.commands.registry import COMMANDS

def compare(request, output, progress):
    print("started", flush=True)
    exec("import time; time.sleep(60)")

COMMANDS["compare"] = replace(COMMANDS["compare"], run=compare)
sys.argv = ["advisor", "compare"]
sys.exit(__main__.main())
"""


def test_an_interruption_within_an_import_exits_with_130_too(tmp_path):
    (tmp_path / "importing.py").write_text(IMPORTING)
    with subprocess.Popen(
        [sys.executable, "-m", "importing"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "started\n"
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=90)
    assert process.returncode == 130


SWALLOWING = """
import sys, time, types
from advisor.commands import cli
from dataclasses import replace
from advisor.commands.registry import COMMANDS

def swallowed():
    print("started", flush=True)
    try:
        time.sleep(60)
    except BaseException:
        # As an import of pandas within PySpark's: what it lacks since is missed later, if at all.
        pass

class Finder:
    def find_spec(self, name, path, target=None):
        if name == "swallowing":
            swallowed()

sys.meta_path.insert(0, Finder())

def compare(request, output, progress):
    try:
        import swallowing
    except ImportError:
        pass
    AFTER

COMMANDS["compare"] = replace(COMMANDS["compare"], run=compare)
sys.exit(cli.main(["compare"]))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "after",
    [
        "time.sleep(60)",
        "import threading; threading.Event().wait(60)",
        "sum(1 for _ in iter(int, 1))",
        "raise AttributeError('pandas has no __version__')",
        "pass",
    ],
)
def test_an_interruption_that_an_import_swallows_is_raised_again(number, after):
    code = SWALLOWING.replace("AFTER", after)
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell's background ignores the signal, and its children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    ) as process:
        assert process.stdout.readline() == "started\n"
        process.send_signal(number)
        began = time.monotonic()
        _, said = process.communicate(timeout=90)
    assert process.returncode == 130
    assert one_line(said)
    assert time.monotonic() - began < 60


LEAVING = """
import sys, time
from advisor.commands import cli
from dataclasses import replace
from advisor.commands.registry import COMMANDS

def compare(request, output, progress):
    try:
        print("started", flush=True)
        time.sleep(60)
    finally:
        time.sleep(1.5)
        try:
            raise ValueError
        except ValueError:
            time.sleep(1)
        print("stopped", flush=True)

COMMANDS["compare"] = replace(COMMANDS["compare"], run=compare)
sys.exit(cli.main(["compare"]))
"""


def test_what_is_done_on_leaving_is_not_interrupted_again():
    with subprocess.Popen(
        [sys.executable, "-c", LEAVING], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "started\n"
        process.send_signal(signal.SIGTERM)
        shown, said = process.communicate(timeout=90)
    assert process.returncode == 130
    assert shown == "stopped\n"
    assert one_line(said)
