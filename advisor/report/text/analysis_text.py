"""An analysis, for a terminal of 80 to 120 columns."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from advisor.analysis.analysis import Analysis
from advisor.figures import count, counted, percent, size, weight
from advisor.report.parts.tables import heading, table_of
from placement.fragment import Fragment
from placement.stores import Capability
from workloads.access_graph import AccessGraph
from workloads.workload import SkippedKind

TOP = 10
MOST_TABLES = 40
MOST_QUERIES = 25
"""A matrix of more tables or queries is no help on a terminal."""
MOST_TEMPORARY = 3
"""So many temporary tables are named."""

SHORTEST_COLUMN = 3
SKIPPED_KINDS: Mapping[SkippedKind, str] = {
    "invalid": "not understood",
    "definition": "definitions",
    "session": "session commands",
    "unrecorded": "without their SQL or failed",
    "load": "loads",
    "dump": "dumps",
    "maintenance": "maintenance",
    "catalog": "catalog queries",
    "temporary": "on temporary tables",
    "own": "the advisor's own",
    "filtered": "filtered",
    "untold": "without what a filter asks for",
}


def analysis_text(analysis: Analysis, width: int) -> RenderableType:
    """Show tables, their use, pairs, joins, fragments, and what was left out."""
    graph = analysis.graph
    read, number = len(analysis.footprints), len(analysis.writes)
    writing = f", {number} that only write{'s' if number == 1 else ''}" if number else ""
    parts = [
        heading(
            f"{read} {'query' if read == 1 else 'queries'}{writing} in the SQL of "
            f"'{analysis.workload.dialect}'{_passed(analysis)} over "
            f"{counted(len(graph.tables), 'table')}"
        ),
        _tables(analysis),
        access_text(graph, width),
    ]
    if analysis.fragments:
        parts += [heading("What stores could hand over (estimated)"), _fragments(analysis)]
    if analysis.skipped:
        parts.append(_skipped(analysis))
    return Group(*parts)


def _passed(analysis: Analysis) -> str:
    number = len(analysis.passed_through)
    own = "its server's" if number == 1 else "their servers'"
    return f", {number} passed through in {own} own SQL," if number else ""


def access_text(graph: AccessGraph, width: int) -> RenderableType:
    """Show which query reads which table, and what is used and joined together most."""
    parts: list[RenderableType] = []
    if len(graph.tables) <= MOST_TABLES and len(graph.queries) <= MOST_QUERIES:
        parts += [Text(), matrix(graph, width)]
    pairs = sorted(graph.co_access.items(), key=lambda item: (-item[1], item[0]))
    joins = sorted(graph.joins.items(), key=lambda item: (-item[1], item[0]))
    together = table_of("tables", ">uses")
    for pair, uses in pairs[:TOP]:
        together.add_row(Text(" + ".join(pair)), weight(uses))
    joined = table_of("join", "kind", ">uses")
    for edge, uses in joins[:TOP]:
        joined.add_row(Text(f"{edge.left} = {edge.right}"), edge.kind, weight(uses))
    parts += [heading("Used together (executions)"), together, *_more(len(pairs) - TOP, "pairs")]
    parts += [heading("Joined (executions)"), joined, *_more(len(joins) - TOP, "joins")]
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


def _tables(analysis: Analysis) -> RenderableType:
    graph, catalog = analysis.graph, analysis.catalog
    used = sorted(
        graph.tables.keys() | graph.writes.keys(),
        key=lambda name: (-graph.tables.get(name, 0.0), -graph.writes.get(name, 0.0), name),
    )
    table = table_of("table", ">rows", ">bytes", ">reads", ">writes")
    for name in used[:MOST_TABLES]:
        shape = catalog.tables[name]
        assumed = "?" if name in analysis.assumed_rows else ""
        reads, writes = graph.tables.get(name, 0.0), graph.writes.get(name, 0.0)
        table.add_row(
            Text(name),
            assumed + count(shape.rows),
            assumed + size(shape.bytes),
            weight(reads),
            weight(writes) if writes else "",
        )
    unused = len(catalog.tables) - len(used)
    parts = [table, *_more(len(used) - MOST_TABLES, "tables")]
    if unused:
        are = "table of the catalog is" if unused == 1 else "tables of the catalog are"
        parts.append(Text(f"{unused} {are} not used", style="dim"))
    return Group(*parts)


def _fragments(analysis: Analysis) -> RenderableType:
    """Show the queries with the largest fragments: the largest one, and the whole result."""
    largest = {
        query: max(fragments, key=lambda fragment: fragment.work.bytes_out)
        for query, fragments in analysis.fragments.items()
        if fragments
    }
    table = table_of(
        "query", ">fragments", "largest", ">rows", ">bytes", ">result\nrows", ">result\nbytes"
    )
    by_bytes = sorted(largest.items(), key=lambda item: (-item[1].work.bytes_out, item[0]))
    for query, fragment in by_bytes[:TOP]:
        whole = result_of(analysis.fragments[query])
        table.add_row(
            Text(query),
            str(len(analysis.fragments[query])),
            Text(" ⋈ ".join(sorted(fragment.tables))),
            count(fragment.work.rows_out),
            size(fragment.work.bytes_out),
            "" if whole is None else count(whole.work.rows_out),
            "" if whole is None else size(whole.work.bytes_out),
        )
    return Group(table, *_more(len(by_bytes) - TOP, "queries"))


def result_of(fragments: Sequence[Fragment]) -> Fragment | None:
    """Return the fragment that is the whole query, if one store could run it."""
    return next((each for each in fragments if each.kind is Capability.QUERY), None)


def _skipped(analysis: Analysis) -> RenderableType:
    kinds = analysis.skipped_by_kind
    by_kind = ", ".join(
        f"{kinds[kind][0]:,} {said}{_temporary(analysis) if kind == 'temporary' else ''}"
        for kind, said in SKIPPED_KINDS.items()
        if kind in kinds
    )
    number = sum(statements for statements, _ in kinds.values())
    parts = [heading(f"{number:,} statements left out: {by_kind}")]
    if analysis.invalid:
        share = percent(analysis.invalid_share)
        parts.append(Text(f"Statements that were not understood are {share} of the executions:"))
    parts += [Text(f"{s.source}:{s.line}:{s.column}: {s.reason}") for s in analysis.invalid]
    return Group(*parts)


def _temporary(analysis: Analysis) -> str:
    """Return which temporary tables statements are left out for, and how many for each."""
    numbers: Counter[str] = Counter()
    for each in analysis.skipped:
        if each.temporary:
            numbers[each.temporary] += each.statements
    named = [f"'{name}' {number:,}" for name, number in numbers.most_common(MOST_TEMPORARY)]
    more = len(numbers) - len(named)
    return f" ({', '.join(named)}{f' and {more:,} more' if more else ''})"


def _more(number: int, what: str) -> Iterator[RenderableType]:
    if number > 0:
        yield Text(f"and {number:,} more {what} in --json and --html", style="dim")
