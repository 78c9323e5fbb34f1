"""The experiments' page: pictures and directions beside the paper's."""

from collections.abc import Sequence

from markupsafe import Markup

from advisor.experiments.findings import Findings
from advisor.experiments.series import Figure
from advisor.report.parts.experiment_words import (
    COMPARISON_NOTE,
    DIRECTION_HEADINGS,
    QUANTITY_WORDS,
    direction_cells,
    experiment_title,
    figure_title,
    quantity,
    variant_name,
)
from advisor.report.parts.page import template
from advisor.report.pictures.bars import bars_svg, queries_of


def experiments_page(found: Findings) -> str:
    """Return the page, which needs no other file; what users wrote is escaped."""
    first = min(found.results, key=lambda each: each.started_at, default=None)
    last = max(found.results, key=lambda each: each.started_at, default=None)
    return template("experiments.html.j2").render(
        found=found,
        first=first,
        last=last,
        commits=sorted({each.commit for each in found.results if each.commit is not None}),
        loads=[load for each in found.results for load in each.machine.load_average],
        commands=sorted({each.command for each in found.results}),
        headings=DIRECTION_HEADINGS,
        note=COMPARISON_NOTE,
        cells=direction_cells,
        title=experiment_title,
        figure_title=figure_title,
        words=QUANTITY_WORDS,
        quantity=quantity,
        variant_name=variant_name,
        queries=queries_of,
        picture=_picture,
        not_verified=[each for each in found.finished if each.mended or each.failed],
        agreeing=sum(each.verdict == "agrees" for each in found.directions),
        judged=sum(each.verdict != "not measured" for each in found.directions),
    )


def _picture(figure: Figure, beside: Figure | None, others: Sequence[Figure]) -> Markup:
    return Markup(bars_svg(figure, beside, others))  # noqa: S704 - made by us, escapes its names
