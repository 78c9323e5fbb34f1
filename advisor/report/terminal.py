"""Tables and sentences for a terminal of 80 to 120 columns."""

from collections.abc import Mapping, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from advisor.analysis import Analysis
from advisor.report.figures import (
    bytes_moved,
    candidate_name,
    count,
    gap,
    rows_moved,
    seconds,
    size,
    spread,
    verified_count,
    weight,
)
from evaluation.measurement import CandidateMeasurement, Measurements
from evaluation.servers.embedded import ServerStatus
from evaluation.tracking import TrackedRun
from placement.plan import PlacementPlan
from workloads.access_graph import AccessGraph

TOP = 10
SHORTEST_COLUMN = 3


def analysis_text(analysis: Analysis, width: int) -> RenderableType:
    """Show which query reads which table, what is used together, and what was left out."""
    parts: list[RenderableType] = [
        _heading(f"{len(analysis.footprints)} queries over {len(analysis.graph.tables)} tables"),
        matrix(analysis.graph, width),
        _heading("Used together (executions)"),
        _pairs(analysis.graph),
    ]
    if analysis.skipped:
        parts.append(_heading(f"{len(analysis.skipped)} statements left out"))
        parts += [Text(f"{s.source}:{s.line}: {s.reason}") for s in analysis.skipped]
    return Group(*parts)


def matrix(graph: AccessGraph, width: int) -> RenderableType:
    """Return the matrix of tables and queries; more queries than fit are continued below."""
    tables = sorted(graph.tables, key=lambda table: (-graph.tables[table], table))
    label = max((len(table) for table in tables), default=5) + 1
    queries = list(graph.queries)
    columns = {query: max(len(query), SHORTEST_COLUMN) + 1 for query in queries}
    parts: list[Text] = []
    while queries:
        room = width - label
        taken: list[str] = []
        while queries and (not taken or room >= columns[queries[0]]):
            room -= columns[queries[0]]
            taken.append(queries.pop(0))
        parts += [Text()] if parts else []
        parts.append(Text(" " * label + "".join(f"{q:>{columns[q]}}" for q in taken), style="dim"))
        for table in tables:
            marks = ("●" if table in graph.queries[q] else "·" for q in taken)
            row = "".join(f"{mark:>{columns[q]}}" for q, mark in zip(taken, marks, strict=True))
            parts.append(Text(f"{table:<{label}}{row}", no_wrap=True))
    return Group(*parts)


def _pairs(graph: AccessGraph) -> RenderableType:
    pairs = sorted(graph.co_access.items(), key=lambda item: (-item[1], item[0]))[:TOP]
    joins = sorted(graph.joins.items(), key=lambda item: (-item[1], item[0].left, item[0].right))
    table = _table("tables", ">uses", "join", "kind", ">uses")
    for row in range(max(len(pairs), min(len(joins), TOP))):
        left = _cells(
            [" + ".join(pairs[row][0]), weight(pairs[row][1])] if row < len(pairs) else []
        )
        edge, uses = joins[row] if row < len(joins) else (None, 0.0)
        right = _cells([f"{edge.left} = {edge.right}", edge.kind, weight(uses)] if edge else [], 3)
        table.add_row(*left, *right)
    return table


def _cells(given: Sequence[str], columns: int = 2) -> list[Text]:
    return [Text(text) for text in (*given, *[""] * (columns - len(given)))]


def plans_text(plans: Sequence[PlacementPlan]) -> RenderableType:
    """Show every candidate with what it is predicted to cost and the limits it breaks."""
    table = _table("candidate", "plan", ">predicted s", ">bound s", ">gap", "limits")
    for plan in sorted(plans, key=lambda p: p.predicted_s):
        table.add_row(
            Text(candidate_name(plan.strategy), style="" if plan.feasible else "dim italic"),
            Text(str(plan.outcome)),
            seconds(plan.predicted_s),
            seconds(plan.bound_s),
            gap(plan),
            Text("kept" if plan.feasible else " ".join(plan.violations)),
        )
    return Group(_heading(f"{len(plans)} candidates"), table)


def placement_text(plan: PlacementPlan, table_bytes: Mapping[str, int]) -> RenderableType:
    """Show what each store holds under a plan; a star marks a table in several stores."""
    held: dict[str, list[str]] = {}
    for name, stores in plan.placement.items():
        for store in stores:
            held.setdefault(store, []).append(name)
    table = _table("store", ">bytes", ">tables", "holds")
    for store, names in sorted(held.items()):
        names.sort(key=lambda name: (-table_bytes.get(name, 0), name))
        starred = (f"{name}*" if len(plan.placement[name]) > 1 else name for name in names)
        total = sum(table_bytes.get(name, 0) for name in names)
        table.add_row(Text(store), size(total), str(len(names)), Text(", ".join(starred)))
    return Group(_heading(f"Placement '{candidate_name(plan.strategy)}'"), table)


def ranking_text(measurements: Measurements, sentence: str) -> RenderableType:
    """Show the measured candidates, best first, the failures and the recommendation."""
    table = _table(
        *(">#", "candidate", ">gap", ">predicted\ns", ">measured\ns", ">spread\ns"),
        *(">queries\nright", ">rows\nmoved", ">bytes\nmoved", ">load\ns"),
        gutter=0,
    )
    for rank, candidate in enumerate(measurements.ranked, start=1):
        table.add_row(*_ranked(rank, candidate), style=_style(candidate, measurements))
    parts: list[RenderableType] = [_heading("Measured"), table]
    if any(not c.plan.feasible for c in measurements.candidates):
        parts.append(Text("(…) a reference: it breaks a limit and cannot be had", style="dim"))
    failures = [
        Text(f"{candidate_name(c.plan.strategy)} {q.query} {q.outcome}: {q.message}", style="red")
        for c in measurements.ranked
        for q in c.queries
        if q.measured_s is None
    ]
    if failures:
        parts += [_heading(f"{len(failures)} queries did not verify"), *failures]
    return Group(*parts, Text(), Text(sentence, style="bold"))


def _ranked(rank: int, candidate: CandidateMeasurement) -> list[str | Text]:
    plan = candidate.plan
    name = candidate_name(plan.strategy)
    return [
        str(rank) if candidate.verified else "",
        Text(name if plan.feasible else f"({name})"),
        gap(plan),
        seconds(plan.predicted_s),
        seconds(candidate.measured_s),
        spread(candidate.spread_s),
        f"{verified_count(candidate)}/{len(candidate.queries)}",
        count(rows_moved(candidate)),
        size(bytes_moved(candidate)),
        seconds(candidate.load_s),
    ]


def _style(candidate: CandidateMeasurement, measurements: Measurements) -> str:
    if candidate is measurements.recommended:
        return "bold green"
    return "" if candidate.plan.feasible else "dim"


def tracked_text(runs: Sequence[TrackedRun]) -> RenderableType:
    """Show tracked runs with their candidates, newest run first."""
    parts: list[RenderableType] = []
    for parent in (run for run in runs if run.parent is None):
        scale = parent.params.get("scale_factor", "none")
        parts.append(_heading(f"{parent.started_at}  {parent.name}, scale factor {scale}"))
        table = _table(
            "candidate", "plan", ">predicted s", ">measured s", ">± spread", ">rows moved"
        )
        nested = [run for run in runs if run.parent == parent.run_id]
        for run in sorted(nested, key=lambda run: run.metrics.get("measured_s", float("inf"))):
            chosen = run.name == parent.params.get("recommended")
            table.add_row(
                Text(candidate_name(run.name)),
                Text(run.params.get("outcome", "")),
                seconds(run.metrics.get("predicted_s")),
                seconds(run.metrics.get("measured_s")),
                spread(run.metrics.get("spread_s")),
                count(run.metrics.get("rows_moved", 0.0)),
                style="bold green" if chosen else "",
            )
        parts.append(table)
    return Group(*parts)


def stores_text(states: Sequence[ServerStatus]) -> RenderableType:
    """Show the embedded stores of a project and where their servers listen."""
    if not states:
        return Text("No embedded store was started yet: `advisor stores up` does.")
    table = _table("store", "kind", "server", ">port", ">pid", "folder")
    for state in states:
        server = "stopped" if state.pid is None else "kept up" if state.kept else "in use"
        port = "" if state.port is None else str(state.port)
        pid = "" if state.pid is None else str(state.pid)
        table.add_row(Text(state.store), state.kind, server, port, pid, Text(str(state.folder)))
    return table


def _heading(text: str) -> Text:
    return Text(f"\n{text}", style="bold")


def _table(*columns: str, gutter: int = 1) -> Table:
    """Return an empty table; ``>`` before a column's name aligns its figures to the right."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, gutter, 0, 0))
    for name in columns:
        figures = name.startswith(">")
        table.add_column(
            name.removeprefix(">"),
            justify="right" if figures else "left",
            no_wrap=figures,
            overflow="fold",
        )
    return table
