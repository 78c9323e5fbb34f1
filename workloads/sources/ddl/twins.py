"""Tables and views of DDL whose names differ only in case: each has a name of its own in drafts.

PostgreSQL tells them apart by quotes, and so does a MySQL on a file system that tells case. The
second of two is defined under a stand-in, which the statements after it name, too.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from workloads.catalog import ForeignKey, View
from workloads.definition import (
    Alteration,
    Definition,
    Keys,
    Removal,
    TableDefinition,
    TableName,
    table_name,
)
from workloads.duck import quoted

_MARK = "\0"
"""Parts a name from its number in a stand-in; no name has it."""


def own(name: TableName) -> TableName:
    """Return the name that a stand-in is for; any other name is its own."""
    return TableName(name.name.partition(_MARK)[0], name.schema)


class Twins:
    """The names that DDL has defined so far, as their server tells them apart."""

    def __init__(self) -> None:
        self._first: dict[TableName, TableName] = {}
        self._stand_ins: dict[TableName, TableName] = {}
        self._number = 1

    def apart(self, found: Definition, sql: str, schema: str, *, folds: bool) -> Definition:
        """Return what a statement says, with stand-ins for names that are told only by their case.

        `schema` is that of names without one. Where the server `folds`, a name is exact if `sql`
        quotes it, and else in small letters. Elsewhere it is exact as it is written.
        """
        written = _Written(sql if folds else None, schema)
        if isinstance(found, TableDefinition):
            name = self._define(TableName(found.name, found.schema), written)
            found = replace(found, name=name.name)
        elif isinstance(found, View):
            name = self._define(TableName(found.name, found.schema), written)
            return replace(found, name=name.name)
        if isinstance(found, Alteration):
            return self._altered(found, written)
        if isinstance(found, Removal):
            names = tuple(self._meant(name, written) for name in found.names)
            for name in found.names:
                self._forget(written.exact(name))
            return Removal(names=names)
        if isinstance(found, TableDefinition) and self._stand_ins:
            whole = found.partition_of
            return replace(
                found,
                like=tuple(self._meant(each, written) for each in found.like),
                parents=tuple(self._meant(each, written) for each in found.parents),
                partition_of=None if whole is None else self._meant(whole, written),
                keys=self._keys(found.keys, written),
            )
        return found

    def stand_in(self, name: TableName) -> TableName:
        """Return the stand-in of an exact name, or the name if it has none."""
        for each, other in self._stand_ins.items():
            if each.name == name.name and (not name.schema or each.schema == name.schema):
                return other
        return name

    def shown(
        self, name: TableName, names: Callable[[], Mapping[tuple[str, str], str]]
    ) -> TableName:
        """Return what is called `name` in drafts, which may be a unique name of `names`."""
        exact = self.exact
        known = names() if exact else {}
        for key, own_name in exact.items():
            if known.get((own_name.schema, own_name.name), "").lower() == str(name):
                return key
        return name

    @property
    def exact(self) -> Mapping[TableName, TableName]:
        """The exact name of each stand-in, and of those that they are told from."""
        firsts = {
            name.lower: self._first[name.lower]
            for name in self._stand_ins
            if name.lower in self._first
        }
        return firsts | {other.lower: name for name, other in self._stand_ins.items()}

    def _define(self, name: TableName, written: "_Written") -> TableName:
        """Return what a table or view that is defined is called in drafts."""
        exact = written.exact(name, is_defined=True)
        first = self._first.setdefault(exact.lower, exact)
        if first == exact:
            return name
        if exact not in self._stand_ins:
            self._number += 1
            self._stand_ins[exact] = TableName(f"{exact.name}{_MARK}{self._number}", exact.schema)
        return TableName(self._stand_ins[exact].name, name.schema)

    def _forget(self, exact: TableName) -> None:
        if self._stand_ins.pop(exact, None) is None and self._first.get(exact.lower) == exact:
            del self._first[exact.lower]

    def _meant(self, name: TableName, written: "_Written") -> TableName:
        """Return what a table or view that is named is called in drafts."""
        if not self._stand_ins:
            return name
        exact = written.exact(name)
        if self._first.get(exact.lower) == exact:
            return name
        if written.is_searched:
            other = self.stand_in(exact if name.schema else TableName(exact.name))
        else:
            other = self._stand_ins.get(exact, exact)
        return name if own(other) == other else TableName(other.name, name.schema or other.schema)

    def _altered(self, found: Alteration, written: "_Written") -> Alteration:
        table = self._meant(found.table, written)
        renamed = found.renamed_to
        if renamed is not None:
            exact = written.exact(found.table, is_defined=True)
            self._forget(exact)
            renamed = self._define(TableName(renamed, exact.schema), written).name
        return replace(
            found,
            table=table,
            renamed_to=renamed,
            keys=self._keys(found.keys, written),
            partitions=tuple(
                (self._meant(part, written), bounds) for part, bounds in found.partitions
            ),
            detached=tuple(self._meant(part, written) for part in found.detached),
            parents=tuple(self._meant(each, written) for each in found.parents),
            former_parents=tuple(self._meant(each, written) for each in found.former_parents),
        )

    def _keys(self, keys: Keys, written: "_Written") -> Keys:
        if not self._stand_ins:
            return keys
        foreign = tuple(self._foreign(key, written) for key in keys.foreign)
        return replace(keys, foreign=foreign)

    def _foreign(self, key: ForeignKey, written: "_Written") -> ForeignKey:
        return replace(key, table=str(self._meant(table_name(key.table), written)))


class _Written:
    """A statement's text, of which quotes are told; None where they say nothing of case.

    `is_searched` tells whether a name without a schema may be of another one than the current.
    """

    def __init__(self, sql: str | None, schema: str) -> None:
        self.is_searched = sql is not None
        self._sql = sql
        self._schema = schema

    def exact(self, name: TableName, *, is_defined: bool = False) -> TableName:
        """Return a name as its server has it, with its schema.

        One that `is_defined` stands before what is in parentheses: columns, which may be called so.
        """
        own_schema = self._part(name.schema, is_defined) if name.schema else self._schema
        return TableName(self._part(name.name, is_defined), own_schema)

    def _part(self, name: str, is_defined: bool) -> str:
        if self._sql is None:
            return name
        text = self._sql.partition("(")[0] if is_defined else self._sql
        return name if quoted(name) in text else name.lower()
