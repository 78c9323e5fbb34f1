"""Errors of predictions, for a terminal."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from advisor.figures import (
    NONE,
    candidate_name,
    count,
    counted,
    factor,
    fragment_name,
    listed,
    percent,
    seconds,
    signed_percent,
)
from advisor.measuring.contradicted_rates import Doubt
from advisor.report.parts.tables import heading, table_of
from advisor.report.text.plan_text import DEFAULT
from evaluation.calibration.calibration import FOLLOWING, QUICK
from evaluation.calibration.contradictions import Contradiction
from evaluation.measuring.measurement import Measurements
from evaluation.measuring.prediction_quality import (
    LEAST_S,
    ComparedFragment,
    PredictionQuality,
    QErrors,
)

WHAT_SECONDS_COUNT = (
    f"Seconds are compared where {LEAST_S:g} or more were predicted or measured, and what is below "
    f"counts as {LEAST_S:g}: shorter ones are the start of a connection for the most part."
)


def predictions_text(quality: PredictionQuality, remarks: Sequence[str] = ()) -> RenderableType:
    """Show q-errors over all fragments with the worst of them, and the order of the candidates."""
    parts: list[RenderableType] = [heading("Predicted against measured")]
    if quality.candidates:
        errors = ", ".join(
            f"{candidate_name(each.candidate)} {signed_percent(each.relative_error)}"
            for each in quality.candidates
        )
        parts.append(Text(f"Of measured seconds, predictions are off by: {errors}."))
    if quality.tau is not None:
        number = counted(len(quality.candidates), "candidate")
        parts.append(Text(f"Kendall's tau-b over {number}: {quality.tau:.2f} (1: same order)."))
    if quality.rows is not None:
        parts += [_quantiles(quality.rows, quality.seconds), _worst(quality.rows, quality.seconds)]
        parts.append(Text(WHAT_SECONDS_COUNT, style="dim"))
    parts += [Text(each, style="yellow") for each in remarks]
    return Group(*parts)


def remarks_on_prices(
    measurements: Measurements,
    rates: Mapping[str, str],
    contradicted: Sequence[Contradiction],
    doubt: Doubt | None = None,
) -> tuple[str, ...]:
    """Say which candidates' prices earlier measurements have corrected, and what rates are worth.

    `rates` is store → where its rates are from. With a `doubt` the run contradicts quick rates.
    """
    names = [
        f"'{candidate_name(each.plan.strategy)}'"
        for each in measurements.candidates
        if each.plan.corrections is not None
    ]
    found = remarks_on_rates(rates, contradicted)
    if doubt is not None:
        found += (_doubt(doubt),)
    if not names:
        return found
    return (f"Earlier measurements have corrected the predictions of {listed(names)}.", *found)


def remarks_on_rates(
    rates: Mapping[str, str], contradicted: Sequence[Contradiction]
) -> tuple[str, ...]:
    """Say which stores' rates nobody measured or only quickly, and which measurements contradict.

    `rates` is store → where its rates are from.
    """
    assumed = [store for store, source in rates.items() if source == DEFAULT]
    quick = [store for store, source in rates.items() if source.startswith(QUICK)]
    following = [store for store, source in rates.items() if source.startswith(FOLLOWING)]
    found = [_contradiction(each) for each in contradicted]
    if quick:
        found.insert(
            0,
            f"The rates of {', '.join(quick)} are from a quick calibration, which states no error. "
            "`advisor calibrate` measures those of stores that take copies in full.",
        )
    if following:
        found.insert(
            0,
            f"The rates of {', '.join(following)} were not measured: they are defaults, times how "
            "much slower or faster than these the machine is. `advisor calibrate` measures those "
            "of stores that take copies.",
        )
    if assumed:
        found.insert(
            0,
            f"The rates of {', '.join(assumed)} are defaults, not measured on this machine: go by "
            "the order of the predicted seconds. `advisor calibrate` measures those of stores that "
            "take copies.",
        )
    return tuple(found)


def _contradiction(each: Contradiction) -> str:
    """Say how far a store's queries are from what its calibration promises."""
    return (
        f"Measurements contradict the calibration of {each.store}: {each.outside} of "
        f"{each.queries} queries are off by more than {percent(each.stated.p90)}, which one in ten "
        f"should be; their median is {signed_percent(each.error)}. `advisor calibrate` measures "
        "again; `advisor explain` shows a query's fragments."
    )


def _doubt(doubt: Doubt) -> str:
    """Say how many times their predicted seconds queries took, and what measures rates again."""
    in_full = ", and `advisor calibrate` measures them in full" if doubt.full else ""
    again = (
        "The next run measures them quickly again."
        if doubt.again
        else f"`advisor calibrate --quick` measures them again{in_full}."
    )
    return (
        "Measurements contradict the quick calibration: in the median, queries took "
        f"{factor(doubt.factor)} times their predicted seconds. {again}"
    )


def _quantiles(rows: QErrors, seconds_: QErrors | None) -> RenderableType:
    table = table_of("q-error of", ">fragments", ">median", ">p90", ">largest")
    for name, errors in (("rows out of a store", rows), ("seconds in a store", seconds_)):
        if errors is None:
            table.add_row(name, "0", NONE, NONE, NONE)
            continue
        table.add_row(
            name,
            str(errors.number),
            factor(errors.median),
            factor(errors.p90),
            factor(errors.largest),
        )
    return table


def _worst(rows: QErrors, seconds_: QErrors | None) -> RenderableType:
    table = table_of("worst", "query", "fragment", "in", ">predicted", ">measured", ">q-error")
    for cells in (
        *_rows("rows", rows, _row_figures),
        *(() if seconds_ is None else _rows("seconds", seconds_, _second_figures)),
    ):
        table.add_row(*(Text(cell) for cell in cells))
    return table


def _rows(
    name: str, errors: QErrors, figures: Callable[[ComparedFragment], tuple[str, str, str]]
) -> Iterator[tuple[str, ...]]:
    for place, each in enumerate(errors.worst):
        yield "" if place else name, each.query, described(each), each.store, *figures(each)


def _row_figures(each: ComparedFragment) -> tuple[str, str, str]:
    return count(each.predicted_rows), count(each.measured_rows), factor(each.rows_q_error)


def _second_figures(each: ComparedFragment) -> tuple[str, str, str]:
    error = NONE if each.seconds_q_error is None else factor(each.seconds_q_error)
    return seconds(each.predicted_s), seconds(each.measured_s), error


def described(each: ComparedFragment) -> str:
    """Name a fragment by its kind and tables; whole queries need no tables."""
    if each.kind == "query":
        return "whole query"
    return fragment_name(each.kind, each.tables, each.reducers, preaggregated=each.preaggregated)
