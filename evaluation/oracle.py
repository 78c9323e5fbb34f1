"""The right answers: DuckDB running the original statement on the same Parquet.

Shares no code with the federation: statements are run as they were written, in another dialect
than DuckDB's as sqlglot prints them in DuckDB's.
"""

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal

import duckdb

from workloads.catalog import Catalog, View
from workloads.errors import CatalogError, SqlError
from workloads.sql.translate import translate
from workloads.workload import Query

Row = Sequence[object]

RELATIVE_TOLERANCE = 1e-6
ABSOLUTE_TOLERANCE = 1e-6


class Oracle:
    """Answers queries in DuckDB; each query is run once."""

    def __init__(self, catalog: Catalog, dialect: str = "duckdb") -> None:
        self._dialect = dialect
        self._connection = duckdb.connect(":memory:")
        self._answers: dict[str, list[tuple[object, ...]]] = {}
        for table in catalog.tables.values():
            if table.parquet is None:
                raise CatalogError(f"Table '{table.name}' has no Parquet to compare results with.")
            path = str(table.parquet).replace("'", "''")
            self._connection.execute(
                f"CREATE VIEW {_quoted(table.name)} AS FROM read_parquet('{path}')"
            )
        self._refused_views = self._create_views(catalog)
        self._former_names = self._add_former_names(catalog)

    def answer(self, query: Query) -> list[tuple[object, ...]]:
        """Return the rows of `query`.

        Raises:
            SqlError: DuckDB cannot run it, so that there is nothing to compare with.
        """
        if query.name not in self._answers:
            sql = translate(query, self._dialect, "duckdb")
            self._connection.execute(f"SET search_path = '{self._schemas(sql)}'")
            try:
                self._answers[query.name] = self._connection.execute(sql).fetchall()
            except duckdb.Error as error:
                reason = _first_line(error)
                for view, refusal in self._refused_views.items():
                    if view.lower() in reason.lower():
                        reason = f"view '{view}': {refusal}"
                raise SqlError(
                    f"no answer to compare with, DuckDB says: {reason}", origin=query.origin
                ) from error
        return self._answers[query.name]

    def _schemas(self, sql: str) -> str:
        """Return where DuckDB looks for the tables of a statement."""
        words = {word.lower() for word in re.findall(r"\w+", sql)}
        return "former,main" if words & self._former_names else "main"

    def _add_former_names(self, catalog: Catalog) -> frozenset[str]:
        """Create tables with their columns' former names beside the others; return the names.

        They lie in a schema of their own, for statements that use one.
        """
        self._connection.execute("CREATE SCHEMA former")
        found: set[str] = set()
        for table in catalog.tables.values():
            if table.former_names:
                name = _quoted(table.name)
                added = ", ".join(
                    f"{_quoted(present)} AS {_quoted(former)}"
                    for former, present in table.former_names.items()
                )
                self._connection.execute(
                    f"CREATE VIEW former.{name} AS SELECT *, {added} FROM main.{name}"  # noqa: S608
                )
                found |= table.former_names.keys()
        return frozenset(found)

    def _create_views(self, catalog: Catalog) -> dict[str, str]:
        """Create the catalog's views, and return those that DuckDB refuses with its reasons.

        A view that reads another is refused until that is there, so that rounds are made until
        one changes nothing.
        """
        known = {name.lower() for name in catalog.tables}
        if "dual" not in known | {name.lower() for name in catalog.views}:
            self._connection.execute("CREATE VIEW dual AS SELECT 'X' AS dummy")
        waiting = {name: view for name, view in catalog.views.items() if name.lower() not in known}
        refused: dict[str, str] = {}
        while waiting:
            refused = {}
            for view in waiting.values():
                try:
                    self._connection.execute(_definition(view))
                except (duckdb.Error, SqlError) as error:
                    refused[view.name] = _first_line(error)
            if len(refused) == len(waiting):
                break
            waiting = {name: view for name, view in waiting.items() if view.name in refused}
        return refused

    def close(self) -> None:
        """Give the memory back."""
        self._connection.close()


def _definition(view: View) -> str:
    query = Query(name=view.name, sql=view.sql, origin=f"view {view.name}")
    columns = ", ".join(map(_quoted, view.columns))
    listed = f" ({columns})" if columns else ""
    return f"CREATE VIEW {_quoted(view.name)}{listed} AS {translate(query, view.dialect, 'duckdb')}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


def difference(expected: Sequence[Row], actual: Sequence[Row]) -> str | None:
    """Say how two results differ as multisets of rows; None if they do not.

    Numbers are equal within 1e-6 (relative, or absolute near zero); dates, text and nulls
    exactly, but for the blanks that pad a CHAR.
    """
    if len(expected) != len(actual):
        return f"{len(actual)} rows where {len(expected)} were expected"
    left, right = _by_exact_part(expected), _by_exact_part(actual)
    for key, numbers in left.items():
        others = right.get(key)
        if others is None or len(others) != len(numbers):
            found = 0 if others is None else len(others)
            return f"{found} rows like {_shown(key)} where {len(numbers)} were expected"
        unmatched = _unmatched(numbers, others)
        if unmatched is not None:
            return f"no {unmatched} as was expected, in a row like {_shown(key)}"
    return None


def _unmatched(
    expected: list[tuple[float, ...]], actual: list[tuple[float, ...]]
) -> tuple[float, ...] | None:
    """Return a row of numbers that has no close partner of its own.

    Sorted rows usually pair up; where rounding changed their order, each looks for a partner.
    """
    one_by_one = zip(sorted(expected), sorted(actual), strict=True)
    if all(_close(one, other) for one, other in one_by_one):
        return None
    left = list(actual)
    for row in expected:
        partner = next((other for other in left if _close(row, other)), None)
        if partner is None:
            return row
        left.remove(partner)
    return None


def _by_exact_part(
    rows: Sequence[Row],
) -> dict[tuple[object, ...], list[tuple[float, ...]]]:
    grouped: dict[tuple[object, ...], list[tuple[float, ...]]] = defaultdict(list)
    for row in rows:
        exact: list[object] = []
        numbers: list[float] = []
        for value in row:
            normal = _normal(value)
            if isinstance(normal, float):
                numbers.append(normal)
                exact.append("#")
            else:
                exact.append(normal)
        grouped[tuple(exact)].append(tuple(numbers))
    return grouped


def _normal(value: object) -> object:
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, (int, float, Decimal)):
        number = float(value)
        return "NaN" if math.isnan(number) else number
    if isinstance(value, datetime):
        midnight = (value.hour, value.minute, value.second, value.microsecond) == (0, 0, 0, 0)
        return value.date().isoformat() if midnight else value.replace(tzinfo=None).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if value is None:
        return None
    return str(value).rstrip(" ")


def _close(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return all(
        math.isclose(a, b, rel_tol=RELATIVE_TOLERANCE, abs_tol=ABSOLUTE_TOLERANCE)
        for a, b in zip(one, other, strict=True)
    )


def _shown(key: tuple[object, ...]) -> str:
    text = ", ".join("NULL" if value is None else str(value) for value in key)
    return f"({text[:120]})"
