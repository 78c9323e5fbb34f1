"""Statements in DuckDB's SQL, drawn from a typed grammar over the tables of a database."""

from collections.abc import Sequence

from tests.fuzzing.expressions import Scope, Value
from tests.fuzzing.relations import FAMILIES, Drawn, From, Named, spelled
from tests.fuzzing.subqueries import Subqueries

_SET_OPERATORS = (
    "UNION ALL", "UNION ALL", "UNION", "UNION", "INTERSECT", "EXCEPT", "INTERSECT ALL",
    "EXCEPT ALL", "UNION BY NAME",
)  # fmt: skip


class Statements(Subqueries):
    """Draws statements over a database. The same `choose` gives the same statements."""

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
            numbered = "row_number() OVER ({part}ORDER BY {every}) <= 2"
            tail = f" QUALIFY {draw.fill(numbered, scope.alone(), 1, 'int')}"
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
        star = "*"
        if len(known) > 1 and self._choose.random() < 0.2:
            star = f"* EXCLUDE ({spelled(known[0].name)})"
            known = known[1:]
        return Drawn(sql=f"SELECT {star}{from_.sql}{where}", columns=known)

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
            *(choose.choice(FAMILIES) for _ in range(choose.choice((1, 1, 2, 3)))),
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
        if not marks and not having and keys and set(dict(keys)) <= set(values):
            places = [str(values.index(key) + 1) for key, _ in keys]
            usual = (group,) * 8
            group = choose.choice((*usual, " GROUP BY ALL", f" GROUP BY {', '.join(places)}"))
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
            (
                f"ROLLUP ({listed})",
                f"CUBE ({listed})",
                f"GROUPING SETS (({listed}), {', '.join(sets)})",
                f"GROUPING SETS (({listed}), ())",
                f"{names[0]}, ROLLUP ({listed})",
            )
        )
        return f" GROUP BY {written}", [f"GROUPING({name})" for name in names]

    def _set_operation(
        self, depth: int, outer: tuple[Value, ...], wanted: Sequence[str] | None
    ) -> Drawn:
        choose = self._choose
        families = list(wanted or choose.choices(FAMILIES, k=choose.choice((1, 1, 2, 3))))
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
        again = f"SELECT {step} FROM {name} WHERE s < 4 AND n < 9"
        return f"{name}(n, s) AS ({first} {word} {again}) RECURSIVE"

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
