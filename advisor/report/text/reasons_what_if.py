"""A plan before and after a change of its problem, for a terminal."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from advisor.figures import NONE, counted, gap, money, percent, seconds
from advisor.report.parts.tables import heading, table_of
from advisor.report.text.reasons_explain import queries_text
from placement.plan import PlacementPlan
from placement.reasons.sensitivity import NOTICED
from placement.reasons.what_if import WhatIf


def what_if_text(found: WhatIf, changes: Sequence[str]) -> RenderableType:
    """Show both plans, the tables that move and the queries that change the most."""
    rows = [("as it is", found.before, found.before_money)]
    if found.kept is not None and found.kept_money is not None:
        rows.append(("changed, tables left", found.kept, found.kept_money))
    rows.append(("changed, tables placed anew", found.after, found.after_money))
    priced = any(costs for _, _, costs in rows)
    columns = ("", "plan", ">predicted s", ">bound s", ">gap")
    table = table_of(*columns, *([">money a month"] if priced else []))
    for name, plan, costs in rows:
        table.add_row(*_row(name, plan), *([money(costs)] if priced else []))
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
        parts += [heading(f"{counted(len(found.moves), 'table')} elsewhere"), moves]
    if found.queries:
        parts += [heading("The queries that change the most"), queries_text(found.queries)]
    return Group(*parts)


def _row(name: str, plan: PlacementPlan) -> list[str | Text]:
    return [
        name,
        Text(str(plan.outcome)),
        seconds(plan.predicted_s),
        seconds(plan.bound_s),
        gap(plan),
    ]


def _sentence(found: WhatIf) -> str:
    more_s = found.after.predicted_s - found.before.predicted_s
    sentence = f"The workload costs {seconds(abs(more_s))} s {'less' if more_s < 0 else 'more'}"
    if found.kept is None or not found.kept.feasible:
        return f"{sentence}, with its tables placed anew."
    if not found.moves:
        return f"{sentence}; nothing needs to move."
    saved_s = found.kept.predicted_s - found.after.predicted_s
    if saved_s < NOTICED * found.kept.predicted_s:
        return f"{sentence}; placing tables anew saves less than {percent(NOTICED)} of that plan."
    return f"{sentence}; placing tables anew saves {seconds(saved_s)} s."
