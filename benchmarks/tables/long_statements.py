"""CPU seconds of commands on statements of hundreds of parts."""

from collections.abc import Iterator, Sequence

from benchmarks.tables.markdown import UNKNOWN, seconds, table
from benchmarks.tables.results import Answer, Result, by_revision, read


def section() -> str:
    return by_revision(list(_revisions()), shapes)


def _revisions() -> Iterator[Result]:
    """Yield the records of each commit; those of earlier code (`before`) are not shown."""
    for each in read("long_statements"):
        shared = {key: value for key, value in each.answer.items() if key not in _RECORDS}
        groups: dict[str | None, list[Answer]] = {}
        for record in records(each.answer):
            groups.setdefault(record.get("commit", shared.get("commit")), []).append(record)
        for commit, found in groups.items():
            answer = {**shared, "commit": commit, "measured": found}
            yield Result(name=each.name, answer=answer)


_RECORDS = ("before", "after", "measured")


def records(answer: Answer) -> Sequence[Answer]:
    """Return what was measured; an older file has it beside what an earlier commit took."""
    found: Sequence[Answer] = answer["measured"] if "measured" in answer else answer["after"]
    return found


def shapes(results: Sequence[Result]) -> str:
    """Return a row a shape and command."""
    rows = [
        (
            each["shape"].replace("_", " "),
            f"`advisor {each['command']}`",
            f"{each['size']}",
            f"{each['characters']:,}",
            seconds(each["cpu_s"]),
            seconds(each["wall_s"]),
            UNKNOWN if each["exit_code"] is None else f"{each['exit_code']}",
        )
        for result in results
        for each in records(result.answer)
    ]
    header = ("shape", "command", "parts", "characters", "CPU s", "s", "exit code")
    return table(header, rows, texts=2)


def conclusion() -> str:
    found = [record for each in read("long_statements") for record in records(each.answer)]
    slowest, second = sorted(found, key=lambda each: -each["cpu_s"])[:2]
    return (
        f"Of {len(found)} shapes of long statements the slowest takes {slowest['cpu_s']:.1f} s of "
        f"CPU ({slowest['shape'].replace('_', ' ')}), and the next {second['cpu_s']:.1f} s "
        f"({second['shape'].replace('_', ' ')})."
    )
