"""The order in which fragments are read that need keys of others."""

from collections.abc import Collection, Iterator, Sequence

from evaluation.federation.compiled import CompiledFragment
from evaluation.federation.keys import KeyFilter, KeySource


def waves(
    fragments: Sequence[CompiledFragment], known: Collection[str] = ()
) -> Iterator[list[CompiledFragment]]:
    """Yield fragments together whose keys are all in views that are `known`, or of waves before.

    Raises:
        RuntimeError: The keys of some are in one another.
    """
    read, waiting = set(known), list(fragments)
    while waiting:
        ready = [each for each in waiting if _views_of_keys(each) <= read]
        if not ready:
            views = ", ".join(each.view for each in waiting)
            raise RuntimeError(f"the keys of {views} are in one another")
        yield ready
        read |= {each.view for each in ready}
        waiting = [each for each in waiting if each.view not in read]


def views_of_keys(fragments: Sequence[CompiledFragment]) -> set[str]:
    """Return the views that the keys of fragments are in, or what their keys are restricted to."""
    return set[str]().union(*map(_views_of_keys, fragments))


def sources_of(keys: Sequence[KeyFilter]) -> Iterator[KeySource]:
    """Yield the sources of keys, each after those that its own keys are of."""
    for key in keys:
        yield from sources_of(key.source.keys)
        yield key.source


def _views_of_keys(fragment: CompiledFragment) -> set[str]:
    return {each.view for each in sources_of(fragment.keys) if each.sql is None}
