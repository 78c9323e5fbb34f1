"""Subqueries of random statements: as values and as conditions."""

from tests.fuzzing.expressions import Scope, Value
from tests.fuzzing.from_clauses import FromClauses
from tests.fuzzing.relations import equality

_DEEPEST = 3


class Subqueries(FromClauses):
    """Draws subqueries, most of them correlated with the statement around."""

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
