"""Figures of experiments as series: one value a query, of each variant that was measured."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from advisor.experiments.cells import Cell, cells_of
from advisor.experiments.laboratory import Laboratory
from advisor.experiments.results import Result
from evaluation.running.job import EngineName
from evaluation.spark.joins import JoinStrategy

QuantityName = Literal["seconds", "memory_bytes", "exchanges", "exchanged_rows"]


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Variant:
    """The variable of an experiment: a placement, the number of workers, or a way to join."""

    placement: str
    workers: int | None = None
    joins: JoinStrategy = "automatic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """The values of a variant: query → value. What is not known has none."""

    variant: Variant
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One quantity of an experiment by one engine, as the paper's `counterpart` has it of Trino.

    `engine` None is the paper's own, which has no `results`: variant and query → what its values
    are of.
    """

    experiment: int
    quantity: QuantityName
    counterpart: str
    engine: EngineName | None
    series: tuple[Series, ...]
    results: Mapping[tuple[Variant, str], Result] = field(default_factory=dict)

    def values(self, variant: Variant) -> Mapping[str, float]:
        """Return the values of a variant; none where it was not measured."""
        return next((each.values for each in self.series if each.variant == variant), {})


def _memory_bytes(result: Result) -> float | None:
    """Return what all operators of Spark held; of Trino, which tells its own sum, the peak."""
    query = result.measurement
    return (
        query.peak_memory_bytes
        if result.cell.setting.engine == "trino"
        else (query.operators_memory_bytes)
    )


QUANTITIES: Mapping[QuantityName, Callable[[Result], float | None]] = MappingProxyType(
    {
        "seconds": lambda result: result.measurement.measured_s,
        "memory_bytes": _memory_bytes,
        "exchanges": lambda result: result.measurement.exchanges,
        "exchanged_rows": lambda result: result.measurement.exchanged_rows,
    }
)
COUNTERPARTS: Mapping[tuple[int, QuantityName], str] = MappingProxyType(
    {
        (1, "seconds"): "figures 8 and 9",
        (2, "seconds"): "figures 10 and 11",
        (2, "memory_bytes"): "figures 12 and 13",
        (3, "seconds"): "figure 14",
        (4, "exchanges"): "table IV, shuffles",
        (4, "exchanged_rows"): "table IV, rows",
        (5, "seconds"): "figure 15",
        (5, "memory_bytes"): "figure 16",
    }
)
"""Experiment and quantity → what the paper shows of it."""


def variant_of(cell: Cell) -> Variant:
    """Return the variant that a cell belongs to."""
    setting = cell.setting
    return Variant(placement=cell.placement, workers=setting.workers, joins=setting.joins)


def figures(laboratory: Laboratory, done: Mapping[Cell, Result]) -> tuple[Figure, ...]:
    """Return what was measured of the experiments that were asked for, engine by engine.

    An engine that has no value of a quantity has no figure of it.
    """
    settings = laboratory.project.experiments
    found = []
    for (number, quantity), counterpart in COUNTERPARTS.items():
        if number not in laboratory.numbers:
            continue
        for engine in settings.engines:
            cells = cells_of(
                settings.numbered[number],
                [engine],
                laboratory.plans,
                list(laboratory.queries),
            )
            series = _series(cells, done, QUANTITIES[quantity])
            if series:
                figure = Figure(
                    experiment=number,
                    quantity=quantity,
                    counterpart=counterpart,
                    engine=engine,
                    series=series,
                    results={
                        (variant_of(each), each.query): done[each] for each in cells if each in done
                    },
                )
                found.append(figure)
    return tuple(found)


def _series(
    cells: list[Cell], done: Mapping[Cell, Result], value: Callable[[Result], float | None]
) -> tuple[Series, ...]:
    found: dict[Variant, dict[str, float]] = {}
    for cell in cells:
        known = value(done[cell]) if cell in done else None
        if known is not None:
            found.setdefault(variant_of(cell), {})[cell.query] = known
    return tuple(Series(variant=variant, values=values) for variant, values in found.items())
