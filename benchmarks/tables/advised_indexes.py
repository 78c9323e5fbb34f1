"""Queries with the indexes of the source and with those that are chosen, predicted and measured."""

from statistics import median

from benchmarks.tables.markdown import seconds, table, wrapped
from benchmarks.tables.results import Answer, each_alone, read


def section() -> str:
    return each_alone(read("advised_indexes*"), queries)


def queries(answer: Answer) -> str:
    """Return a row a query, those that gain most first, and what it is all together."""
    header = (
        "query",
        "predicted s",
        "with indexes",
        "measured s",
        "with indexes",
        "ratio",
        "slower",
    )
    compared = sorted(
        (each for each in answer["queries"] if each["ratio"] is not None),
        key=lambda each: each["ratio"],
    )
    rows = [
        (
            each["query"],
            *(seconds(each["predicted_s"][way]) for way in ("source", "advise")),
            *(seconds(median(each["seconds"][way])) for way in ("source", "advise")),
            f"{each['ratio']:.2f}",
            "yes" if each["slower"] else "no",
        )
        for each in compared
    ]
    return f"{table(header, rows)}\n\n{wrapped(_about(answer))}"


def _about(answer: Answer) -> str:
    plans, total = answer["plans"], answer["summary"]["total_s"]
    predicted = {way: plan["predicted_s"] for way, plan in plans.items()}
    indexes = plans["advise"]["indexes"]
    chosen_mb = sum(each["bytes"] for each in indexes) / 1e6
    calibrated_at = answer["calibrated_at_scale_factor"]
    rates = "default" if calibrated_at is None else f"calibrated at {calibrated_at:g}"
    return (
        f"Stores {', '.join(answer['stores'])}, scale factor {answer['scale_factor']:g}; "
        f"rates {rates}{_memory(plans['advise'])}; {answer['turns']} turns of "
        f"{answer['repeats']} rounds. "
        f"{len(indexes)} indexes are chosen, {chosen_mb:,.0f} MB by the estimate. Together: "
        f"{predicted['source']:.1f} and {predicted['advise']:.1f} s predicted, "
        f"{total['source']:.1f} and {total['advise']:.1f} s measured. Slower is a query whose "
        "fastest run with chosen indexes takes longer than its slowest without."
    )


def _memory(plan: Answer) -> str:
    """Say how much of the tables each store finds in memory."""
    known = {name: size for name, size in plan["kept_bytes"].items() if size is not None}
    told = (f"{name} keeps {size / 1e6:,.0f} MB of what it scans" for name, size in known.items())
    return f" ({', '.join(told)})" if known else ""


def conclusion() -> str:
    told = []
    for result in read("advised_indexes*"):
        summary = result.answer["summary"]
        ratio = summary["total_s"]["advise"] / summary["total_s"]["source"]
        slower = len(summary["slower"])
        told.append(
            f"{' and '.join(result.answer['stores'])}: {ratio:.2f} times the seconds of "
            f"{summary['compared']} queries, {slower or 'none'} of them slower"
        )
    return f"Indexes that are chosen with the placement, measured. {'; '.join(told)}."
