"""The JSON files that benchmarks wrote, and what they were made with."""

import json
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.provenance import without_folders
from benchmarks.tables.markdown import wrapped

FOLDER = Path(__file__).parents[1] / "results"
LINK = "../benchmarks/results"
SHORT = 7

Answer = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The JSON of one file, or one part of it: `name` is the file's without its ending."""

    name: str
    answer: Answer
    part: str = ""

    @property
    def commit(self) -> str | None:
        """Return the commit that the figures are of, shortened."""
        found = self.answer.get("commit")
        return str(found)[:SHORT] if found else None

    @property
    def caption(self) -> str:
        """Return a paragraph that says of the run what the JSON says."""
        link = f"[{self.name}.json]({LINK}/{self.name}.json)"
        title = f"**{self.part}** of {link}" if self.part else link
        made = [_command(self.answer), f"commit {self.commit or 'not recorded'}"]
        if {"before", "after"} <= self.answer.keys() and isinstance(self.answer["after"], str):
            made[1] = f"commits {self.answer['before'][:SHORT]} and {self.answer['after'][:SHORT]}"
        made += [_date(self.answer), _machine(self.answer), _load(self.answer)]
        note = f". Note: {self.answer['note']}" if "note" in self.answer else ""
        return wrapped(f"{title}: {'; '.join(made)}{note}.")


def read(pattern: str, folder: Path = FOLDER) -> list[Result]:
    """Return the results whose file names match, by name."""
    return [
        Result(name=path.stem, answer=json.loads(path.read_text(encoding="utf-8")))
        for path in sorted(folder.glob(f"{pattern}.json"))
    ]


def each_alone(results: Iterable[Result], table: Callable[[Answer], str]) -> str:
    """Return a table a result, below its caption."""
    return "\n\n".join(f"{each.caption}\n\n{table(each.answer)}" for each in results)


def by_revision(results: Sequence[Result], table: Callable[[Sequence[Result]], str]) -> str:
    """Return a table a commit; one whose commit is not recorded stands alone."""
    groups: dict[str, list[Result]] = {}
    for each in results:
        groups.setdefault(each.commit or f"{each.name} {each.part}", []).append(each)
    return "\n\n".join(
        "\n\n".join([*(each.caption for each in group), table(group)]) for group in groups.values()
    )


def _command(answer: Answer) -> str:
    found = answer.get("command")
    return (
        f"`{shlex.join(without_folders(shlex.split(found)))}`"
        if found
        else ("command not recorded")
    )


def _date(answer: Answer) -> str:
    found = answer.get("date") or answer.get("started_at")
    return str(found)[:10] if found else "date not recorded"


def _machine(answer: Answer) -> str:
    machine = answer.get("machine") or {}
    cores = machine.get("cores") or machine.get("cpus")
    known = [f"{cores} cores"] if cores else []
    if "system" in machine:
        known.append(" ".join(machine["system"].split("-")[:2]))
    return ", ".join(known) or "machine not recorded"


def _load(answer: Answer) -> str:
    load = (answer.get("machine") or {}).get("load_average", answer.get("load_average"))
    if load is None and "load_before" in answer:
        load = [answer["load_before"], answer["load_after"]]
    if load is None:
        return "load not recorded"
    if isinstance(load, list):
        return f"load {load[0]:.1f} before, {load[1]:.1f} after"
    return f"load {load:.1f} at the end"
