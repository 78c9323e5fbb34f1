"""The types of a fragment's columns, the same from every store."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial

import duckdb
from sqlglot import exp

from evaluation.federation.rewrites.unique_outputs import numbered_outputs
from evaluation.store_protocol.carried import MOST_DIGITS, decimal_digits
from workloads.catalog import Catalog
from workloads.empty_database import EmptyDatabase
from workloads.errors import SqlError
from workloads.sql.trees.copies import copied, written
from workloads.sql.trees.tree import QueryTree

_WHOLE = frozenset(
    {
        *("TINYINT", "SMALLINT", "INTEGER", "BIGINT"),
        *("UTINYINT", "USMALLINT", "UINTEGER"),
    }
)
WIDE = {"mysql": 65}
"""Dialect → the digits of a decimal in stores whose casts give the largest number that fits."""

_MOST_KEPT = 1_000
"""So many descriptions are kept: plans of one workload have many fragments in common."""

NULL_TYPE = '"NULL"'
"""DuckDB's name for the type of a NULL that nothing gives a type."""


class TypeOracle:
    """Tells the result types of a query by asking DuckDB over empty tables of the catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._database = EmptyDatabase()
        self._connection = self._database.connection
        for table in catalog.tables.values():
            if not table.columns:
                continue
            columns = ", ".join(f"{_quoted(c.name)} {c.type}" for c in table.columns)
            self._connection.execute(f"CREATE TABLE {_quoted(table.name)} ({columns})")
        rows = self._connection.execute(
            "SELECT table_name, column_name, data_type FROM duckdb_columns() "
            "WHERE database_name = current_database()"
        ).fetchall()
        self._columns: dict[str, dict[str, str]] = {}
        for name, column, type_ in rows:
            self._columns.setdefault(name.lower(), {})[column.lower()] = type_
        self._asked = lru_cache(_MOST_KEPT)(partial(_rows, self._connection))

    def known(self, tree: exp.Query) -> tuple[str, ...]:
        """Return DuckDB's types of the columns of `tree`; none where it does not understand it."""
        with suppress(SqlError):
            return self.types(tree)
        return ()

    def columns_of(self, sql: str) -> tuple[tuple[str, str], ...]:
        """Return names and types of a statement's columns as DuckDB says; none where it cannot."""
        try:
            rows = self._connection.execute(f"DESCRIBE {sql.rstrip().rstrip(';')}").fetchall()
        except duckdb.Error:
            return ()
        return tuple((str(row[0]), str(row[1])) for row in rows)

    def types(self, tree: exp.Query) -> tuple[str, ...]:
        """Return DuckDB's types of the columns of `tree`, in order.

        Raises:
            SqlError: DuckDB does not understand it, or has other columns: those of a star over a
                relation in which names are repeated.
        """
        found = self._of_columns(tree) or self._described(tree)
        if len(found) != len(tree.selects):
            raise SqlError("its columns cannot be told apart by their names", origin="result")
        return found

    def check(self, tree: exp.Query, sql: str) -> None:
        """Hold what a statement was rewritten to against the statement.

        A slip in rewriting must not become a wrong answer.

        Raises:
            SqlError: DuckDB does not understand `tree`, or has other types for it than for `sql`.
        """
        types = tuple(type_ for _, type_ in self.columns_of(sql))
        if types and self.types(tree) != types:
            raise SqlError("it has other types once it is rewritten", origin="result")

    def check_combining(
        self,
        tree: exp.Query,
        views: Mapping[str, Sequence[tuple[str, str]]],
        types: Sequence[str],
    ) -> None:
        """Hold the query that combines fragments against the types of the answer.

        `views` are the names and types of the columns of each fragment.

        Raises:
            SqlError: DuckDB does not understand `tree`, or it has other types.
        """
        given = ", ".join(
            f"{_quoted(view)} AS (SELECT {', '.join(map(_no_value, columns))})"
            for view, columns in views.items()
        )
        sql = f"WITH {given} SELECT * FROM ({written(tree, 'duckdb')}) AS combined"  # noqa: S608
        found = tuple(str(row[1]) for row in self._asked(f"DESCRIBE {sql}"))
        if types and found != tuple(types):
            raise SqlError("it has other types once it is cut", origin="result")

    def with_nulls(self, tree: exp.Query, types: tuple[str, ...]) -> tuple[str, ...]:
        """Return `types` with NULL_TYPE for columns that are NULL in every row and have no type.

        A result has INTEGER for it. A query over it takes it for whatever it is compared with.
        """
        if "INTEGER" not in types or tree.find(exp.Null) is None:
            return types
        names = [f"c{place}" for place in range(len(types))]
        asked = ", ".join(f"typeof({name})" for name in names)
        rows = self._connection.execute(
            f"SELECT {asked} FROM (SELECT 1) AS one LEFT JOIN "  # noqa: S608 - made of the tree
            f"({written(tree, 'duckdb')}) AS result({', '.join(names)}) ON false"
        ).fetchall()
        return tuple(
            NULL_TYPE if found == NULL_TYPE else type_
            for found, type_ in zip(rows[0], types, strict=True)
        )

    def _of_columns(self, tree: exp.Query) -> tuple[str, ...]:
        """Return the types of what are all columns of tables; none where anything is not."""
        outputs = [
            output for each in tree.selects if isinstance(output := each.unalias(), exp.Column)
        ]
        if len(outputs) < len(tree.selects):
            return ()
        tables = QueryTree(tree).root.tables
        found = []
        for output in outputs:
            if output.table not in tables:
                return ()
            columns = self._columns.get(tables[output.table].lower(), {})
            if output.name.lower() not in columns:
                return ()
            found.append(columns[output.name.lower()])
        return tuple(found)

    def _described(self, tree: exp.Query) -> tuple[str, ...]:
        if tree.find(exp.Placeholder):
            tree = copied(tree)
            for parameter in list(tree.find_all(exp.Placeholder)):
                parameter.replace(exp.null())
        # DuckDB knows names in any case.
        rows = self._asked(f"DESCRIBE {written(tree, 'duckdb')}")
        if len(rows) != len(tree.selects):
            # A star stays one where two of its columns have one name.
            raise SqlError("which columns it has is known to DuckDB alone", origin="result")
        return tuple(str(row[1]) for row in rows)


def _rows(connection: duckdb.DuckDBPyConnection, sql: str) -> Sequence[tuple[object, ...]]:
    try:
        return connection.execute(sql).fetchall()
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        raise SqlError(f"DuckDB does not know its types: {reason}", origin="result") from error


def _no_value(column: tuple[str, str]) -> str:
    name, type_ = column
    value = "NULL" if type_ == NULL_TYPE else f"CAST(NULL AS {type_})"
    return f"{value} AS {_quoted(name)}"


def cast_results(tree: exp.Query, types: tuple[str, ...], dialect: str) -> exp.Query:
    """Cast the computed columns of `tree` to `types`, as far as stores of `dialect` need it.

    Sums of integers are HUGEINT in DuckDB, which JDBC cannot carry, and NUMERIC without scale in
    PostgreSQL: they become DECIMAL(38, 0). Whole numbers are BIGINT until they have arrived.
    """
    if not isinstance(tree, exp.Select):
        names = [projection.alias_or_name for projection in tree.selects]
        inner_names = [each.alias_or_name for each in numbered_outputs(tree).selects]
        inner = exp.Subquery(this=tree, alias=exp.TableAlias(this=exp.to_identifier("u")))
        with_ = tree.args.get("with_")
        if with_ is not None:
            tree.set("with_", None)
        columns = (
            exp.alias_(exp.column(inner_name, table="u"), name)
            for inner_name, name in zip(inner_names, names, strict=True)
        )
        tree = exp.select(*columns).from_(inner)
        if with_ is not None:
            tree.set("with_", with_)
    for projection, type_ in zip(list(tree.selects), types, strict=True):
        target = _target(type_, dialect)
        value = copied(projection.unalias())
        if isinstance(value, exp.Subquery):
            # It may have the alias itself.
            value.set("alias", None)
        if target is not None:
            cast = exp.cast(value, target, copy=False)
            projection.replace(exp.alias_(cast, projection.alias_or_name, copy=False))
    return tree


def _target(type_: str, dialect: str) -> str | None:
    if type_ in ("HUGEINT", "UHUGEINT"):
        return f"DECIMAL({WIDE.get(dialect, MOST_DIGITS)}, 0)"
    if type_ == "UBIGINT":
        return "DECIMAL(20, 0)"
    if type_ in _WHOLE:
        return "BIGINT"
    digits = decimal_digits(type_)
    if digits is not None:
        # Where the number may have more digits, it must not be cut unnoticed.
        most = WIDE.get(dialect, MOST_DIGITS) if digits[0] == MOST_DIGITS else digits[0]
        return f"DECIMAL({most}, {digits[1]})"
    return "DOUBLE" if type_ == "DOUBLE" else None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
