"""Tables and views of PostgreSQL whose names differ only in case: the first of them is kept.

Copies of both could not be told apart in stores that do not distinguish case.
"""

from workloads.catalog import Twin, View
from workloads.definition import Alteration, Definition, Removal, TableDefinition, TableName
from workloads.duck import quoted

_NOTHING = Removal(names=())


class Twins:
    """The names that DDL has defined so far, as PostgreSQL tells them apart."""

    def __init__(self) -> None:
        self._kept: dict[TableName, str] = {}
        self._left: dict[TableName, None] = {}

    @property
    def left_out(self) -> tuple[Twin, ...]:
        """What is left out, each beside the one that is kept."""
        return tuple(
            Twin(name=each.name, schema=each.schema, kept=str(self._beside(each)))
            for each in self._left
            if each.lower in self._kept
        )

    def without(self, found: Definition, sql: str, schema: str) -> Definition:
        """Return what a statement of PostgreSQL says of tables that are kept.

        `schema` is that of names without one. Names are exact where `sql` quotes them, and else in
        small letters.
        """
        if isinstance(found, TableDefinition | View):
            name = _exact(TableName(found.name, found.schema), sql, schema)
            return _NOTHING if self._define(name) else found
        if isinstance(found, Alteration):
            return _NOTHING if self._alter(found, sql, schema) else found
        if isinstance(found, Removal):
            return self._removal(found, sql, schema)
        return found

    def has(self, name: TableName) -> bool:
        """Whether a name, of which is not known whether it was quoted, means what is left out."""
        for each in self._left:
            is_there = not name.schema or not each.schema or name.lower.schema == each.lower.schema
            is_kept = self._kept.get(each.lower) == name.name
            if is_there and (name.name == each.name or (not is_kept and _folds(name, each))):
                return True
        return False

    def _beside(self, left: TableName) -> TableName:
        return TableName(self._kept[left.lower], left.schema)

    def _define(self, name: TableName) -> bool:
        """Take a name in; return whether it is left out."""
        kept = self._kept.setdefault(name.lower, name.name)
        if kept == name.name:
            self._left.pop(name, None)
            return False
        self._left[name] = None
        return True

    def _alter(self, found: Alteration, sql: str, schema: str) -> bool:
        """Follow a table to its new name; return whether it is left out."""
        name = _exact(found.table, sql, schema)
        is_left = self._is_left(name)
        if found.renamed_to is not None:
            new = _exact(TableName(found.renamed_to, name.schema), sql, schema)
            if is_left:
                self._left.pop(name, None)
                self._left[new] = None
            else:
                self._kept.pop(name.lower, None)
                self._kept[new.lower] = new.name
        return is_left

    def _removal(self, found: Removal, sql: str, schema: str) -> Removal:
        kept = []
        for each in found.names:
            name = _exact(each, sql, schema)
            if self._is_left(name):
                self._left.pop(name, None)
            else:
                self._kept.pop(name.lower, None)
                kept.append(each)
        return Removal(names=tuple(kept))

    def _is_left(self, name: TableName) -> bool:
        return any(
            each.name == name.name and (not name.schema or each.lower.schema == name.lower.schema)
            for each in self._left
        )


def _exact(name: TableName, sql: str, schema: str) -> TableName:
    """Return a name as PostgreSQL has it, with its schema."""
    # What follows in parentheses are columns, which may be called as their table is.
    is_quoted = quoted(name.name) in sql.partition("(")[0]
    return TableName(name.name if is_quoted else name.name.lower(), name.schema or schema)


def _folds(name: TableName, left: TableName) -> bool:
    return name.name.lower() == left.name
