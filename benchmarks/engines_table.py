"""The results of engines.py as Markdown: each engine on each placement, and ours against each."""

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.measuring.measurement import QueryOutcome

OURS = "fragments"

Record = Mapping[str, Any]
Pairs = Mapping[str, tuple[Record, Record]]


def markdown(results: Sequence[Record]) -> str:
    """Two tables: what each engine could do, and ours beside each other over what both could."""
    placements = list(dict.fromkeys(each["placement"] for each in results))
    engines = list(dict.fromkeys(each["engine"] for each in results))
    lines = [
        f"| placement | engine | {' | '.join(QueryOutcome)} | s | spread s | rows moved |",
        f"|---|---{'|---' * len(QueryOutcome)}|---|---|---|",
    ]
    pairs = [(placement, engine) for placement in placements for engine in engines]
    ran = [pair for pair in pairs if of(results, *pair)]
    lines += [_outcomes(*pair, list(of(results, *pair).values())) for pair in ran]
    lines += [
        "",
        (
            "Ours against each other engine, over the queries that both answered rightly in time; "
            "`only` counts those that just one did:"
        ),
        "",
        (
            "| placement | against | queries | only ours | only it | ours s | it s | ratio "
            "| worst query | over 1.2 | rows ours | rows it |"
        ),
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [_against(results, *pair) for pair in ran if pair[1] != OURS]
    return "\n".join(lines)


def of(results: Sequence[Record], placement: str, engine: str) -> dict[str, Record]:
    """Return query → what the engine did with it on the placement."""
    return {
        each["query"]: each
        for each in results
        if each["placement"] == placement and each["engine"] == engine
    }


def _outcomes(placement: str, engine: str, found: Sequence[Record]) -> str:
    counts = Counter(each["outcome"] for each in found)
    right = [each for each in found if each["median_s"] is not None]
    return (
        f"| {placement} | {engine} | {' | '.join(str(counts[one]) for one in QueryOutcome)} "
        f"| {sum(each['median_s'] for each in right):.2f} "
        f"| {_spread(right):.2f} | {sum(each['rows_moved'] for each in right):,} |"
    )


def _spread(right: Sequence[Record]) -> float:
    """Return the largest less the smallest of the rounds' totals."""
    totals = [sum(each) for each in zip(*(each["seconds"] for each in right), strict=False)]
    return max(totals) - min(totals) if totals else 0.0


def _against(results: Sequence[Record], placement: str, engine: str) -> str:
    ours, theirs = of(results, placement, OURS), of(results, placement, engine)
    both = {
        query: (ours[query], theirs[query])
        for query in ours.keys() & theirs.keys()
        if ours[query]["median_s"] is not None and theirs[query]["median_s"] is not None
    }
    only_ours = sum(
        ours[query]["median_s"] is not None and theirs[query]["median_s"] is None
        for query in ours.keys() & theirs.keys()
    )
    only_theirs = sum(
        ours[query]["median_s"] is None and theirs[query]["median_s"] is not None
        for query in ours.keys() & theirs.keys()
    )
    if not both:
        return f"| {placement} | {engine} | 0 | {only_ours} | {only_theirs} |" + " - |" * 7
    ours_s = sum(one["median_s"] for one, _ in both.values())
    theirs_s = sum(other["median_s"] for _, other in both.values())
    ratios = {name: one["median_s"] / other["median_s"] for name, (one, other) in both.items()}
    worst = max(ratios, key=lambda name: ratios[name])
    return (
        f"| {placement} | {engine} | {len(both)} | {only_ours} | {only_theirs} "
        f"| {ours_s:.2f} | {theirs_s:.2f} | {ours_s / theirs_s:.2f} "
        f"| {worst} {ratios[worst]:.2f} | {sum(each > 1.2 for each in ratios.values())} "
        f"| {_rows(both, 0):,} | {_rows(both, 1):,} |"
    )


def _rows(both: Pairs, side: int) -> int:
    return sum(pair[side]["rows_moved"] for pair in both.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="what engines.py wrote")
    answer = json.loads(parser.parse_args().results.read_text(encoding="utf-8"))
    print(markdown(answer["results"]))


if __name__ == "__main__":
    main()
