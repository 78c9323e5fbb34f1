"""Every strategy on every instance: predicted cost, proven gap, seconds and memory."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.tables.markdown import UNKNOWN, Cells, percent, seconds, table, wrapped
from benchmarks.tables.results import Answer, Result, each_alone, read

OURS = "optimal"
ALONE = "single_store:"
BUDGET = "budget"
TOLD_COPIES = 4
HEADER = ("strategy", "outcome", "predicted s", "proven gap", "s", "spread s", "peak MiB")

Row = Mapping[str, Any]


def section() -> str:
    return each_alone(list(_instances()), _instance)


def budget_section() -> str:
    budgets = (
        Result(name=each.name, answer=each.answer[BUDGET], part=BUDGET)
        for each in read("placements")
        if BUDGET in each.answer
    )
    return each_alone(budgets, gains)


def _instances() -> Iterator[Result]:
    """Yield the parts of the file: every instance has a run of its own."""
    for each in read("placements"):
        for part, answer in each.answer.items():
            if part != BUDGET:
                yield Result(name=each.name, answer=answer, part=part)


def _instance(answer: Answer) -> str:
    return f"{answer['fragments']:,} fragments.\n\n{strategies(answer['strategies'])}"


def strategies(rows: Sequence[Row]) -> str:
    """Return a row a plan; stores alone are one row where none keeps the limits."""
    alone = [row for row in rows if row["strategy"].startswith(ALONE)]
    together = len(alone) > 1 and not any("note" in row or row["feasible"] for row in alone)
    shown = [_row(row) for row in rows if not (together and row in alone)]
    return table(HEADER, [_stores_alone(alone), *shown] if together else shown, texts=2)


def _stores_alone(alone: Sequence[Row]) -> list[str]:
    predicted = [row["predicted_s"] for row in alone]
    return [
        f"{ALONE.removesuffix(':')} ({len(alone)} stores)",
        "each breaks a limit",
        f"{_cost(min(predicted))} to {_cost(max(predicted))}",
        UNKNOWN,
        seconds(max(row["seconds"] for row in alone)),
        UNKNOWN,
        f"{max(row['peak_mib'] for row in alone):,.0f}",
    ]


def _row(row: Row) -> list[str]:
    if "note" in row:
        return [row["strategy"], row["note"], *[UNKNOWN] * 5]
    broken = f"breaks {row['broken']} limit{'s' * (row['broken'] != 1)}"
    return [
        row["strategy"],
        row["outcome"] if row["feasible"] else broken,
        _cost(row["predicted_s"]),
        percent(row["gap"], 2) if row["feasible"] and "gap" in row else UNKNOWN,
        seconds(row["seconds"]),
        # One round has no spread: a file of before says 0 for it.
        seconds(row["spread_s"] or None),
        f"{row['peak_mib']:,.0f}",
    ]


def _cost(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.2f}"


def gains(answer: Answer) -> str:
    """Return a row a workload: its cost by the room for copies."""
    header: Cells = (
        "workload",
        "copies that gain most, s",
        "no copies s",
        "copies in 5 % of all bytes s",
    )
    rows = []
    for name, found in answer.items():
        if not isinstance(found, Mapping) or "plans" not in found:
            continue
        copies = sorted(found["copies"], key=lambda each: -each["gain_s"])[:TOLD_COPIES]
        none = found["plans"]["none"]["predicted_s"]
        rows.append(
            (
                name,
                ", ".join(f"{each['table']} {_cost(each['gain_s'])}" for each in copies),
                *(_cost(found["plans"][room]["predicted_s"]) for room in ("none", "5 %", "any")),
                f"{_cost(found['gain_s'])} ({percent(found['gain_s'] / none)})",
                ", ".join(sorted({plan["outcome"] for plan in found["plans"].values()})),
            )
        )
    header = (*header, "any copies s", "the 5 % gain", "outcomes")
    about = "A copy's gain is that of this copy alone, all else where it is."
    return f"{table(header, rows, texts=2)}\n\n{wrapped(about)}"


def conclusion() -> str:
    """Tell the proven gap of ours, and whether another strategy's plan is as cheap."""
    gaps, best, compared = {}, 0, 0
    for each in _instances():
        rows = [row for row in each.answer["strategies"] if row.get("feasible")]
        ours = next((row for row in rows if row["strategy"] == OURS), None)
        others = [row["predicted_s"] for row in rows if row["strategy"] != OURS]
        if ours is None or not others:
            continue
        gaps[each.part] = ours["gap"]
        compared += 1
        best += ours["predicted_s"] <= min(others) * (1 + 1e-6)
    proven = sum(gap <= 1e-4 for gap in gaps.values())
    widest = max(gaps, key=lambda part: gaps[part])
    return (
        f"In {best} of {compared} instances no other strategy's plan within the limits is cheaper "
        f"than the optimal plan. Its gap is proven to be at most 0.01 % in {proven} of them; the "
        f"widest is {percent(gaps[widest], 1)} ({widest})."
    )
