"""Predicted against measured seconds as an SVG scatter."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from statistics import median

from advisor.figures import candidate_name, seconds
from evaluation.measuring.measurement import Measurements

SIDE = 380
LEFT, BOTTOM, TOP, RIGHT = 46, 40, 12, 130
LABEL_STEP = 13.0
WIDE_RANGE = 8.0
"""From this ratio of largest to smallest the axes are logarithmic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One candidate with its seconds, predicted and measured."""

    name: str
    predicted_s: float
    measured_s: float
    feasible: bool
    recommended: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Axis:
    low: float
    high: float
    logarithmic: bool

    def share(self, value: float) -> float:
        """Return where `value` lies between the ends, 0 to 1."""
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def x(self, value: float) -> float:
        return LEFT + self.share(value) * (SIDE - LEFT)

    def y(self, value: float) -> float:
        return SIDE - BOTTOM - self.share(value) * (SIDE - BOTTOM - TOP)

    def ticks(self) -> list[float]:
        if self.logarithmic:
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            made = [digit * 10.0**power for power in powers for digit in (1, 2, 5)]
        else:
            step = 10.0 ** math.floor(math.log10(self.high / 2))
            step *= 2 if self.high / step > 6 else 1  # noqa: PLR2004
            made = [step * index for index in range(20)]
        return [tick for tick in made if self.low <= tick <= self.high]


def points(measurements: Measurements) -> tuple[Point, ...]:
    """Return the verified candidates as points, fastest first."""
    return tuple(
        Point(
            name=candidate_name(c.plan.strategy),
            predicted_s=c.predicted_s,
            measured_s=c.measured_s,
            feasible=c.plan.feasible,
            recommended=c is measurements.recommended,
        )
        for c in measurements.ranked
        if c.measured_s is not None and c.measured_s > 0 and c.predicted_s > 0
    )


def typical_miss(of: Sequence[Point]) -> float | None:
    """Return the median factor (1 or more) between predicted and measured; None without points."""
    factors = [max(p.predicted_s / p.measured_s, p.measured_s / p.predicted_s) for p in of]
    return median(factors) if factors else None


def scatter_svg(of: Sequence[Point]) -> str:
    """Return the scatter with its diagonal; its colours are the page's."""
    values = [value for p in of for value in (p.predicted_s, p.measured_s)]
    if not values:
        return ""
    wide = max(values) / min(values) >= WIDE_RANGE
    low, high = (min(values) / 1.3, max(values) * 1.3) if wide else (0.0, max(values) * 1.1)
    axis = _Axis(low=low, high=high, logarithmic=wide)
    marks = "".join(_mark(axis, point) for point in of)
    labels = _labels(axis, of)
    return (
        f'<svg class="scatter" viewBox="0 0 {SIDE + RIGHT} {SIDE}" role="img" '
        f'aria-label="Predicted against measured seconds">{_frame(axis)}{labels}{marks}</svg>'
    )


def _frame(axis: _Axis) -> str:
    left, right = axis.x(axis.low), axis.x(axis.high)
    bottom, top = axis.y(axis.low), axis.y(axis.high)
    parts = [f'<line class="diagonal" x1="{left}" y1="{bottom}" x2="{right}" y2="{top}"/>']
    for tick in axis.ticks():
        x, y, text = axis.x(tick), axis.y(tick), f"{tick:g}"
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{bottom}" y2="{top}"/>')
        parts.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 15}" text-anchor="middle">{text}</text>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
    kind = " (logarithmic)" if axis.logarithmic else ""
    middle = (bottom + top) / 2
    parts.append(
        f'<text x="{(left + right) / 2}" y="{SIDE - 4}" text-anchor="middle">'
        f"predicted seconds{kind}</text>"
    )
    parts.append(
        f'<text transform="translate(11 {middle}) rotate(-90)" text-anchor="middle">'
        "measured seconds</text>"
    )
    return "".join(parts)


def _mark(axis: _Axis, point: Point) -> str:
    kind = "best" if point.recommended else "plan" if point.feasible else "reference"
    return (
        f'<circle class="{kind}" cx="{axis.x(point.predicted_s):.1f}" '
        f'cy="{axis.y(point.measured_s):.1f}" r="4.5"><title>{escape(point.name)}: predicted '
        f"{seconds(point.predicted_s)} s, measured {seconds(point.measured_s)} s</title></circle>"
    )


def _labels(axis: _Axis, of: Sequence[Point]) -> str:
    """Name the points in the right margin, in the order of their height, each on a leader."""
    parts, below = [], SIDE - BOTTOM + LABEL_STEP
    for place, point in enumerate(sorted(of, key=lambda p: p.measured_s)):
        x, y = axis.x(point.predicted_s), axis.y(point.measured_s)
        room_above = TOP + LABEL_STEP * (len(of) - 1 - place)
        line = max(min(y, below - LABEL_STEP), room_above)
        below = line
        kind = "best" if point.recommended else ""
        parts.append(
            f'<line class="leader" x1="{x + 6:.1f}" y1="{y:.1f}" x2="{SIDE + 8}" y2="{line:.1f}"/>'
            f'<text class="{kind}" x="{SIDE + 12}" y="{line + 4:.1f}">{escape(point.name)}</text>'
        )
    return "".join(parts)
