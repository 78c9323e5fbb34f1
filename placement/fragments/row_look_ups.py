"""Row look-ups: single rows of a large table that its whole primary key finds, one after another.

A sale is found so by the return that names it: both tables are large, and the few returns of a
month lead to as few of the sales' rows.
"""

from collections.abc import Collection, Mapping, Sequence

from placement.fragment import LookUp
from placement.fragments.look_ups import FEWEST_ROWS, spared_bytes
from workloads.estimation.estimator import CardinalityEstimator
from workloads.footprint import Block, Source


def row_look_up(
    block: Block,
    sources: Sequence[Source],
    estimator: CardinalityEstimator,
    *,
    reduced: Mapping[str, Collection[str]] | None = None,
) -> LookUp | None:
    """Return the row look-up within `sources` that spares most; None where none spares anything.

    `sources` are some or all of a block's. The driving source is one of them that is compared with
    every column of the key. Only its rows that survive its other joins are counted. `reduced` maps
    aliases of `sources` → aliases of others whose keys are sent to them.

    Raises:
        CatalogError: The estimator's catalog lacks a table.
    """
    if any(join.kind != "inner" for join in block.joins):
        return None
    known = {source.alias: source for source in sources if not source.needs}
    found = [
        _look_up(block, source, known[by], leading, estimator)
        for source in known.values()
        for by in _compared_with_key(block, source, estimator)
        if by in known
        for leading in [_leading(block, known, by, source.alias, reduced or {})]
    ]
    worth = [each for each in found if each.spared_bytes > 0]
    return max(worth, key=lambda each: (each.spared_bytes, each.source), default=None)


def _look_up(
    block: Block,
    source: Source,
    by: Source,
    leading: Collection[str],
    estimator: CardinalityEstimator,
) -> LookUp:
    table = estimator.table(source)
    # Not those of the table that match, which its own filters may make few: all are looked for.
    rows = estimator.rows_of_sources(block.name, sorted(leading))
    share = rows / max(1, table.rows)
    entering = estimator.rows_of_sources(block.name, [source.alias])
    return LookUp(
        source=source.name,
        by=by.name,
        share=share,
        spared_bytes=spared_bytes(table.bytes, share, ordered=False),
        spared_rows=max(0.0, entering - rows),
        whole_key=True,
    )


def _compared_with_key(block: Block, source: Source, estimator: CardinalityEstimator) -> list[str]:
    """Return the aliases that every column of a large source's composite key is compared with."""
    table = estimator.table(source)
    if len(table.primary_key) <= 1 or table.rows < FEWEST_ROWS:
        return []
    compared: dict[str, set[str]] = {}
    for join in block.joins:
        if join.computed or join.nulls_match:
            continue
        for (alias, column), (other, _) in ((join.left, join.right), (join.right, join.left)):
            if alias == source.alias and other != alias:
                compared.setdefault(other, set()).add(column.lower())
    key = {column.lower() for column in table.primary_key}
    return sorted(other for other, columns in compared.items() if key <= columns)


def _leading(
    block: Block,
    known: Mapping[str, Source],
    by: str,
    without: str,
    reduced: Mapping[str, Collection[str]],
) -> set[str]:
    """Return `by`, what it is joined with but through `without`, and what reduces these by keys."""
    found, waiting = {by}, [by]
    while waiting:
        alias = waiting.pop()
        for join in block.joins:
            ends = {join.left[0], join.right[0]}
            for other in ends - {alias} if alias in ends else ():
                if other in known and other != without and other not in found:
                    found.add(other)
                    waiting.append(other)
    return found.union(*(reduced.get(alias, ()) for alias in found))
