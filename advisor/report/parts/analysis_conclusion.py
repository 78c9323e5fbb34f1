"""An analysis in a few sentences: what belongs together, and what a placement has to respect."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from advisor.analysis.analysis import Analysis
from advisor.figures import listed, percent, size, weight
from workloads.access_graph import AccessGraph
from workloads.query_access import query_access

MOST_PAIRS = 3
MOST_LARGE = 4
MOST_WRITTEN = 4
LARGE_SHARE = 0.5
"""The largest tables are named until they have this share of the bytes."""
SMALL_SHARE = 0.1
"""A copy of a table with a smaller share of the bytes is no matter of capacity."""
FEWEST_PARTNERS = 4
"""A table that is joined with fewer needs no copies to be beside them."""


def together(analysis: Analysis) -> str:
    """Say which tables are joined most, and which small one with the most others."""
    found = _joined(analysis)
    if not found:
        return "No query joins two tables: each table can be placed by itself."
    total = sum(each.executions for each in analysis.footprints)
    ordered = sorted(found, key=lambda pair: (-found[pair], pair))[:MOST_PAIRS]
    named = [f"{left} with {right} ({weight(found[left, right])})" for left, right in ordered]
    named[0] = f"{named[0].removesuffix(')')} of {weight(total)} executions)"
    return f"Keep together what is joined most: {listed(named)}.{_hub(analysis, found)}"


def respects(analysis: Analysis) -> str:
    """Say which tables decide the capacities, and which ones are written."""
    sentences = (*_large(analysis), _written(analysis.graph))
    return " ".join(sentences)


def _joined(analysis: Analysis) -> Mapping[tuple[str, str], float]:
    """Return pair of tables → executions of the queries that join it, by whatever columns."""
    found: dict[tuple[str, str], float] = defaultdict(float)
    for footprint in analysis.footprints:
        ends = (
            sorted(end.rpartition(".")[0] for end in (edge.left, edge.right))
            for edge in query_access(footprint).joins
        )
        for left, right in {(left, right) for left, right in ends if left != right}:
            found[left, right] += footprint.executions
    return found


def _hub(analysis: Analysis, pairs: Mapping[tuple[str, str], float]) -> str:
    """Name the table below `SMALL_SHARE` of the bytes that is joined most, if with several."""
    partners: dict[str, int] = defaultdict(int)
    uses: dict[str, float] = defaultdict(float)
    for pair, executions in pairs.items():
        for table in pair:
            partners[table] += 1
            uses[table] += executions
    used = _used(analysis)
    most_bytes = SMALL_SHARE * sum(used.values())
    small = [
        name
        for name, others in partners.items()
        if others >= FEWEST_PARTNERS and used[name] < most_bytes
    ]
    if not small:
        return ""
    table = min(small, key=lambda name: (-uses[name], name))
    return (
        f" Of the tables below {percent(SMALL_SHARE)} of the bytes, {table} ({size(used[table])}) "
        f"is joined most, with {partners[table]} others: a copy in their stores keeps these joins "
        "there."
    )


def _used(analysis: Analysis) -> Mapping[str, int]:
    """Return table → bytes of those that are read or written, the largest first."""
    used = analysis.graph.tables.keys() | analysis.graph.writes.keys()
    tables = analysis.catalog.tables
    ordered = sorted(used, key=lambda name: (-tables[name].bytes, name))
    return {name: tables[name].bytes for name in ordered}


def _largest(analysis: Analysis) -> Sequence[str]:
    """Return the largest tables that are used, until they have `LARGE_SHARE` of the bytes."""
    used = _used(analysis)
    found: list[str] = []
    for name in list(used)[:MOST_LARGE]:
        found.append(name)
        if sum(used[each] for each in found) >= LARGE_SHARE * sum(used.values()):
            break
    return found


def _large(analysis: Analysis) -> Iterator[str]:
    used, largest = _used(analysis), _largest(analysis)
    total = sum(used.values())
    if not total:
        return
    named = [
        f"{name} ({size(used[name])}{', assumed' if name in analysis.assumed_rows else ''})"
        for name in largest
    ]
    has = "has" if len(named) == 1 else "have"
    share = percent(sum(used[name] for name in largest) / total)
    yield (
        f"{listed(named)} {has} {share} of the {size(total)} that are used: the stores' capacities "
        "decide where to place "
        f"{'it' if len(named) == 1 else 'them'}."
    )


def _written(graph: AccessGraph) -> str:
    if not graph.writes:
        return "No statement writes a table, so that copies need no upkeep."
    ordered = sorted(graph.writes, key=lambda name: (-graph.writes[name], name))
    named = [f"{name} ({weight(graph.writes[name])})" for name in ordered[:MOST_WRITTEN]]
    named[0] = f"{named[0].removesuffix(')')} executions)"
    others = len(ordered) - len(named)
    if others:
        named.append(f"{others} more")
    return f"What is written is written in every copy: {listed(named)}."
