"""Migrations and differences as the terminal shows them, and commands as a file holds them."""

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from advisor.figures import counted, seconds, size, weight
from advisor.report.parts.tables import heading, table_of
from evaluation.migration_sql import Command
from placement.movement.difference import Difference
from placement.movement.migration import Migration
from placement.movement.migration_routing import Switched
from placement.movement.migration_steps import ROUTED, Step
from placement.reasons.query_changes import QueryChange
from workloads.one_line import one_line

MOST_QUERIES = 12
KINDS = {"index": "create index", "drop_index": "drop index"}
"""The steps that are called otherwise than their kind."""
SPARK = "--spark "
"""Begins the lines of Python in a file of SQL."""


def difference_text(found: Difference, before: str, after: str) -> RenderableType:
    """Show the tables that are elsewhere in the plan `after`, other indexes, and queries.

    The plans go by their files: both may be of one strategy. The queries are those that change
    most.
    """
    if not found.tables:
        placed: RenderableType = Text(f"'{before}' and '{after}' place every table alike.")
    else:
        title = f"{counted(len(found.tables), 'table')} elsewhere, from '{before}' to '{after}'"
        placed = Group(heading(title), _elsewhere(found))
    if not found.tables and not found.indexes:
        return placed
    predicted = (
        f"Predicted {seconds(found.before.predicted_s)} s before, "
        f"{seconds(found.after.predicted_s)} s after."
    )
    if found.tables:
        predicted += (
            f" {size(found.copied_bytes)} are copied without indexes (about "
            f"{seconds(found.loads_s)} s of loading), {size(found.dropped_bytes)} dropped."
        )
    return Group(placed, *_indexes(found), Text(predicted), *_queries(found.queries))


def _elsewhere(found: Difference) -> RenderableType:
    tables = table_of("table", "", ">bytes", "from", "to")
    for each in found.tables:
        tables.add_row(
            Text(each.table),
            each.kind,
            size(each.bytes),
            Text(", ".join(each.before)),
            Text(", ".join(each.after)),
        )
    return tables


def _indexes(found: Difference) -> Iterator[RenderableType]:
    if not found.indexes:
        return
    table = table_of("index", "", ">bytes", "store")
    for each in found.indexes:
        table.add_row(
            Text(str(each.index)),
            "added" if each.added else "dropped",
            "" if each.bytes is None else size(each.bytes),
            Text(each.store),
        )
    yield heading("Chosen indexes that differ")
    yield table


def _queries(changes: Sequence[QueryChange]) -> Iterator[RenderableType]:
    if not changes:
        yield Text("No query's seconds change.")
        return
    table = table_of("query", ">executions", ">s before", ">s after", ">all executions")
    for each in changes[:MOST_QUERIES]:
        sign = "+" if each.delta_s > 0 else "-"
        table.add_row(
            Text(each.query),
            weight(each.after_executions),
            seconds(each.before_s),
            seconds(each.after_s),
            f"{sign}{seconds(abs(each.delta_s))} s",
        )
    yield heading("Queries that change most")
    yield table
    if len(changes) > MOST_QUERIES:
        yield Text(f"and {len(changes) - MOST_QUERIES} more (--json has all)", style="dim")


def migration_text(
    migration: Migration,
    switched: Sequence[Switched],
    capacities: Mapping[str, int | None],
) -> RenderableType:
    """Show the steps with what the stores hold after each, and what the queries take meanwhile."""
    if not migration.steps:
        return Text("Nothing moves: both placements are the same.")
    held = [f">{store}" for store in capacities]
    table = table_of(">#", "step", "table", "from", "to", ">bytes", ">about s", *held, ">queries s")
    after = iter(switched[1:])
    for number, step in enumerate(migration.steps, start=1):
        queries = seconds(next(after).queries_s) if step.kind in ROUTED else ""
        table.add_row(
            str(number),
            KINDS.get(step.kind, step.kind),
            Text(step.table if step.index is None else str(step.index)),
            step.source or "",
            step.target or "",
            size(step.bytes) if step.bytes else "",
            seconds(step.estimated_s) if step.estimated_s else "",
            *(size(step.held_bytes[store]) for store in capacities),
            queries,
            style="" if step.kind in ("copy", "index") else "dim",
        )
    return Group(
        heading(counted(len(migration.steps), "step")),
        table,
        *_summary(migration, switched, capacities),
    )


def _summary(
    migration: Migration, switched: Sequence[Switched], capacities: Mapping[str, int | None]
) -> Iterator[RenderableType]:
    copied = _copied(migration) if migration.copied_bytes else "No table is copied."
    indexed = (
        f" {size(migration.indexed_bytes)} of indexes are created on copies that stay."
        if migration.indexed_bytes
        else ""
    )
    yield Text(f"{copied}{indexed} About {seconds(migration.estimated_s)} s, by the stores' rates.")
    peaks = ", ".join(
        _peak(store, held, capacities) for store, held in migration.peak_bytes.items()
    )
    yield Text(f"Held at most: {peaks}.")
    worst = max(each.queries_s for each in switched)
    yield Text(
        f"A period's queries take {seconds(switched[0].queries_s)} s before, "
        f"{seconds(switched[-1].queries_s)} s after, and at most {seconds(worst)} s on the way."
    )


def _copied(migration: Migration) -> str:
    detours = (
        f", {size(migration.detour_bytes)} of it for detours" if migration.detour_bytes else ""
    )
    fewest = "no order copies less" if migration.fewest_bytes else "less was not ruled out"
    return f"{size(migration.copied_bytes)} are copied{detours}: {fewest}."


def _peak(store: str, held: int, capacities: Mapping[str, int | None]) -> str:
    capacity = capacities.get(store)
    share = f" ({held / capacity:.0%} of its capacity)" if capacity else ""
    return f"{store} {size(held)}{share}"


def migration_script(
    title: str, steps: Sequence[Step], preamble: Command, commands: Sequence[Sequence[Command]]
) -> str:
    """Return the commands of all steps as SQL; Python stands in comments."""
    lines = [
        f"-- {title}",
        f"-- SQL is for the store named above it. Lines that begin with '{SPARK.strip()}' are",
        "-- Python, for a Spark session `spark` with the stores' JDBC drivers.",
        "-- Stop where the two rows of a verification differ: the copy read so far stays.",
        *(f"{SPARK}{line}" for line in preamble.text),
    ]
    for number, (step, of_step) in enumerate(zip(steps, commands, strict=True), start=1):
        lines += ["", f"-- {number} {one_line(described(step))}"]
        for command in of_step:
            if command.language == "pyspark":
                lines += [f"{SPARK}{line}" for line in command.text]
            else:
                lines += [f"-- in {command.store}:", *(f"{text};" for text in command.text)]
    return "\n".join(lines) + "\n"


def described(step: Step) -> str:
    """Return a step in words."""
    if step.kind == "copy":
        return (
            f"copy {step.table} from {step.source} to {step.target}: {size(step.bytes)}, "
            f"about {seconds(step.estimated_s)} s"
        )
    if step.kind == "verify":
        return f"verify {step.table}: the rows from {step.source} and {step.target} must be equal"
    if step.kind == "switch":
        left = f" and no more in {step.source}" if step.source else ""
        return f"switch {step.table}: queries read it in {step.target}{left}"
    if step.kind == "index":
        return (
            f"create the index {step.index} in {step.target}: {size(step.bytes)}, "
            f"about {seconds(step.estimated_s)} s"
        )
    if step.kind == "drop_index":
        return f"drop the index {step.index} in {step.source}"
    return f"drop {step.table} in {step.source}"
