"""Settings of a plan's fragments, for a terminal: how they are fetched, and joined."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from advisor.figures import NONE, count, counted, seconds, size
from advisor.planned.tuning import TunedFragment, Tuning
from advisor.report.parts.tables import heading, table_of
from advisor.report.text.join_memory_text import join_memory_parts
from placement.fetching import client_bytes
from placement.plan import RoutedFragment
from placement.transfer.link import TransferSettings
from placement.transfer.streams import Streams

_BAR = 30


def tuning_text(found: Tuning, *, explained: bool) -> RenderableType:
    """Show how each large result is fetched; if `explained`, the seconds of other batches too."""
    if not found.fragments and not found.memories:
        return Text(
            "No result of this plan is fetched in portions: each is small and comes at once, or "
            "its store's driver has the rows streamed. There is nothing to tune."
        )
    parts = _fetched(found, explained=explained) if found.fragments else []
    if found.memories:
        parts += join_memory_parts(found.memories, explained=explained)
    return Group(*parts)


def _fetched(found: Tuning, *, explained: bool) -> list[RenderableType]:
    table = table_of(
        "fragment", "in", ">rows", ">a batch", ">before", ">a message", ">memory", ">s", ">before"
    )
    for each in found.fragments:
        settings = each.after.transfer
        table.add_row(
            Text(each.name),
            Text(each.after.store),
            count(each.after.fragment.work.rows_out),
            _batch(each.after),
            _batch(each.before),
            NONE if settings is None else f"{settings.message_bytes:,}",
            NONE if settings is None else size(_memory(each, settings)),
            seconds(each.after.predicted_s),
            seconds(each.before.predicted_s),
        )
    parts: list[RenderableType] = [
        heading(f"{counted(len(found.fragments), 'large result')}"),
        table,
        Text(
            f"The workload takes {seconds(found.after.predicted_s)} s as predicted, and "
            f"{seconds(found.before.predicted_s)} s before."
        ),
    ]
    if any(each.dividing for each in found.fragments):
        parts += _divided(found.fragments)
    if explained:
        for each in found.fragments:
            parts += _curve(each)
            parts += _compared(each)
    return parts


def _memory(fragment: TunedFragment, settings: TransferSettings) -> float:
    statements = settings.statements
    if settings.streams is None and fragment.dividing is not None:
        statements = fragment.dividing.usual.count
    return client_bytes(fragment.after.fragment, settings, statements)


def _divided(fragments: Sequence[TunedFragment]) -> list[RenderableType]:
    """Show by how many statements each result is read, and the seconds until the last one ends."""
    table = table_of("fragment", ">statements", ">before", "by", ">s to the end", ">before")
    for each in fragments:
        if (dividing := each.dividing) is not None:
            after = _streams(each.after) or dividing.usual
            before = _streams(each.before) or dividing.usual
            table.add_row(
                Text(each.name),
                str(after.count),
                str(before.count),
                Text(after.column if after.count > 1 else NONE),
                NONE if dividing.after_s is None else seconds(dividing.after_s),
                NONE if dividing.before_s is None else seconds(dividing.before_s),
            )
    return [heading("Statements that read a result at the same time"), table]


def _compared(fragment: TunedFragment) -> list[RenderableType]:
    """Show the seconds by the number of statements and their column."""
    if fragment.dividing is None or not fragment.dividing.alternatives:
        return []
    table = table_of(">statements", "by", ">rows a batch", ">s to the end", ">memory", "")
    chosen = _streams(fragment.after) or fragment.dividing.usual
    for each in fragment.dividing.alternatives:
        streams = each.transfer.streams
        if streams is not None:
            table.add_row(
                str(streams.count),
                Text(streams.column if streams.count > 1 else NONE),
                count(each.transfer.fetch_rows),
                seconds(each.elapsed_s),
                size(client_bytes(fragment.after.fragment, each.transfer)),
                Text("<- this plan" if streams == chosen else ""),
            )
    return [heading(f"{fragment.name} by several statements"), table]


def _streams(routed: RoutedFragment) -> Streams | None:
    return None if routed.transfer is None else routed.transfer.streams


def _batch(routed: RoutedFragment) -> str:
    return "the run's" if routed.transfer is None else count(routed.transfer.fetch_rows)


def _curve(fragment: TunedFragment) -> list[RenderableType]:
    """Show the seconds by the rows of a batch; the longest bar is of the slowest."""
    if not fragment.curve:
        return []
    table = table_of(">rows a batch", ">s", ">memory", "")
    slowest = max(each.predicted_s for each in fragment.curve)
    for each in fragment.curve:
        bar = "#" * max(1, round(_BAR * each.predicted_s / slowest))
        chosen = " <- this plan" if each.transfer == fragment.after.transfer else ""
        table.add_row(
            count(each.transfer.fetch_rows),
            seconds(each.predicted_s),
            size(each.memory_bytes),
            Text(bar + chosen),
        )
    return [heading(f"{fragment.name} from {fragment.after.store}"), table]
