"""How calibrated stores behave beyond their rates, for a terminal."""

from rich.console import Group, RenderableType
from rich.text import Text

from advisor.report.figures import NONE, count, percent, seconds
from advisor.report.tables import table_of
from evaluation.calibration.behaviour import Behaviour
from evaluation.calibration.behaviour_statements import KEYS
from evaluation.calibration.calibration import Calibration


def behaviours_of(found: Calibration) -> RenderableType:
    """Show each store's, and what all of them take at once."""
    known = {name: each.behaviour for name, each in found.stores.items() if each.behaviour}
    streams = sorted({number for each in known.values() for number in each.stream_rows_per_s})
    at_once = sorted({number for each in known.values() for number in each.at_once_s} - {1})
    table = table_of(
        "of",
        ">streams worth having",
        *(f">rows/s by {number}" for number in streams),
        *(f">{number} at once, times one" for number in at_once),
        f">{KEYS:,} rows by key",
        ">without index",
    )
    for name, behaviour in known.items():
        rates = [behaviour.stream_rows_per_s.get(number) for number in streams]
        table.add_row(
            name,
            str(behaviour.streams_worth_having),
            *(NONE if rate is None else count(rate) for rate in rates),
            *(_times(behaviour, number) for number in at_once),
            f"{seconds(behaviour.with_index_s)} s",
            f"{seconds(behaviour.without_index_s)} s",
        )
    parts: list[RenderableType] = [table]
    if found.together is not None:
        share = percent(found.together.all_at_once_s / found.together.one_by_one_s)
        parts.append(
            Text(f"A statement in every store at the same time takes {share} of one by one.")
        )
    return Group(*parts)


def _times(behaviour: Behaviour, number: int) -> str:
    """Return how many times as long as one alone so many statements of equal work take."""
    if number not in behaviour.at_once_s or 1 not in behaviour.at_once_s:
        return NONE
    return f"{behaviour.at_once_s[number] / behaviour.at_once_s[1]:.1f}"
