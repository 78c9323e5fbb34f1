"""FROM clauses of random statements."""

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from tests.fuzzing.expressions import Expressions, Scope, Value
from tests.fuzzing.relations import (
    FAMILIES,
    JOINS,
    Drawn,
    From,
    Named,
    Relation,
    equality,
    shared_names,
    spelled,
)
from tests.fuzzing.schemas import Database

_FUNCTIONS = ("range(3)", "generate_series(1, 4)", "range(0, 10, 3)", "unnest([1, 2, NULL, 2])")


class FromClauses(ABC):
    """Draws FROM clauses over a database and the CTEs that the statement has so far."""

    def __init__(self, choose: random.Random, database: Database) -> None:
        self._choose = choose
        self._expressions = Expressions(choose=choose)
        self._tables = [
            (table.name, tuple(Named(name=c.name, family=c.family) for c in table.columns))
            for table in database.tables
        ]
        self._ctes: list[tuple[str, tuple[Named, ...]]] = []
        self._aliases = 0

    @abstractmethod
    def query(
        self, depth: int, outer: tuple[Value, ...], wanted: Sequence[str] | None = None
    ) -> Drawn:
        """Draw a query with columns of the `wanted` families."""

    @abstractmethod
    def select(
        self, depth: int, outer: tuple[Value, ...], wanted: Sequence[str] | None = None
    ) -> Drawn:
        """Draw a SELECT."""

    @abstractmethod
    def _scope(self, columns: tuple[Value, ...], outer: tuple[Value, ...], depth: int) -> Scope:
        """Return what expressions may read."""

    @abstractmethod
    def _ordered(self, drawn: Drawn, *, share: float) -> str:
        """Put ORDER BY, and perhaps LIMIT and OFFSET, behind a query."""

    def _from(self, depth: int, outer: tuple[Value, ...]) -> From:
        choose = self._choose
        if choose.random() < 0.02:
            return From(sql="", relations=())
        sql, first = self._relation(depth, outer)
        found = From(
            sql=f" FROM {sql}",
            relations=(first,),
            barely=choose.random() < 0.12,
            loudly=choose.random() < 0.05,
        )
        for _ in range(choose.choice((0, 0, 0, 1, 1, 1, 1, 2, 2, 3))):
            found = self._joined(found, depth, outer)
        return found

    def _joined(self, left: From, depth: int, outer: tuple[Value, ...]) -> From:
        choose = self._choose
        kind = choose.choice(JOINS)
        if kind == "LATERAL":
            return self._lateral(left, depth, outer)
        sql, right = self._relation(depth, outer)
        both = (*left.relations, right)
        if kind in (", ", "CROSS JOIN"):
            word = ", " if kind == ", " else " CROSS JOIN "
            return replace(left, sql=f"{left.sql}{word}{sql}", relations=both)
        if "USING" in kind or kind == "NATURAL JOIN":
            names = shared_names(left.relations, right)
            if names:
                side = kind.removesuffix("USING") if kind != "NATURAL JOIN" else "NATURAL "
                on = f" USING ({spelled(choose.choice(names))})" if "USING" in kind else ""
                sql = f"{left.sql} {side}JOIN {sql}{on}"
                return replace(left, sql=sql, relations=both, plain=False)
            kind = "JOIN"
        visible = left.relations if kind in ("SEMI JOIN", "ANTI JOIN") else both
        on = self._on(left, right, outer, depth)
        if kind == "ASOF":
            near = equality(choose, left.values(), right.values(), ">=")
            kind, on = ("ASOF JOIN", near) if near and ">=" in near else ("JOIN", on)
        return replace(left, sql=f"{left.sql} {kind} {sql} ON {on}", relations=visible)

    def _on(self, left: From, right: Relation, outer: tuple[Value, ...], depth: int) -> str:
        choose = self._choose
        parts = []
        both = replace(left, relations=(*left.relations, right)).values()
        ends = len(both) - len(right.columns)
        found = equality(choose, both[:ends], both[ends:])
        if found and choose.random() < 0.9:
            parts.append(found)
        around = outer if choose.random() < 0.1 else ()
        scope = self._scope(both, around, depth - 1)
        if not parts or choose.random() < 0.3:
            parts.append(self._expressions.condition(scope, choose.choice((1, 1, 2))))
        return " AND ".join(parts)

    def _lateral(self, left: From, depth: int, outer: tuple[Value, ...]) -> From:
        drawn = self.select(min(depth - 1, 1), (*left.values(), *outer))
        alias = self._alias()
        word = self._choose.choice((", LATERAL", " CROSS JOIN LATERAL", " LEFT JOIN LATERAL"))
        on = " ON true" if "LEFT" in word else ""
        return replace(
            left,
            sql=f"{left.sql}{word} ({drawn.sql}) AS {spelled(alias)}{on}",
            relations=(*left.relations, Relation(alias=alias, columns=drawn.columns)),
        )

    def _relation(self, depth: int, outer: tuple[Value, ...]) -> tuple[str, Relation]:
        choose = self._choose
        roll = choose.random()
        if self._ctes and roll < 0.3:
            name, columns = choose.choice(self._ctes)
        elif depth > 0 and roll > 0.8:
            return self._derived(depth)
        elif roll > 0.77:
            return self._values()
        else:
            name, columns = choose.choice(self._tables)
        if choose.random() < 0.05:
            alias = self._alias()
            renamed = tuple(
                Named(name=f"r{number}", family=each.family) for number, each in enumerate(columns)
            )
            listed = ", ".join(each.name for each in renamed)
            sql = f"{spelled(name)} AS {spelled(alias)}({listed})"
            return sql, Relation(alias=alias, columns=renamed)
        alias = self._alias()
        return f"{spelled(name)} AS {spelled(alias)}", Relation(alias=alias, columns=columns)

    def _derived(self, depth: int) -> tuple[str, Relation]:
        drawn = self.query(depth - 1, ())
        sql = self._ordered(drawn, share=0.1)
        alias = self._alias()
        return f"({sql}) AS {spelled(alias)}", Relation(alias=alias, columns=drawn.columns)

    def _values(self) -> tuple[str, Relation]:
        families = self._choose.choices(FAMILIES, k=self._choose.choice((1, 2)))
        rows = [
            f"({', '.join(self._expressions.literal(family) for family in families)})"
            for _ in range(self._choose.choice((1, 2, 3)))
        ]
        alias = self._alias()
        if self._choose.random() < 0.15:
            made = self._choose.choice(_FUNCTIONS)
            columns = (Named(name="u0", family="int"),)
            return f"{made} AS {spelled(alias)}(u0)", Relation(alias=alias, columns=columns)
        names = [f"u{number}" for number in range(len(families))]
        columns = tuple(Named(name=n, family=f) for n, f in zip(names, families, strict=True))
        sql = f"(VALUES {', '.join(rows)}) AS {spelled(alias)}({', '.join(names)})"
        return sql, Relation(alias=alias, columns=columns)

    def _alias(self) -> str:
        """Return an alias that the statement does not have yet."""
        self._aliases += 1
        usual = f"q{self._aliases}"
        return self._choose.choice((*(usual,) * 12, f"At {self._aliases}", f"Q{self._aliases}_x"))
