"""A query's fragments for a terminal: predicted beside measured, why no larger, and their SQL."""

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from advisor.figures import (
    NONE,
    candidate_name,
    count,
    counted,
    factor,
    fragment_name,
    seconds,
    size,
    spelled,
    weight,
)
from advisor.planned.explained_query import (
    ExplainedFragment,
    ExplainedQuery,
    FragmentSql,
    Statements,
)
from advisor.planned.measured_runs import MeasuredQuery
from advisor.report.parts.tables import heading, table_of
from advisor.report.text.reasons_explain import costs_table, stores_table
from evaluation.federation.compiled import OneScan
from evaluation.measuring.prediction_quality import (
    FEWEST_ROWS,
    LEAST_S,
    q_error,
    seconds_q_error,
    store_s,
)
from workloads.features import REASONS

INDENT = (0, 0, 0, 2)


def explained_text(explained: ExplainedQuery) -> RenderableType:
    """Show a query: its fragments, what each store would make of it, and all SQL."""
    reasons = explained.reasons
    executions = "once" if reasons.executions == 1 else f"{weight(reasons.executions)} times"
    parts: list[RenderableType] = [
        heading(
            f"Query '{reasons.query}': {counted(len(reasons.fragments), 'fragment')}, "
            f"{seconds(reasons.predicted_s)} s, run {executions}"
        ),
        _measured_text(explained),
        _fragments_table(explained),
        Text(_what_is_compared(explained), style="dim"),
        heading("Predicted seconds by kind of work"),
        costs_table([(each.routed, each.cost) for each in explained.fragments]),
        heading("If one store held all its tables"),
        stores_table(reasons),
    ]
    for number, fragment in enumerate(explained.fragments, start=1):
        parts += _fragment_parts(number, fragment)
    if explained.failure:
        parts.append(Text(f"\nIt cannot be run: {explained.failure}", style="red"))
    if explained.combine_sql is not None:
        parts += [*_combined_by(explained), _code(explained.combine_layout)]
    return Group(*parts)


def _combined_by(explained: ExplainedQuery) -> list[RenderableType]:
    if explained.combiner == "spark":
        return [heading("Combined by Spark")]
    reasons = " ".join(REASONS[each] for each in explained.lacked)
    why = (
        f"Spark would answer otherwise. {reasons}"
        if reasons
        else "Its fragments are small, so that Spark would take longer. Should they be much larger "
        "than predicted, Spark combines them."
    )
    return [heading("Combined by DuckDB in the driver"), Text(why, style="dim")]


def _measured_text(explained: ExplainedQuery) -> Text:
    found = explained.measured
    if found is None:
        return Text(
            "Not measured yet: 'advisor evaluate PROJECT PLAN' does, or name a run with "
            "--measured FILE.",
            style="dim",
        )
    when = found.started_at.replace("T", " ") or "at an unknown time"
    where = f"Measured {when} as '{candidate_name(found.strategy)}'"
    query = found.query
    if query.measured_s is None:
        return Text(f"{where}: {query.outcome}. {query.message}", style="red")
    off = seconds_q_error(explained.reasons.predicted_s, query.measured_s)
    judged = (
        f"it and the prediction are below {LEAST_S:g} s, too short to be compared"
        if off is None
        else f"the prediction is off by a factor of {factor(off)}"
    )
    engine_s = query.engine_s
    engine = "" if engine_s is None else f", {seconds(engine_s)} s of it in the engine alone"
    return Text(f"{where}: {seconds(query.measured_s)} s{engine}; {judged}. {_engine_text(query)}")


def _engine_text(query: MeasuredQuery) -> str:
    """Return what the engine told of its own work; what it did not tell has an en dash."""
    exchanges = NONE if query.exchanges is None else counted(query.exchanges, "exchange")
    records = NONE if query.shuffle_records is None else count(query.shuffle_records)
    shuffled, spilled, peak = (
        NONE if each is None else size(each)
        for each in (query.shuffle_bytes, query.spilled_bytes, query.peak_memory_bytes)
    )
    return (
        f"{exchanges}, {records} records and {shuffled} shuffled, {spilled} spilled, at most "
        f"{peak} of memory."
    )


def _fragments_table(explained: ExplainedQuery) -> RenderableType:
    measured = any(each.measured is not None for each in explained.fragments)
    columns = [">#", "fragment", "in", ">rows", ">bytes", ">s in store"]
    if measured:
        columns += [">rows\nmeasured", ">s\nmeasured", ">q-error\nrows", ">q-error\ns"]
    table = table_of(*columns)
    for number, each in enumerate(explained.fragments, start=1):
        routed, fragment = each.routed, each.routed.fragment
        name = fragment_name(
            fragment.kind,
            sorted(fragment.tables),
            fragment.reduction.reducers,
            preaggregated=fragment.reduction.preaggregated,
        )
        table.add_row(
            str(number),
            Text(name),
            Text(routed.store),
            count(fragment.work.rows_out),
            size(fragment.work.bytes_out),
            seconds(store_s(routed)),
            *(_measured_cells(each) if measured else ()),
        )
    return table


def _measured_cells(each: ExplainedFragment) -> tuple[str, ...]:
    found = each.measured
    if found is None or not found.partitions:
        is_read_once = each.sql is not None and (each.sql.same_as or each.sql.one_scan)
        why = "read once" if is_read_once else "not read"
        return (why if found is not None else NONE, NONE, NONE, NONE)
    rows = q_error(each.routed.fragment.work.rows_out, found.rows, least=FEWEST_ROWS)
    time = seconds_q_error(store_s(each.routed), found.seconds)
    off = NONE if time is None else factor(time)
    return count(found.rows), seconds(found.seconds), factor(rows), off


def _what_is_compared(explained: ExplainedQuery) -> str:
    text = "Rows, bytes and seconds are predicted; seconds are in the store and on the way."
    if any(each.measured is not None for each in explained.fragments):
        text += (
            " Measured: what the engine waited for the store's driver, without the connection and "
            "the task's start, which the prediction has. Their q-error takes seconds below "
            f"{LEAST_S:g} for {LEAST_S:g}, and where both are below there is none."
        )
    return text


def _fragment_parts(number: int, fragment: ExplainedFragment) -> list[RenderableType]:
    routed, work = fragment.routed, fragment.routed.fragment.work
    view = "" if fragment.sql is None else f", as {fragment.sql.view}"
    parts: list[RenderableType] = [
        heading(f"{number}: {routed.fragment.kind} in {routed.store}{view}")
    ]
    if routed.fragment.reduction.preaggregated:
        parts.append(
            Text(
                "Pre-aggregated: a row for each group that the rest of the query tells apart, "
                f"{count(work.rows_out)} of {count(work.aggregate_rows)} rows."
            )
        )
    if fragment.limits:
        reasons = " ".join(limit.sentence for limit in fragment.limits)
        parts.append(Text(f"Why no larger: {reasons}"))
    if fragment.sql is not None:
        parts += _sql_parts(routed.store, fragment.sql)
    return parts


def _one_scan_parts(view: str, scan: OneScan) -> list[RenderableType]:
    if scan.view != view:
        return [Text(f"Not read: its rows are taken from the scan of {scan.view}.")]
    return [
        Text("Other fragments read this table too. One scan is read for all of them:"),
        _code(scan.sql),
        Text("This fragment has these of its rows:"),
    ]


def _sql_parts(store: str, sql: FragmentSql) -> list[RenderableType]:
    parts: list[RenderableType] = []
    if sql.same_as is not None:
        parts.append(Text(f"Not read: its rows are those of {sql.same_as}."))
    if sql.one_scan is not None:
        parts += _one_scan_parts(sql.view, sql.one_scan)
    if sql.held_back:
        parts.append(
            Text(
                f"Not sent: filters with {', '.join(spelled(each) for each in sql.held_back)}, "
                f"which store '{store}' cannot express; the engine applies them."
            )
        )
    if sql.statements is not None:
        parts.append(_statements_text(sql.statements, restricted=bool(sql.keys)))
    parts.append(_code(sql.layout))
    for key in sql.keys:
        source = key.source
        where = f"{source.view}.{source.column}" if source.sql is None else f"'{source.store}', by"
        among = "among" if key.operator == "IN" else f"{key.operator} one of"
        parts.append(Text(f"restricted to the {key.quoted} that are {among} the keys of {where}"))
        if source.sql is not None:
            parts.append(_code(source.sql))
    return parts


def _statements_text(found: Statements, *, restricted: bool) -> Text:
    """Return how many statements read a fragment; one does that finds its keys in a table."""
    number = "several statements"
    if found.most is not None:
        number = f"up to {counted(found.most, 'statement')}"
    one = ", or by one where its keys are loaded into a table" if restricted else ""
    column = found.hidden or found.column
    return Text(f"Read by {number} at the same time, each a range of {column}{one}:")


def _code(text: str) -> RenderableType:
    return Padding(Text(text, style="cyan"), INDENT, expand=False)
