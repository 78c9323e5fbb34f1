"""Reducers with more keys than a statement holds: these are loaded into the fragment's store.

The fragment is joined there with a table of the keys, which is dropped after the query.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from placement.fragment import Fragment, KeyTable
from placement.stores import MOST_TABLED

ROWS_A_KEY = 5.0
"""Rows that have to stay in the store for each key: it takes as long as two to five that leave."""

Counted = Callable[[frozenset[str]], float]
Left = Callable[[frozenset[str], Sequence[str]], float]


def tabled(
    own: frozenset[str],
    reducers: Sequence[str],
    names: Mapping[str, str],
    *,
    keys: Mapping[str, float],
    rows: Counted,
    left: Left,
) -> tuple[KeyTable, ...]:
    """Return what is worth loading beside the keys of `reducers` that are sent to `own`.

    `names` are the sources that may be, by alias, and `keys` their different keys. `rows` counts a
    join of sources, and `left` the rows that reducers leave. Few keys go first. What drops fewer
    rows than `ROWS_A_KEY` for each key is left out.
    """
    found: dict[str, KeyTable] = {}
    for alias in sorted(names, key=lambda each: keys[each]):
        sent = [*reducers, *found]
        dropped = left(own, sent) - left(own, [*sent, alias])
        if keys[alias] <= MOST_TABLED and dropped > ROWS_A_KEY * keys[alias]:
            read = rows(frozenset({alias}))
            found[alias] = KeyTable(source=names[alias], keys=keys[alias], rows=read)
    return tuple(found.values())


def reduced_by_tables(
    fragment: Fragment, tables: tuple[KeyTable, ...], rows_out: float
) -> Fragment:
    """Return `fragment`, which may be reduced already, joined with `tables` of keys.

    The store joins what it would hand out with the keys, and `rows_out` are left of it.
    """
    reduction, work = fragment.reduction, fragment.work
    joined = work.rows_out + rows_out + sum(each.keys for each in tables)
    return replace(
        fragment,
        work=replace(work, rows_out=rows_out, join_rows=work.join_rows + joined),
        reduction=replace(
            reduction,
            reducers=(*reduction.reducers, *(each.source for each in tables)),
            key_tables=tables,
        ),
    )


def without_tables(fragments: Sequence[Fragment]) -> Iterator[Fragment]:
    """Yield those that no table of keys reduces.

    Servers compare the keys of a table with groups, not with the rows that are grouped.
    """
    return (each for each in fragments if not each.reduction.key_tables)
