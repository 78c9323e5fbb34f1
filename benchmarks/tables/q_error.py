"""q-errors of the estimates of every fragment, by kind."""

from collections.abc import Sequence

from benchmarks.tables.markdown import table, wrapped
from benchmarks.tables.results import Answer, Result, by_revision, read

KINDS = ("all", "scan", "join", "block", "query")
QUANTILES = ("p50", "p90", "p95", "p99", "max")
FULL = "q_error_tpcds_sf1"
SAMPLES, POSTGRESQL = "samples", "PostgreSQL"


def section() -> str:
    full, others = read(FULL), [each for each in read("q_error_*") if each.name != FULL]
    tables = [by_revision(full, lambda each: of_kinds(each[0].answer)), by_revision(others, short)]
    return "\n\n".join(tables)


def of_kinds(answer: Answer, kinds: Sequence[str] = KINDS) -> str:
    """Return a row a kind of fragment and estimator, and how long estimating takes."""
    rows = [
        (kind, estimator, f"{found['fragments']:,}", *(number(found[each]) for each in QUANTILES))
        for kind in kinds
        for estimator, found in answer["q_error"][kind].items()
        if found["fragments"]
    ]
    took = "; ".join(
        f"{estimator} {each['wall']:.1f} s (CPU {each['cpu']:.1f})"
        for estimator, each in answer["estimating_s"].items()
    )
    uncounted = len(answer["not_counted"])
    about = (
        f"{answer['fragments']:,} fragments, of which {uncounted} could not be counted in time. "
        f"Estimating them: {took}."
    )
    header = ("fragments", "estimates", "number", *QUANTILES)
    return f"{table(header, rows, texts=2)}\n\n{wrapped(about)}"


def short(results: Sequence[Result]) -> str:
    """Return a row a result and estimator, over all its fragments."""
    rows = [
        (
            each.name.removeprefix("q_error_"),
            estimator,
            f"{found['fragments']:,}",
            *(number(found[quantile]) for quantile in QUANTILES),
        )
        for each in results
        for estimator, found in each.answer["q_error"]["all"].items()
        if found["fragments"]
    ]
    return table(("data", "estimates", "number", *QUANTILES), rows, texts=2)


def number(value: float) -> str:
    """Return a factor with as many digits as matter."""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def conclusion() -> str:
    (result,) = read(FULL)
    found = result.answer["q_error"]["all"]
    told = [
        f"{estimator} {number(found[estimator]['p50'])} and {number(found[estimator]['p95'])}"
        for estimator in (SAMPLES, "formulas", POSTGRESQL)
        if estimator in found
    ]
    return f"The q-error of a fragment's rows, median and 95th percentile: {', '.join(told)}."
