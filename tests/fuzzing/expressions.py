"""Expressions of a wanted family over the columns in scope, from `templates`."""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tests.fuzzing import templates
from tests.fuzzing.values import literal, quoted_text

ALL = ("int", "dec", "dbl", "real", "date", "ts", "text", "bool")
"""The families of expressions; TIMESTAMPTZ are drawn as columns only."""
_LITERAL_TYPES = {
    "int": "SMALLINT", "dec": "DECIMAL(7,2)", "dbl": "DOUBLE", "real": "FLOAT", "date": "DATE",
    "ts": "TIMESTAMP", "text": "VARCHAR", "bool": "BOOLEAN", "tstz": "TIMESTAMPTZ",
}  # fmt: skip
_HOLE = re.compile(r"\{\{|\}\}|\{(\w+)\}")
_MOST_USED = (
    "int",
    "int",
    "int",
    "text",
    "text",
    "dec",
    "dbl",
    "date",
    "date",
    "ts",
    "bool",
    "real",
)
_WORDS: Mapping[str, Sequence[str]] = {
    "pattern": templates.PATTERNS, "regexp": templates.REGEXPS, "glob": templates.GLOBS,
    "datepart": templates.DATE_PARTS, "tspart": templates.TIMESTAMP_PARTS,
    "unit": templates.UNITS, "tsunit": templates.TIMESTAMP_UNITS,
    "rows": templates.FRAMES, "groups": templates.GROUP_FRAMES,
    "small": ("0", "1", "1", "2", "2", "3", "5", "7"),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A column in scope, as it is written there, and its family."""

    sql: str
    family: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What an expression may read: columns, those of the statements around it, and subqueries.

    `scalar` and `test` draw a subquery as a value of a family and as a condition; None where
    none may stand.
    """

    columns: tuple[Value, ...]
    outer: tuple[Value, ...] = ()
    scalar: Callable[["Scope", str], str] | None = None
    test: Callable[["Scope"], str] | None = None
    subquery_share: float = 0.06

    def alone(self) -> "Scope":
        """Return the scope without subqueries and outer columns, for aggregates."""
        return Scope(columns=self.columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expressions:
    """Draws expressions. `outer_share` is how often a column is of a statement around."""

    choose: random.Random
    outer_share: float = 0.2

    def family(self, scope: Scope) -> str:
        """Draw a family, mostly one that a column in scope has."""
        if scope.columns and self.choose.random() < 0.75:
            found = self.choose.choice(scope.columns).family
            return found if found in ALL else "int"
        return self.choose.choice(_MOST_USED)

    def value(self, family: str, scope: Scope, depth: int) -> str:
        """Draw an expression of a family, at most `depth` operations deep."""
        roll = self.choose.random()
        if scope.scalar is not None and roll < scope.subquery_share and depth > 0:
            return scope.scalar(scope, family)
        if depth <= 0 or roll < 0.35:
            return self._leaf(family, scope)
        if roll < 0.5:
            return self.fill(self.choose.choice(templates.OF_ANY), scope, depth - 1, family)
        return self.fill(self.choose.choice(templates.VALUES[family]), scope, depth - 1, family)

    def condition(self, scope: Scope, depth: int) -> str:
        """Draw a condition."""
        if scope.test is not None and self.choose.random() < scope.subquery_share * 2 and depth > 0:
            return scope.test(scope)
        booleans = [each for each in scope.columns if each.family == "bool"]
        if booleans and self.choose.random() < 0.05:
            return self.choose.choice(booleans).sql
        template = self.choose.choice(templates.CONDITIONS)
        return f"({self.fill(template, scope, depth - 1, self.family(scope))})"

    def aggregate(self, family: str, scope: Scope, depth: int) -> str:
        """Draw an aggregate of a family over the columns in scope."""
        template = self.choose.choice(templates.AGGREGATES[family])
        found = self.fill(template, scope.alone(), depth, family)
        if self.choose.random() < 0.1 and found.endswith(")") and found.count("(") == 1:
            found += f" FILTER (WHERE {self.condition(scope.alone(), 1)})"
        return found

    def window(self, family: str, scope: Scope, depth: int) -> str:
        """Draw a window function of a family."""
        return self.fill(
            self.choose.choice(templates.WINDOWS[family]), scope.alone(), depth, family
        )

    def fill(self, template: str, scope: Scope, depth: int, family: str) -> str:
        """Fill the holes of a template whose result is of `family`."""

        def filled(hole: re.Match[str]) -> str:
            name = hole[1]
            return hole[0][0] if name is None else self._hole(name, scope, depth, family)

        return _HOLE.sub(filled, template)

    def _hole(self, name: str, scope: Scope, depth: int, family: str) -> str:
        choose = self.choose
        if name in _WORDS:
            return choose.choice(_WORDS[name])
        if name == "lit":
            return self.literal(family)
        if name in ("bool", "condition"):
            return self.condition(scope, depth) if depth > 0 else self._leaf("bool", scope)
        wanted = {"same": family, "fam": family}.get(name, name)
        if name == "num":
            wanted = choose.choice(("int", "dec", "dbl"))
        elif name == "any":
            wanted = self.family(scope)
        return self.value(wanted, scope, depth) if wanted in ALL else self._order(name, scope)

    def _order(self, name: str, scope: Scope) -> str:
        choose = self.choose
        columns = [each.sql for each in scope.columns] or ["1"]
        if name == "quoted":
            return quoted_text(choose.choice(("a", "ab", "", "a ", "É", "x'y")))
        if name == "every":
            picked = choose.sample(columns, len(columns))
            return ", ".join(each + self.direction() for each in picked)
        if name == "everything":
            return ", ".join(columns)
        if name == "some":
            picked = choose.sample(columns, min(len(columns), choose.choice((1, 1, 2))))
            return ", ".join(each + self.direction() for each in picked)
        parted = f"PARTITION BY {choose.choice(columns)}" if choose.random() < 0.6 else ""
        return f"{parted} " if name == "part" and parted else parted

    def direction(self) -> str:
        """Draw the direction of an order and the place of NULL in it."""
        return self.choose.choice(("", "", " DESC", " ASC NULLS FIRST", " DESC NULLS LAST", " ASC"))

    def literal(self, family: str) -> str:
        """Draw a value of a family as a literal."""
        if self.choose.random() < 0.04:
            return "NULL"
        type_ = _LITERAL_TYPES[family]
        found = literal(self.choose, type_, strange=self.choose.random() < 0.15)
        if family == "dec" and self.choose.random() < 0.7:
            return found.split("'")[1]
        if family == "dbl" and self.choose.random() < 0.3:
            return found.split("'")[1]
        return found

    def _leaf(self, family: str, scope: Scope) -> str:
        own = [each.sql for each in scope.columns if each.family == family]
        outer = [each.sql for each in scope.outer if each.family == family]
        if outer and self.choose.random() < self.outer_share:
            return self.choose.choice(outer)
        if own and self.choose.random() < 0.85:
            return self.choose.choice(own)
        return self.literal(family)
