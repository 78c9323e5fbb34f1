"""The behaviour of calibrated stores beyond their rates, for a terminal."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from advisor.figures import count, counted, percent, seconds
from advisor.report.parts.tables import table_of
from evaluation.calibration.behaviour import Behaviour
from evaluation.calibration.behaviour_statements import KEYS
from evaluation.calibration.calibration import Calibration


def behaviours_of(found: Calibration) -> RenderableType:
    """Show each store's, and what all of them take at once."""
    table = table_of("of", "what", ">measured", "which is")
    for name, store in found.stores.items():
        if store.behaviour is not None:
            for row in _rows(store.behaviour):
                table.add_row(name, *row)
            table.add_section()
    parts: list[RenderableType] = [table]
    if found.together is not None:
        share = percent(found.together.all_at_once_s / found.together.one_by_one_s)
        parts.append(
            Text(
                f"Running one statement in all stores at once takes {share} of running them one "
                "after another."
            )
        )
    return Group(*parts)


def _rows(behaviour: Behaviour) -> Iterator[tuple[str, str, str]]:
    best = behaviour.streams_worth_having
    for number, rate in behaviour.stream_rows_per_s.items():
        told = "as many as are worth having" if number == best else ""
        yield f"a result by {counted(number, 'stream')}", f"{count(rate)} rows/s", told
    (_, alone), *others = sorted(behaviour.at_once_s.items())
    yield "one statement", f"{seconds(alone)} s", ""
    for number, together in others:
        told = f"{together / alone:.1f} times one"
        yield f"{number} of equal work at once", f"{seconds(together)} s", told
    yield f"{KEYS:,} rows by primary key", f"{seconds(behaviour.with_index_s)} s", ""
    faster = behaviour.without_index_s / behaviour.with_index_s
    told = f"{faster:.1f} times with it"
    yield "the same without index", f"{seconds(behaviour.without_index_s)} s", told
