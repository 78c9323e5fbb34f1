"""Selections of indexes for one PostgreSQL: estimated and measured, beside no index."""

from math import comb

from benchmarks.tables.markdown import UNKNOWN, seconds, table, wrapped
from benchmarks.tables.results import Answer, each_alone, read

OURS = "ours"
BEFORE = "none"


def section() -> str:
    return each_alone(read("index_advisors*"), selections)


def selections(answer: Answer) -> str:
    """Return a row a selection, and below what it was measured on."""
    header = ("selection", "indexes", "MB", "estimated cost", "measured s", "CPU s", "of none")
    header = (*header, "slower", "faster", "slowest query")
    before = answer["summary"]["selections"][BEFORE]
    rows = []
    for name, found in answer["summary"]["selections"].items():
        told, slowest = answer["selections"][name], found["slowest"]
        rows.append(
            (
                name,
                str(len(told["indexes"])),
                f"{told['made_bytes'] / 1e6:.1f}",
                f"{found['cost'] / before['cost']:.3f}",
                seconds(found["seconds"]),
                seconds(found["cpu_s"]),
                f"{found['cpu_s'] / before['cpu_s']:.2f}",
                str(len(found["slower"])),
                str(len(found["faster"])),
                f"{slowest['ratio']:.2f} ({slowest['query']})" if slowest else UNKNOWN,
            )
        )
    return f"{table(header, rows)}\n\n{wrapped(_about(answer))}"


def _about(answer: Answer) -> str:
    failed = {name: each for name, each in answer["summary"]["failed"].items() if each}
    late = "; ".join(f"{name}: {', '.join(each)}" for name, each in failed.items())
    loops = "with" if answer["nested_loops"] else "without"
    spread = answer["summary"]["selections"][BEFORE]
    by_chance = answer["summary"]["compared"] / comb(2 * answer["repeats"], answer["repeats"])
    return (
        f"{_name(answer)} at scale factor {answer['scale_factor']:g}, sessions {loops} nested "
        f"loops; {answer['summary']['compared']} queries, sums of medians of "
        f"{answer['repeats']} executions in turns. Budget: {answer['budget_bytes'] / 1e6:.1f} MB "
        "by the estimate of sizes that all share; MB are those of the indexes made. Estimated "
        "cost: PostgreSQL's own, of all of these queries, as a share of that without indexes. "
        "Slower and faster are queries whose CPU seconds lie beyond all of those without indexes, "
        f"which are {spread['least_cpu_s']:.2f} to {spread['most_cpu_s']:.2f} together; "
        f"{by_chance:.0f} would be each by chance, if nothing but chance told them apart. The "
        "slowest query is the largest ratio of medians of CPU seconds. Left out, as they end at "
        f"the limit of {answer['timeout_s']:g} s or in an error: {late or 'none'}."
    )


def _name(answer: Answer) -> str:
    return {"tpcds": "TPC-DS", "tpch": "TPC-H"}[answer["benchmark"]]


def conclusion() -> str:
    told = []
    for result in read("index_advisors*"):
        found = result.answer["summary"]["selections"]
        before = found[BEFORE]["cpu_s"]
        ratios = {name: each["cpu_s"] / before for name, each in found.items() if name != BEFORE}
        best = min(ratios, key=lambda name: ratios[name])
        loops = " with nested loops" if result.answer["nested_loops"] else ""
        told.append(
            f"{_name(result.answer)}{loops}: our indexes {ratios[OURS]:.2f} times the CPU seconds "
            f"without ({len(found[OURS]['slower'])} queries slower), the best selection "
            f"{ratios[best]:.2f} ({best})"
        )
    return f"Index advisors on one PostgreSQL, with the same bytes. {'; '.join(told)}."
