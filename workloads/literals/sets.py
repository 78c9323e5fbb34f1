"""Sets of literals for one statement, drawn from what the columns hold."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from workloads.catalog import Catalog
from workloads.errors import SqlError
from workloads.literals.drawing import Drawing, NothingToDrawError
from workloads.sql.parameters.places import Parameter, filled, parameters
from workloads.sql.parameters.wanting import wanted
from workloads.sql.parameters.written import literal
from workloads.wanted import Drawn, Wanted
from workloads.workload import Query

SETS = 3
"""So many sets of literals has a statement: drawn, or from a log that has as many."""


class UnfilledError(Exception):
    """A statement gets no literals; the message says why."""


def drawn_sets(
    query: Query, catalog: Catalog, dialect: str, drawn: Drawing, *, seed: int, sets: int = SETS
) -> tuple[Query, ...]:
    """Return a statement with each of several `sets` of literals, equal ones once.

    They depend on `seed` and on the statement's text alone.

    Raises:
        UnfilledError: One of its parameters gets none.
    """
    try:
        found = parameters(query, dialect)
        chosen = _by_key(found, wanted(query, found, catalog, dialect))
    except SqlError as error:
        raise UnfilledError(f"its parameters are not understood: {error.reason}") from error
    part = Random(f"{seed}\0{query.sql}")  # noqa: S311 - literals of a benchmark, no secret
    written: dict[str, Query] = {}
    for number in range(sets):
        try:
            rows = drawn.values(list(chosen.values()), part, number, sets)
        except NothingToDrawError as error:
            raise UnfilledError(str(error)) from error
        literals = {key: list(_written(wants, rows, dialect)) for key, wants in chosen.items()}
        one = filled(query, found, [literals[each.key] for each in found])
        written.setdefault(one.sql, one)
    return tuple(written.values())


def _by_key(found: Sequence[Parameter], asked: Sequence[Wanted]) -> Mapping[str, Wanted]:
    """Return what each different parameter wants: of several places the one that tells most."""
    chosen: dict[str, Wanted] = {}
    for each, wants in zip(found, asked, strict=True):
        known = chosen.get(each.key)
        if known is None or _tells(wants) > _tells(known):
            chosen[each.key] = wants
    for number, (key, wants) in enumerate(chosen.items(), start=1):
        if wants.lacks:
            name = f"parameter {number}" if key.isdecimal() else f"parameter {key}"
            raise UnfilledError(f"{name}: {wants.lacks}")
    return chosen


def _tells(wants: Wanted) -> int:
    return 2 if wants.compared is not None else int(not wants.lacks)


def _written(
    wants: Wanted, rows: Mapping[int, tuple[tuple[Drawn, ...], ...]], dialect: str
) -> Iterator[str]:
    """Yield the literals of a parameter: of a list several, and of rows each in parentheses."""
    if wants.compared is None:
        yield wants.default
        return
    for row in rows[wants.place]:
        texts = [literal(each, wants, dialect) for each in row]
        if None in texts:
            types = " and ".join(dict.fromkeys(each.type for each in row))
            raise UnfilledError(f"values of type {types} are not written as literals")
        joined = ", ".join(text for text in texts if text is not None)
        yield joined if len(row) == 1 else f"({joined})"
