"""Why tables are where they are and queries run as they do, for a terminal."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from advisor.figures import NONE, counted, seconds, size, weight
from advisor.report.parts.tables import heading, table_of
from placement.fragment_cost import FragmentCost
from placement.plan import RoutedFragment
from placement.reasons.alternatives import Alternative, Change
from placement.reasons.explain import TableReasons
from placement.reasons.explain_query import QueryReasons
from placement.reasons.query_changes import QueryChange

MOST_QUERIES = 8
MOST_MOVES = 6


def tables_text(reasons: Sequence[TableReasons]) -> RenderableType:
    """Show every table with what holds it, and its cheapest other place."""
    table = table_of(
        "table", "in", ">bytes", ">queries", "held by", "cheapest elsewhere", ">costs s more"
    )
    for each in reasons:
        cheapest = each.cheapest
        table.add_row(
            Text(each.table),
            Text(", ".join(each.stores)),
            size(each.size_bytes),
            str(each.queries),
            Text(each.held_by),
            Text(NONE if cheapest is None else change_text(cheapest.change, each.stores)),
            NONE if cheapest is None else _marked(cheapest),
        )
    marked = any(each.cheapest is not None and each.cheapest.violations for each in reasons)
    parts: list[RenderableType] = [
        heading(f"{counted(len(reasons), 'table')}, all others fixed"),
        table,
    ]
    if marked:
        parts.append(Text("* breaks a limit, as every other place of this table", style="dim"))
    return Group(*parts)


def table_text(reasons: TableReasons) -> RenderableType:
    """Show one table's alternatives, with the queries that gain and lose."""
    stores = ", ".join(reasons.stores)
    several = "query reads" if reasons.queries == 1 else "queries read"
    times = "once" if reasons.executions == 1 else f"{weight(reasons.executions)} times"
    parts: list[RenderableType] = [
        heading(f"Table '{reasons.table}' is in {stores}, held by: {reasons.held_by}"),
        Text(reasons.because),
        Text(f"{size(reasons.size_bytes)}; {reasons.queries} {several} it, {times} in all."),
    ]
    if reasons.fixed:
        parts.append(_overview(reasons))
    free = {each.change: each for each in reasons.free}
    for each in reasons.fixed:
        parts += _details(each, free.get(each.change), reasons.stores)
    return Group(*parts, *_cut(reasons))


def _cut(reasons: TableReasons) -> Iterator[RenderableType]:
    """Say which other places were not solved for to the end, and which not at all."""
    cut = [each for each in reasons.free if each.cut is not None]
    if cut:
        named = "; ".join(change_text(each.change, reasons.stores) for each in cut)
        yield Text(f"\nAll else free, these may cost less: {named}. {cut[0].cut}.", style="yellow")
    if reasons.late:
        named = "; ".join(change_text(each, reasons.stores) for each in reasons.late)
        yield Text(
            f"\nLeft out with all else free: {named}. The time was over, which all of them share: "
            "raise [place].time_limit_s, or leave them all out with --fixed-only.",
            style="yellow",
        )


def _overview(reasons: TableReasons) -> RenderableType:
    columns = ["instead", ">all else fixed: s", ">s more"]
    if reasons.free:
        columns += [">all else free: s", ">s more", ">others move"]
    table = table_of(*columns)
    free = {each.change: each for each in reasons.free}
    for each in reasons.fixed:
        row = [
            Text(change_text(each.change, reasons.stores)),
            Text(seconds(each.predicted_s)),
            Text(_marked(each)),
        ]
        other = free.get(each.change)
        if other is not None:
            others = "" if other.plan is None else str(len(other.moves))
            row += [Text(seconds(other.predicted_s)), Text(_marked(other)), Text(others)]
        elif reasons.free:
            row += [Text(NONE)] * 3
        table.add_row(*row)
    return table


def _details(
    fixed: Alternative, free: Alternative | None, held: tuple[str, ...]
) -> list[RenderableType]:
    parts: list[RenderableType] = [heading(change_text(fixed.change, held).capitalize())]
    parts += [Text(f"* {sentence}", style="yellow") for sentence in fixed.violations]
    if fixed.plan is None:
        parts.append(Text(f"All else fixed: {fixed.reason}"))
    elif fixed.queries:
        parts.append(queries_text(fixed.queries))
    else:
        parts.append(Text("No query gains or loses."))
    if free is not None and free.plan is None:
        parts.append(Text(f"All else free: {free.reason}"))
    elif free is not None and free.moves:
        named = ", ".join(free.moves[:MOST_MOVES])
        rest = len(free.moves) - MOST_MOVES
        parts.append(Text(f"All else free, {named}{f' and {rest} more' if rest > 0 else ''} move."))
    return parts


def queries_text(queries: Sequence[QueryChange]) -> RenderableType:
    """Show the queries that change the most; how the others do in one line."""
    table = table_of("query", ">executions", ">s before", ">s after", ">all s more")
    for each in queries[:MOST_QUERIES]:
        table.add_row(
            Text(each.query),
            weight(each.after_executions or each.before_executions),
            seconds(each.before_s) if each.before_executions else NONE,
            seconds(each.after_s) if each.after_executions else NONE,
            signed(each.delta_s),
        )
    rest = queries[MOST_QUERIES:]
    if not rest:
        return table
    more = f"and {len(rest)} more queries, {signed(sum(each.delta_s for each in rest))} s in all"
    return Group(table, Text(more, style="dim"))


def costs_table(fragments: Sequence[tuple[RoutedFragment, FragmentCost]]) -> RenderableType:
    """Show a query's fragments with their predicted seconds by kind of work."""
    table = table_of(
        *("fragment", "in", ">start", ">scan", ">join", ">aggregate", ">transfer"),
        *(">engine", ">all s"),
    )
    for routed, cost in fragments:
        table.add_row(
            Text(f"{routed.fragment.kind} of {', '.join(sorted(routed.fragment.tables))}"),
            Text(routed.store),
            *(
                seconds(value) if value else NONE
                for value in (
                    *(cost.start_s, cost.scan_s, cost.join_s, cost.aggregate_s),
                    *(cost.transfer_s, cost.engine_s),
                )
            ),
            seconds(cost.total_s),
        )
    return table


def stores_table(reasons: QueryReasons) -> RenderableType:
    """Show what each store would make of a query if it held all its tables."""
    stores = table_of("store", ">s there", ">fragments", "what keeps it from running there whole")
    for each in reasons.stores:
        stores.add_row(
            Text(each.store),
            seconds(each.predicted_s),
            str(each.fragments) if each.fragments else NONE,
            Text(each.obstacle or "nothing: it does"),
        )
    return stores


def change_text(change: Change, held: tuple[str, ...]) -> str:
    """Name a change of a table that is in the stores `held`."""
    if change.kind == "add":
        return f"a copy in {change.enters} too"
    if change.kind == "drop":
        return f"no copy in {change.leaves}"
    if len(held) == 1:
        return f"in {change.enters}"
    return f"in {change.enters} instead of {change.leaves}"


def signed(value: float) -> str:
    """Write seconds more, or less, with their sign; nothing is 0."""
    written = seconds(abs(value))
    if not written.strip("0.,"):
        return "<0.001" if value else "0"
    return f"{'+' if value > 0 else '-'}{written}"


def _marked(alternative: Alternative) -> str:
    """Write what an alternative costs more, with a star where it breaks a limit."""
    if alternative.plan is None:
        return "impossible"
    return f"{signed(alternative.delta_s)}{'*' if alternative.violations else ''}"
