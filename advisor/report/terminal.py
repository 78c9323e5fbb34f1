"""Tables and sentences for a terminal of 80 to 120 columns."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from rich.console import Group, RenderableType
from rich.text import Text

from advisor.figures import (
    NONE,
    bytes_moved,
    candidate_name,
    count,
    counted,
    gap,
    live_tables,
    rows_moved,
    seconds,
    size,
    spread,
    undetermined,
    verified_count,
)
from advisor.report.parts.another_way import answered_otherwise
from advisor.report.parts.at_once import AtOnce
from advisor.report.parts.literals import literals_said
from advisor.report.parts.tables import heading, table_of
from advisor.report.text.at_once_text import at_once_text
from advisor.report.text.direct_text import direct_text
from advisor.report.text.predictions_text import predictions_text
from advisor.report.text.throughput_text import throughput_text
from evaluation.embedded import ServerStatus
from evaluation.measuring.measurement import (
    CandidateMeasurement,
    Measurements,
    PassedThrough,
    QueryOutcome,
)
from evaluation.measuring.prediction_quality import prediction_quality
from evaluation.running.job import OURS
from evaluation.tracking.track import TrackedRun
from placement.plan import PlacementPlan
from placement.strategies import Candidates


def plans_text(
    plans: Sequence[PlacementPlan],
    unmade: Mapping[str, str] = MappingProxyType({}),
    cut: Mapping[str, str] = MappingProxyType({}),
) -> RenderableType:
    """Show every candidate with what it is predicted to cost and the limits it breaks.

    `unmade` maps strategies that were left out to the kind of store that they need, `cut` those
    that could not be made in time to the reason.
    """
    table = table_of("candidate", "plan", ">predicted s", ">bound s", ">gap", "limits")
    for plan in sorted(plans, key=lambda p: p.predicted_s):
        table.add_row(
            Text(candidate_name(plan.strategy), style="" if plan.feasible else "dim italic"),
            Text(str(plan.outcome)),
            seconds(plan.predicted_s),
            seconds(plan.bound_s),
            gap(plan),
            Text(_broken(plan)),
        )
    parts: list[RenderableType] = [heading(counted(len(plans), "candidate")), table]
    if not all(plan.feasible for plan in plans):
        hint = "INFEASIBLE: breaks a limit. `advisor place -s NAME` says all limits that it breaks."
        parts.append(Text(hint, style="dim"))
    for name, kind in unmade.items():
        hint = f"Left out: {candidate_name(name)}, which needs a store of kind {kind}."
        parts.append(Text(hint, style="dim"))
    for name, reason in cut.items():
        parts.append(Text(f"Left out: {candidate_name(name)}: {reason.rstrip('.')}."))
    stopped = [plan for plan in plans if plan.cut is not None]
    parts += [Text(f"{candidate_name(plan.strategy)}: {plan.cut}.") for plan in stopped]
    return Group(*parts)


def candidates_text(
    candidates: Candidates, unmade: Mapping[str, str], clients: AtOnce | None
) -> RenderableType:
    """Show every candidate, and what is predicted of each for several clients, if any."""
    shown = plans_text(candidates.plans, unmade, candidates.unmade)
    return shown if clients is None else Group(shown, at_once_text(clients, candidates.plans))


def _broken(plan: PlacementPlan) -> str:
    """Write the first limit that a plan breaks, without the way out, and how many more there are.

    A single store under many constraints breaks a dozen: a page that nobody reads.
    """
    if not plan.violations:
        return "kept"
    first, *others = plan.violations
    return f"{first.partition(': ')[0].rstrip('.')}{f', and {len(others)} more' if others else ''}"


def placement_text(plan: PlacementPlan, table_bytes: Mapping[str, int]) -> RenderableType:
    """Show what each store holds under a plan; a star marks a table in several stores."""
    held: dict[str, list[str]] = {}
    for name, stores in plan.placement.items():
        for store in stores:
            held.setdefault(store, []).append(name)
    table = table_of("store", ">bytes", ">tables", "holds")
    for store, names in sorted(held.items()):
        names.sort(key=lambda name: (-table_bytes.get(name, 0), name))
        starred = (f"{name}*" if len(plan.placement[name]) > 1 else name for name in names)
        total = sum(table_bytes.get(name, 0) for name in names)
        table.add_row(Text(store), size(total), str(len(names)), Text(", ".join(starred)))
    return Group(heading(f"Placement '{candidate_name(plan.strategy)}'"), table)


def ranking_text(
    measurements: Measurements, sentence: str, remarks: Sequence[str] = ()
) -> RenderableType:
    """Show the measured candidates, best first, the failures and the recommendation."""
    table = table_of(
        *(">#", "candidate", ">gap", ">predicted\ns", ">took\ns", ">spread\ns", ">runs"),
        *(">right", ">rows\nmoved", ">bytes\nmoved", ">load\ns"),
        gutter=0,
    )
    rank = 0
    for candidate in measurements.ranked:
        rank += candidate.plan.feasible
        table.add_row(*_ranked(rank, candidate), style=_style(candidate, measurements))
    title = "Measured" if measurements.engine == OURS else f"Measured by {measurements.engine}"
    parts: list[RenderableType] = [heading(title), table]
    if any(not c.plan.feasible for c in measurements.candidates):
        parts.append(Text("(…) a reference: it breaks a limit", style="dim"))
    failures = [
        Text(f"{candidate_name(c.plan.strategy)} {q.query} {q.outcome}: {q.message}", style="red")
        for c in measurements.ranked
        for q in c.queries
        if q.measured_s is None and q.outcome.is_judged
    ]
    if failures:
        parts += [heading(f"{len(failures)} queries did not verify"), *failures]
    if otherwise := answered_otherwise(measurements):
        parts += [heading("Verified, but not answered as planned"), *map(Text, otherwise)]
    parts += map(_left_out, undetermined(measurements).items())
    parts += [Text(each, style="dim") for each in literals_said(measurements.literals)]
    if measurements.live:
        parts.append(Text(live_tables(measurements), style="dim"))
    if measurements.direct:
        parts.append(direct_text(measurements))
    if measurements.passed_through:
        parts += _passed_through(measurements.passed_through)
    if any(candidate.loops for candidate in measurements.candidates):
        parts.append(throughput_text(measurements))
    parts.append(predictions_text(prediction_quality(measurements), remarks))
    return Group(*parts, Text(), Text(sentence, style="bold"))


def _passed_through(found: Sequence[PassedThrough]) -> list[RenderableType]:
    table = table_of("statement", "in", ">took\ns", "outcome")
    for each in found:
        said = f"{each.outcome}: {each.message}" if each.message else str(each.outcome)
        fine = each.outcome in (QueryOutcome.VERIFIED, QueryOutcome.KEPT)
        style = "" if fine else "red"
        table.add_row(
            Text(each.query), Text(each.store), seconds(each.measured_s), Text(said), style=style
        )
    note = "Compared with the server's own answer; no part of any candidate's seconds"
    return [heading("Passed through"), table, Text(note, style="dim")]


def _left_out(found: tuple[str, str]) -> Text:
    query, message = found
    return Text(f"{query} has no part in any candidate's seconds: {message}", style="yellow")


def _ranked(rank: int, candidate: CandidateMeasurement) -> list[str | Text]:
    plan = candidate.plan
    name = candidate_name(plan.strategy)
    return [
        "" if candidate.measured_s is None or not plan.feasible else str(rank),
        Text(name if plan.feasible else f"({name})"),
        gap(plan),
        seconds(candidate.predicted_s),
        seconds(candidate.measured_s),
        spread(candidate.spread_s),
        str(candidate.rounds),
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
        parts.append(heading(f"{parent.started_at}  {parent.name}, {_setting(parent.params)}"))
        table = table_of(
            "candidate", "plan", ">predicted s", ">measured s", ">± spread", ">rows moved"
        )
        nested = [run for run in runs if run.parent == parent.run_id]
        for run in sorted(nested, key=lambda run: run.metrics.get("measured_s", float("inf"))):
            # Runs of earlier versions are named by their strategy.
            strategy = run.params.get("strategy", run.name)
            chosen = strategy == parent.params.get("recommended")
            rows = run.metrics.get("rows_moved")
            table.add_row(
                Text(candidate_name(strategy)),
                Text(run.params.get("outcome", "")),
                seconds(run.metrics.get("predicted_s")),
                seconds(run.metrics.get("measured_s")),
                spread(run.metrics.get("spread_s")),
                NONE if rows is None else count(rows),
                style="bold green" if chosen else "",
            )
        parts.append(table)
    return Group(*parts)


def _setting(params: Mapping[str, str]) -> str:
    """Say what a tracked run was made with: runs differ in it on purpose."""
    said = [f"scale factor {params.get('scale_factor', 'none')}"]
    if "join_strategy" in params:
        said += [f"workers: {params['workers']}", f"joins: {params['join_strategy']}"]
    if params.get("combine", "automatic") != "automatic":
        said.append(f"combined by {params['combine']}")
    return ", ".join(said)


def ui_lines(address: str, table: str | None, charts: str | None) -> tuple[str, ...]:
    """Say where MLflow's UI is, and the table and the charts of the newest run's candidates."""
    lines = [f"MLflow's UI is at {address} (Ctrl-C stops it)"]
    if table is not None:
        lines += ["", "Candidates of the newest run, side by side:", table]
    if charts is not None:
        lines += ["", "The same as charts:", charts]
    return tuple(lines)


def stores_text(states: Sequence[ServerStatus]) -> RenderableType:
    """Show the embedded stores of a project and where their servers listen."""
    if not states:
        return Text("No embedded store has been started yet: `advisor stores up` starts them.")
    table = table_of("store", "kind", "server", ">port", ">pid", "folder")
    for state in states:
        server = "stopped" if state.pid is None else "kept up" if state.kept else "in use"
        port = "" if state.port is None else str(state.port)
        pid = "" if state.pid is None else str(state.pid)
        table.add_row(Text(state.store), state.kind, server, port, pid, Text(str(state.folder)))
    return table
