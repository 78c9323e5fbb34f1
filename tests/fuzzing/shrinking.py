"""Failures made small: the shortest statement and the fewest rows that still fail alike."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from tests.fuzzing.schemas import Database, TableSpec

MOST_TRIES = 500
_CLAUSES = (
    "with_", "where", "having", "qualify", "order", "limit", "offset", "distinct", "group",
    "filter",
)  # fmt: skip


def shrunk_sql(
    sql: str, fails: Callable[[str], bool], tries: int = MOST_TRIES, dialect: str = "duckdb"
) -> str:
    """Return the shortest text found that `fails` as `sql` does.

    Each round tries simplifications of the tree, the largest cut first, and keeps the first that
    still fails; it ends when none does, or after so many `tries`.
    """
    left = tries
    seen = {sql}
    while True:
        for candidate in sorted(set(_simpler(sql, dialect)), key=len):
            if candidate in seen or len(candidate) >= len(sql):
                continue
            seen.add(candidate)
            left -= 1
            if left < 0:
                return sql
            if fails(candidate):
                sql = candidate
                break
        else:
            return sql


def _simpler(sql: str, dialect: str) -> Iterator[str]:
    try:
        tree = parse_one(sql, dialect=dialect)
    except SqlglotError:
        return
    for place, _ in enumerate(tree.walk()):
        for edit in (_without_clause, _without_item, _by_a_child):
            yield from _edited(tree, place, edit, dialect)


def _edited(
    tree: exp.Expr,
    place: int,
    edit: Callable[[exp.Expr], Iterator[Callable[[exp.Expr], None]]],
    dialect: str,
) -> Iterator[str]:
    count = sum(1 for _ in edit(_node(tree, place)))
    for number in range(count):
        other = tree.copy()
        node = _node(other, place)
        root = exp.Paren(this=other)
        change = list(edit(node))[number]
        try:
            change(node)
            text = root.this.sql(dialect)
        except (SqlglotError, ValueError, AttributeError, TypeError, KeyError):
            continue
        yield text


def _node(tree: exp.Expr, place: int) -> exp.Expr:
    for number, node in enumerate(tree.walk()):
        if number == place:
            return node
    raise IndexError(place)


def _without_clause(node: exp.Expr) -> Iterator[Callable[[exp.Expr], None]]:
    for clause in _CLAUSES:
        if node.args.get(clause) is not None:
            yield lambda found, clause=clause: found.set(clause, None)


def _without_item(node: exp.Expr) -> Iterator[Callable[[exp.Expr], None]]:
    """Drop one of a list: a column, a join, a key, a row, a CTE."""
    for name, items in node.args.items():
        if isinstance(items, list) and (len(items) > 1 or name in ("joins", "laterals")):
            for place in range(len(items)):
                yield lambda found, name=name, place=place: found.set(
                    name, [each for n, each in enumerate(found.args[name]) if n != place]
                )


def _by_a_child(node: exp.Expr) -> Iterator[Callable[[exp.Expr], None]]:
    """Put a part of an expression in its place: an operand, an argument, a nested query."""
    if isinstance(node, (exp.Alias, exp.Column, exp.Literal, exp.Table, exp.Identifier)):
        return
    if isinstance(node, exp.Query):
        inner = [each for each in node.find_all(exp.Query) if each is not node]
        for place in range(len(inner)):
            yield lambda found, place=place: found.replace(
                [each for each in found.find_all(exp.Query) if each is not found][place].copy()
            )
    elif isinstance(node, exp.Condition):
        children = [each for each in node.iter_expressions() if isinstance(each, exp.Condition)]
        for place in range(len(children)):
            yield lambda found, place=place: found.replace(
                [each for each in found.iter_expressions() if isinstance(each, exp.Condition)][
                    place
                ].copy()
            )
        if not isinstance(node.parent, (exp.Group, exp.Order, exp.Ordered)):
            yield lambda found: found.replace(exp.Literal.number(1))


def shrunk_data(database: Database, fails: Callable[[Database], bool], tries: int = 60) -> Database:
    """Return a database of fewer tables and rows with which it still fails."""
    for table in database.tables:
        if len(database.tables) > 1:
            tables = tuple(each for each in database.tables if each.name != table.name)
            smaller = Database(tables=tables)
            tries -= 1
            if fails(smaller):
                database = smaller
    for name in [table.name for table in database.tables]:
        size = len(_table(database, name).rows)
        chunk = max(1, size // 2)
        while chunk >= 1 and tries > 0:
            start = 0
            while start < len(_table(database, name).rows) and tries > 0:
                table = _table(database, name)
                rows = (*table.rows[:start], *table.rows[start + chunk :])
                smaller = database.with_rows(table, rows)
                tries -= 1
                if fails(smaller):
                    database = smaller
                else:
                    start += chunk
            chunk //= 2
    return database


def without_unread_columns(
    database: Database, fails: Callable[[Database], bool], tries: int = 40
) -> Database:
    """Return the database without the columns that make no difference."""
    for table in database.tables:
        for column in table.columns:
            found = _table(database, table.name)
            if len(found.columns) == 1 or tries <= 0 or column.name == found.key:
                continue
            tries -= 1
            smaller = _without(database, found, column.name)
            if fails(smaller):
                database = smaller
    return database


def _without(database: Database, table: TableSpec, column: str) -> Database:
    place = [each.name for each in table.columns].index(column)
    smaller = replace(
        table,
        columns=(*table.columns[:place], *table.columns[place + 1 :]),
        rows=tuple((*row[:place], *row[place + 1 :]) for row in table.rows),
    )
    return Database(tables=tuple(smaller if one is table else one for one in database.tables))


def _table(database: Database, name: str) -> TableSpec:
    return next(each for each in database.tables if each.name == name)
