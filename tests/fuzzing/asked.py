"""What DuckDB answers to a statement, and whether that answer is determined."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer

import duckdb
from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from tests.fuzzing.comparing import Answer, wrong
from tests.fuzzing.schemas import Database

MOST_ROWS = 10_000
LONGEST_S = 5.0
_PERMUTATIONS = 5
_THREADED = 3


def answer(connection: duckdb.DuckDBPyConnection, sql: str) -> Answer | None:
    """Return DuckDB's answer; None where it has none, or one that is too large or too slow."""
    try:
        with limited(connection):
            rows = connection.execute(sql).fetchmany(MOST_ROWS + 1)
    except (duckdb.Error, OverflowError, ValueError):
        return None
    if len(rows) > MOST_ROWS:
        return None
    return Answer(rows=rows, ordered_by=ordered_by(sql))


@contextmanager
def limited(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """End what runs in the block after so many seconds (LONGEST_S)."""
    timer = Timer(LONGEST_S, connection.interrupt)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def ordered_by(sql: str, dialect: str = "duckdb") -> tuple[int, ...]:
    """Return the result's columns that its ORDER BY names first, by their places."""
    try:
        tree = parse_one(sql, dialect=dialect)
    except SqlglotError:
        return ()
    order = tree.args.get("order")
    if order is None or not isinstance(tree, exp.Query) or tree.is_star:
        return ()
    names = [name.lower() for name in tree.named_selects]
    places = []
    for term in order.expressions:
        key = term.this
        if isinstance(key, exp.Literal) and not key.is_string and int(key.name) <= len(names):
            places.append(int(key.name) - 1)
        elif isinstance(key, exp.Column) and not key.table and names.count(key.name.lower()) == 1:
            places.append(names.index(key.name.lower()))
        else:
            break
    return tuple(places)


def is_determined(database: Database, sql: str, expected: Answer) -> bool:
    """Tell whether DuckDB answers the same whatever it may take for granted.

    So with its rows in other orders, over Parquet, with several threads, which meet the groups of
    each other in any order, and with less said of the values: what SUBSTRING makes of text from
    before its start hangs on whether DuckDB knows it to be ASCII. And where LIMIT cuts rows that
    are equal in the order, whichever of them it keeps.
    """
    with database.connect() as connection:
        for fixed in _ties_ordered(sql, expected):
            chosen = answer(connection, fixed)
            if chosen is not None and wrong(Answer(rows=expected.rows), chosen) is not None:
                return False
    with database.connect() as connection:
        # DuckDB's own rewrites have faults: date_trunc('month', NULL) <> '2000-02-29' is true.
        connection.execute("SET disabled_optimizers = 'expression_rewriter'")
        plain = answer(connection, sql)
        if plain is not None and wrong(expected, plain) is not None:
            return False
    for connection in _others(database, sql):
        with connection:
            again = answer(connection, sql)
        if again is None or wrong(expected, again) is not None:
            return False
    return True


def _ties_ordered(sql: str, expected: Answer) -> Iterator[str]:
    """Yield a statement with a LIMIT so that ties are ordered by all columns, up and down."""
    try:
        tree = parse_one(sql, dialect="duckdb")
    except SqlglotError:
        return
    order = tree.args.get("order")
    if (
        order is None
        or not expected.rows
        or not (tree.args.get("limit") or tree.args.get("offset"))
    ):
        return
    for descending in (False, True):
        fixed = tree.copy()
        for place in range(1, len(expected.rows[0]) + 1):
            number = exp.Literal.number(place)
            key = exp.Ordered(this=number, desc=descending, nulls_first=descending)
            fixed.args["order"].append("expressions", key)
        yield fixed.sql("duckdb")


def _others(database: Database, sql: str) -> Iterator[duckdb.DuckDBPyConnection]:
    with TemporaryDirectory() as folder:
        yield database.connect_to_parquet(Path(folder))
    connection = database.connect()
    connection.execute("SET disabled_optimizers = 'statistics_propagation'")
    yield connection
    for _ in range(_THREADED):
        connection = database.connect()
        connection.execute("SET threads = 4")
        yield connection
    choose = random.Random(sql)
    for _ in range(_PERMUTATIONS):
        other = database
        for table in database.tables:
            found = next(each for each in other.tables if each.name == table.name)
            rows = choose.sample(table.rows, len(table.rows))
            other = other.with_rows(found, rows)
        yield other.connect()
