"""One scan of a table for several fragments that want different rows of it.

A store that runs no SQL reads the whole table for every scan, and q9 of TPC-DS asks fifteen times
for other rows of one. The scan has the rows that any of them wants, and the engine keeps it while
it takes each fragment's rows from it.
"""

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from evaluation.federation.compiled import CompiledFragment, OneScan
from evaluation.federation.shared_reads import OF_EACH_CALL
from workloads.sql.trees.copies import copied, last_written


def own_scan(view: str, tree: exp.Query, dialect: str) -> OneScan | None:
    """Return the scan of the fragment `tree` alone; None where each reading gives other values."""
    if tree.find(*OF_EACH_CALL):
        return None
    own = copied(tree)
    columns = list(own.find_all(exp.Column))
    names = dict.fromkeys(column.name for column in columns)
    for column in columns:
        # The scan's columns have their own names, whatever the fragment calls the table.
        column.set("table", None)
    table, where = own.args["from_"].this, own.args.get("where")
    table.set("alias", None)
    condition = "" if where is None else last_written(where.this, dialect)
    return OneScan(
        view=view,
        table=last_written(table, dialect),
        columns=tuple(last_written(exp.column(name), dialect) for name in names),
        wanted=(condition,),
        condition=condition,
        outputs=tuple(last_written(each, dialect) for each in own.selects),
    )


def with_one_scan(fragments: Sequence[CompiledFragment]) -> tuple[CompiledFragment, ...]:
    """Return the fragments, those with one scan in the plan with the `one_scan` of all of them.

    A fragment that no other is left to be read with has its own statement, and one that repeats the
    rows of an earlier one is not read.
    """
    together: dict[tuple[str, str], list[OneScan]] = {}
    for each in fragments:
        if each.one_scan is not None and each.same_as is None:
            together.setdefault(_reader(each), []).append(each.one_scan)
    return tuple(
        replace(each, one_scan=_merged(each.one_scan, together.get(_reader(each), ())))
        for each in fragments
    )


def _reader(fragment: CompiledFragment) -> tuple[str, str]:
    """Return the store and the fragment that the plan has read, for itself and others."""
    return fragment.store, fragment.fragment.reduction.repeats or fragment.fragment.name


def _merged(own: OneScan | None, scans: Sequence[OneScan]) -> OneScan | None:
    if own is None or own not in scans or len(scans) == 1:
        return None
    return replace(
        own,
        view=scans[0].view,
        columns=tuple(dict.fromkeys(name for each in scans for name in each.columns)),
        wanted=tuple(dict.fromkeys(each.condition for each in scans)),
    )
