"""Experiments as Markdown: the page's tables."""

from collections.abc import Iterable, Iterator, Sequence

from advisor.experiments.findings import Findings
from advisor.experiments.series import Figure
from advisor.report.parts.experiment_words import (
    COMPARISON_NOTE,
    DIRECTION_HEADINGS,
    direction_cells,
    experiment_title,
    figure_title,
    quantity,
    variant_name,
)


def experiments_markdown(found: Findings) -> str:
    """Return what the page shows, without its pictures."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Findings) -> Iterator[str]:
    size = "" if found.scale_factor is None else f" at scale factor {found.scale_factor:g}"
    yield f"# Experiments of {found.name}{size}"
    yield ""
    yield f"Beside {found.paper.source}. {COMPARISON_NOTE}"
    if found.left:
        yield f"\n{found.left} of {found.cells} cells are not measured yet."
    for number in found.numbers:
        yield f"\n## {experiment_title(number)}\n"
        told = [each for each in found.directions if each.claim.experiment == number]
        if told:
            yield from _table(DIRECTION_HEADINGS, map(direction_cells, told))
        for figure in [each for each in found.figures if each.experiment == number]:
            yield f"\n### {figure_title(figure).capitalize()}: {figure.counterpart}\n"
            yield from _figure(figure)
            its = found.paper.figures.get((number, figure.quantity))
            if its is not None:
                yield "\nIn the paper:\n"
                yield from _figure(its)
        yield from _failures(found, number)
    yield "\n## Where the paper contradicts itself\n"
    yield from (f"- {each}" for each in found.paper.contradictions)
    if found.impossible:
        yield "\n## Not possible\n"
        for reason, cells in found.impossible.items():
            yield f"- {len(cells)} cells: {reason}."


def _figure(figure: Figure) -> Iterator[str]:
    queries = dict.fromkeys(query for each in figure.series for query in each.values)
    names = [variant_name(each.variant, figure.experiment) for each in figure.series]
    rows = [
        (query, *(quantity(figure.quantity, each.values.get(query)) for each in figure.series))
        for query in queries
    ]
    yield from _table(("query", *names), rows)


def _failures(found: Findings, number: int) -> Iterator[str]:
    for each in found.finished:
        if each.experiment != number:
            continue
        name = f"{variant_name(each.variant, number)}, {each.engine}"
        for query, reason in each.failed.items():
            yield f"\n- {name}: {query} {reason}"
        for query, reason in each.mended.items():
            yield f"\n- {name}: {query} was mended: {reason}"


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(headings)} |"
    yield f"|{'---|' * len(headings)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
