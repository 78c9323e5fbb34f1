"""The paper's claims about its experiments, each held against what was measured here."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from advisor.experiments.cells import Cell
from advisor.experiments.paper import Paper
from advisor.experiments.results import Result
from advisor.experiments.series import Figure, QuantityName, Variant, variant_of
from advisor.project.store_settings import StoreSettings
from evaluation.measuring.measurement import QueryOutcome
from evaluation.running.job import EngineName

PARTITION_1 = Variant(placement="paper_partition_1")
PARTITION_2 = Variant(placement="paper_partition_2")
LEVEL: Mapping[QuantityName, float] = MappingProxyType(
    {"seconds": 1.05, "memory_bytes": 1.01, "exchanges": 1.0, "exchanged_rows": 1.0}
)
"""Up to this ratio two totals are level: seconds have noise."""
_DECIDING = 2


class Verdict(StrEnum):
    """The outcome of comparing a figure measured here with the paper's."""

    AGREES = "agrees"
    DIFFERS = "differs"
    LEVEL = "level here"
    UNKNOWN = "not measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A direction of the paper: a quantity of `less` is below that of `more`, in words `text`."""

    experiment: int
    quantity: QuantityName
    text: str
    less: Variant
    more: Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two variants over the queries that have a value of both.

    `total` and `mean` are the ratios of `more` to `less`: of the sums, and the geometric mean of
    the queries', None where one is 0. `lower` counts the queries of which `less` has the lower.
    """

    queries: tuple[str, ...]
    lower: int
    total: float | None
    mean: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Direction:
    """A claim with the paper's figures, those measured with an engine, and the verdict.

    `why` says which queries decide where it differs, from what was counted.
    """

    claim: Claim
    engine: EngineName
    paper: Comparison | None
    here: Comparison | None
    verdict: Verdict
    why: str


def claims(stores: Sequence[StoreSettings]) -> tuple[Claim, ...]:
    """Return the claims; those about a store alone where the project has one of its kind."""
    found = []
    for kind, text in (
        ("accumulo", "partition 1 takes less time than Accumulo alone"),
        ("mysql", "partition 1 takes less time than MySQL alone"),
    ):
        for store in [each.name for each in stores if each.kind == kind][:1]:
            alone = Variant(placement=f"single_store:{store}")
            found.append(_claim(1, "seconds", text, PARTITION_1, alone))
    for store in [each.name for each in stores if each.kind == "postgresql"][:1]:
        alone = Variant(placement=f"single_store:{store}")
        text = "PostgreSQL alone takes less time than partition 1"
        found.append(_claim(1, "seconds", text, alone, PARTITION_1))

    def workers(number: int) -> Variant:
        return replace(PARTITION_2, workers=number)

    def joins(strategy: str) -> Variant:
        return replace(PARTITION_2, joins=strategy)  # type: ignore[arg-type]

    one, two = PARTITION_1, PARTITION_2
    return (
        *found,
        _claim(2, "seconds", "partition 2 takes less time than partition 1", two, one),
        _claim(2, "memory_bytes", "partition 2 takes less memory than partition 1", two, one),
        _claim(3, "seconds", "3 workers take less time than 1", workers(3), workers(1)),
        _claim(3, "seconds", "3 workers take less time than 2", workers(3), workers(2)),
        _claim(4, "exchanges", "partition 2 has fewer exchanges than partition 1", two, one),
        _claim(4, "exchanged_rows", "partition 2 exchanges fewer rows than partition 1", two, one),
        _claim(
            *(5, "seconds", "broadcast joins take less time than partitioned ones"),
            *(joins("broadcast"), joins("partitioned")),
        ),
        _claim(
            *(5, "memory_bytes", "broadcast joins take less memory than partitioned ones"),
            *(joins("broadcast"), joins("partitioned")),
        ),
        _claim(
            *(5, "seconds", "automatic joins take less time than broadcast ones"),
            *(joins("automatic"), joins("broadcast")),
        ),
        _claim(
            *(5, "seconds", "automatic joins take less time than partitioned ones"),
            *(joins("automatic"), joins("partitioned")),
        ),
    )


def _claim(
    experiment: int, quantity: QuantityName, text: str, less: Variant, more: Variant
) -> Claim:
    return Claim(experiment=experiment, quantity=quantity, text=text, less=less, more=more)


def directions(
    held: Sequence[Claim], figures: Sequence[Figure], known: Paper
) -> tuple[Direction, ...]:
    """Return each claim beside each engine's figures of its experiment."""
    return tuple(
        _direction(claim, figure, known)
        for claim in held
        for figure in figures
        if (figure.experiment, figure.quantity) == (claim.experiment, claim.quantity)
    )


def _direction(claim: Claim, figure: Figure, known: Paper) -> Direction:
    its = known.figures.get((claim.experiment, claim.quantity))
    paper = None if its is None else compared(its, claim.less, claim.more)
    here = compared(figure, claim.less, claim.more)
    verdict = _verdict(claim, figure, here)
    engine = figure.engine
    assert engine is not None  # noqa: S101 - the paper's own figures are none of `figures`
    why = ""
    if verdict in (Verdict.DIFFERS, Verdict.LEVEL):
        why = " ".join(_reasons(claim, figure))
    return Direction(claim=claim, engine=engine, paper=paper, here=here, verdict=verdict, why=why)


def compared(figure: Figure, less: Variant, more: Variant) -> Comparison | None:
    """Return two variants of a figure over the queries of both; None where they share none."""
    left, right = figure.values(less), figure.values(more)
    queries = tuple(query for query in left if query in right)
    if not queries:
        return None
    low, high = ([values[query] for query in queries] for values in (left, right))
    is_positive = min(*low, *high) > 0
    logs = [math.log(b / a) for a, b in zip(low, high, strict=True)] if is_positive else []
    return Comparison(
        queries=queries,
        lower=sum(a < b for a, b in zip(low, high, strict=True)),
        total=sum(high) / sum(low) if sum(low) > 0 else None,
        mean=math.exp(sum(logs) / len(logs)) if logs else None,
    )


def _verdict(claim: Claim, figure: Figure, here: Comparison | None) -> Verdict:
    if here is None:
        return Verdict.UNKNOWN
    less, more = (
        sum(figure.values(variant)[query] for query in here.queries)
        for variant in (claim.less, claim.more)
    )
    level = LEVEL[claim.quantity]
    # There may be nothing of it at all: no exchange is fewer than some, and as few as none.
    if less <= level * more and more <= level * less:
        return Verdict.LEVEL
    return Verdict.AGREES if less < more else Verdict.DIFFERS


def _reasons(claim: Claim, figure: Figure) -> Iterator[str]:
    """Yield a sentence on each query that decides against the claim, the weightiest first."""
    left, right = figure.values(claim.less), figure.values(claim.more)
    against = sorted(
        (query for query in left if query in right and left[query] > right[query]),
        key=lambda query: right[query] - left[query],
    )
    for query in against[:_DECIDING]:
        low, high = (figure.results[variant, query] for variant in (claim.less, claim.more))
        facts = [
            f"{name} {a:,} against {b:,}"
            for name, a, b in (
                ("rows from the stores", *_both(low, high, "rows_moved")),
                ("exchanges", *_both(low, high, "exchanges")),
                ("rows exchanged", *_both(low, high, "exchanged_rows")),
            )
            if a is not None and b is not None and a != b
        ]
        told = "; ".join(facts) or "with as many rows from the stores and exchanges"
        yield f"{query}: {told}."


def _both(low: Result, high: Result, name: str) -> tuple[int | None, int | None]:
    return getattr(low.measurement, name), getattr(high.measurement, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The names of the queries of a variant, for an engine, by their outcome.

    `mended` were answered after a failure, by a second try; `failed` has the reasons.
    """

    experiment: int
    engine: EngineName
    variant: Variant
    verified: tuple[str, ...]
    mended: Mapping[str, str]
    failed: Mapping[str, str]


def finished(figure_experiment: int, done: Mapping[Cell, Result]) -> tuple[Finished, ...]:
    """Return what became of the queries in `done`, by engine and variant."""
    groups: dict[tuple[EngineName, Variant], list[Result]] = {}
    for cell, result in done.items():
        groups.setdefault((cell.setting.engine, variant_of(cell)), []).append(result)
    return tuple(
        Finished(
            experiment=figure_experiment,
            engine=engine,
            variant=variant,
            verified=tuple(each.cell.query for each in results if _is_verified(each)),
            mended={
                each.cell.query: each.measurement.message
                for each in results
                if _is_verified(each) and each.measurement.message
            },
            failed={
                each.cell.query: f"{each.measurement.outcome}: {each.measurement.message}"
                for each in results
                if not _is_verified(each)
            },
        )
        for (engine, variant), results in groups.items()
    )


def _is_verified(result: Result) -> bool:
    return result.measurement.outcome is QueryOutcome.VERIFIED
