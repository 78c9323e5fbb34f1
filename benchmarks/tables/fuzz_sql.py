"""Random statements on random placements, and how they ended."""

from collections.abc import Sequence

from benchmarks.tables.markdown import UNKNOWN, Cells, table
from benchmarks.tables.results import Result, by_revision, read

BAD = ("wrong", "failed", "crashed")
PREFIX = "fuzz_sql_"
DIALECTS = "dialects"


def section() -> str:
    return by_revision(read(f"{PREFIX}*"), runs)


def runs(results: Sequence[Result]) -> str:
    """Return a row a run."""
    header: Cells = (
        "run",
        "schemas",
        "placements",
        "run",
        "right",
        *BAD,
        "order of evaluation",
    )
    header = (*header, "refused", "undetermined", "second tries")
    return table(header, [_row(each) for each in results])


def _row(result: Result) -> list[str]:
    answer, counts = result.answer, result.answer["counts"]
    stage = result.name.removeprefix(PREFIX)
    return [
        stage,
        f"{answer['schemas']:,}",
        f"{answer['placements']:,}",
        f"{answer['run']:,}",
        *(f"{counts[each]:,}" for each in ("right", *BAD, "order of evaluation")),
        *(f"{counts[each]:,}" for each in ("refused", "undetermined")),
        # Dialects run in DuckDB alone: there is no second engine to try.
        UNKNOWN if stage.startswith(DIALECTS) else f"{answer['second_tries']:,}",
    ]


def conclusion() -> str:
    told = []
    for dialects, what in ((False, "on stores"), (True, "of other dialects in DuckDB")):
        answers = [
            each.answer
            for each in read(f"{PREFIX}*")
            if each.name.startswith(f"{PREFIX}{DIALECTS}") is dialects
        ]
        run = sum(each["run"] for each in answers)
        bad = sum(each["counts"][kind] for each in answers for kind in BAD)
        told.append(f"{bad} of {run:,} statements {what}")
    return f"Fuzzing found {' and '.join(told)} wrong, failed or crashed."
