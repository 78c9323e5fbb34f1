"""The rows of tables that DDL defines: those that are said, and those that a dump has."""

from workloads.definition import TableName
from workloads.sources.ddl.partitions import Partitions


class KnownRows:
    """Table → its rows, as far as anything tells them."""

    def __init__(self) -> None:
        self._rows: dict[TableName, int] = {}
        self._said: set[TableName] = set()
        self._dumped: set[TableName] = set()

    def say(self, table: TableName, rows: int) -> None:
        """Remember the rows that stand before the definition of a table: no dump knows better."""
        self._rows[table] = rows
        self._said.add(table)
        self._dumped.discard(table)

    def count(self, table: TableName, rows: int, *, in_dump: bool = False) -> None:
        """Remember the rows of a table. Those of a dump are its own, without those of its heirs."""
        if in_dump and table in self._said:
            return
        self._rows[table] = rows
        (self._dumped.add if in_dump else self._dumped.discard)(table)

    def known(
        self,
        table: TableName,
        partitions: Partitions,
        within: frozenset[TableName] = frozenset(),
    ) -> int | None:
        """Return the rows that reading a table gives; None where nothing tells them.

        These are those of its parts, or its own with those of its heirs. `within` are the tables
        that it is a part or an heir of.
        """
        below = within | {table}
        own = self._rows.get(table)
        parts = [
            self.known(each, partitions, below)
            for each in partitions.parts(table)
            if each not in below
        ]
        if parts:
            return own or (None if None in parts else sum(part or 0 for part in parts))
        heirs = [
            self.known(each, partitions, below)
            for each in partitions.heirs(table)
            if each not in below
        ]
        if not heirs or (own is not None and table not in self._dumped):
            return own
        is_known = own is not None or None not in heirs
        return sum(each or 0 for each in (own, *heirs)) if is_known else None
