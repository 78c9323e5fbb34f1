"""Every fragment, predicted against measured, as an SVG with logarithmic axes."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from advisor.figures import candidate_name, count, seconds
from advisor.report.text.predictions_text import described
from evaluation.measuring.prediction_quality import FEWEST_ROWS, LEAST_S, ComparedFragment

SIDE = 330
LEFT, BOTTOM, TOP, RIGHT = 48, 38, 10, 20
MOST_TICKS = 7
COLOURS = 5
DRAWN_S = 0.001
"""Shorter times are drawn as this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A figure to draw for each fragment: rows or seconds, with its format.

    Smaller ones than `least` are drawn as `least`. A fragment with both below `compared_from` is
    not judged.
    """

    noun: str
    least: float
    predicted: Callable[[ComparedFragment], float]
    measured: Callable[[ComparedFragment], float]
    written: Callable[[float], str]
    compared_from: float = 0.0


ROWS = Compared(
    noun="rows out of the store",
    least=FEWEST_ROWS,
    predicted=lambda each: each.predicted_rows,
    measured=lambda each: each.measured_rows,
    written=count,
)
SECONDS = Compared(
    noun="seconds in the store",
    least=DRAWN_S,
    compared_from=LEAST_S,
    predicted=lambda each: each.predicted_s,
    measured=lambda each: each.measured_s,
    written=seconds,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Axis:
    """Both axes: from one power of ten to another."""

    low: int
    high: int

    def x(self, value: float) -> float:
        return LEFT + self._share(value) * (SIDE - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return SIDE - BOTTOM - self._share(value) * (SIDE - BOTTOM - TOP)

    def _share(self, value: float) -> float:
        return (math.log10(value) - self.low) / (self.high - self.low)


def store_colours(fragments: Sequence[ComparedFragment]) -> Mapping[str, int]:
    """Return store → the number of its colour, in alphabetical order."""
    names = sorted({each.store for each in fragments})
    return {name: index % COLOURS for index, name in enumerate(names)}


def fragments_svg(
    fragments: Sequence[ComparedFragment], what: Compared, colours: Mapping[str, int]
) -> str:
    """Return the picture: a circle a fragment, the diagonal, and a band of twice either way."""
    if not fragments:
        return ""
    pairs = [
        (_at_least(what.predicted, e, what), _at_least(what.measured, e, what)) for e in fragments
    ]
    values = [value for pair in pairs for value in pair]
    low = math.floor(math.log10(min(values)))
    axis = _Axis(low=low, high=max(low + 1, math.ceil(math.log10(max(values)))))
    marks = "".join(
        f'<circle class="k{colours[each.store]}" cx="{axis.x(a):.1f}" cy="{axis.y(b):.1f}" r="3.6">'
        f"<title>{_title(each, what)}</title></circle>"
        for each, (a, b) in zip(fragments, pairs, strict=True)
    )
    return (
        f'<svg class="dots" viewBox="0 0 {SIDE} {SIDE}" role="img" aria-label="Predicted against '
        f'measured {what.noun}">{_frame(axis, what)}{marks}</svg>'
    )


def _at_least(
    figure: Callable[[ComparedFragment], float], each: ComparedFragment, what: Compared
) -> float:
    return max(figure(each), what.least)


def _title(each: ComparedFragment, what: Compared) -> str:
    return escape(
        f"{candidate_name(each.candidate)}, {each.query}: {described(each)} in {each.store}: "
        f"predicted {what.written(what.predicted(each))}, "
        f"measured {what.written(what.measured(each))}"
    )


def _frame(axis: _Axis, what: Compared) -> str:
    bottom, top = 10.0**axis.low, 10.0**axis.high
    x0, x1, y0, y1 = axis.x(bottom), axis.x(top), axis.y(bottom), axis.y(top)
    band = " ".join(
        f"{axis.x(a):.1f},{axis.y(b):.1f}"
        for a, b in (
            (bottom, bottom),
            (bottom, 2 * bottom),
            (top / 2, top),
            (top, top),
            (top, top / 2),
            (2 * bottom, bottom),
        )
    )
    parts = [
        f'<polygon class="band" points="{band}"/>',
        _uncompared(axis, what, bottom),
        f'<line class="diagonal" x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}"/>',
    ]
    step = -(-(axis.high - axis.low + 1) // MOST_TICKS)
    for power in range(axis.low, axis.high + 1, step):
        tick = 10.0**power
        x, y, text = axis.x(tick), axis.y(tick), _tick(power)
        parts += [
            f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{y0}" y2="{y1}"/>',
            f'<line class="grid" x1="{x0}" x2="{x1}" y1="{y:.1f}" y2="{y:.1f}"/>',
            f'<text x="{x:.1f}" y="{y0 + 15}" text-anchor="middle">{text}</text>',
            f'<text x="{x0 - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>',
        ]
    middle = (y0 + y1) / 2
    parts.append(
        f'<text x="{(x0 + x1) / 2}" y="{SIDE - 4}" text-anchor="middle">predicted {what.noun}'
        "</text>"
    )
    parts.append(
        f'<text transform="translate(11 {middle}) rotate(-90)" text-anchor="middle">measured</text>'
    )
    return "".join(parts)


def _uncompared(axis: _Axis, what: Compared, bottom: float) -> str:
    """Return the corner of the fragments that are not judged; nothing where there is none."""
    if what.compared_from <= bottom:
        return ""
    edge = min(what.compared_from, 10.0**axis.high)
    x, y = axis.x(bottom), axis.y(edge)
    wide, high = axis.x(edge) - x, axis.y(bottom) - y
    return (
        f'<rect class="uncompared" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}">'
        f"<title>both below {what.compared_from:g}: not compared</title></rect>"
    )


def _tick(power: int) -> str:
    """Write a power of ten: whole ones with a suffix, small ones as they are."""
    return count(10.0**power).replace(" ", "") if power >= 0 else f"{10.0**power:g}"
