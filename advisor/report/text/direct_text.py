"""Queries as they are run today, beside the candidates."""

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from advisor.figures import candidate_name, seconds
from advisor.report.parts.tables import heading, table_of
from evaluation.measuring.live_measurement import DirectMeasurement
from evaluation.measuring.measurement import (
    CandidateMeasurement,
    Measurements,
)

CURRENT = "current"


def direct_text(measurements: Measurements) -> RenderableType:
    """Show what one live server takes alone, and what the present and the best candidate take."""
    beside = beside_direct(measurements)
    table = table_of(
        *("query", "in", ">directly\ns"),
        *(f">{candidate_name(name)}\ns" for name in beside),
        "",
    )
    for each in measurements.direct:
        table.add_row(
            Text(each.query),
            Text(each.store),
            seconds(each.measured_s),
            *(seconds(found.get(each.query)) for found in beside.values()),
            Text(each.message, style="red"),
        )
    totals = direct_totals(measurements)
    if totals:
        table.add_row("all that ended", "", *map(seconds, totals), "")
    note = (
        "As they are run today: each sent by its server's own driver, with no engine in between. "
        "Rows are not compared."
    )
    return Group(heading("Today"), table, Text(note, style="dim"))


def beside_direct(measurements: Measurements) -> Mapping[str, Mapping[str, float]]:
    """Return the present candidate and the recommended one, each query → seconds."""
    named = [each for each in measurements.candidates if each.plan.strategy == CURRENT]
    best = measurements.recommended
    if best is not None and best not in named:
        named.append(best)
    return {each.plan.strategy: _seconds(each) for each in named}


def direct_totals(measurements: Measurements) -> Sequence[float]:
    """Return the weighted seconds of the queries that all ended: directly, and in each beside."""
    beside = tuple(beside_direct(measurements).values())
    ended = [
        each
        for each in measurements.direct
        if each.measured_s is not None and all(each.query in found for found in beside)
    ]
    if not ended:
        return ()
    own = sum(each.executions * _own(each) for each in ended)
    others = (sum(each.executions * found[each.query] for each in ended) for found in beside)
    return own, *others


def _own(direct: DirectMeasurement) -> float:
    return direct.measured_s or 0.0


def _seconds(candidate: CandidateMeasurement) -> Mapping[str, float]:
    return {
        query.query: query.measured_s for query in candidate.queries if query.measured_s is not None
    }
