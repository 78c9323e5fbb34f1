"""TPC-DS that lies live on two servers: our placements, and two peers on the same tables."""

from collections import Counter
from collections.abc import Iterator, Mapping
from statistics import median

from benchmarks.tables.markdown import UNKNOWN, seconds, span, table, wrapped
from benchmarks.tables.results import Answer, each_alone, read

OURS, CURRENT = "fragments", "current"
SLOWEST = 4

Queries = Mapping[str, Answer]


def section() -> str:
    return each_alone(read("live_tpcds_*"), compared)


def compared(answer: Answer) -> str:
    """Return what lay where, a row an engine and candidate, and ours beside each other."""
    return "\n\n".join([wrapped(_about(answer)), outcomes(answer), against(answer)])


def _about(answer: Answer) -> str:
    lying = " and ".join(
        f"{each['tables']} tables with {each['rows']:,} rows in {name}"
        for name, each in answer["tables"].items()
    )
    found = [
        f"Scale factor {answer['scale_factor']:g}: {lying}.",
        f"{answer['analyze']['queries']} queries, at most {answer['timeout_s']:g} s each; copies "
        f"in a DuckDB of {answer['capacity']} of all bytes.",
        f"analyze {answer['analyze']['wall_s']:.0f} s, place {answer['place']['wall_s']:.0f} s.",
    ]
    found += [
        f"{engine} {run['wall_s']:.0f} s in all, rounds: {run['repeats']}."
        for engine, run in answer["runs"].items()
    ]
    return " ".join(found)


def outcomes(answer: Answer) -> str:
    """Return a row an engine and candidate; seconds are those of the queries that verified."""
    header = ("engine", "candidate", "slowest, s", "verified", "other outcomes", "s", "predicted s")
    rows = []
    for engine, candidate in _measured(answer):
        queries = candidate["queries"]
        counts = Counter(str(each["outcome"]) for each in queries)
        verified = counts.pop("verified", 0)
        right = _right(candidate).values()
        slowest = sorted(right, key=lambda each: -each["measured_s"])[:SLOWEST]
        rows.append(
            (
                engine,
                candidate["strategy"],
                ", ".join(f"{each['name']} {each['measured_s']:.1f}" for each in slowest),
                f"{verified}/{len(queries)}",
                ", ".join(f"{number} {name}" for name, number in sorted(counts.items())) or "none",
                seconds(sum(each["measured_s"] for each in right)),
                seconds(candidate["predicted_s"]) if engine == OURS else UNKNOWN,
                seconds(candidate["load_s"]),
                f"{sum(each['rows_moved'] or 0 for each in right):,}",
            )
        )
    return table((*header, "load s", "rows moved"), rows, texts=3)


def against(answer: Answer) -> str:
    """Return a row a pair: `current` by our engine beside every other, over what both answered."""
    ours = next(
        (_right(each) for engine, each in _measured(answer) if (engine, each["strategy"]) == _OF_US),
        None,
    )
    if ours is None:
        return ""
    header = ("`current`, ours, against", "queries", "ours s", "it s", "ratio", "median ratio")
    rows = []
    for engine, candidate in _measured(answer):
        if (engine, candidate["strategy"]) == _OF_US:
            continue
        theirs = _right(candidate)
        both = sorted(ours.keys() & theirs.keys())
        own, other = ([each[name]["measured_s"] for name in both] for each in (ours, theirs))
        ratios = [one / two for one, two in zip(own, other, strict=True)]
        shares = (f"{sum(own) / sum(other):.2f}", f"{median(ratios):.2f}") if both else ("-", "-")
        named = f"{engine}, {candidate['strategy']}"
        rows.append((named, f"{len(both)}", seconds(sum(own)), seconds(sum(other)), *shares))
    return table(header, rows)


_OF_US = (OURS, CURRENT)


def _measured(answer: Answer) -> Iterator[tuple[str, Answer]]:
    for engine, run in answer["runs"].items():
        for candidate in run["candidates"]:
            yield engine, candidate


def _right(candidate: Answer) -> Queries:
    """Return the queries with an answer that verified and seconds, by their names."""
    return {
        each["name"]: each
        for each in candidate["queries"]
        if each["outcome"] == "verified" and each["measured_s"] is not None
    }


def conclusion() -> str:
    told = []
    for each in read("live_tpcds_*"):
        found = {
            engine: _counted(candidate)
            for engine, candidate in _measured(each.answer)
            if candidate["strategy"] == CURRENT
        }
        told.append(
            f"at scale factor {each.answer['scale_factor']:g} "
            + ", ".join(f"{engine} {count}" for engine, count in found.items())
        )
    wrong = [
        sum(query["outcome"] == "wrong" for query in candidate["queries"])
        for each in read("live_tpcds_*")
        for engine, candidate in _measured(each.answer)
        if engine == OURS
    ]
    return (
        f"Answers verified of TPC-DS where it lies live: {'; '.join(told)}. Wrong answers of ours: "
        f"{span(wrong, 'd')}."
    )


def _counted(candidate: Answer) -> str:
    right = sum(each["outcome"] == "verified" for each in candidate["queries"])
    return f"{right} of {len(candidate['queries'])}"
