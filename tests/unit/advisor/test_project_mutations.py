"""Project files with mistakes in them: they are read, or refused by our own error."""

import random
import re
import tomllib

import pytest

from advisor.project.config import demo_file, load_project
from workloads.errors import ConfigurationError, RefusalsError

FILES = sorted(demo_file().parent.glob("*.toml"))
MUTATIONS = 120
_VALUES = (
    "{a = 1}", '"x"', "[]", "[[[]]]", "[1, 'a']", "-1", "0", "1e308", "nan", "inf", "true", '""',
    "9" * 5_000, "0x" + "f" * 5_000, "[" * 20_000, '"~nouser/x"', r'"\u0000"', f'"{"a" * 5_000}"',
    "2026-01-01", "12:00:00", '"60%"', '"1e400 GB"', f'"{"9" * 400} GB"', '"all"', '"store:pg"',
    "{a = {b = {c = []}}}", '["x", "x"]', "18446744073709551616", '"٣%"', '"\U0001f642"',
)  # fmt: skip
_SIGNS = "[]{}=.,#\"'x0\\ "
_KEY = re.compile(r"(?m)^(\s*[\w.]+\s*=\s*)(.+)$")
_SECTION = re.compile(r"(?m)^\[[^\[\]]+\]")


def mutated(text: str, draw: random.Random) -> str:
    """Return `text` with one to three mistakes."""
    for _ in range(draw.choice((1, 1, 2, 3))):
        kind = draw.choice(("value", "value", "value", "value", "key", "section", "line", "sign"))
        lines = text.split("\n")
        if kind == "value" and (keys := list(_KEY.finditer(text))):
            key = draw.choice(keys)
            text = f"{text[: key.start(2)]}{draw.choice(_VALUES)}{text[key.end(2) :]}"
        elif kind == "key" and (keys := list(_KEY.finditer(text))):
            other = draw.choice(keys)[1]
            key = draw.choice(keys)
            text = f"{text[: key.start(1)]}{other}{text[key.end(1) :]}"
        elif kind == "section" and (sections := list(_SECTION.finditer(text))):
            one, other = draw.choice(sections), draw.choice(sections)
            text = f"{text[: one.start()]}{other[0]}{text[one.end() :]}"
        elif kind == "line":
            lines.insert(draw.randrange(len(lines) + 1), lines.pop(draw.randrange(len(lines))))
            text = "\n".join(lines)
        else:
            place = draw.randrange(len(text))
            text = f"{text[:place]}{draw.choice(_SIGNS)}{text[place + 1 :]}"
    return text


def refusal(file):
    """Return why a project file is refused, the longest reason; nothing where it is read."""
    try:
        load_project(file)
    except ConfigurationError as error:
        return str(error)
    except RefusalsError as error:
        return max(error.details, key=lambda line: (line.count("\n"), len(line)))
    return ""


@pytest.mark.parametrize("seed", range(len(FILES)), ids=lambda seed: FILES[seed].stem)
def test_a_mutated_project_file_is_read_or_refused(tmp_path, monkeypatch, seed):
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    draw = random.Random(seed)
    file = tmp_path / "mutated.toml"
    good = FILES[seed].read_text()
    refused = 0
    for number in range(MUTATIONS):
        file.write_text(mutated(good, draw), encoding="utf-8")
        reason = refusal(file)
        assert "\n" not in reason, number
        assert len(reason) < 2_000, number
        refused += reason != ""
    # Some mutations leave a file that is good, most do not.
    assert MUTATIONS / 4 < refused < MUTATIONS


@pytest.mark.parametrize("value", _VALUES)
def test_every_key_with_a_strange_value_is_read_or_refused(tmp_path, value):
    file = tmp_path / "strange.toml"
    good = (demo_file().parent / "duckdb.toml").read_text()
    for key in _KEY.finditer(good):
        file.write_text(f"{good[: key.start(2)]}{value}{good[key.end(2) :]}", encoding="utf-8")
        assert len(refusal(file)) < 2_000, key[1]


def test_the_files_that_are_mutated_are_good():
    assert all(tomllib.loads(file.read_text()) for file in FILES)
