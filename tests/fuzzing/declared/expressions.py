"""Expressions of a dialect, drawn from its templates."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tests.fuzzing.declared.dialect import Dialect
from tests.fuzzing.expressions import Value
from tests.fuzzing.values import literal, quoted_text

_HOLE = re.compile(r"\{(\w+)\}")
_LITERALS = {
    "int": "SMALLINT", "dec": "DECIMAL(7,2)", "dbl": "DECIMAL(4,1)", "real": "DECIMAL(4,1)",
    "date": "DATE", "ts": "TIMESTAMP", "text": "VARCHAR", "bool": "BOOLEAN",
}  # fmt: skip
_USUAL = ("int", "int", "int", "text", "text", "dec", "dec", "dbl", "date", "ts", "bool")


@dataclass(frozen=True, slots=True, kw_only=True)
class Expressions:
    """Draws expressions of `dialect`; the same `choose` draws the same."""

    choose: random.Random
    dialect: Dialect

    def family(self, columns: Sequence[Value]) -> str:
        """Draw a family, mostly one that a column has."""
        if columns and self.choose.random() < 0.6:
            return self.choose.choice(columns).family
        return self.choose.choice(_USUAL)

    def value(self, family: str, columns: Sequence[Value], depth: int) -> str:
        """Draw an expression of a family, at most `depth` operations deep."""
        if depth <= 0 or self.choose.random() < 0.2:
            return self._leaf(family, columns)
        return self.fill(
            self.choose.choice(self.dialect.values[family]), columns, depth - 1, family
        )

    def condition(self, columns: Sequence[Value], depth: int) -> str:
        """Draw a condition."""
        template = self.choose.choice(self.dialect.conditions)
        return f"({self.fill(template, columns, depth - 1, self.family(columns))})"

    def fill(self, template: str, columns: Sequence[Value], depth: int, family: str) -> str:
        """Fill the holes of a template whose result is of `family`."""
        return _HOLE.sub(lambda hole: self._hole(hole[1], columns, depth, family), template)

    def literal(self, family: str) -> str:
        """Draw a value of a family as the dialect writes it."""
        if family == "bool":
            return self.choose.choice(("TRUE", "FALSE"))
        found = literal(self.choose, _LITERALS[family], strange=self.choose.random() < 0.1)
        if family == "text":
            text = found[1:-1].replace("''", "'")
            if self.dialect.name == "mysql":
                text = text.replace("\\", "\\\\")
            return quoted_text(text)
        if "'" in found:
            found = found.split("'")[1]
        return self.dialect.literals.get(family, "{}").format(found)

    def _hole(self, name: str, columns: Sequence[Value], depth: int, family: str) -> str:
        choose = self.choose
        if name in self.dialect.words:
            return choose.choice(self.dialect.words[name])
        if name == "lit":
            return self.literal(family)
        if name == "bool":
            return self.condition(columns, depth) if depth > 0 else self._leaf("bool", columns)
        if name in ("part", "every", "some"):
            return self._order(name, columns)
        if name == "num":
            name = choose.choice(("int", "dec", "dbl"))
        elif name == "any":
            name = self.family(columns)
        elif name == "fam":
            name = family
        return self.value(name, columns, depth)

    def _order(self, name: str, columns: Sequence[Value]) -> str:
        """Return a partition, or an order by every column or by some."""
        choose, names = self.choose, [each.sql for each in columns]
        if name == "part":
            return f"PARTITION BY {choose.choice(names)} " if choose.random() < 0.6 else ""
        picked = choose.sample(names, len(names) if name == "every" else 1)
        return ", ".join(each + choose.choice(self.dialect.directions) for each in picked)

    def _leaf(self, family: str, columns: Sequence[Value]) -> str:
        own = [each.sql for each in columns if each.family == family]
        if own and self.choose.random() < 0.9:
            return self.choose.choice(own)
        return self.literal(family)
