"""The numbers of clients that run the workload at once: in a project file, an option, a job."""

from pathlib import Path

import pytest

from advisor.project.chosen_project import overrides
from tests.unit.advisor.command import called
from tests.unit.advisor.project_files import error, load


def test_there_are_none_unless_the_file_says(tmp_path: Path):
    assert load(tmp_path).evaluate.clients == ()
    assert load(tmp_path, evaluate="clients = [4, 1, 2]").evaluate.clients == (1, 2, 4)


def test_an_option_takes_precedence(tmp_path: Path):
    given = overrides({"clients": "1, 8"})
    assert load(tmp_path, given, evaluate="clients = [2]").evaluate.clients == (1, 8)


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("[0]", "0 is no number of clients from 1 to 100"),
        ("[1, 101]", "101 is no number of clients from 1 to 100"),
        ("[-1]", "-1 is no number of clients"),
        ("[1.5]", "1.5 is no number of clients"),
        ("[true]", "True is no number of clients"),
        ('["2"]', "'2' is no number of clients"),
        ('"2"', "write a list of numbers of clients such as [1, 2, 4]"),
        ("2", "write a list of numbers of clients such as [1, 2, 4]"),
        ("[]", "write a list of numbers of clients such as [1, 2, 4], or no such key"),
        ("[2, 1, 2]", "a number of clients is in it twice: write each once"),
    ],
)
def test_what_is_no_number_of_clients_is_an_error(tmp_path: Path, written: str, reason: str):
    said = error(tmp_path, evaluate=f"clients = {written}")
    assert "[evaluate].clients = " in said
    assert reason in said


@pytest.mark.parametrize("given", ["two", "1,x", "0", "", "1,1"])
def test_an_option_is_refused_as_the_key_is(tmp_path: Path, given: str):
    assert "[evaluate].clients" in error(tmp_path, overrides({"clients": given}))


@pytest.mark.parametrize("command", ["run", "demo", "evaluate", "export"])
def test_commands_that_measure_have_the_option(command: str):
    assert "--clients LIST" in called(command, "--help").stdout
