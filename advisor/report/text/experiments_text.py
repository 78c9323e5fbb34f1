"""Experiments as the terminal shows them: what is left to do, and what was found."""

from collections import Counter

from rich.console import Group, RenderableType
from rich.text import Text

from advisor.experiments.cells import cells_of
from advisor.experiments.findings import Findings
from advisor.experiments.laboratory import Laboratory
from advisor.figures import NONE
from advisor.report.parts.experiment_words import (
    COMPARISON_NOTE,
    DIRECTION_HEADINGS,
    direction_cells,
    experiment_title,
    quantity,
    variant_name,
)
from advisor.report.parts.tables import heading, table_of


def left_text(laboratory: Laboratory) -> RenderableType:
    """Show how many cells of each experiment and setting are done, left, and impossible."""
    done, left = laboratory.done(), set(laboratory.left())
    settings = laboratory.project.experiments
    table = table_of("experiment", "setting", ">done", ">left", ">not possible")
    for number in laboratory.numbers:
        cells = cells_of(
            settings.numbered[number],
            settings.engines,
            laboratory.plans,
            list(laboratory.queries),
        )
        for setting in dict.fromkeys(each.setting for each in cells):
            own = [each for each in cells if each.setting == setting]
            table.add_row(
                experiment_title(number),
                setting.name,
                str(sum(each in done for each in own)),
                str(sum(each in left for each in own)),
                str(sum(each in laboratory.impossible for each in own)),
            )
    parts: list[RenderableType] = [
        heading(
            f"{len(left)} of {len(laboratory.cells)} cells are left; a cell is one query on one "
            "placement with one setting, and experiments share cells"
        ),
        table,
    ]
    reasons = Counter(laboratory.impossible.values())
    parts += [
        Text(f"Not possible: {number} cells, as {reason}.") for reason, number in reasons.items()
    ]
    parts.append(Text(f"Results are kept in {laboratory.folder}.", style="dim"))
    return Group(*parts)


def findings_text(found: Findings) -> RenderableType:
    """Show each direction beside the paper's, and the totals behind them."""
    parts: list[RenderableType] = []
    for number in found.numbers:
        parts.append(heading(experiment_title(number)))
        for figure in [each for each in found.figures if each.experiment == number]:
            shared = set.intersection(*(set(each.values) for each in figure.series))
            table = table_of(f"{figure.quantity}, {figure.engine}", ">queries", ">of all")
            for each in figure.series:
                total = sum(each.values[query] for query in shared) if shared else None
                table.add_row(
                    variant_name(each.variant, number),
                    str(len(each.values)),
                    quantity(figure.quantity, total) if shared else NONE,
                )
            parts.append(table)
        told = [each for each in found.directions if each.claim.experiment == number]
        if told:
            table = table_of(*DIRECTION_HEADINGS)
            for direction in told:
                table.add_row(*direction_cells(direction))
            parts.append(table)
    parts.append(Text(COMPARISON_NOTE, style="dim"))
    if found.left:
        parts.append(Text(f"{found.left} of {found.cells} cells are left.", style="bold"))
    return Group(*parts)
