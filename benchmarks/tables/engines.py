"""Engines on the same placements: each on each, and ours against each over what both could."""

from collections import Counter
from collections.abc import Mapping, Sequence

from benchmarks.tables.markdown import UNKNOWN, seconds, span, table, wrapped
from benchmarks.tables.results import Answer, each_alone, read

OURS = "fragments"
OTHERS = {"spark-native": "Spark's own pushdown", "trino": "Trino", "psql": "psql"}
NAMES = (
    "engines_sf1_ten",
    "engines_sf1_paper_1",
    "engines_sf1_paper_2",
    "engines_sf1_pg",
    "engines_sf1_pg_warm",
)
SLOWER = 1.2

Pairs = Mapping[str, tuple[Answer, Answer]]


def section() -> str:
    return each_alone((each for name in NAMES for each in read(name)), compared)


def compared(answer: Answer) -> str:
    """Return how it was measured, what each engine could do, and ours beside each other engine."""
    warmed: str | None = None
    if "warmed_up" in answer:
        warmed = "after a warm-up" if answer["warmed_up"] else "without a warm-up"
    about = (
        f"{answer['queries']} queries at scale factor {answer['scale_factor']:g}, rounds: "
        f"{answer['repeats']}, {warmed or 'warm-up not recorded'}, at most {answer['timeout_s']:g} "
        "s a query."
    )
    return "\n\n".join([wrapped(about), outcomes(answer["results"]), against(answer["results"])])


def outcomes(results: Sequence[Answer]) -> str:
    """Return a row a placement and engine."""
    header = (
        "placement",
        "engine",
        "verified",
        "other outcomes",
        "s",
        "spread s",
        "rows moved",
    )
    rows = []
    for placement, engine in ran(results):
        found = list(of(results, placement, engine).values())
        right = [each for each in found if each["median_s"] is not None]
        counts = Counter(each["outcome"] for each in found)
        verified = counts.pop("verified", 0)
        rows.append(
            (
                placement,
                engine,
                f"{verified}/{len(found)}",
                ", ".join(f"{number} {name}" for name, number in counts.items()) or "none",
                seconds(sum(each["median_s"] for each in right)),
                _spread(right),
                f"{sum(each['rows_moved'] or 0 for each in right):,}",
            )
        )
    return table(header, rows, texts=2)


def against(results: Sequence[Answer]) -> str:
    """Return a row a placement and other engine, over the queries that both answered rightly."""
    header = (
        "placement",
        "against",
        "both",
        "alone",
        "ours s",
        "it s",
        "ratio",
        "worst query",
        "over 1.2",
        "rows",
        "its rows",
    )
    rows = [_against(results, *pair) for pair in ran(results) if pair[1] != OURS]
    return table(header, rows, texts=2) if rows else ""


def ran(results: Sequence[Answer]) -> list[tuple[str, str]]:
    """Return the placements and engines that were measured together, in order."""
    known = {(each["placement"], each["engine"]) for each in results}
    placements = dict.fromkeys(each["placement"] for each in results)
    engines = dict.fromkeys(each["engine"] for each in results)
    return [(one, other) for one in placements for other in engines if (one, other) in known]


def of(results: Sequence[Answer], placement: str, engine: str) -> dict[str, Answer]:
    """Return query → what the engine did with it on the placement."""
    return {
        each["query"]: each
        for each in results
        if each["placement"] == placement and each["engine"] == engine
    }


def answered_by_both(results: Sequence[Answer], placement: str, engine: str) -> Pairs:
    """Return query → ours and the other engine's, where both have a time."""
    ours, theirs = of(results, placement, OURS), of(results, placement, engine)
    return {
        query: (one, theirs[query])
        for query, one in ours.items()
        if query in theirs and one["median_s"] is not None and theirs[query]["median_s"] is not None
    }


def _spread(right: Sequence[Answer]) -> str:
    """Return the largest less the smallest of the rounds' totals; one round has none."""
    totals = [sum(each) for each in zip(*(each["seconds"] for each in right), strict=False)]
    return seconds(max(totals) - min(totals)) if len(totals) > 1 else UNKNOWN


def _against(results: Sequence[Answer], placement: str, engine: str) -> list[str]:
    ours, theirs = of(results, placement, OURS), of(results, placement, engine)
    both = answered_by_both(results, placement, engine)
    shared = ours.keys() & theirs.keys()
    only_ours = sum(
        ours[each]["median_s"] is not None for each in shared if theirs[each]["median_s"] is None
    )
    only_theirs = sum(
        theirs[each]["median_s"] is not None for each in shared if ours[each]["median_s"] is None
    )
    start = [placement, engine, f"{len(both)}", f"{only_ours} / {only_theirs}"]
    if not both:
        return [*start, *[UNKNOWN] * 7]
    ratios = {name: one["median_s"] / other["median_s"] for name, (one, other) in both.items()}
    worst = max(ratios, key=lambda name: ratios[name])
    return [
        *start,
        *(seconds(_total(both, side)) for side in (0, 1)),
        f"{_total(both, 0) / _total(both, 1):.2f}",
        f"{worst} {ratios[worst]:.2f}",
        f"{sum(each > SLOWER for each in ratios.values())}",
        *(f"{sum(pair[side]['rows_moved'] or 0 for pair in both.values()):,}" for side in (0, 1)),
    ]


def _total(both: Pairs, side: int) -> float:
    return float(sum(pair[side]["median_s"] for pair in both.values()))


def _ratios(results: Sequence[Answer], engine: str) -> list[float]:
    """Return our seconds over the other engine's, a placement."""
    pairs = [answered_by_both(results, *each) for each in ran(results) if each[1] == engine]
    return [_total(both, 0) / _total(both, 1) for both in pairs if both]


def conclusion() -> str:
    answers = [each.answer for name in NAMES for each in read(name)]
    told = []
    for engine, name in OTHERS.items():
        if ratios := [ratio for each in answers for ratio in _ratios(each["results"], engine)]:
            told.append(f"{span(ratios, '.2f')} times as long as {name}")
    return (
        f"Over the queries that both answer on one placement, ours takes {', '.join(told)}; psql "
        "runs on PostgreSQL alone."
    )
