"""What a FROM clause reads: tables, derived tables, CTEs, VALUES, and joins of all kinds."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tests.fuzzing.expressions import Value
from tests.fuzzing.schemas import quoted

FAMILIES = ("int", "int", "text", "text", "dec", "dbl", "date", "ts", "bool", "real")
"""Families of columns that no relation gives, as often as they are drawn."""
_PLAIN = re.compile(r"[a-z][a-z0-9_]*\Z")
_RESERVED = frozenset({"order", "at", "select", "group", "user", "end", "date", "value", "a"})
JOINS = (
    *("JOIN",) * 5, *("LEFT JOIN",) * 5, *("RIGHT JOIN",) * 2, *("FULL JOIN",) * 2, "CROSS JOIN",
    "SEMI JOIN", "ANTI JOIN", ", ", ", ", "NATURAL JOIN", "USING", "USING", "LEFT USING",
    "FULL USING", "RIGHT OUTER JOIN", "LEFT OUTER JOIN", "INNER JOIN", "LATERAL", "ASOF",
)  # fmt: skip
"""Kinds of joins, as often as they are drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A column of a relation or a result: its name and family."""

    name: str
    family: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A query and the columns of its result."""

    sql: str
    columns: tuple[Named, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """Something with columns, under an alias."""

    alias: str
    columns: tuple[Named, ...]

    def values(self) -> tuple[Value, ...]:
        """Return its columns, qualified."""
        return tuple(
            Value(sql=f"{spelled(self.alias)}.{spelled(each.name)}", family=each.family)
            for each in self.columns
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class From:
    """A FROM clause and the relations that can be read after it.

    `plain` tells whether `*` is what they have. Columns are written in full, but those of one
    relation alone where the clause is read `barely`, and in another case where it is read `loudly`.
    """

    sql: str
    relations: tuple[Relation, ...]
    plain: bool = True
    barely: bool = False
    loudly: bool = False

    def values(self) -> tuple[Value, ...]:
        """Return the columns in scope."""
        names = [column.name.lower() for each in self.relations for column in each.columns]
        found = []
        for relation in self.relations:
            for column, value in zip(relation.columns, relation.values(), strict=True):
                alone = self.barely and names.count(column.name.lower()) == 1
                sql = spelled(column.name) if alone else value.sql
                found.append(Value(sql=sql.upper() if self.loudly else sql, family=value.family))
        return tuple(found)


def spelled(name: str) -> str:
    """Return a name bare where that is the same, else quoted."""
    return name if _PLAIN.match(name) and name not in _RESERVED else quoted(name)


def equality(
    choose: random.Random, left: Sequence[Value], right: Sequence[Value], operator: str = "="
) -> str | None:
    """Return a comparison of two columns of one family; None if there are none."""
    pairs = [(one, two) for one in left for two in right if one.family == two.family]
    likely = [pair for pair in pairs if pair[0].family in ("int", "text")] or pairs
    if not likely:
        return None
    one, two = choose.choice(likely)
    if choose.random() < 0.08:
        operator = choose.choice(("IS NOT DISTINCT FROM", "<", ">=", "<>"))
    return f"{one.sql} {operator} {two.sql}"


def shared_names(left: Sequence[Relation], right: Relation) -> list[str]:
    """Return the names of columns that exactly one relation of `left` and `right` have."""
    names = [each.name for relation in left for each in relation.columns]
    families = {e.name: e.family for relation in left for e in relation.columns}
    return [
        each.name
        for each in right.columns
        if names.count(each.name) == 1 and families[each.name] == each.family
    ]
