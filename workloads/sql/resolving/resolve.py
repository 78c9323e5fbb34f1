"""Every name resolved: views to their queries, columns to the alias they come from."""

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from sqlglot import Dialect, exp
from sqlglot.errors import OptimizeError
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from workloads.catalog import Catalog
from workloads.errors import SqlError, UnknownTableError, UnresolvedNameError
from workloads.sql.parsing.door import door, error_at, place_of
from workloads.sql.parsing.parse import start_of
from workloads.sql.parsing.peculiar import hide_pseudo_columns
from workloads.sql.resolving.former_names import with_present_names
from workloads.sql.resolving.views import cte_of, expanded
from workloads.workload import Query

_UNRESOLVED = re.compile(
    r"(?:Column '(?P<column>[^']*)' could not be resolved(?: for table: '(?P<table>[^']*)')?"
    r"|Unknown column: (?P<missing>.+)|Ambiguous column '(?P<ambiguous>[^']*)'"
    r"|Cannot automatically join: (?P<joined>.+)|Unknown table: (?P<relation>.+))"
)
_POSITION = re.compile(r"\.?\s*\(?Line: \d+, Col: \d+\)?")


def qualified(tree: exp.Query, query: Query, catalog: Catalog, dialect: str) -> exp.Query:
    """Put views' queries in their place, resolve every column, and expand stars and USING.

    Names match in any case, quoted or not, as in DuckDB: the data are its, whatever the dialect.

    Raises:
        UnknownTableError: A table is neither in the catalog nor a CTE.
        SqlError: A column cannot be resolved, or a view cannot be read.
    """
    with door(query):
        tree = hide_pseudo_columns(expanded(tree, query, catalog), catalog)
        schema = _schema_read(tree, query, catalog)
        tree = with_present_names(tree, schema, catalog)
        engine = Dialect.get_or_raise(f"{dialect}, normalization_strategy=case_insensitive")
        try:
            done = qualify(
                tree,
                schema=_lowered(schema, engine),
                dialect=engine,
                quote_identifiers=False,
            )
        except OptimizeError as error:
            raise _unresolved(str(error), tree, query, schema, _left_out(catalog)) from error
        if not isinstance(done, exp.Query):
            raise TypeError(f"qualify made a {done.key} of a query")
        return done


def _schema_read(tree: exp.Query, query: Query, catalog: Catalog) -> dict[str, dict[str, str]]:
    """Return table → column → type of the tables that are read.

    Raises:
        UnknownTableError: One is not in the catalog.
    """
    names = {name.lower(): name for name in catalog.tables}
    schema: dict[str, dict[str, str]] = {}
    for table in tree.find_all(exp.Table):
        if not table.name or cte_of(table) is not None:
            continue
        name = names.get(table.name.lower())
        if name is None:
            raise unknown_table(table, query, catalog)
        if name not in schema:
            columns = catalog.tables[name].columns
            schema[name] = {column.name: column.type for column in columns}
    return schema


def _lowered(schema: Mapping[str, Mapping[str, str]], engine: Dialect) -> MappingSchema:
    """Return a schema with its names as resolution compares them: sqlglot takes longer for it."""
    lowered: dict[str, object] = {
        _lower(table, engine): {_lower(column, engine): type_ for column, type_ in columns.items()}
        for table, columns in schema.items()
    }
    return MappingSchema(lowered, dialect=engine, normalize=False)


def _lower(name: str, engine: Dialect) -> str:
    """Return a name as `engine` compares it: DuckDB and PostgreSQL leave an Ü as it is."""
    if name.isascii():
        return name.lower()
    return str(engine.normalize_identifier(exp.to_identifier(name, quoted=True)).this)


def unknown_table(table: exp.Table, query: Query, catalog: Catalog) -> UnknownTableError:
    """Return the error for a table that no catalog knows, with the nearest known name."""
    near = _nearest(table.name, (*catalog.tables, *catalog.views))
    view = _view_around(table)
    name = ".".join(part.name for part in table.parts)
    reason = f"{view}unknown table '{name}'{near}"
    line, column = place_of(query, start_of(table))
    error = UnknownTableError(reason, origin=query.origin, line=line, column=column)
    error.table = name
    return error


def unknown_column(node: exp.Expr, name: str, known: Iterable[str], query: Query) -> SqlError:
    """Return the error for a column that none of the tables has, with the nearest known name."""
    return error_at(query, start_of(node), f"unknown column '{name}'{_nearest(name, known)}")


def _left_out(catalog: Catalog) -> Mapping[str, str]:
    """Return the columns that the catalog leaves out, in small letters, with their types."""
    return {
        name.lower(): type_
        for table in catalog.tables.values()
        for name, type_ in table.left_out.items()
    }


def _unresolved(
    said: str,
    tree: exp.Query,
    query: Query,
    schema: Mapping[str, Mapping[str, str]],
    left_out: Mapping[str, str],
) -> SqlError:
    """Return the error for a name that sqlglot could not resolve, at the place where it stands."""
    found = _UNRESOLVED.search(said)
    if found is None:
        reason = _POSITION.sub("", said.partition("\n")[0]).rstrip(". ")
        return error_at(query, 0, reason)
    name = found["column"] or found["missing"] or found["ambiguous"] or found["joined"] or ""
    qualifier = found["table"] or found["relation"]
    node = _place(tree, name, qualifier, schema, is_qualified=found["column"] is None)
    if qualifier is not None:
        aliases = {table.alias_or_name for table in tree.find_all(exp.Table, exp.Subquery)}
        near = _nearest(qualifier, aliases)
        reason = f"'{qualifier}' is no table or alias of this query{near}"
    elif found["ambiguous"] is not None or _having(node, schema, name) > 1:
        reason = f"column '{name}' is in several of the tables: write the table before it"
    elif name.lower() in left_out:
        reason = f"column '{name}' is left out: no store holds its type {left_out[name.lower()]}"
    else:
        columns = {column for table in schema.values() for column in table}
        columns |= {each.alias for each in tree.find_all(exp.Alias)}
        reason = f"unknown column '{name}'{_nearest(name, columns)}"
    start, around = (0, "") if node is None else (start_of(node), _view_around(node))
    if reason.startswith("column") and name.lower() in left_out:
        return error_at(query, start, around + reason)
    line, column = place_of(query, start)
    return UnresolvedNameError(around + reason, origin=query.origin, line=line, column=column)


def _place(
    tree: exp.Query,
    name: str,
    qualifier: str | None,
    schema: Mapping[str, Mapping[str, str]],
    *,
    is_qualified: bool,
) -> exp.Expr | None:
    """Return the column, or the star, that sqlglot's message speaks of."""
    columns = [
        column
        for column in tree.find_all(exp.Column)
        if (not name or column.name.lower() == name.lower())
        and (qualifier is None or column.table.lower() == qualifier.lower())
    ]
    if qualifier is None:
        preferred = [column for column in columns if bool(column.table) == is_qualified]
        columns = preferred or columns
    if not is_qualified or not schema:
        return next(iter(columns), None)
    known = {table.lower(): {each.lower() for each in schema[table]} for table in schema}
    tables = {table.alias_or_name.lower(): table.name.lower() for table in tree.find_all(exp.Table)}
    wrong = (
        column
        for column in columns
        if name.lower() not in known.get(tables.get(column.table.lower(), ""), {name.lower()})
    )
    return next(wrong, next(iter(columns), None))


def _having(node: exp.Expr | None, schema: Mapping[str, Mapping[str, str]], column: str) -> int:
    """Count the tables in the FROM around `node` that have `column`."""
    select = node.parent_select if node is not None else None
    if select is None:
        return 0
    from_ = select.args.get("from_")
    relations = [from_.this] if from_ else []
    relations += [join.this for join in select.args.get("joins") or ()]
    having = {
        table.lower()
        for table, columns in schema.items()
        if column.lower() in (each.lower() for each in columns)
    }
    return sum(relation.name.lower() in having for relation in relations)


def _nearest(name: str, known: Iterable[str]) -> str:
    spelled = {each.lower(): each for each in known if each and each.lower() != name.lower()}
    matches = get_close_matches(name.lower(), spelled, n=1, cutoff=0.5)
    return f"; did you mean '{spelled[matches[0]]}'?" if matches else ""


def _view_around(node: exp.Expr) -> str:
    view = next((part.meta["view"] for part in node.walk() if "view" in part.meta), None)
    return f"view '{view}': " if view else ""
