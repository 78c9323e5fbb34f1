"""The definitions in a file of DDL or a dump, and the rows that it has of each table."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, groupby
from typing import cast

from workloads.definition import TableName
from workloads.folding.lexis import Lexis
from workloads.sources import longest
from workloads.sources.dumps.reader import Event, Load, Locked, Reader, Rows
from workloads.sources.dumps.texts import Text, TextKind
from workloads.sources.logs.blocks import not_utf8

_COMMENT_BYTES = 1_000_000
"""Of what stands before a statement so much is looked at for a comment that tells its rows."""

_USE = re.compile(r"\s*USE\s+(?P<name>`[^`]+`|\"[^\"]+\"|\[[^]]+\]|\w+)", re.IGNORECASE)
_SHOWN_BYTES = 1_000_000
"""Of the statements that define nothing so much is kept, for their dialect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Defining:
    """A statement that may define something, and its 1-based place.

    `before` is what stands between it and the one before.
    """

    sql: str
    line: int
    column: int
    before: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Dump:
    """The definitions of a file, the rows of its tables by name, and the start of other SQL.

    `locked` are the tables that it locks to fill them, `has_blocks` whether its rows are in blocks
    of COPY.

    `program` is the dialect of the program that says that the file is its dump; None without one.
    `schema` is the one that the file says it is of, "" if it says none.
    """

    definitions: tuple[Defining, ...]
    rows: Mapping[TableName, int]
    others: str
    locked: frozenset[TableName] = frozenset()
    has_blocks: bool = False
    program: str | None = None
    schema: str = ""

    def empty(self, tables: Iterable[TableName]) -> Iterator[TableName]:
        """Yield those of the tables that it defines whose rows it would have, if there were any.

        A program that dumps data writes a block of COPY, or a lock, for an empty table too. A
        table that lacks what others have was left out of the data.
        """
        if self.program is None or self.has_blocks or not (self.rows or self.locked):
            return
        filled = {name.lower for name in self.rows}
        locked = {name.lower for name in self.locked}
        for table in tables:
            name = TableName(table.name, table.schema or self.schema).lower
            if name not in filled and (not locked or name in locked):
                yield table

    def texts(self) -> Iterator[str]:
        """Yield the SQL of the file."""
        yield self.others
        for each in self.definitions:
            yield each.before
            yield each.sql


def read_dump(blocks: Iterable[bytes], lexis: Lexis, origin: str, *, schema: str = "") -> Dump:
    """Return what a file in UTF-8 defines, in one pass; its data are counted and not held.

    `schema` is the one that its tables are in until it names another.

    Left out are psql's commands, and programs between DELIMITER lines. What MySQL runs inside
    ``/*!40101 … */`` is kept, and GO ends a statement.

    Raises:
        ConfigurationError: The definitions together are too long.
        SqlError: A definition is not UTF-8, or a string or comment does not end.
    """
    gathered = _Gathered(origin, schema)
    events = Reader(blocks, lexis, origin).events()
    for kind, run in groupby(events, lambda each: each.kind if isinstance(each, Text) else None):
        if kind is None:
            gathered.data(run)
        else:
            gathered.text(kind, cast("Iterator[Text]", run))
    return Dump(
        definitions=tuple(gathered.definitions),
        rows=gathered.rows,
        others=b"\n".join(gathered.others).decode(errors="replace"),
        locked=frozenset(gathered.locked),
        has_blocks=gathered.has_blocks,
        schema=schema,
    )


class _Gathered:
    """The part of a file that was read so far."""

    def __init__(self, origin: str, schema: str) -> None:
        self.definitions: list[Defining] = []
        self.rows: dict[TableName, int] = {}
        self.locked: set[TableName] = set()
        self.has_blocks = False
        self._schema = schema
        self.others: list[bytes] = []
        self._origin = origin
        self._length = longest.Length(origin, "file of DDL, without the rows in it,")
        self._before = ""
        self._shown_bytes = 0

    def data(self, run: Iterator[Event]) -> None:
        """Count the rows of data."""
        self._before = ""
        for each in run:
            if isinstance(each, Rows):
                table = self._named(each.table)
                self.rows[table] = self.rows.get(table, 0) + each.rows
            elif isinstance(each, Locked):
                self.locked.add(self._named(each.table))
            elif isinstance(each, Load):
                self.has_blocks |= each.kind == "COPY"

    def _named(self, table: TableName) -> TableName:
        return TableName(table.name, table.schema or self._schema)

    def text(self, kind: TextKind, run: Iterator[Text]) -> None:
        """Take the parts of a statement, or of what is before one."""
        first = next(run)
        parts = chain((first.data,), (each.data for each in run))
        if kind == "gap":
            self._before = _own_lines(parts, is_line=first.column == 1)
            return
        if kind == "definition":
            self._define(first, parts)
        else:
            self._show(parts)
        self._before = ""

    def _define(self, first: Text, parts: Iterator[bytes]) -> None:
        held: list[bytes] = []
        self._length.add(self._before)
        for part in parts:
            self._length.add(part)
            held.append(part)
        data = b"".join(held)
        try:
            sql = data.decode()
        except UnicodeDecodeError as error:
            raise not_utf8(error, self._origin, first.line, first.column) from error
        used = _USE.match(sql)
        if used is not None:
            self._schema = used["name"].strip('`"[]')
        self.definitions.append(
            Defining(sql=sql, line=first.line, column=first.column, before=self._before)
        )

    def _show(self, parts: Iterator[bytes]) -> None:
        for part in parts:
            shown = part[: _SHOWN_BYTES - self._shown_bytes]
            self._shown_bytes += len(shown)
            if shown:
                self.others.append(shown)


def _own_lines(parts: Iterator[bytes], *, is_line: bool) -> str:
    """Return what is between two statements, without what trails the first of them."""
    held = b""
    for part in parts:
        held = (held + part)[-_COMMENT_BYTES:]
    text = held.decode(errors="replace")
    return text if is_line else text.partition("\n")[2]
