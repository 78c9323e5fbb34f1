"""A plan before and after a change of its problem, for a terminal."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from advisor.report.figures import NONE, gap, money, seconds
from advisor.report.reasons_explain import queries_text
from advisor.report.tables import heading, table_of
from placement.plan import PlacementPlan
from placement.reasons.what_if import WhatIf


def what_if_text(found: WhatIf, changes: Sequence[str]) -> RenderableType:
    """Show both plans, the tables that move and the queries that change the most."""
    table = table_of("", "plan", ">predicted s", ">bound s", ">gap", ">money a month")
    table.add_row(*_row("as it is", found.before, found.before_money))
    if found.kept is not None:
        table.add_row(*_row("changed, tables left", found.kept, found.kept_money))
    table.add_row(*_row("changed, tables placed anew", found.after, found.after_money))
    parts: list[RenderableType] = [heading(f"What if: {'; '.join(changes)}"), table]
    if found.kept is None:
        parts.append(Text(f"The tables cannot be left where they are: {found.kept_reason}"))
    elif found.kept.violations:
        first, *others = found.kept.violations
        more = f" (and {len(others)} more)" if others else ""
        parts.append(Text(f"The tables cannot be left where they are: {first}{more}"))
    parts.append(Text(_sentence(found), style="bold"))
    if found.moves:
        moves = table_of("table", "from", "to")
        for name, (before, after) in found.moves.items():
            moves.add_row(Text(name), Text(", ".join(before) or NONE), Text(", ".join(after)))
        parts += [heading(f"{len(found.moves)} tables are elsewhere"), moves]
    if found.queries:
        parts += [heading("The queries that change the most"), queries_text(found.queries)]
    return Group(*parts)


def _row(name: str, plan: PlacementPlan, costs: float | None) -> list[str | Text]:
    return [
        name,
        Text(str(plan.outcome)),
        seconds(plan.predicted_s),
        seconds(plan.bound_s),
        gap(plan),
        money(costs) if costs else NONE,
    ]


def _sentence(found: WhatIf) -> str:
    more_s = found.after.predicted_s - found.before.predicted_s
    sentence = f"The workload costs {seconds(abs(more_s))} s {'less' if more_s < 0 else 'more'}"
    if found.kept is None or not found.kept.feasible:
        return f"{sentence}, with its tables placed anew."
    if not found.moves:
        return f"{sentence}; nothing needs to move."
    saved_s = found.kept.predicted_s - found.after.predicted_s
    return f"{sentence}; placing tables anew saves {seconds(saved_s)} s."
