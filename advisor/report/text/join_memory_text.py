"""The working memory that fragments' sessions get, for a terminal."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from advisor.figures import counted, seconds, size
from advisor.planned.join_memory import JoinMemory
from advisor.report.parts.tables import heading, table_of
from placement.memory.choice import told_bytes

_BAR = 30


def join_memory_parts(memories: Sequence[JoinMemory], *, explained: bool) -> list[RenderableType]:
    """Show the memory of each fragment; if `explained`, the seconds with others, and the reason."""
    table = table_of("fragment", "in", ">joins", ">tables", ">memory", ">before", ">s", ">before")
    for each in memories:
        table.add_row(
            Text(each.routed.fragment.name),
            Text(each.routed.store),
            str(each.joins),
            size(each.before.table_bytes),
            told_bytes(each.choice.chosen.memory_bytes),
            told_bytes(each.before.memory_bytes),
            seconds(each.choice.chosen.seconds),
            seconds(each.before.seconds),
        )
    own = "a working memory of its own" if len(memories) == 1 else "working memories of their own"
    parts: list[RenderableType] = [
        heading(f"{counted(len(memories), 'fragment')} with {own}"),
        table,
        Text(
            "The seconds are estimates of hash joins alone, and no part of the plan's prices. "
            "Compare both plans by `advisor evaluate` before you use one."
        ),
    ]
    if explained:
        for each in memories:
            parts += _curve(each)
    return parts


def _curve(memory: JoinMemory) -> list[RenderableType]:
    """Show the seconds by the memory; the longest bar is of the slowest."""
    table = table_of(">memory", ">s", ">batches", "")
    slowest = max(each.seconds for each in memory.choice.curve)
    for each in memory.choice.curve:
        bar = "#" * max(1, round(_BAR * each.seconds / slowest))
        chosen = each.memory_bytes == memory.choice.chosen.memory_bytes
        table.add_row(
            told_bytes(each.memory_bytes),
            seconds(each.seconds),
            str(each.batches),
            Text(bar + (" <- chosen" if chosen else "")),
        )
    name = f"{memory.routed.fragment.name} in {memory.routed.store}"
    return [heading(name), table, Text(memory.choice.reason)]
