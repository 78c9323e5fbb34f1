"""Signed q-errors by number of sources as boxes, in the style of Leis et al.

"How Good Are Query Optimizers, Really?", VLDB 2015, figure 3: a box from the first to the third
quartile with the median in it, whiskers to the 5th and 95th percentile, on a logarithmic axis.
"""

import math
from collections.abc import Sequence

from benchmarks.q_error.figures import Compared, quantile

WIDTH, HEIGHT = 860, 430
LEFT, RIGHT, TOP, BOTTOM = 118, 16, 46, 58
COLOURS = ("#2a6f97", "#8fb9d3", "#c2703d")
LEAST, MOST = 1e-4, 1e2
BOX_SHARE = 0.62


def boxes(compared: Sequence[Compared], estimators: Sequence[str], title: str) -> str:
    """Return the plot as SVG."""
    counts = sorted({each.sources for each in compared})
    parts = [_frame(title), _legend(estimators)]
    slot = (WIDTH - LEFT - RIGHT) / len(counts)
    for place, sources in enumerate(counts):
        middle = LEFT + slot * (place + 0.5)
        members = [each for each in compared if each.sources == sources]
        parts.append(_text(middle, HEIGHT - BOTTOM + 18, str(sources), "middle"))
        parts.append(_text(middle, HEIGHT - BOTTOM + 33, f"{len(members):,}", "middle", small=True))
        step = slot * BOX_SHARE / len(estimators)
        for index, estimator in enumerate(estimators):
            x = middle + (index - (len(estimators) - 1) / 2) * step
            ratios = sorted(r for each in members if (r := each.ratio(estimator)) is not None)
            if ratios:
                parts.append(_box(x, step * 0.78, ratios, COLOURS[index % len(COLOURS)]))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#222">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>{"".join(parts)}</svg>'
    )


def _y(ratio: float) -> float:
    share = math.log(min(MOST, max(LEAST, ratio)) / LEAST) / math.log(MOST / LEAST)
    return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)


def _frame(title: str) -> str:
    parts = [_text(LEFT, 20, title, "start")]
    for power in range(round(math.log10(LEAST)), round(math.log10(MOST)) + 1):
        y = _y(10.0**power)
        colour, width = ("#222", 1.2) if power == 0 else ("#ddd", 0.8)
        parts.append(
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" '
            f'stroke="{colour}" stroke-width="{width}"/>'
        )
        label = "exact" if power == 0 else f"{10 ** abs(power):,} times"
        parts.append(_text(LEFT - 8, y + 4, label, "end"))
    top, bottom = TOP, HEIGHT - BOTTOM
    for y, words in (((_y(1) + top) / 2, "too many"), ((_y(1) + bottom) / 2, "too few")):
        place = f'transform="translate(16 {y:.0f}) rotate(-90)" text-anchor="middle"'
        parts.append(f"<text {place}>{words}</text>")
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(_text(middle, HEIGHT - 6, "sources in the fragment, and fragments", "middle"))
    return "".join(parts)


def _legend(estimators: Sequence[str]) -> str:
    parts, x = [], LEFT
    for index, name in enumerate(estimators):
        parts.append(
            f'<rect x="{x}" y="28" width="12" height="12" fill="{COLOURS[index % len(COLOURS)]}"/>'
        )
        parts.append(_text(x + 17, 38, name, "start"))
        x += 40 + 7.2 * len(name)
    return "".join(parts)


def _box(x: float, width: float, ratios: Sequence[float], colour: str) -> str:
    low, first, median, third, high = (
        _y(quantile(ratios, share)) for share in (0.05, 0.25, 0.5, 0.75, 0.95)
    )
    left = x - width / 2
    height = max(1.5, first - third)
    return (
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{high:.1f}" stroke="{colour}" '
        f'stroke-width="1.4"/>'
        f'<rect x="{left:.1f}" y="{third:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'fill="{colour}"/>'
        f'<line x1="{left:.1f}" x2="{left + width:.1f}" y1="{median:.1f}" y2="{median:.1f}" '
        f'stroke="#fff" stroke-width="1.6"/>'
    )


def _text(x: float, y: float, words: str, anchor: str, *, small: bool = False) -> str:
    extra = ' font-size="11" fill="#666"' if small else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{words}</text>'
