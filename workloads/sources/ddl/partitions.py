"""Tables that DDL makes parts of others."""

from collections.abc import Iterator, Mapping, Sequence

from workloads.catalog import View
from workloads.definition import PartitionBounds, TableName
from workloads.duck import quoted
from workloads.sources.ddl.draft import Draft


class Partitions:
    """Table → its partitions, and the bounds of those where they are understood."""

    def __init__(self) -> None:
        self._parts: dict[TableName, list[TableName]] = {}
        self._bounds: dict[TableName, PartitionBounds] = {}

    def add(self, table: TableName, part: TableName, bounds: PartitionBounds | None) -> None:
        """Take `part` as a partition of `table`."""
        parts = self._parts.setdefault(table, [])
        if part not in parts:
            parts.append(part)
        if bounds is not None:
            self._bounds[part] = bounds

    def parts(self, table: TableName) -> Sequence[TableName]:
        """Return the partitions of a table."""
        return self._parts.get(table, ())

    def of(self, drafts: Mapping[TableName, Draft]) -> frozenset[TableName]:
        """Return the partitions of tables that are there."""
        known = ((table, part) for table in self._parts for part in self._parts[table])
        return frozenset(part for table, part in known if table in drafts and part != table)

    def views(self, drafts: Mapping[TableName, Draft]) -> Iterator[View]:
        """Yield partitions whose bounds are understood, as the rows of their table within them."""
        for table, parts in self._parts.items():
            whole = drafts.get(table)
            if whole is None or whole.partition_key is None:
                continue
            column = quoted(whole.partition_key)
            named = [quoted(each) for each in (whole.name.schema, whole.name.name) if each]
            for part in parts:
                condition = self._condition(table, part, column)
                if condition is not None and part in drafts:
                    name = drafts[part].name
                    yield View(
                        name=name.name,
                        schema=name.schema,
                        sql=f"SELECT * FROM {'.'.join(named)} WHERE {condition}",  # noqa: S608 - quoted
                        dialect="postgres",
                    )

    def _condition(self, table: TableName, part: TableName, column: str) -> str | None:
        """Return what holds for the rows of a partition; None where a needed bound is unknown."""
        own = self._bounds.get(part)
        if own is None:
            return None
        others = [self._bounds.get(each) for each in self._parts[table] if each != part]
        known = [each for each in others if each is not None]
        if own.is_default and len(known) < len(others):
            return None
        return own.condition(column, known)
