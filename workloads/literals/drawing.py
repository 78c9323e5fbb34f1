"""Values drawn from the rows of tables, by how frequent they are.

An equality gets the value of a random row, so that a value is drawn as often as it occurs. Those
of one row of a table are drawn together: a pair that no row has would select nothing. Ranges are
cut at quantiles, so that on average they keep the shares that `workloads.estimation` takes where
it does not know their ends, which are those of System R.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random

import duckdb

from workloads.catalog import Catalog
from workloads.duck import OPTIONS, literal
from workloads.estimation.selectivity import BETWEEN_DEFAULT
from workloads.wanted import Compared, Drawn, Wanted

AMONG = 3
"""So many values has a list of which only dots are recorded."""
PIECE_CHARACTERS = 3
"""So many characters has a pattern before its wildcard, or a part of one."""

_TOGETHER = frozenset({"equal", "among", "prefix", "part"})
_WILD = str.maketrans("%_\\", "___")
Share = Callable[[], float]
Place = tuple[str, tuple[str, ...]]
"""A table, and expressions over its columns."""


class NothingToDrawError(Exception):
    """A table has no row with a value, or DuckDB cannot compute one; the message says which."""


class Drawing:
    """Draws values of a catalog's tables, of which samples or all rows are there."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, catalog: Catalog) -> None:
        self._connection = connection
        self._catalog = catalog
        self._sorted: dict[Place, tuple[str, int] | str] = {}

    def values(
        self, wanted: Sequence[Wanted], part: Random, number: int, sets: int
    ) -> Mapping[int, tuple[tuple[Drawn, ...], ...]]:
        """Return place → rows of values for the parameters that are compared, in one set.

        It is the set with a `number` of several `sets`, each of which has a part of the
        distribution to itself. `part` says which value of the part.

        Raises:
            NothingToDrawError: There is no value for one.
        """
        compared = {each.place: each.compared for each in wanted if each.compared is not None}
        rows = dict(self._rows(compared, lambda: (number + part.random()) / sets))
        cut = {
            place: (self._at(_place(compared[place]), share),)
            for place, share in _shares(compared, part, number, sets)
        }
        return rows | cut

    def _rows(
        self, compared: Mapping[int, Compared], share: Share
    ) -> Iterator[tuple[int, tuple[tuple[Drawn, ...], ...]]]:
        """Yield what is drawn of whole rows, and the others of lists."""
        groups: dict[tuple[str, int], list[int]] = {}
        for place, each in compared.items():
            if each.role in _TOGETHER:
                groups.setdefault((each.occurrence, each.row), []).append(place)
        for places in groups.values():
            sqls = tuple(dict.fromkeys(sql for place in places for sql in compared[place].sqls))
            table = compared[places[0]].table
            row = dict(zip(sqls, self._at((table, sqls), share()), strict=True))
            for place in places:
                each = compared[place]
                own = tuple(_pieced(row[sql], each.role) for sql in each.sqls)
                if each.role != "among":
                    yield place, (own,)
                    continue
                first = share()
                others = (
                    self._at(_place(each), (first + step / AMONG) % 1) for step in range(1, AMONG)
                )
                yield place, tuple(dict.fromkeys((own, *others)))

    def _at(self, place: Place, share: float) -> tuple[Drawn, ...]:
        """Return the row at a share (0..1) of the sorted rows."""
        kept = self._sorted.get(place)
        if kept is None:
            kept = self._sorted[place] = self._sort(place)
        if isinstance(kept, str):
            raise NothingToDrawError(kept)
        name, rows = kept
        found = self._connection.execute(
            f"SELECT * EXCLUDE (place, rows) FROM {name} WHERE place <= $1"  # noqa: S608 - ours
            " ORDER BY place DESC LIMIT 1",
            [min(rows - 1, int(share * rows))],
        ).fetchone()
        if found is None:
            raise NothingToDrawError(f"table '{place[0]}' has no row with a value")
        return tuple(
            Drawn(text, type_) for text, type_ in zip(found[::2], found[1::2], strict=True)
        )

    def _sort(self, place: Place) -> tuple[str, int] | str:
        """Sort the different rows of a place by value; return their table, or what is missing."""
        name, sqls = place
        table = self._catalog.tables[name]
        path = table.sample or table.parquet
        if path is None:
            return f"table '{name}' has no rows here"
        columns = ", ".join(f"({sql}) AS v{i}" for i, sql in enumerate(sqls))
        keys = ", ".join(f"v{i}" for i in range(len(sqls)))
        filled = " AND ".join(f"v{i} IS NOT NULL" for i in range(len(sqls)))
        shown = ", ".join(
            f"CAST(v{i} AS VARCHAR) AS t{i}, typeof(v{i}) AS k{i}" for i in range(len(sqls))
        )
        kept = f"sorted_{len(self._sorted)}"
        try:
            self._connection.execute(
                f"CREATE TEMP TABLE {kept} AS SELECT {shown}, n AS rows,"  # noqa: S608 - quoted
                f" sum(n) OVER (ORDER BY {keys}) - n AS place FROM (SELECT {keys}, count(*) AS n"
                f" FROM (SELECT {columns} FROM read_parquet({literal(path)},"
                f" hive_partitioning = false)) WHERE {filled} GROUP BY ALL)"
            )
            ((rows,),) = self._connection.execute(
                f"SELECT coalesce(sum(rows), 0) FROM {kept}"  # noqa: S608 - ours
            ).fetchall()
        except duckdb.Error as error:
            reason = str(error).strip().splitlines()[0].rstrip(".")
            return f"DuckDB does not compute what it is compared with: {reason}"
        return (kept, int(rows)) if rows else f"table '{name}' has no row with a value"


def _place(compared: Compared) -> Place:
    return compared.table, compared.sqls


def _pieced(drawn: Drawn, role: str) -> Drawn:
    """Return a value, or of a pattern the first characters of it, none of them a wildcard."""
    if role not in ("prefix", "part"):
        return drawn
    piece = drawn.text[:PIECE_CHARACTERS].translate(_WILD)
    return Drawn(piece + "%" if role == "prefix" else piece, "VARCHAR")


def _shares(
    compared: Mapping[int, Compared], part: Random, number: int, sets: int
) -> Iterator[tuple[int, float]]:
    """Yield at which quantile the ends of ranges are, and the values that are excluded.

    One end keeps the square of a share that is drawn uniformly: 1/3 of the rows on average. Two
    ends of one column are so far apart as keeps 1/4 on average.
    """
    ends: dict[tuple[str, tuple[str, ...]], dict[str, list[int]]] = {}
    for place, each in compared.items():
        if each.role == "unequal":
            yield place, part.random()
        elif each.role in ("low", "high"):
            range_ = ends.setdefault((each.occurrence, each.sqls), {"low": [], "high": []})
            range_[each.role].append(place)
    for range_ in ends.values():
        drawn = (number + part.random()) / sets
        if range_["low"] and range_["high"]:
            width = 2 * BETWEEN_DEFAULT * drawn
            low = part.random() * (1 - width)
            high = low + width
        else:
            high, low = drawn**2, 1 - drawn**2
        yield from ((place, low) for place in range_["low"])
        yield from ((place, high) for place in range_["high"])


def _folder(path: Path) -> str:
    """Return the folder that holds a file, or all files of a glob."""
    folder = path.absolute().parent
    while set("*?[") & set(str(folder)):
        folder = folder.parent
    return str(folder)


@contextmanager
def drawing(catalog: Catalog) -> Iterator[Drawing]:
    """Open DuckDB over the rows of a catalog's tables."""
    with duckdb.connect(":memory:", config=dict(OPTIONS)) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        # Expressions are the workload's: they read these files and no other.
        paths = {each.sample or each.parquet for each in catalog.tables.values()}
        folders = sorted({_folder(path) for path in paths if path is not None})
        connection.execute(f"SET allowed_directories = [{', '.join(map(literal, folders))}]")
        connection.execute("SET enable_external_access = false")
        yield Drawing(connection, catalog)
