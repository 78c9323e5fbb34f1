"""Queries of a benchmark with other literals, drawn from the data that they are compared with."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import duckdb
from sqlglot import exp, parse_one

from workloads.catalog import Catalog
from workloads.duck import literal as quoted_literal

MOST_ROWS = 2_000
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In, exp.Like)


Row = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Redrawing:
    """Some rows of each table of a catalog, which are read when they are first wanted.

    Columns are known by their names alone: those of TPC-DS and TPC-H are in one table each.
    """

    catalog: Catalog
    connection: duckdb.DuckDBPyConnection
    known: dict[str, Sequence[Row]] = field(default_factory=dict)

    def redrawn(self, sql: str, choose: random.Random) -> tuple[str, int]:
        """Return the query with other literals, and how many there are.

        Literals that were equal and compared with the same column stay equal. The first ones of
        all columns of a table are of one row, the second ones of another, so that conditions on
        several columns have rows.
        """
        tree = parse_one(sql, dialect="duckdb")
        places = self._places()
        drawn: dict[tuple[str, str], str | None] = {}
        numbers: Counter[str] = Counter()
        rows: dict[str, Sequence[Row]] = {}
        count = 0
        for node in list(tree.find_all(*_COMPARISONS)):
            column = _column(node, places)
            if column is None:
                continue
            table = places[column]
            if table not in rows:
                found_rows = self._rows(table)
                rows[table] = choose.sample(found_rows, len(found_rows))
            for found in list(_literals(node)):
                key = (column, found.name)
                if key not in drawn:
                    drawn[key] = _value(rows[table], column, numbers[column], found)
                    numbers[column] += 1
                value = drawn[key]
                if value is not None:
                    count += value != found.name
                    found.set("this", value)
            if isinstance(node, exp.Between):
                _in_order(node)
        return tree.sql("duckdb"), count

    def _places(self) -> Mapping[str, str]:
        """Return column → its table, in lower case, of columns that are in one table."""
        names: dict[str, list[str]] = {}
        for table in self.catalog.tables.values():
            for column in table.columns:
                names.setdefault(column.name.lower(), []).append(table.name)
        return {name: tables[0] for name, tables in names.items() if len(tables) == 1}

    def _rows(self, table: str) -> Sequence[Row]:
        if table not in self.known:
            path = quoted_literal(str(self.catalog.table(table).parquet))
            cursor = self.connection.execute(
                f"SELECT * FROM read_parquet({path}) USING SAMPLE reservoir({MOST_ROWS} ROWS) "
                "REPEATABLE (1)"
            )
            names = [each[0].lower() for each in cursor.description or ()]
            self.known[table] = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        return self.known[table]


def _value(rows: Sequence[Row], column: str, number: int, found: exp.Literal) -> str | None:
    """Return a value of the column in place of a literal; None if none would fit there."""
    values = [str(row[column]) for row in rows[number : number + 50] if row[column] is not None]
    if not values:
        return None
    value = values[0]
    if found.find_ancestor(exp.Like) is not None:
        return _pattern(value, found.name)
    if found.is_string or re.fullmatch(r"\d+(\.\d+)?", value):
        return value
    return None


def _column(node: exp.Expr, places: Mapping[str, str]) -> str | None:
    """Return the only column of a comparison, if it is one of the catalog's."""
    if any(True for _ in node.find_all(exp.Query)):
        return None
    columns = {each.name.lower() for each in node.find_all(exp.Column)}
    name = columns.pop() if len(columns) == 1 else None
    return name if name in places else None


def _literals(node: exp.Expr) -> Iterator[exp.Literal]:
    """Yield the literals that stand for values: not the number that is added to one."""
    for found in node.find_all(exp.Literal):
        parent = found.parent
        inside = isinstance(
            parent, (exp.Interval, exp.DataTypeParam, exp.Substring, exp.Mul, exp.Div)
        )
        added = isinstance(parent, (exp.Add, exp.Sub)) and parent.expression is found
        if not inside and not added and found.find_ancestor(exp.Interval) is None:
            yield found


def _pattern(value: str, old: str) -> str:
    """Return a pattern that the value matches, with the wildcards where the old one has them."""
    start = "%" if old.startswith("%") else ""
    end = "%" if old.endswith("%") else ""
    words = value.split()
    word = words[0] if words else value
    return f"{start}{word}{end}".replace("_", "")


def _in_order(node: exp.Between) -> None:
    """Put the smaller literal first where both ends are literals."""
    ends = [node.args[name] for name in ("low", "high")]
    literals = [each.find(exp.Literal) for each in ends]
    if any(each is None for each in literals) or any(each.find(exp.Add, exp.Sub) for each in ends):
        return
    low, high = literals
    texts = (low.name, high.name)
    try:
        swap = float(texts[0]) > float(texts[1])
    except ValueError:
        swap = texts[0] > texts[1]
    if swap:
        low.set("this", texts[1])
        high.set("this", texts[0])
