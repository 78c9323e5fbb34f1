"""Words and figures of experiments that their page, Markdown and terminal share."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from advisor.experiments.claims import Comparison, Direction
from advisor.experiments.findings import JOINS, TITLES
from advisor.experiments.series import Figure, QuantityName, Variant
from advisor.figures import NONE, candidate_name, count, multiple, seconds, size

QUANTITY_WORDS: Mapping[QuantityName, str] = MappingProxyType(
    {
        "seconds": "seconds",
        "memory_bytes": "memory of all operators",
        "exchanges": "exchanges",
        "exchanged_rows": "rows exchanged",
    }
)


def quantity(name: QuantityName, value: float | None) -> str:
    """Write a value of a quantity; an en dash where it is not known."""
    if value is None:
        return NONE
    writers: Mapping[QuantityName, Callable[[float], str]] = {
        "seconds": seconds,
        "memory_bytes": size,
        "exchanges": lambda number: f"{number:.0f}",
        "exchanged_rows": count,
    }
    return writers[name](value)


def variant_name(variant: Variant, experiment: int) -> str:
    """Name a variant of an experiment: its placement, then what else it varies.

    Automatic joins go without saying, save in the experiment that compares joins.
    """
    parts = [candidate_name(variant.placement).replace("paper_partition_", "partition ")]
    if variant.workers is not None:
        parts.append(f"{variant.workers} worker{'' if variant.workers == 1 else 's'}")
    if variant.joins != "automatic" or experiment == JOINS:
        parts.append(f"{variant.joins} joins")
    return ", ".join(parts)


def figure_title(figure: Figure) -> str:
    """Return the title of a figure."""
    by = "the paper's Trino" if figure.engine is None else figure.engine
    return f"{QUANTITY_WORDS[figure.quantity]}, {by}"


def experiment_title(number: int) -> str:
    """Return the heading of an experiment."""
    return f"Experiment {number}: {TITLES[number].lower()}"


def comparison(found: Comparison | None) -> str:
    """Write how two variants compare; an en dash where nothing was compared."""
    if found is None:
        return NONE
    parts = [f"{found.lower} of {len(found.queries)}"]
    if found.total is not None:
        parts.append(f"{_ratio(found.total)} times in total")
    if found.mean is not None:
        parts.append(f"{_ratio(found.mean)} in the mean")
    return ", ".join(parts)


def _ratio(value: float) -> str:
    return multiple(value) if value >= 1 else f"{value:.2f}"


def direction_cells(each: Direction) -> tuple[str, ...]:
    """Return the cells of a direction in every table: claim, engine, paper, here, verdict, why."""
    return (
        each.claim.text,
        each.engine,
        comparison(each.paper),
        comparison(each.here),
        each.verdict.value,
        each.why,
    )


DIRECTION_HEADINGS = ("the paper says", "engine", "in the paper", "here", "verdict", "why")
COMPARISON_NOTE = (
    "A comparison tells in how many queries the first of two has less, and how many times as much "
    "the second has: over all queries that both have, and in the geometric mean of these."
)
"""The meaning of the cells of a comparison."""
