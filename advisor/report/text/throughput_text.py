"""Throughput of several clients, for a terminal."""

from rich.console import Group, RenderableType
from rich.text import Text

from advisor.figures import candidate_name, rate, seconds, spread
from advisor.report.parts.tables import heading, table_of
from advisor.report.parts.throughput import ABOUT, LoopRow, loop_rows, throughput_sentences
from evaluation.measuring.measurement import Measurements


def throughput_text(measurements: Measurements) -> RenderableType:
    """Show each candidate with each number of clients, and why a loop has no throughput."""
    table = table_of(
        *("candidate", ">clients", ">queries/s", ">spread", ">runs", ">predicted\nqueries/s"),
        *(">p50\ns", ">p95\ns", ">p99\ns"),
    )
    rows = loop_rows(measurements)
    for each in rows:
        name = candidate_name(each.candidate.plan.strategy) if each.is_first else ""
        shown = name if each.candidate.plan.feasible or not name else f"({name})"
        table.add_row(
            Text(shown),
            str(each.loop.clients),
            rate(each.loop.queries_per_s),
            spread(each.loop.spread_per_s),
            str(len(each.loop.rounds)),
            rate(each.loop.predicted_per_s),
            *(seconds(value) for value in each.percentiles),
        )
    ended = [Text(_ended(each), style="red") for each in rows if each.loop.message]
    sentences = [Text(each) for each in throughput_sentences(measurements)]
    about = Text(ABOUT, style="dim")
    return Group(heading("Several clients at once"), table, *ended, *sentences, about)


def _ended(row: LoopRow) -> str:
    name, loop = candidate_name(row.candidate.plan.strategy), row.loop
    of_query = f" {loop.query}" if loop.query else ""
    return f"{name} with {loop.clients}:{of_query} {loop.outcome}: {loop.message}"
