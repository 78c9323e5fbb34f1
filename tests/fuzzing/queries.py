"""Statements in DuckDB's SQL, drawn from a typed grammar over the tables of a database."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from tests.fuzzing.expressions import Expressions, Scope, Value
from tests.fuzzing.relations import JOINS, From, Named, Relation, equality, shared_names, spelled
from tests.fuzzing.schemas import Database

_FAMILIES = ("int", "int", "text", "text", "dec", "dbl", "date", "ts", "bool", "real")
_SET_OPERATORS = (
    "UNION ALL", "UNION ALL", "UNION", "UNION", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL",
    "UNION BY NAME",
)  # fmt: skip
_DEEPEST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A query and the columns of its result. `total` says that its ORDER BY leaves no ties."""

    sql: str
    columns: tuple[Named, ...]


class Statements:
    """Draws statements over a database. The same `choose` gives the same statements."""

    def __init__(self, choose: random.Random, database: Database) -> None:
        self._choose = choose
        self._expressions = Expressions(choose=choose)
        self._tables = [
            (table.name, tuple(Named(name=c.name, family=c.family) for c in table.columns))
            for table in database.tables
        ]
        self._ctes: list[tuple[str, tuple[Named, ...]]] = []
        self._aliases = 0

    def statement(self) -> str:
        """Draw a whole statement."""
        self._ctes, self._aliases = [], 0
        definitions = [self._cte() for _ in range(self._choose.choice((0, 0, 0, 1, 1, 2)))]
        body = self.query(self._choose.choice((1, 2, 2, 3)), ())
        ordered = self._ordered(body, share=0.35)
        if not definitions:
            return ordered
        recursive = any(" RECURSIVE" in each for each in definitions)
        listed = ", ".join(each.removesuffix(" RECURSIVE") for each in definitions)
        return f"WITH {'RECURSIVE ' if recursive else ''}{listed} {ordered}"

    def query(
        self, depth: int, outer: tuple[Value, ...], wanted: Sequence[str] | None = None
    ) -> Drawn:
        """Draw a query with columns of the `wanted` families."""
        if depth > 0 and self._choose.random() < 0.15:
            return self._set_operation(depth, outer, wanted)
        return self.select(depth, outer, wanted)

    def select(
        self, depth: int, outer: tuple[Value, ...], wanted: Sequence[str] | None = None
    ) -> Drawn:
        """Draw a SELECT."""
        from_ = self._from(depth, outer)
        scope = self._scope(from_.values(), outer, depth)
        where = self._where(scope, outer, depth)
        kind = self._choose.random()
        if kind < 0.3:
            return self._grouped(from_, where, scope, depth, wanted)
        if kind < 0.36 and wanted is None and from_.plain and from_.relations:
            return self._star(from_, where)
        return self._plain_select(from_, where, scope, depth, wanted)

    def _scope(self, columns: tuple[Value, ...], outer: tuple[Value, ...], depth: int) -> Scope:
        nested = depth > 0
        return Scope(
            columns=columns,
            outer=outer,
            scalar=(lambda scope, family: self._scalar(scope, family, depth - 1))
            if nested
            else None,
            test=(lambda scope: self._test(scope, depth - 1)) if nested else None,
        )

    def _where(self, scope: Scope, outer: tuple[Value, ...], depth: int) -> str:
        parts = []
        if outer and self._choose.random() < 0.75:
            found = equality(self._choose, scope.columns, outer)
            parts += [found] if found else []
        for _ in range(self._choose.choice((0, 0, 0, 0, 1, 1, 2))):
            parts.append(self._expressions.condition(scope, self._choose.randint(1, 2)))
        if depth > 0 and self._choose.random() < 0.15:
            parts.append(self._test(scope, depth - 1))
        return f" WHERE {' AND '.join(parts)}" if parts else ""

    def _plain_select(
        self, from_: From, where: str, scope: Scope, depth: int, wanted: Sequence[str] | None
    ) -> Drawn:
        choose, draw = self._choose, self._expressions
        families = wanted or [draw.family(scope) for _ in range(choose.choice((1, 2, 2, 3, 4)))]
        values = []
        for family in families:
            if choose.random() < 0.1 and scope.columns:
                values.append(draw.window(family, scope, 1))
            else:
                values.append(draw.value(family, scope, choose.choice((0, 1, 1, 2))))
        tail = ""
        if scope.columns and choose.random() < 0.04:
            tail = f" QUALIFY {draw.fill('row_number() OVER ({part}ORDER BY {every}) <= 2', scope.alone(), 1, 'int')}"
        word = "DISTINCT " if choose.random() < 0.12 else ""
        if not word and not tail and scope.columns and choose.random() < 0.04:
            key = choose.choice(scope.columns).sql
            word = f"DISTINCT ON ({key}) "
            tail = f" ORDER BY {key}, {draw.fill('{every}', scope, 1, 'int')}"
        listed, columns = self._listed(values, families)
        return Drawn(sql=f"SELECT {word}{listed}{from_.sql}{where}{tail}", columns=columns)

    def _listed(
        self, values: Sequence[str], families: Sequence[str]
    ) -> tuple[str, tuple[Named, ...]]:
        names = [f"c{number}" for number in range(len(values))]
        if self._choose.random() < 0.1:
            names[0] = self._choose.choice(("order", "at", "Select", "my col", "k", "id"))
        written = [f"{value} AS {spelled(name)}" for value, name in zip(values, names, strict=True)]
        columns = (Named(name=n, family=f) for n, f in zip(names, families, strict=True))
        return ", ".join(written), tuple(columns)

    def _star(self, from_: From, where: str) -> Drawn:
        columns = [column for each in from_.relations for column in each.columns]
        names = [each.name.lower() for each in columns]
        known = tuple(each for each in columns if names.count(each.name.lower()) == 1)
        return Drawn(sql=f"SELECT *{from_.sql}{where}", columns=known)

    def _grouped(
        self, from_: From, where: str, scope: Scope, depth: int, wanted: Sequence[str] | None
    ) -> Drawn:
        choose, draw = self._choose, self._expressions
        plain = Scope(columns=scope.columns)
        keys = []
        if scope.columns:
            for _ in range(choose.choice((0, 1, 1, 2, 2, 3))):
                family = draw.family(plain)
                keys.append((draw.value(family, plain, choose.choice((0, 0, 0, 1))), family))
        keys = [key for key in keys if scope.columns and not key[0].lstrip("-").isdigit()]
        families = wanted or [
            *(family for _, family in keys),
            *(choose.choice(_FAMILIES) for _ in range(choose.choice((1, 1, 2, 3)))),
        ]
        group, marks = self._group(keys)
        values = []
        left = list(keys)
        for family in families:
            key = next((each for each in left if each[1] == family), None)
            if key is not None and choose.random() < 0.85:
                left.remove(key)
                values.append(key[0])
            elif family == "int" and marks and choose.random() < 0.4:
                values.append(choose.choice(marks))
            else:
                values.append(draw.aggregate(family, scope, 1))
        having = ""
        if choose.random() < 0.25:
            compared = choose.choice(keys) if keys and choose.random() < 0.3 else None
            family = compared[1] if compared else choose.choice(("int", "int", "dec", "text"))
            value = compared[0] if compared else draw.aggregate(family, scope, 1)
            against = draw.literal(family)
            if depth > 0 and choose.random() < 0.2:
                against = self._scalar(scope.alone(), family, depth - 1)
            having = f" HAVING {value} {choose.choice(('>', '<', '=', '<>', '>='))} {against}"
        listed, columns = self._listed(values, families)
        return Drawn(sql=f"SELECT {listed}{from_.sql}{where}{group}{having}", columns=columns)

    def _group(self, keys: Sequence[tuple[str, str]]) -> tuple[str, list[str]]:
        """Return GROUP BY, and what GROUPING can be asked of."""
        choose = self._choose
        names = [each for each, _ in keys]
        if not names:
            return choose.choice(("", "", "", " GROUP BY ()")), []
        kind = choose.random()
        if kind < 0.65:
            return f" GROUP BY {', '.join(names)}", []
        listed = ", ".join(names)
        sets = [f"({', '.join(choose.sample(names, choose.randint(0, len(names))))})" for _ in "12"]
        written = choose.choice(
            (f"ROLLUP ({listed})", f"CUBE ({listed})", f"GROUPING SETS (({listed}), {', '.join(sets)})",
             f"GROUPING SETS (({listed}), ())", f"{names[0]}, ROLLUP ({listed})")
        )  # fmt: skip
        return f" GROUP BY {written}", [f"GROUPING({name})" for name in names]

    def _set_operation(
        self, depth: int, outer: tuple[Value, ...], wanted: Sequence[str] | None
    ) -> Drawn:
        choose = self._choose
        families = list(wanted or choose.choices(_FAMILIES, k=choose.choice((1, 1, 2, 3))))
        first = self.query(depth - 1, outer, families)
        second = self.query(depth - 1, outer, families)
        operator = choose.choice(_SET_OPERATORS)
        if choose.random() < 0.12:
            nulls = ", ".join(
                choose.choice(("NULL", self._expressions.literal(f))) for f in families
            )
            second = Drawn(sql=f"SELECT {nulls}", columns=first.columns)
        sql = f"({first.sql}) {operator} ({second.sql})"
        if choose.random() < 0.15:
            third = self.query(0, outer, families)
            sql += f" {choose.choice(_SET_OPERATORS[:-1])} ({third.sql})"
        return Drawn(sql=sql, columns=first.columns)

    def _from(self, depth: int, outer: tuple[Value, ...]) -> From:
        choose = self._choose
        if choose.random() < 0.02:
            return From(sql="", relations=())
        sql, first = self._relation(depth, outer)
        found = From(sql=f" FROM {sql}", relations=(first,))
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
            return From(sql=f"{left.sql}{word}{sql}", relations=both, plain=left.plain)
        if "USING" in kind or kind == "NATURAL JOIN":
            names = shared_names(left.relations, right)
            if names:
                side = kind.removesuffix("USING") if kind != "NATURAL JOIN" else "NATURAL "
                on = f" USING ({spelled(choose.choice(names))})" if "USING" in kind else ""
                return From(sql=f"{left.sql} {side}JOIN {sql}{on}", relations=both, plain=False)
            kind = "JOIN"
        visible = left.relations if kind in ("SEMI JOIN", "ANTI JOIN") else both
        on = self._on(left, right, outer, depth)
        if kind == "ASOF":
            near = equality(choose, left.values(), right.values(), ">=")
            kind, on = ("ASOF JOIN", near) if near and ">=" in near else ("JOIN", on)
        return From(sql=f"{left.sql} {kind} {sql} ON {on}", relations=visible, plain=left.plain)

    def _on(self, left: From, right: Relation, outer: tuple[Value, ...], depth: int) -> str:
        choose = self._choose
        parts = []
        found = equality(choose, left.values(), right.values())
        if found and choose.random() < 0.9:
            parts.append(found)
        around = outer if choose.random() < 0.1 else ()
        scope = self._scope((*left.values(), *right.values()), around, depth - 1)
        if not parts or choose.random() < 0.3:
            parts.append(self._expressions.condition(scope, choose.choice((1, 1, 2))))
        return " AND ".join(parts)

    def _lateral(self, left: From, depth: int, outer: tuple[Value, ...]) -> From:
        drawn = self.select(min(depth - 1, 1), (*left.values(), *outer))
        alias = self._alias()
        word = self._choose.choice((", LATERAL", " CROSS JOIN LATERAL", " LEFT JOIN LATERAL"))
        on = " ON true" if "LEFT" in word else ""
        return From(
            sql=f"{left.sql}{word} ({drawn.sql}) AS {spelled(alias)}{on}",
            relations=(*left.relations, Relation(alias=alias, columns=drawn.columns)),
            plain=left.plain,
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
            columns_in_order = [each.family for each in columns]
            alias = self._alias()
            names = [f"r{number}" for number in range(len(columns))]
            renamed = tuple(
                Named(name=n, family=f) for n, f in zip(names, columns_in_order, strict=True)
            )
            return f"{spelled(name)} AS {spelled(alias)}({', '.join(names)})", Relation(
                alias=alias, columns=renamed
            )
        alias = self._alias()
        return f"{spelled(name)} AS {spelled(alias)}", Relation(alias=alias, columns=columns)

    def _derived(self, depth: int) -> tuple[str, Relation]:
        drawn = self.query(depth - 1, ())
        sql = self._ordered(drawn, share=0.1)
        alias = self._alias()
        return f"({sql}) AS {spelled(alias)}", Relation(alias=alias, columns=drawn.columns)

    def _values(self) -> tuple[str, Relation]:
        families = self._choose.choices(_FAMILIES, k=self._choose.choice((1, 2)))
        rows = [
            f"({', '.join(self._expressions.literal(family) for family in families)})"
            for _ in range(self._choose.choice((1, 2, 3)))
        ]
        alias = self._alias()
        names = [f"u{number}" for number in range(len(families))]
        columns = tuple(Named(name=n, family=f) for n, f in zip(names, families, strict=True))
        sql = f"(VALUES {', '.join(rows)}) AS {spelled(alias)}({', '.join(names)})"
        return sql, Relation(alias=alias, columns=columns)

    def _cte(self) -> str:
        name = f"cte{len(self._ctes)}"
        if self._choose.random() < 0.2:
            return self._recursive(name)
        drawn = self.query(self._choose.choice((0, 1, 2)), ())
        sql = self._ordered(drawn, share=0.1)
        hint = self._choose.choice(("", "", "", " MATERIALIZED", " NOT MATERIALIZED"))
        self._ctes.append((name, drawn.columns))
        return f"{name} AS{hint} ({sql})"

    def _recursive(self, name: str) -> str:
        choose = self._choose
        table, columns = choose.choice(self._tables)
        whole = [each.name for each in columns if each.family == "int"]
        first = "SELECT 1, 0"
        if whole and choose.random() < 0.6:
            first = f"SELECT {spelled(choose.choice(whole))}, 0 FROM {spelled(table)}"
        word = choose.choice(("UNION ALL", "UNION"))
        step = choose.choice(("n + 1, s + n", "n, s + 1", "n + 2, s + 1"))
        self._ctes.append((name, (Named(name="n", family="int"), Named(name="s", family="int"))))
        return f"{name}(n, s) AS ({first} {word} SELECT {step} FROM {name} WHERE s < 4 AND n < 9) RECURSIVE"

    def _scalar(self, scope: Scope, family: str, depth: int) -> str:
        """Draw a subquery of one value: an aggregate, or the first row of an order."""
        choose = self._choose
        outer = (*scope.columns, *scope.outer)
        from_ = self._from(min(depth, 1), ())
        inner = self._scope(from_.values(), outer, depth)
        where = self._where(inner, outer, depth)
        if choose.random() < 0.6 or not from_.relations:
            value = self._expressions.aggregate(family, inner, 1)
            return f"(SELECT {value}{from_.sql}{where})"
        value = self._expressions.value(family, Scope(columns=inner.columns), 1)
        every = self._expressions.fill("{every}", inner, 1, "int")
        offset = choose.choice(("", "", " OFFSET 1"))
        return f"(SELECT {value}{from_.sql}{where} ORDER BY {every} LIMIT 1{offset})"

    def _test(self, scope: Scope, depth: int) -> str:
        """Draw a condition with a subquery."""
        choose, draw = self._choose, self._expressions
        outer = (*scope.columns, *scope.outer)
        family = draw.family(scope)
        if depth >= _DEEPEST:
            return draw.condition(scope.alone(), 1)
        drawn = self.query(min(depth, 1), outer, [family])
        value = draw.value(family, scope.alone(), choose.choice((0, 0, 1)))
        negated = choose.choice(("", "", "NOT "))
        kind = choose.random()
        if kind < 0.35:
            tail = choose.choice(("", "", "", "", " LIMIT 1", " OFFSET 2"))
            sql = f"({drawn.sql}){tail}" if drawn.sql.startswith("(") else drawn.sql + tail
            return f"{negated}EXISTS ({sql})"
        if kind < 0.75:
            return f"{value} {negated}IN ({drawn.sql})"
        if kind < 0.82:
            second = draw.family(scope)
            pair = self.query(0, outer, [family, second])
            return f"({value}, {draw.value(second, scope.alone(), 0)}) {negated}IN ({pair.sql})"
        operator = choose.choice(("=", "<>", "<", "<=", ">", ">="))
        return f"{value} {operator} {choose.choice(('ANY', 'ALL'))} ({drawn.sql})"

    def _alias(self) -> str:
        """Return an alias that the statement does not have yet."""
        self._aliases += 1
        usual = f"q{self._aliases}"
        return self._choose.choice((*(usual,) * 12, f"At {self._aliases}", f"Q{self._aliases}_x"))

    def _ordered(self, drawn: Drawn, *, share: float) -> str:
        """Put ORDER BY, and perhaps LIMIT and OFFSET, behind a query."""
        choose = self._choose
        if choose.random() > share or not drawn.columns or " ORDER BY " in drawn.sql[-200:]:
            return drawn.sql
        places = list(range(1, len(drawn.columns) + 1))
        total = choose.random() < 0.8 and "SELECT *" not in drawn.sql
        picked = choose.sample(places, len(places) if total else 1)
        plain = choose.random() < 0.5
        keys = [
            (str(each) if plain else spelled(drawn.columns[each - 1].name))
            + self._expressions.direction()
            for each in picked
        ]
        sql = f"{drawn.sql} ORDER BY {', '.join(keys)}"
        if choose.random() < (0.4 if total else 0.1):
            sql += f" LIMIT {choose.choice((0, 1, 3, 5, 10))}"
            sql += choose.choice(("", "", " OFFSET 1", " OFFSET 3"))
        return sql
