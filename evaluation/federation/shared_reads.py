"""Fragments of one query that ask one store for the same rows: these are read once.

A query over several channels reads its dates, its stores or its customers once for each, by the
same SQL.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evaluation.federation.compiled import CompiledFragment
from evaluation.federation.keys import KeyFilter


def shared_reads(fragments: Sequence[CompiledFragment]) -> tuple[CompiledFragment, ...]:
    """Return the fragments, each that repeats an earlier one with that one's view in `same_as`.

    Same are those with the same SQL in the same store and the same keys. All keys come from views
    that are read, and these count the reads of those that repeat them.
    """
    same: dict[str, str] = {}
    # Keys of some are in others, whichever comes first: what is found to be the same may make
    # fragments the same that wait for it.
    while True:
        fragments = [_with_keys_of(each, same) for each in fragments]
        first: dict[tuple[object, ...], str] = {}
        found = {
            each.view: first.setdefault((each.store, each.sql, each.keys), each.view)
            for each in fragments
        }
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


def _with_keys_of(fragment: CompiledFragment, same: Mapping[str, str]) -> CompiledFragment:
    """Return a fragment whose keys come from the views that are read."""
    if not same or not fragment.keys:
        return fragment
    return replace(fragment, keys=tuple(_filter_of(each, same) for each in fragment.keys))


def _filter_of(key: KeyFilter, same: Mapping[str, str]) -> KeyFilter:
    within = tuple(_filter_of(each, same) for each in key.source.keys)
    source = replace(key.source, view=same[key.source.view], keys=within)
    return replace(key, source=source)
