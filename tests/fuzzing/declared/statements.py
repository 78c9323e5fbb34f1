"""Statements of a dialect over the tables of a database, each with one answer."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from tests.fuzzing.declared.dialect import Dialect
from tests.fuzzing.declared.expressions import Expressions
from tests.fuzzing.expressions import Value
from tests.fuzzing.schemas import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class _From:
    sql: str
    columns: tuple[Value, ...]


class Statements:
    """Draws statements of `dialect` over `database`. The same `choose` gives the same ones."""

    def __init__(self, choose: random.Random, dialect: Dialect, database: Database) -> None:
        self._choose = choose
        self._dialect = dialect
        self._tables = database.tables
        self._draw = Expressions(choose=choose, dialect=dialect)
        self._aliases = 0

    def statement(self) -> str:
        """Draw a whole statement."""
        choose = self._choose
        self._aliases = 0
        kind = choose.random()
        if kind < 0.12:
            families = [choose.choice(("int", "text", "dec", "date")) for _ in range(2)]
            operator = choose.choice(self._dialect.set_operators)
            first, second = (self._select(families) for _ in "12")
            return self._ordered(f"{first} {operator} {second}", len(families))
        if kind < 0.2:
            families = [choose.choice(("int", "text", "dec")) for _ in range(2)]
            inner = self._select(families)
            values = [
                Value(sql=f"w.c{number}", family=family) for number, family in enumerate(families)
            ]
            drawn = self._draw.value(families[0], values, 1)
            return self._ordered(
                f"WITH w AS ({inner}) SELECT {drawn} AS x, w.c1 AS y FROM w"
                f" WHERE {self._draw.condition(values, 1)}",
                2,
            )
        families = []
        return self._ordered(self._select(families), len(families))

    def _select(self, families: list[str]) -> str:
        """Draw a SELECT of columns of these families; where there are none, add some."""
        from_ = self._from()
        grouped = self._choose.random() < 0.35
        if not families:
            families += [
                self._draw.family(from_.columns) for _ in range(self._choose.choice((1, 2, 2, 3)))
            ]
        return (self._grouped if grouped else self._plain)(from_, families)

    def _plain(self, from_: _From, families: Sequence[str]) -> str:
        values = []
        for family in families:
            if self._choose.random() < 0.1:
                template = self._choose.choice(self._dialect.windows[family])
                values.append(self._draw.fill(template, from_.columns, 1, family))
            else:
                depth = self._choose.choice((1, 1, 2, 2, 3))
                values.append(self._draw.value(family, from_.columns, depth))
        # MariaDB skips no row of a DISTINCT constant, whatever OFFSET says.
        reads = all(any(each.sql in value for each in from_.columns) for value in values)
        word = "DISTINCT " if reads and self._choose.random() < 0.1 else ""
        return f"SELECT {word}{_listed(values)}{from_.sql}{self._where(from_)}"

    def _grouped(self, from_: _From, families: Sequence[str]) -> str:
        choose, draw = self._choose, self._draw
        keys: list[str] = []
        values = []
        for family in families:
            if choose.random() < 0.45:
                key = draw.value(family, from_.columns, choose.choice((0, 0, 1)))
                # A number, or a text alone, would be the place of a column, or none.
                if any(each.sql in key for each in from_.columns):
                    keys.append(key)
                    values.append(key)
                    continue
            template = choose.choice(self._dialect.aggregates[family])
            values.append(draw.fill(template, from_.columns, choose.choice((0, 1, 2)), family))
        tail = ""
        if keys:
            groups = self._dialect.groups
            if not all(each in {column.sql for column in from_.columns} for each in keys):
                # MariaDB computes with a key before it is rolled up to NULL.
                groups = tuple(each for each in groups if "WITH" not in each)
            written = choose.choice(groups).format(keys=", ".join(keys))
            tail = f" GROUP BY {written}"
        if choose.random() < 0.2:
            family = choose.choice(("int", "dec", "text"))
            template = choose.choice(self._dialect.aggregates[family])
            compared = draw.fill(template, from_.columns, 0, family)
            tail += f" HAVING {compared} {choose.choice(('>', '<=', '<>'))} {draw.literal(family)}"
        return f"SELECT {_listed(values)}{from_.sql}{self._where(from_)}{tail}"

    def _where(self, from_: _From) -> str:
        choose = self._choose
        if choose.random() < 0.45:
            return ""
        found = self._draw.condition(from_.columns, choose.choice((1, 2, 2)))
        if choose.random() < 0.2:
            found += f" {choose.choice(('AND', 'OR'))} {self._subquery(from_)}"
        return f" WHERE {found}"

    def _subquery(self, from_: _From) -> str:
        """Draw a test of another table's rows, often of those that belong to a row."""
        choose, draw = self._choose, self._draw
        family = choose.choice(from_.columns).family
        inner = self._table()
        here = draw.value(family, from_.columns, 0)
        there = draw.value(family, inner.columns, choose.choice((0, 1)))
        return choose.choice(
            (
                f"EXISTS (SELECT 1{inner.sql} WHERE {there} = {here})",
                f"NOT EXISTS (SELECT 1{inner.sql} WHERE {there} = {here})",
                f"{here} IN (SELECT {there}{inner.sql})",
                f"{here} NOT IN (SELECT {there}{inner.sql} WHERE {there} IS NOT NULL)",
                f"{here} > (SELECT max({draw.value(family, inner.columns, 0)}){inner.sql})",
            )
        )

    def _table(self) -> _From:
        table = self._choose.choice(self._tables)
        alias = f"t{self._aliases}"
        self._aliases += 1
        quoted = self._dialect.quoted
        columns = tuple(
            Value(sql=f"{alias}.{quoted(each.name)}", family=each.family) for each in table.columns
        )
        return _From(sql=f" FROM {quoted(table.name)} {alias}", columns=columns)

    def _from(self) -> _From:
        choose = self._choose
        found = self._table()
        if choose.random() < 0.7:
            return found
        other = self._table()
        columns = (*found.columns, *other.columns)
        join = choose.choice(self._dialect.joins)
        named = other.sql.removeprefix(" FROM ")
        if join in (",", "CROSS JOIN"):
            separator = ", " if join == "," else " CROSS JOIN "
            return _From(sql=f"{found.sql}{separator}{named}", columns=columns)
        pairs = [
            (one.sql, two.sql)
            for one in found.columns
            for two in other.columns
            if one.family == two.family and one.family in ("int", "text", "date", "dec")
        ]
        on = " = ".join(choose.choice(pairs)) if pairs else "1 = 1"
        return _From(sql=f"{found.sql} {join} {named} ON {on}", columns=columns)

    def _ordered(self, sql: str, columns: int) -> str:
        """Put ORDER BY of every column behind a statement, and perhaps a limit."""
        choose = self._choose
        if choose.random() > 0.4:
            return sql
        places = choose.sample(range(1, columns + 1), columns)
        keys = [f"{each}{choose.choice(self._dialect.directions)}" for each in places]
        limit = choose.choice(self._dialect.limits).format(n=choose.choice((0, 1, 3, 5)))
        return f"{sql} ORDER BY {', '.join(keys)}{limit}"


def _listed(values: Sequence[str]) -> str:
    return ", ".join(f"{value} AS c{number}" for number, value in enumerate(values))
