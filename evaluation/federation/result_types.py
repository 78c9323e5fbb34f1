"""The types of a fragment's columns, the same from every store."""

import duckdb
from sqlglot import exp

from evaluation.federation.spell_names import spell_names
from workloads.catalog import Catalog
from workloads.errors import SqlError


class TypeOracle:
    """Tells the result types of a query by asking DuckDB over empty tables of the catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._connection = duckdb.connect(":memory:")
        for table in catalog.tables.values():
            if not table.columns:
                continue
            columns = ", ".join(f"{_quoted(c.name)} {c.type}" for c in table.columns)
            self._connection.execute(f"CREATE TABLE {_quoted(table.name)} ({columns})")

    def types(self, tree: exp.Query) -> tuple[str, ...]:
        """Return DuckDB's types of the columns of `tree`, in order.

        Raises:
            SqlError: DuckDB does not understand it.
        """
        spelled = spell_names(tree.copy(), self._catalog, None)
        for parameter in list(spelled.find_all(exp.Placeholder)):
            parameter.replace(exp.null())
        try:
            rows = self._connection.execute(
                f"DESCRIBE {spelled.sql('duckdb', identify=True)}"
            ).fetchall()
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            raise SqlError(f"DuckDB does not know its types: {reason}", origin="result") from error
        return tuple(str(row[1]) for row in rows)


def cast_results(tree: exp.Query, types: tuple[str, ...]) -> exp.Query:
    """Cast the computed columns of `tree` to `types`, as far as stores differ in them.

    Sums of integers are HUGEINT in DuckDB, which JDBC cannot carry, and NUMERIC without scale in
    PostgreSQL: they become DECIMAL(38, 0).
    """
    if not isinstance(tree, exp.Select):
        names = [projection.alias_or_name for projection in tree.selects]
        inner = exp.Subquery(this=tree, alias=exp.TableAlias(this=exp.to_identifier("u")))
        with_ = tree.args.get("with_")
        if with_ is not None:
            tree.set("with_", None)
        columns = (exp.alias_(exp.column(name, table="u"), name) for name in names)
        tree = exp.select(*columns).from_(inner)
        if with_ is not None:
            tree.set("with_", with_)
    for projection, type_ in zip(list(tree.selects), types, strict=True):
        target = _target(type_)
        value = projection.unalias()
        if target is not None:
            cast = exp.alias_(exp.cast(value.copy(), target), projection.alias_or_name)
            projection.replace(cast)
    return tree


def _target(type_: str) -> str | None:
    if type_ == "HUGEINT":
        return "DECIMAL(38, 0)"
    if type_ in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT"):
        return "BIGINT"
    if type_.startswith("DECIMAL") or type_ == "DOUBLE":
        return type_
    return None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
