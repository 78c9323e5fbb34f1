"""Bars of a figure: a group for each query, a bar for each variant; what is not known has none."""

from collections.abc import Mapping, Sequence
from html import escape

from advisor.experiments.series import Figure, Series, Variant
from advisor.report.parts.experiment_words import QUANTITY_WORDS, quantity, variant_name
from advisor.report.pictures.axes import Axis, axis_of

LEFT, TOP, HEIGHT, BOTTOM, LEGEND = 58, 12, 200, 22, 18
BAR, GAP = 12, 14
CHARACTER = 6.2
COLOURS = 7


def bars_svg(figure: Figure, beside: Figure | None = None, others: Sequence[Figure] = ()) -> str:
    """Return the figure with its legend; its colours are the page's.

    Queries that it has in common with a figure `beside` it have the order that they have there.
    A variant has the colour and the place that it has in all of `others`.
    """
    alike = figure if beside is None else beside
    queries = queries_of(alike, figure)
    colours = _colours(*others, alike, figure)
    series = sorted(figure.series, key=lambda each: colours[each.variant])
    values = [value for each in series for value in each.values.values()]
    if not values:
        return ""
    group = BAR * len(series) + GAP
    bars = [(colours[each.variant], each) for each in series]
    legend = _legend(figure, bars, LEFT + max(group * len(queries), 420))
    wide = LEFT + max(group * len(queries), 420)
    bottom = TOP + HEIGHT
    axis = _axis(values, bottom)
    parts = [_grid(axis, figure, wide)]
    for number, query in enumerate(queries):
        left = LEFT + number * group + GAP / 2
        parts.append(
            f'<text x="{left + BAR * len(series) / 2:.1f}" y="{bottom + 15}" '
            f'text-anchor="middle">{escape(query)}</text>'
        )
        parts += _group(figure, bars, query, left, axis)
    high = bottom + BOTTOM + LEGEND * (legend.count("</g>") + 1)
    parts.append(f'<g transform="translate({LEFT} {bottom + BOTTOM + 14})">{legend}</g>')
    label = f"{QUANTITY_WORDS[figure.quantity]} of each query"
    return (
        f'<svg class="bars" viewBox="0 0 {wide:.0f} {high}" width="{wide:.0f}" role="img" '
        f'aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )


def queries_of(*figures: Figure) -> list[str]:
    """Return the queries of figures, in the order of the first."""
    shown = {query for each in figures[-1].series for query in each.values}
    known = dict.fromkeys(
        query for figure in figures for each in figure.series for query in each.values
    )
    return [query for query in known if query in shown]


def _colours(*figures: Figure) -> Mapping[Variant, int]:
    known = dict.fromkeys(each.variant for figure in figures for each in figure.series)
    return {variant: number for number, variant in enumerate(known)}


def _axis(values: Sequence[float], bottom: float) -> Axis:
    """Return an axis from 0, or a logarithmic one where the values differ widely."""
    found = axis_of(values, bottom, TOP)
    if found.logarithmic:
        return found
    return Axis(low=0.0, high=max(values) * 1.05 or 1.0, logarithmic=False, first=bottom, last=TOP)


def _grid(axis: Axis, figure: Figure, wide: float) -> str:
    parts = []
    for tick in axis.ticks():
        y = axis.at(tick)
        written = quantity(figure.quantity, tick) if tick else "0"
        parts.append(
            f'<line class="grid" x1="{LEFT}" x2="{wide:.0f}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{written}</text>'
        )
    return "".join(parts)


def _group(
    figure: Figure, bars: Sequence[tuple[int, Series]], query: str, left: float, axis: Axis
) -> list[str]:
    found = []
    for place, (colour, each) in enumerate(bars):
        value = each.values.get(query)
        if value is None:
            continue
        top = axis.at(value) if value > 0 or not axis.logarithmic else axis.first
        name = variant_name(each.variant, figure.experiment)
        told = f"{query}, {name}: {quantity(figure.quantity, value)}"
        found.append(
            f'<rect class="b{colour % COLOURS}" x="{left + BAR * place:.1f}" y="{top:.1f}" '
            f'width="{BAR - 1}" height="{max(1.0, axis.first - top):.1f}">'
            f"<title>{escape(told)}</title></rect>"
        )
    return found


def _legend(figure: Figure, bars: Sequence[tuple[int, Series]], wide: float) -> str:
    """Return the names beside their colours, in as many lines as they take."""
    lines: list[list[str]] = [[]]
    x = 0.0
    for colour, each in bars:
        name = variant_name(each.variant, figure.experiment)
        length = 18 + CHARACTER * len(name) + 16
        if x and LEFT + x + length > wide:
            lines.append([])
            x = 0.0
        lines[-1].append(
            f'<rect class="b{colour % COLOURS}" x="{x:.0f}" y="-9" width="10" height="10"/>'
            f'<text x="{x + 15:.0f}" y="0">{escape(name)}</text>'
        )
        x += length
    return "".join(
        f'<g transform="translate(0 {LEGEND * place})">{"".join(line)}</g>'
        for place, line in enumerate(lines)
    )
