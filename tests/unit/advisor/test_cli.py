import errno
import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from advisor.commands import cli
from advisor.commands.registry import COMMANDS
from advisor.publishing.publish import make_folder
from advisor.report.output import Output
from tests.unit.advisor.command import advisor, called, one_line
from workloads.cache import cache_folder
from workloads.errors import ConfigurationError, SetUpError

NAMES = (
    "demo", "run", "analyze", "place", "evaluate", "export", "compare", "ui", "stores",
    "explain", "what-if", "sensitivity", "pareto", "diff", "migrate",
)  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("runn", "x.toml"), "unknown command 'runn': did you mean 'run'?"),
        (("stores", "upp"), "unknown action 'upp': did you mean 'up'?"),
        (("evaluate", "x.toml"), "PLAN"),
        ((), "COMMAND"),
        (("demo", "--repeats", "many"), "invalid int value: 'many'"),
    ],
)
def test_wrong_usage_is_one_line_and_exits_with_2(capsys, arguments, expected):
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2
    shown = capsys.readouterr()
    assert one_line(shown.err)
    assert expected in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("command", NAMES)
def test_the_help_of_every_command_has_an_example_and_both_options(capsys, command):
    with pytest.raises(SystemExit) as ended:
        cli.main([command, "--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert f"example: advisor {command}" in shown
    assert "--json" in shown
    assert "--debug" in shown


def test_the_version_is_the_distributions(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("advisor 0.")


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_users_error_is_one_line_on_standard_error(tmp_path, options):
    done = called("run", "none.toml", *options, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert one_line(done.stderr)
    assert "There is no project file none.toml" in done.stderr


def test_a_project_with_an_unknown_key_exits_with_2(tmp_path):
    file = tmp_path / "shop.toml"
    file.write_text('[workload]\nsource = "tpcds"\nquerries = [1]\n[stores.d]\nkind = "duckdb"\n')
    done = advisor("place", str(file))
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "Unknown key 'querries' in [workload] of shop.toml: did you mean 'queries'?",
        "[catalog].source in shop.toml: this key is needed",
        "advisor: 2 things are refused: each has its line, with its way out.",
    ]


@pytest.fixture
def raising(monkeypatch):
    """Make `advisor compare` end with an error."""

    def set_error(error):
        def command(arguments, output, progress):
            raise error

        monkeypatch.setitem(COMMANDS, "compare", replace(COMMANDS["compare"], run=command))

    return set_error


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (ConfigurationError("A is B:\n do C."), 2, "A is B: do C."),
        (ZeroDivisionError("by zero"), 1, "a fault of ours: ZeroDivisionError: by zero; run it"),
        (ValueError(), 1, "ValueError: without a message"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (OSError(errno.ENOSPC, "No space", "/x"), 2, "PLACEMENT_ADVISOR_CACHE"),
    ],
)
def test_each_kind_of_end_has_its_code_and_one_line(raising, capsys, error, code, text):
    raising(error)
    assert cli.main(["compare"]) == code
    shown = capsys.readouterr().err
    assert one_line(shown)
    assert text in shown


@pytest.mark.parametrize(("given", "file", "folder"), [(0, 0o644, 0o755), (0o077, 0o600, 0o700)])
def test_what_is_kept_is_nobody_elses_to_write_and_a_stricter_mask_stays(
    monkeypatch, tmp_path, given, file, folder
):
    def command(arguments, output, progress):
        (tmp_path / "project").mkdir()
        (tmp_path / "project" / "tracking.db").touch()

    monkeypatch.setitem(COMMANDS, "compare", replace(COMMANDS["compare"], run=command))
    before = os.umask(given)
    try:
        assert cli.main(["compare"]) == 0
    finally:
        os.umask(before)
    assert (tmp_path / "project").stat().st_mode & 0o777 == folder
    assert (tmp_path / "project" / "tracking.db").stat().st_mode & 0o777 == file


def test_debug_shows_the_traceback(raising, capsys):
    raising(ZeroDivisionError("by zero"))
    assert cli.main(["compare", "--debug"]) == 1
    assert "Traceback" in capsys.readouterr().err


NOISY = """
import os, sys
from advisor.commands import cli
from dataclasses import replace
from advisor.commands.registry import COMMANDS

def compare(request, output, progress):
    print("a library prints")
    os.system("echo a server prints")
    output.show("for people")
    output.answer({"runs": []})
    print("a library prints again")

COMMANDS["compare"] = replace(COMMANDS["compare"], run=compare)
sys.exit(cli.main(["compare", *sys.argv[1:]]))
"""


def test_json_is_exactly_one_object_whatever_libraries_print():
    done = subprocess.run(
        [sys.executable, "-c", NOISY, "--json"], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == {"runs": []}
    assert "a library prints again" in done.stderr
    assert "a server prints" in done.stderr


def test_without_json_people_are_told():
    done = subprocess.run([sys.executable, "-c", NOISY], capture_output=True, text=True, check=True)
    assert "for people" in done.stdout
    assert "runs" not in done.stdout


def test_compare_tells_a_project_file_from_an_experiment(capfd):
    assert cli.main(["compare", "shop.toml"]) == 2
    assert "advisor compare --project shop.toml" in capfd.readouterr().err


def test_a_reader_that_goes_away_is_met_with_silence():
    code = NOISY.replace('output.show("for people")', 'output.show("for people\\n" * 100_000)')
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.read(10)
        process.stdout.close()
        said = process.stderr.read()
    assert process.returncode == 141
    assert b"Traceback" not in said
    assert b"BrokenPipe" not in said


def test_compare_without_anything_tracked_says_what_to_run(tmp_path):
    done = called("compare", cwd=tmp_path, env={"PLACEMENT_ADVISOR_CACHE": str(tmp_path)})
    assert done.returncode == 2
    assert "Nothing is tracked yet" in done.stderr


def test_output_is_either_for_people_or_for_programs(capfd):
    output = Output(as_json=True)
    with output.working():
        output.show("for people")
        output.answer({"a": 1})
    assert json.loads(capfd.readouterr().out) == {"a": 1}


def test_a_report_folder_that_cannot_be_made_is_refused_before_the_run(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match="cannot be written to: Not a directory"):
        make_folder(tmp_path / "file" / "report")


@pytest.fixture
def shop(tmp_path):
    """A folder whose name is not UTF-8, with a project in it."""
    folder = tmp_path / os.fsdecode(b"shop-\xff")
    folder.mkdir()
    (folder / "schema.sql").write_text("CREATE TABLE item (id INT, name VARCHAR(20));")
    (folder / "q.sql").write_text("SELECT größe.id FROM item größe JOIN item j ON größe.id = j.id;")
    stores = "[stores.a]\nkind = 'duckdb'\n[stores.b]\nkind = 'duckdb'\n"
    (folder / "shop.toml").write_text(
        f"[workload]\nsource = 'q.sql'\n[catalog]\nsource = 'schema.sql'\n{stores}"
    )
    return folder


@pytest.mark.parametrize(
    ("encoding", "arguments"),
    [("ascii", ("place",)), ("latin-1", ("analyze",)), ("ascii", ("analyze", "--json"))],
)
def test_answers_are_printed_whatever_the_terminal_can_show(shop, tmp_path, encoding, arguments):
    command, *options = arguments
    environment = {
        **os.environ,
        "PYTHONIOENCODING": encoding,
        "PLACEMENT_ADVISOR_CACHE": str(tmp_path / "cache"),
    }
    done = advisor(command, "shop.toml", *options, cwd=shop, env=environment, encoding=encoding)
    assert done.returncode == 0, done.stderr
    if options:
        assert "größe" in str(json.loads(done.stdout))
    else:
        assert "item" in done.stdout
        assert "\\u" not in done.stdout


@pytest.mark.parametrize("arguments", [("q.sql", "--html", "a" * 5_000), ("a" * 300,)])
def test_a_path_that_is_too_long_is_one_line(shop, arguments):
    done = called("analyze", *arguments, "--catalog", "schema.sql", cwd=shop)
    assert done.returncode == 2, done.stderr
    assert one_line(done.stderr)
    assert "File name too long" in done.stderr


def test_without_a_home_the_cache_asks_for_a_folder(monkeypatch):
    def unknown(uid):
        raise KeyError(uid)

    for variable in ("HOME", "XDG_CACHE_HOME", "PLACEMENT_ADVISOR_CACHE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("pwd.getpwuid", unknown)
    with pytest.raises(SetUpError, match="Set PLACEMENT_ADVISOR_CACHE to one, or HOME"):
        cache_folder()


def test_the_home_of_nobody_is_one_line(shop):
    done = called("analyze", "~nouser/q.sql", "--catalog", "schema.sql", cwd=shop)
    assert done.returncode == 2
    assert one_line(done.stderr)
    assert "which folder '~' stands for" in done.stderr


@pytest.mark.parametrize("port", ["0", "70000", "http"])
def test_a_port_that_is_none_is_refused(capsys, port):
    with pytest.raises(SystemExit) as ended:
        cli.main(["ui", "--port", port])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert port in said
    assert "_port" not in said
