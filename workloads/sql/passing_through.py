"""Statements that only a server of their own dialect can run: their tables, and their text.

A text is never written anew: what sqlglot does not know would be lost. Only the names of its
tables are replaced, where they stand.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sqlglot import Token, exp

from workloads.catalog import Catalog, Table, View
from workloads.errors import NotSentError, SqlError
from workloads.footprint import Block, Footprint, Output, Source
from workloads.pass_through import SERVERS, PassThrough
from workloads.sql.incomparable import incomparable, moment_of, only_of_copy
from workloads.sql.misspelt_functions import unknown_functions
from workloads.sql.parsing.as_checked import as_checked
from workloads.sql.parsing.door import error_at, through_door
from workloads.sql.parsing.parse import statement, tokens_of
from workloads.sql.parsing.relations import (
    Relation,
    has_typed_text,
    named_ctes,
    named_relations,
    reads_otherwise,
)
from workloads.sql.resolving.views import cte_of
from workloads.sql.unresolved_columns import (
    has_functions,
    has_unknown_columns,
    uncopied_columns,
)
from workloads.workload import Query

_ONLY = re.compile(r"(?i)\bONLY\s+\Z")
_MOST_NESTED = 50
"""So deep may views read views."""


def passed_through(
    query: Query,
    catalog: Catalog,
    dialect: str,
    reason: str,
    writes: frozenset[str] = frozenset(),
    *,
    is_unresolved: bool = False,
) -> PassThrough | None:
    """Return a statement, which `reason` keeps from being understood, as its server gets it.

    None where it would not run there either, or is no server's: it does not parse, reaches the
    host, reads no table, or reads a table or a column that the catalog has not. A name that
    `is_unresolved` may be that of a column of a function in FROM, and else is a slip.

    Raises:
        NotSentError: No server gets its text, which may do more than was seen of it.
    """
    if dialect not in SERVERS:
        return None
    try:
        query = as_checked(query, dialect)
        tree, relations = _read(query, dialect, catalog)
        found = [_known(relation, catalog) for relation in relations]
        tables = _base_tables(found, catalog, dialect)
    except NotSentError:
        raise
    except SqlError:
        return None
    if not tables or not _may_run(tree, found, is_unresolved=is_unresolved):
        return None
    tokens = tokens_of(query, dialect)
    alone = _alone(query, dialect, catalog)
    copied = [name for name in alone if catalog.tables[name].origin is None]
    return PassThrough(
        query=query,
        dialect=dialect,
        reason=reason,
        footprint=_footprint(query, tables, writes),
        uncopied=uncopied_columns(query, tree, tables, catalog),
        incomparable=incomparable(query, tokens, dialect, tables, catalog) or only_of_copy(copied),
        moment=moment_of(tokens),
        unknown=unknown_functions(query, tree, dialect, catalog),
        alone=alone,
    )


def _may_run(tree: exp.Expr | None, found: list[Table | View], *, is_unresolved: bool) -> bool:
    """Tell whether nothing is known against a statement, whose tree is None if it did not parse."""
    if tree is None:
        return not is_unresolved
    return not has_unknown_columns(tree, found) and (not is_unresolved or has_functions(tree))


def _footprint(query: Query, tables: Iterable[str], writes: frozenset[str]) -> Footprint:
    """Return one block that reads the tables, of which nothing else is known."""
    whole = Block(
        name="q",
        kind="select",
        role="root",
        children=(),
        closed=True,
        sources=tuple(Source(block="q", alias=name, table=name, columns=()) for name in tables),
        inputs={},
        filters=(),
        joins=(),
        output=Output(columns=(), width_bytes=0.0),
    )
    return Footprint(query=query.name, executions=query.executions, blocks=(whole,), writes=writes)


@through_door
def text_over(
    query: Query, dialect: str, catalog: Catalog, copies: Mapping[str, str], depth: int = 0
) -> str:
    """Return the text of a statement over `copies`: table → how it is written in a FROM clause.

    A view is written as its query.

    Raises:
        SqlError: A view reads views that are nested too deeply.
    """
    query = as_checked(query, dialect)
    text = query.sql
    tree, relations = _read(query, dialect, catalog)
    edits = list(_unqualified(tree)) if tree is not None else []
    for relation in relations:
        found = _known(relation, catalog)
        if isinstance(found, View):
            written = f"({_view_over(found, dialect, catalog, copies, depth)})"
        else:
            written = copies[found.name]
        if not relation.has_alias:
            # As it was written: whether its case counts is the server's.
            own = text[: relation.end].rpartition(".")[2] if relation.schema else None
            written += f" AS {own or text[relation.start : relation.end]}"
        only = _ONLY.search(text, 0, relation.start)
        # A copy has no tables that inherit from it, and ONLY takes no derived table.
        drops = only is not None and not _is_alone(text, relation, found)
        edits.append((only.start() if only and drops else relation.start, relation.end, written))
    for start, end, written in sorted(edits, reverse=True):
        text = text[:start] + written + text[end:]
    return text


def _unqualified(tree: exp.Expr) -> Iterator[tuple[int, int, str]]:
    """Yield the schemas before columns, as (start, end, text instead): an alias has none."""
    for column in tree.find_all(exp.Column):
        parts = [part for part in column.parts if isinstance(part, exp.Identifier)]
        if column.db and all("start" in part.meta for part in parts):
            yield int(parts[0].meta["start"]), int(parts[-2].meta["start"]), ""


def _view_over(
    view: View, dialect: str, catalog: Catalog, copies: Mapping[str, str], depth: int
) -> str:
    query = Query(name=view.name, sql=view.sql, origin=view.name)
    if depth >= _MOST_NESTED:
        raise SqlError("views are nested too deeply", origin=view.name, line=1, column=1)
    text = text_over(query, dialect, catalog, copies, depth + 1)
    if not view.columns:
        return text
    names = ", ".join(exp.to_identifier(n, quoted=True).sql(dialect) for n in view.columns)
    return f"SELECT * FROM ({text}) AS named ({names})"  # noqa: S608 - names are quoted


def _read(
    query: Query, dialect: str, catalog: Catalog
) -> tuple[exp.Expr | None, tuple[Relation, ...]]:
    """Return the tree of a statement, None where it does not parse, and the tables that it names.

    Raises:
        SqlError: It reaches the host, or is no SQL of the dialect's.
    """
    try:
        tree = statement(query, dialect, complete=False)
    except SqlError:
        tokens = tokens_of(query, dialect)
        if query.latency_s is None and not has_typed_text(tokens):
            # No server ran it: a slip of the pen is likelier than SQL that sqlglot does not know.
            raise
        return None, _by_tokens(query, tokens, catalog)
    return tree, tuple(_relations(tree))


def _by_tokens(query: Query, tokens: Sequence[Token], catalog: Catalog) -> tuple[Relation, ...]:
    """Return the tables that a text names which does not parse.

    Raises:
        SqlError: A CTE may be called as a table is, or a table is read in an odd way.
    """
    ctes = named_ctes(tokens)
    known = {name.lower() for each in catalog.relations for name in (each.name, each.own_name)}
    if ctes & known or reads_otherwise(tokens):
        raise error_at(query, 0, "its tables cannot be told")
    found = named_relations(tokens)
    return tuple(each for each in found if each.schema or each.name.lower() not in ctes)


def _relations(tree: exp.Expr) -> Iterator[Relation]:
    """Yield what is read by its name: no subquery, no CTE and no function."""
    for table in tree.find_all(exp.Table):
        if isinstance(table.this, exp.Identifier) and cte_of(table) is None:
            parts = [part for part in table.parts if isinstance(part, exp.Identifier)]
            yield Relation(
                schema=table.db,
                name=table.name,
                start=int(parts[0].meta["start"]),
                end=int(parts[-1].meta["end"]) + 1,
                has_alias=bool(table.alias),
            )


def _known(relation: Relation, catalog: Catalog) -> Table | View:
    """Return the table or view that is meant: by its unique name, or in the schema before it.

    Raises:
        SqlError: There is none, or only case tells it from others.
    """
    schema, name = relation.schema.lower(), relation.name.lower()
    for each in catalog.relations:
        if each.name.lower() == name and schema in ("", each.schema.lower() or schema):
            return each
    there = (e for e in catalog.relations if e.schema.lower() == schema)
    found = [each for each in there if each.own_name.lower() == name]
    if len(found) == 1:
        return found[0]
    raise SqlError(f"unknown table '{relation.name}'", origin="", line=1, column=1)


def _is_alone(text: str, relation: Relation, found: Table | View) -> bool:
    """Tell whether a table is read without those that inherit from it."""
    has_children = isinstance(found, Table) and found.has_children
    return has_children and _ONLY.search(text, 0, relation.start) is not None


def _alone(query: Query, dialect: str, catalog: Catalog) -> tuple[str, ...]:
    """Return the tables that a statement, or a view that it reads, reads without their children."""
    if not any(table.has_children for table in catalog.tables.values()):
        return ()
    alone: dict[str, None] = {}
    waiting, seen = [as_checked(query, dialect)], set[str]()
    while waiting:
        read = waiting.pop()
        for relation in _read(read, dialect, catalog)[1]:
            found = _known(relation, catalog)
            if isinstance(found, View) and found.name not in seen:
                seen.add(found.name)
                view = Query(name=found.name, sql=found.sql, origin=found.name)
                waiting.append(as_checked(view, dialect))
            elif _is_alone(read.sql, relation, found):
                alone[found.name] = None
    return tuple(alone)


def _base_tables(
    found: list[Table | View], catalog: Catalog, dialect: str, depth: int = 0
) -> tuple[str, ...]:
    """Return the tables, each once, with those that the views read.

    Raises:
        SqlError: A view is of another dialect, or reads what the catalog has not.
    """
    tables: dict[str, None] = {}
    for each in found:
        if isinstance(each, Table):
            tables[each.name] = None
            continue
        if depth >= _MOST_NESTED or each.dialect not in ("", dialect):
            raise SqlError("a view is of another SQL", origin=each.name, line=1, column=1)
        query = as_checked(Query(name=each.name, sql=each.sql, origin=each.name), dialect)
        _, relations = _read(query, dialect, catalog)
        within = [_known(relation, catalog) for relation in relations]
        tables.update(dict.fromkeys(_base_tables(within, catalog, dialect, depth + 1)))
    return tuple(tables)
