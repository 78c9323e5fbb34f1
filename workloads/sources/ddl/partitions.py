"""Tables that DDL makes parts of others, or lets inherit from them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from workloads.catalog import Table, View
from workloads.definition import TableName
from workloads.duck import quoted
from workloads.indexes import with_rows_of_heirs
from workloads.partition_bounds import PartitionBounds
from workloads.sources.ddl.draft import Draft


class Partitions:
    """Table → its partitions, with the bounds of those that are understood, and its heirs.

    Heirs are tables of their own that inherit from it: reading it reads their rows too.
    """

    def __init__(self) -> None:
        self._parts: dict[TableName, list[TableName]] = {}
        self._heirs: dict[TableName, list[TableName]] = {}
        self._bounds: dict[TableName, PartitionBounds] = {}

    def add(self, table: TableName, part: TableName, bounds: PartitionBounds | None) -> None:
        """Take `part` as a partition of `table`."""
        parts = self._parts.setdefault(table, [])
        if part not in parts:
            parts.append(part)
        if bounds is not None:
            self._bounds[part] = bounds

    def inherit(self, heir: TableName, table: TableName) -> None:
        """Take `heir` for a table that inherits from `table`."""
        heirs = self._heirs.setdefault(table, [])
        if heir not in heirs:
            heirs.append(heir)

    def disinherit(self, heir: TableName, table: TableName) -> None:
        """Take `heir` for one no longer."""
        if heir in self._heirs.get(table, ()):
            self._heirs[table].remove(heir)

    def remove(self, part: TableName) -> None:
        """Take a table for a partition or an heir no longer: it is gone, or stands alone."""
        for parts in (*self._parts.values(), *self._heirs.values()):
            if part in parts:
                parts.remove(part)
        self._bounds.pop(part, None)

    def rename(self, old: TableName, new: TableName) -> None:
        """Know a table, or a partition, by another name."""
        for known in (self._parts, self._heirs):
            if old in known:
                known[new] = known.pop(old)
            for parts in known.values():
                parts[:] = [new if part == old else part for part in parts]
        if old in self._bounds:
            self._bounds[new] = self._bounds.pop(old)

    def parts(self, table: TableName) -> Sequence[TableName]:
        """Return the partitions of a table."""
        return self._parts.get(table, ())

    def heirs(self, table: TableName) -> Sequence[TableName]:
        """Return the tables that inherit from a table."""
        return self._heirs.get(table, ())

    def with_children(
        self, table: Table, key: TableName, drafts: Mapping[TableName, Draft]
    ) -> Table:
        """Return a table with whether it has parts or heirs.

        Rows of its heirs may have the key of one of its own, so that it is none of all rows.
        """
        own = table.indexes
        heirs = any(each in drafts for each in self.heirs(key))
        parts = any(each in drafts for each in self.parts(key))
        return replace(
            table,
            has_children=heirs or parts,
            primary_key=() if heirs else table.primary_key,
            indexes=with_rows_of_heirs(own, table.primary_key) if heirs else own,
        )

    def of(self, drafts: Mapping[TableName, Draft]) -> frozenset[TableName]:
        """Return the partitions of tables that are there."""
        known = ((table, part) for table in self._parts for part in self._parts[table])
        return frozenset(part for table, part in known if table in drafts and part != table)

    def views(self, drafts: Mapping[TableName, Draft]) -> Iterator[View]:
        """Yield the partitions as the rows of their table within their bounds.

        One whose bounds are not understood is taken as its whole table.
        """
        for table, parts in self._parts.items():
            if table not in drafts:
                continue
            name = drafts[table].name
            whole = ".".join(quoted(each) for each in (name.schema, name.name) if each)
            for part in parts:
                if part in drafts and part != table:
                    condition = self._condition(table, part, drafts[table].partition_keys, whole)
                    yield View(
                        name=drafts[part].name.name,
                        schema=drafts[part].name.schema,
                        sql=f"SELECT * FROM {whole} WHERE {condition}",  # noqa: S608 - quoted
                        dialect="postgres",
                    )

    def _condition(self, table: TableName, part: TableName, keys: Sequence[str], whole: str) -> str:
        """Return what holds for the rows of a partition; TRUE where a needed bound is unknown."""
        own = self._bounds.get(part)
        others = [self._bounds.get(each) for each in self._parts[table] if each != part]
        known = [each for each in others if each is not None]
        needed = [own, *(others if own is not None and own.is_default else [])]
        if own is None or None in needed or not all(_fits(each, keys) for each in needed):
            return "TRUE"
        return own.condition(keys, whole, known)


def _fits(bounds: PartitionBounds | None, keys: Sequence[str]) -> bool:
    """Whether bounds are of so many keys."""
    if bounds is None or not keys:
        return False
    if bounds.values:
        return len(keys) == 1
    is_range = bounds.hashed is None and not bounds.is_default
    return not is_range or len(bounds.low) == len(keys)
