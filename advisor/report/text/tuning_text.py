"""Settings of a plan's fragments, for a terminal: how they are fetched, and joined."""

from rich.console import Group, RenderableType
from rich.text import Text

from advisor.figures import NONE, count, counted, seconds, size
from advisor.planned.tuning import TunedFragment, Tuning
from advisor.report.parts.tables import heading, table_of
from advisor.report.text.join_memory_text import join_memory_parts
from placement.fetching import client_bytes
from placement.plan import RoutedFragment

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
            NONE if settings is None else size(client_bytes(each.after.fragment, settings)),
            seconds(each.after.predicted_s),
            seconds(each.before.predicted_s),
        )
    parts: list[RenderableType] = [
        heading(f"{counted(len(found.fragments), 'result')} fetched in portions"),
        table,
        Text(
            f"The workload takes {seconds(found.after.predicted_s)} s as predicted, and "
            f"{seconds(found.before.predicted_s)} s before."
        ),
    ]
    if explained:
        for each in found.fragments:
            parts += _curve(each)
    return parts


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
