"""Names of tables and views: in their schemas, and unique in a catalog."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import count


def own_name(name: str, schema: str) -> str:
    """Return what a table or view is called in its schema, of its name in the catalog."""
    return name.removeprefix(f"{schema}.") if schema else name


def other_own_name(own: str, name: str, schema: str) -> str:
    """Return what is called `own` in its schema; "" where its name in the catalog tells that."""
    return "" if own_name(name, schema) == own else own


def unique_names(found: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
    """Return (schema, name) → the shortest name that is unique in any case.

    Those that differ in nothing but case are numbered, each of them: no text that means one of
    them then reads like the unique name of another.
    """
    pairs = list(dict.fromkeys(found))
    lower = {(schema, name): (schema.lower(), name.lower()) for schema, name in pairs}
    twins = Counter(lower.values())
    alike = Counter(name for _, name in twins)
    names = {
        (schema, name): f"{schema}.{name}" if schema and alike[name.lower()] > 1 else name
        for schema, name in pairs
    }
    taken = {name.lower() for name in names.values()}
    for pair in sorted(pair for pair in pairs if twins[lower[pair]] > 1):
        numbered = (f"{names[pair]}_{number}" for number in count(1))
        names[pair] = next(name for name in numbered if name.lower() not in taken)
        taken.add(names[pair].lower())
    return names
