"""The tables and views of a catalog by what they are called in their schemas, in any case.

Where only case tells several apart, a name means the one that its server would take.
"""

from collections.abc import Sequence

from sqlglot import exp

from workloads.catalog import Catalog, Table, View

_FOLDING = frozenset({"postgres", "redshift"})
"""Dialects that read names without quotes in small letters."""


class RelationNames:
    """Looks up the names that statements of one dialect have.

    `twins` are names in small letters of which only case, of theirs or of their schemas, tells
    several apart.
    """

    def __init__(self, catalog: Catalog, dialect: str) -> None:
        self._folds = dialect in _FOLDING
        self._found: dict[str, list[Table | View]] = {}
        self.has_schemas = False
        self.twins: set[str] = set()
        alike: dict[tuple[str, str], Table | View] = {}
        for each in catalog.relations:
            self.has_schemas |= bool(each.schema)
            name = each.own_name.lower()
            self._found.setdefault(name, []).append(each)
            other = alike.setdefault((each.schema.lower(), name), each)
            if (other.schema, other.own_name) != (each.schema, each.own_name):
                self.twins.add(name)

    def called(self, name: str) -> Sequence[Table | View]:
        """Return what is called `name`, in any case and in any schema."""
        return self._found.get(name.lower(), ())

    def told_apart(
        self, table: exp.Expr, schema: exp.Expr | None, found: Sequence[Table | View]
    ) -> Sequence[Table | View] | None:
        """Return what a name may mean of what is called so in any case.

        None is returned where only case tells them apart and the text does not tell its case.
        """
        if table.name.lower() not in self.twins:
            return found
        name = self._exact(table)
        where = "" if schema is None else self._schema(schema, found)
        if name is None or where is None:
            return None
        named = [each for each in found if each.own_name == name]
        return [each for each in named if not (where and each.schema) or each.schema == where]

    def _schema(self, written: exp.Expr, found: Sequence[Table | View]) -> str | None:
        """Return a schema as its server reads it; None where its case is not told and matters."""
        exact = self._exact(written)
        if exact is not None:
            return exact
        same = {each.schema for each in found if each.schema.lower() == written.name.lower()}
        return None if len(same) > 1 else next(iter(same), written.name)

    def spelt(self, name: exp.Expr) -> str:
        """Return a name in small letters, or exactly where case tells several apart."""
        lower = name.name.lower()
        return lower if lower not in self.twins else self._exact(name) or lower

    def _exact(self, name: exp.Expr) -> str | None:
        """Return a name as its server reads it; None where the text does not tell its case.

        MySQL tells the case of names without quotes, but logs are folded without regard to it.
        """
        if isinstance(name, exp.Identifier) and name.quoted:
            return name.name
        return name.name.lower() if self._folds else None


def of_schema(found: Sequence[Table | View], schema: str) -> Table | View | None:
    """Return the first of a schema, whose name is in any case unless several differ in that."""
    same = [each for each in found if each.schema.lower() == schema.lower()]
    for exact in (schema, schema.lower()):
        for each in same:
            if each.schema == exact:
                return each
    return same[0] if len({each.schema for each in same}) == 1 else None
