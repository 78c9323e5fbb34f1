"""Fragments of one query that ask one store for the same rows: these are read once.

A query over several channels reads its dates, its stores or its customers once for each, and one
that joins a table with itself reads it under two names.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from evaluation.federation.compiled import CompiledFragment
from evaluation.federation.keys import KeyFilter
from evaluation.federation.split import Piece, view_column
from placement.stores import Capability
from workloads.sql.trees.copies import copied, written

OF_EACH_CALL = (exp.Rand, exp.Randn, exp.Uuid, exp.Anonymous, exp.AnonymousAggFunc)
"""Functions whose values differ between calls, or may: nobody knows what is not known."""


def described_rows(tree: exp.Query, piece: Piece, dialect: str) -> str:
    """Return what is equal for fragments of a store with the same rows, column by column.

    `tree` is what is run of `piece`, in the store's `dialect`. It is described with its sources
    called by number, and its columns after them: what is selected in the same order is then equal
    under any aliases.
    """
    if tree.find(*OF_EACH_CALL):
        return piece.view
    if piece.routed.fragment.kind not in (Capability.SCAN, Capability.JOIN):
        return written(tree, dialect)
    aliases = [source.partition(".")[2] for source in piece.routed.fragment.sources]
    return _numbered(tree, aliases).sql(dialect, identify=True, copy=False)


def _numbered(tree: exp.Query, aliases: Sequence[str]) -> exp.Query:
    # All sources are renamed: none that stays is taken for one of these.
    numbers = {alias: f" {number}" for number, alias in enumerate(aliases)}
    copy = copied(tree)
    # They were named before columns were spelled as their tables spell them.
    names = {column.name.lower() for column in copy.find_all(exp.Column)}
    outputs = {
        view_column(alias, name): view_column(number, name)
        for alias, number in numbers.items()
        for name in names
    }
    for node in copy.walk():
        if isinstance(node, exp.Column) and node.table in numbers:
            node.set("table", exp.to_identifier(numbers[node.table], quoted=True))
        elif isinstance(node, exp.TableAlias) and node.name in numbers:
            node.set("this", exp.to_identifier(numbers[node.name], quoted=True))
        elif isinstance(node, exp.Alias) and node.alias in outputs:
            node.set("alias", exp.to_identifier(outputs[node.alias], quoted=True))
    return copy


def shared_reads(fragments: Sequence[CompiledFragment]) -> tuple[CompiledFragment, ...]:
    """Return the fragments, each that repeats an earlier one with that one's view in `same_as`.

    Same are those with the same rows in the same store and the same keys. All keys come from views
    that are read, and these count the reads of those that repeat them.
    """
    columns = {each.view: each.columns for each in fragments}
    same: dict[str, str] = {}
    # Keys of some are in others, whichever comes first: what is found to be the same may make
    # fragments the same that wait for it.
    while True:
        fragments = [_with_keys_of(each, same, columns) for each in fragments]
        first: dict[Hashable, str] = {}
        found = {each.view: first.setdefault(_asked(each), each.view) for each in fragments}
        if found == same:
            break
        same = found
    reads = dict.fromkeys(same.values(), 0)
    for each in fragments:
        reads[same[each.view]] += each.reads
    return tuple(
        replace(each, reads=reads[each.view])
        if same[each.view] == each.view
        else replace(each, same_as=same[each.view])
        for each in fragments
    )


def _asked(fragment: CompiledFragment) -> Hashable:
    """Return what is equal for fragments whose rows are the same."""
    keys = tuple(
        (fragment.columns.index(key.column), key.operator, key.source) for key in fragment.keys
    )
    return fragment.store, fragment.rows, keys


def _with_keys_of(
    fragment: CompiledFragment,
    same: Mapping[str, str],
    columns: Mapping[str, Sequence[str]],
) -> CompiledFragment:
    """Return a fragment whose keys come from the views that are read."""
    if not same or not fragment.keys:
        return fragment
    keys = (_filter_of(each, same, columns) for each in fragment.keys)
    return replace(fragment, keys=tuple(keys))


def _filter_of(
    key: KeyFilter, same: Mapping[str, str], columns: Mapping[str, Sequence[str]]
) -> KeyFilter:
    source = key.source
    within = tuple(_filter_of(each, same, columns) for each in source.keys)
    read, column = same[source.view], source.column
    if source.sql is None and read != source.view:
        column = columns[read][columns[source.view].index(column)]
    return replace(key, source=replace(source, view=read, column=column, keys=within))
