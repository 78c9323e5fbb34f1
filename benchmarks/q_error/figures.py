"""q-errors by kind and by number of sources.

The q-error of an estimate is the factor, at least 1, by which it is off; both sides count as at
least one row (Moerkotte et al., "Preventing Bad Plans by Bounding the Impact of Cardinality
Estimation Errors", VLDB 2009).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.tables.q_error import number

QUANTILES = (0.5, 0.9, 0.95, 0.99)
MISSES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One fragment with its true rows and each estimator's."""

    fragment: str
    query: str
    kind: str
    sources: int
    true_rows: int
    estimates: Mapping[str, float]

    def ratio(self, estimator: str) -> float | None:
        """Return estimated over true rows: the signed q-error. None where it was refused."""
        rows = self.estimates.get(estimator)
        return None if rows is None else max(1.0, rows) / max(1, self.true_rows)

    def q_error(self, estimator: str) -> float | None:
        ratio = self.ratio(estimator)
        return None if ratio is None else max(ratio, 1 / ratio)


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` of the ascending values do not exceed."""
    position = max(0, -int(-share * len(ordered) // 1) - 1)
    return ordered[min(len(ordered) - 1, position)]


def summary(compared: Sequence[Compared], estimator: str) -> dict[str, float]:
    """Return the quantiles of q-error and their number."""
    errors = sorted(error for c in compared if (error := c.q_error(estimator)) is not None)
    if not errors:
        return {"fragments": 0}
    found = {f"p{share * 100:g}": quantile(errors, share) for share in QUANTILES}
    return {"fragments": len(errors), **found, "max": errors[-1]}


def groups(compared: Sequence[Compared]) -> Iterator[tuple[str, list[Compared]]]:
    """Yield all, each kind and each number of sources with their fragments."""
    yield "all", list(compared)
    by: list[Callable[[Compared], str]] = [lambda c: c.kind, lambda c: _sources(c.sources)]
    for key in by:
        for name in sorted({key(each) for each in compared}, key=_order):
            yield name, [each for each in compared if key(each) == name]


def worst(compared: Sequence[Compared], estimator: str) -> str:
    """Return the worst fragments as a Markdown table, one a query."""
    ordered = sorted(compared, key=lambda each: -(each.q_error(estimator) or 0))
    seen: dict[str, Compared] = {}
    for each in ordered:
        seen.setdefault(each.query, each)
    lines = ["| fragment | kind | q-error | estimated | true |", "|---|---|---|---|---|"]
    lines += [
        f"| {each.fragment} | {each.kind} | {number(each.q_error(estimator) or 0)}"
        f" | {each.estimates[estimator]:,.0f} | {each.true_rows:,} |"
        for each in list(seen.values())[:MISSES]
    ]
    return "\n".join(lines)


def _sources(count: int) -> str:
    return "1 source" if count == 1 else f"{count} sources"


def _order(name: str) -> tuple[int, str]:
    kinds = ("scan", "join", "block", "query")
    return (kinds.index(name), "") if name in kinds else (len(kinds), name)
