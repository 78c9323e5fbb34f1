"""The analysis as one self-contained page: pictures of use, and the figures behind them."""

from collections.abc import Mapping

from markupsafe import Markup

from advisor.analysis.analysis import Analysis
from advisor.analysis.notes import notes
from advisor.report.parts.analysis_conclusion import respects, together
from advisor.report.parts.page import template
from advisor.report.pictures.heat_map import heat_map, heaviest_pairs
from advisor.report.pictures.join_graph import KIND_NAMES, join_graph
from advisor.report.pictures.seriation import Seriation, group_name, seriated
from advisor.report.text.analysis_text import SKIPPED_KINDS, result_of
from placement.fragment import Fragment

COLOURS = 8
MOST_ROWS = 200
MOST_SKIPPED = 500


def render_analysis(analysis: Analysis) -> str:
    """Return the page; everything that came from users is escaped."""
    graph = analysis.graph
    seriation = seriated(graph.tables, graph.co_access)
    colours, legend = _colours(analysis, seriation)
    heat = heat_map(graph, seriation)
    joins = join_graph(graph, analysis.catalog, colours)
    return template(
        "analysis.html.j2"
    ).render(
        a=analysis,
        notes=tuple(notes(analysis)),
        together=together(analysis),
        respects=respects(analysis),
        heat=heat,
        overview=Markup(heat.overview),  # noqa: S704 - made by us, escapes its names
        named=Markup(heat.named),  # noqa: S704 - likewise
        joins=joins,
        picture=Markup(joins.svg),  # noqa: S704 - likewise
        kind_names=KIND_NAMES,
        legend=legend,
        colour=colours,
        tables=sorted(
            graph.tables.keys() | graph.writes.keys(),
            key=lambda name: (-graph.tables.get(name, 0.0), name),
        ),
        pairs=heaviest_pairs(graph.co_access, MOST_ROWS),
        edges=sorted(graph.joins.items(), key=lambda item: (-item[1], item[0]))[:MOST_ROWS],
        fragments=_largest(analysis),
        result_of=result_of,
        skipped_kinds=SKIPPED_KINDS,
        most_rows=MOST_ROWS,
        most_skipped=MOST_SKIPPED,
    )


def _colours(
    analysis: Analysis, seriation: Seriation
) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Return table → colour, and the name of each coloured group → colour.

    Groups of several tables have colours, the most read first; what is left has the last one.
    """
    reads = analysis.graph.tables
    several = [group for group in seriation.groups if len(group) > 1]
    several.sort(key=lambda group: -sum(reads[name] for name in group))
    legend: dict[str, int] = {}
    of_table = dict.fromkeys(reads, COLOURS)
    for number, group in enumerate(several[:COLOURS]):
        legend[group_name(group, reads)] = number
        of_table |= dict.fromkeys(group, number)
    return of_table, legend


def _largest(analysis: Analysis) -> list[tuple[str, Fragment]]:
    """Return each query with its largest fragment, those with the most bytes first."""
    found = [
        (query, max(fragments, key=lambda fragment: fragment.work.bytes_out))
        for query, fragments in analysis.fragments.items()
        if fragments
    ]
    return sorted(found, key=lambda item: (-item[1].work.bytes_out, item[0]))[:MOST_ROWS]
