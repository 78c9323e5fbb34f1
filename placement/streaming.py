"""Large results read by several statements: how many, by which column, with which settings.

The price of a plan is of the work, which statements at the same time do not make less. So they are
chosen by the seconds until the last one ends.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from placement.costs import CostModel
from placement.fetching import Budget, is_large, result_of, settings_of
from placement.fragment import Fragment
from placement.stores import Capability, Store
from placement.transfer.bounds import MOST_MESSAGE
from placement.transfer.link import TransferSettings
from placement.transfer.streams import Streams, at_once

ROWS_EACH = 250_000
"""Rows that are worth a statement of their own: more than half a second at the default rates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitColumn:
    """A column that a fragment's rows may be divided by: ``alias.name``, with so many `values`.

    With `computed_again` no index of the store finds the rows of a range of it.
    """

    name: str
    values: int
    computed_again: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """The columns that a fragment may be divided by, and how many statements the run makes of it.

    The run divides by the first column.
    """

    columns: tuple[SplitColumn, ...]
    usual_count: int

    @property
    def usual(self) -> Streams:
        """Return what the run does of itself."""
        return self.by(self.columns[0], self.usual_count)

    def by(self, column: SplitColumn, count: int) -> Streams:
        """Return so many statements, or as many as the column has values."""
        return Streams(
            count=max(1, min(count, column.values)),
            column=column.name,
            computed_again=column.computed_again,
        )

    def offered(self, counts: Sequence[int]) -> Iterator[Streams]:
        """Yield the divisions into so many statements; only one of those that divide nothing."""
        yield self.by(self.columns[0], 1)
        for column in self.columns:
            yield from (self.by(column, each) for each in counts if 1 < each <= column.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Divided:
    """Settings of a fragment with its statements, and the seconds until its rows are in the engine.

    `is_usual` tells those that the run makes of itself.
    """

    transfer: TransferSettings
    elapsed_s: float
    is_usual: bool = False


def may_be_divided(fragment: Fragment) -> bool:
    """Whether each row of a fragment may come by any of its statements, which all have its SQL.

    What a store groups, sorts or limits is of all rows together, and a scan that is read for other
    fragments too is divided by the store itself.
    """
    plain = not (fragment.reduction.preaggregated or fragment.reduction.one_scan)
    return fragment.kind in (Capability.SCAN, Capability.JOIN) and plain


def usual_count(rows: float, cores: int | None) -> int:
    """Return how many statements a run makes of so many rows, where a column divides them.

    None are cores of an engine that nobody told.
    """
    worth = max(1, int(rows // ROWS_EACH))
    return worth if cores is None else min(cores, worth)


def divided(
    costs: CostModel, fragment: Fragment, store: Store, division: Division, budget: Budget
) -> Divided | None:
    """Return the settings with which the last row comes first; None where nothing was measured.

    Without a gain beyond the error of what was measured they are those of the run.
    """
    found = alternatives(costs, fragment, store, division, budget)
    if not found or store.strength.stream_times is None:
        return None
    (usual,) = (each for each in found if each.is_usual)
    best = min(found, key=lambda each: (each.elapsed_s, each.transfer.statements))
    gained = best.elapsed_s < usual.elapsed_s * (1.0 - store.strength.stream_times.error)
    return best if gained else usual


def alternatives(
    costs: CostModel, fragment: Fragment, store: Store, division: Division, budget: Budget
) -> tuple[Divided, ...]:
    """Return each number of statements that was probed, and the run's, by each column.

    There are none for what is small, and where keys are loaded first, which some stores have in one
    statement alone.
    """
    times, with_keys = store.strength.stream_times, bool(fragment.reduction.key_tables)
    if times is None or with_keys or not (is_large(fragment) and may_be_divided(fragment)):
        return ()
    usual = division.usual
    offered = dict.fromkeys((usual, *division.offered([count for count, _ in times.shares])))
    found = []
    for streams in offered:
        transfer = _fetched(costs, fragment, store, streams, budget)
        seconds = elapsed_s(costs, fragment, store, transfer)
        found.append(Divided(transfer=transfer, elapsed_s=seconds, is_usual=streams == usual))
    return tuple(found)


def elapsed_s(
    costs: CostModel, fragment: Fragment, store: Store, transfer: TransferSettings
) -> float:
    """Return the seconds until the last statement has ended, as far as these were measured.

    That is the measured share of the work of all statements: in it are the cores of the store and
    of the engine, and what they have in common. It was measured of rows that are handed out. Where
    each statement computes all rows again, the store's cores are shared as they were measured to be
    by statements of equal work.
    """
    times, streams = store.strength.stream_times, transfer.streams
    share = 1.0 if times is None else times.share(transfer.statements)
    cost = costs.fetched(fragment, store, len(fragment.sources), transfer)
    if streams is None or streams.computed == 1:
        return share * cost.streamed_s
    once_s = cost.computed_s / streams.computed
    shared_s = cost.streamed_s - cost.computed_s
    return at_once(store.strength.at_once, streams.computed) * once_s + share * shared_s


def _fetched(
    costs: CostModel, fragment: Fragment, store: Store, streams: Streams, budget: Budget
) -> TransferSettings:
    """Return the best settings with these statements, all of which share the memory."""
    found = settings_of(fragment, store, budget, costs.fetch_size, streams.count)
    if found is None:
        # The rows are streamed: a driver holds as many at once as it is told.
        batch_bytes = budget.bounds(costs.fetch_size, streams.count).batch_bytes
        row_bytes = result_of(fragment).row_bytes
        rows = max(1, min(costs.fetch_size, int(batch_bytes // row_bytes)))
        found = TransferSettings(fetch_rows=rows, message_bytes=MOST_MESSAGE)
    return replace(found, streams=streams)
