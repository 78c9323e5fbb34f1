"""Statements on temporary tables: the permanent tables that they read and write beside them.

No copy has a temporary table, nor one in which a system describes itself. Of a query that joins
one, each permanent table counts as it would be read alone. Subqueries without such tables count
whole.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from sqlglot import exp

from workloads.catalog import Catalog
from workloads.errors import SqlError
from workloads.sql.left_out import left_out
from workloads.sql.parsing.kinds import is_system_table
from workloads.sql.parsing.parse import statement
from workloads.sql.resolving.views import cte_of
from workloads.sql.row_changes import Change
from workloads.temporary_tables import PREFIX, SCHEMA, made
from workloads.workload import Query, Skipped, Workload

_UNTOLD = "the source does not tell sessions, as the log of a server does"


def of_permanent(found: Change, catalog: Catalog) -> tuple[Change, tuple[str, ...]]:
    """Return what a statement writes and reads of permanent tables, and its temporary ones."""
    named = [*found.targets, *(table for read in found.reads for table in read.find_all(exp.Table))]
    temporary = dict.fromkeys(
        table.name.removeprefix(PREFIX) for table in named if _is_temporary(table)
    )
    if not any(_is_uncopied(table, catalog) for table in named):
        return found, ()
    change = Change(
        targets=tuple(target for target in found.targets if not _is_temporary(target)),
        reads=tuple(part for read in found.reads for part in _parts(read, catalog)),
    )
    return change, tuple(temporary)


def without_ambiguous(workload: Workload, catalog: Catalog) -> Workload:
    """Leave out what may mean a temporary table: of a session that is not told, or is older.

    All statements of a source that tells no sessions are looked at, with those of its folder: a
    session may be in several files. In MySQL a temporary table is in a database, and hides no table
    of another.
    """
    hidden: dict[str, set[tuple[str, str]]] = {}
    known = {each.own_name.lower() for each in catalog.relations}
    for query in workload.queries:
        new = made(query.sql) if query.temporary is None else None
        if new is not None and new.name in known:
            schema = query.schema.lower() if new.schema in ("", SCHEMA) else new.schema
            hidden.setdefault(_folder(query), set()).add((schema, new.name))
    if not hidden and not any(query.maybe_temporary for query in workload.queries):
        return workload
    kept: list[Query] = []
    skipped: list[Skipped] = []
    for query in workload.queries:
        hiding = hidden.get(_folder(query), set()) if query.temporary is None else set()
        schemas = ("", query.schema.lower())
        names = {name for schema, name in hiding if schema in schemas or not query.schema}
        older = known.intersection(query.maybe_temporary)
        name = _mentioned(query, names | older, query.dialect or workload.dialect)
        if name is None:
            kept.append(query)
        else:
            why = "its session is older than the log" if name.lower() in older else _UNTOLD
            reason = f"'{name}' may be a temporary table: {why}"
            skipped.append(left_out(query, reason, "temporary", temporary=name))
    return replace(workload, queries=tuple(kept), skipped=(*workload.skipped, *skipped))


def _folder(query: Query) -> str:
    return str(Path(query.origin).parent)


def _mentioned(query: Query, names: Iterable[str], dialect: str) -> str | None:
    """Return the first of `names` that a statement may mean by a table without a schema.

    A text that does not parse may mean any that it holds. One that makes a temporary table of the
    name is no such: the table behind its name is told.
    """
    text = query.sql.lower()
    held = [name for name in names if name in text]
    if not held:
        return None
    try:
        tree = statement(query, dialect)
    except SqlError:
        return held[0]
    new = made(query.sql)
    for table in tree.find_all(exp.Table):
        is_made = new is not None and isinstance(_around(table), (exp.Create, exp.Into))
        if not table.db and table.name.lower() in held and not is_made and cte_of(table) is None:
            return table.name
    return None


def _around(table: exp.Table) -> exp.Expr | None:
    above = table.parent
    return above.parent if isinstance(above, exp.Schema) else above


def _is_temporary(table: exp.Table) -> bool:
    return table.name.startswith(PREFIX)


def _is_uncopied(table: exp.Table, catalog: Catalog) -> bool:
    """Whether a table is temporary, or one in which a system describes itself."""
    if _is_temporary(table):
        return True
    name = ".".join(part.name for part in table.parts)
    is_known = catalog.spelled(name) in catalog.tables or name.lower() in map(
        str.lower, catalog.views
    )
    return is_system_table(name) and not is_known and cte_of(table) is None


def _parts(tree: exp.Query, catalog: Catalog) -> Iterator[exp.Query]:
    """Yield queries that read what a query reads of permanent tables."""
    if not any(_is_uncopied(table, catalog) for table in tree.find_all(exp.Table)):
        yield tree
        return
    whole: set[int] = set()
    for node in tree.find_all(exp.CTE, exp.Subquery):
        body = node.this
        if (
            _is_within(node, whole)
            or not isinstance(body, exp.Query)
            or not _stands_alone(node, catalog)
        ):
            continue
        whole.add(id(node))
        yield body.copy()
    for table in tree.find_all(exp.Table):
        is_named = isinstance(table.this, exp.Identifier) and cte_of(table) is None
        if is_named and not _is_uncopied(table, catalog) and not _is_within(table, whole):
            yield _scan(table, catalog)


def _is_within(node: exp.Expr, whole: set[int]) -> bool:
    above: exp.Expr | None = node
    while above is not None:
        if id(above) in whole:
            return True
        above = above.parent
    return False


def _stands_alone(node: exp.Expr, catalog: Catalog) -> bool:
    """Whether a CTE or a derived table reads permanent tables, and nothing around it."""
    is_derived = isinstance(node, exp.CTE) or isinstance(node.parent, (exp.From, exp.Join))
    tables = list(node.this.find_all(exp.Table))
    return (
        is_derived
        and bool(tables)
        and not any(_is_uncopied(each, catalog) or cte_of(each) is not None for each in tables)
    )


def _scan(table: exp.Table, catalog: Catalog) -> exp.Query:
    """Return a query of a table alone, with the columns and filters that its query has of it."""
    alone = table.copy()
    alone.set("joins", None)
    select = table.parent_select
    if select is None:
        return exp.select("*").from_(alone)
    known = catalog.tables.get(catalog.spelled(table.name))
    own = {column.name.lower() for column in known.columns} if known is not None else set()
    alias = table.alias_or_name.lower()

    def is_own(column: exp.Column) -> bool:
        return column.table.lower() == alias or (not column.table and column.name.lower() in own)

    columns = {c.name.lower(): c for c in select.find_all(exp.Column) if is_own(c)}
    is_star = known is None or any(isinstance(each.this, exp.Star) for each in columns.values())
    if is_star or any(isinstance(each, exp.Star) for each in select.expressions):
        found = exp.select("*").from_(alone)
    else:
        outputs: list[exp.Expr] = [column.copy() for column in columns.values()]
        found = exp.select(*outputs or [exp.Count(this=exp.Star())]).from_(alone)
    for condition in _conditions(select):
        named = list(condition.find_all(exp.Column))
        if named and all(map(is_own, named)) and condition.find(exp.Query) is None:
            found = found.where(condition.copy())
    return found


def _conditions(select: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the conditions that all rows of a query meet; of outer joins, not all tables' do."""
    joins = select.args.get("joins") or []
    if any(join.side for join in joins):
        return
    wheres = [each.this for each in (select.args.get("where"),) if each is not None]
    for each in (*wheres, *(join.args["on"] for join in joins if join.args.get("on"))):
        yield from each.flatten() if isinstance(each, exp.And) else (each,)
