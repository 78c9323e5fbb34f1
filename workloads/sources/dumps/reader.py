"""A file of SQL read in one pass: its statements apart from the data between them.

The data that ``pg_dump`` and ``mysqldump`` write are counted and never held.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from workloads.definition import TableName
from workloads.errors import SqlError
from workloads.folding.lexis import Lexis
from workloads.sources.dumps.rows import copied_rows, inserted_rows
from workloads.sources.dumps.rules import Quote, Rules, escaping, rules
from workloads.sources.dumps.starts import COPY, DEFINITION, INSERT, LOCK, banner, table_name
from workloads.sources.dumps.texts import Text, TextKind, Texts
from workloads.sources.dumps.window import Window

# No mark that counts is longer: it may be cut by the end of a block.
_MARGIN_BYTES = 256
# So far ahead is the start of a statement looked at, with the columns that an INSERT names.
_AHEAD_BYTES = 65_536
_PROGRAM_END = re.compile(rb"\n[ \t]*(?i:delimiter)[ \t]+;[ \t]*(?=[\r\n]|\Z)")

LoadKind = Literal["COPY", "INSERT", "program"]


class Load(NamedTuple):
    """Here data begin that fill a table, or a program between DELIMITER lines (without a table)."""

    kind: LoadKind
    table: TableName
    line: int
    column: int


class Rows(NamedTuple):
    """So many rows of a table were passed."""

    table: TableName
    rows: int


class Locked(NamedTuple):
    """Here a dump of MySQL locks a table, to fill it with its rows, if it has any."""

    table: TableName


Event = Text | Load | Rows | Locked


class Reader:
    """Reads the blocks of a file, in UTF-8, by the lexical rules of a dialect.

    In a `raw` file texts are left as they are and all of one kind, and an INSERT is only data if
    the file is a dump: it says so at its start, or has a COPY FROM stdin or a LOCK TABLES … WRITE
    before. Else every INSERT is, the signs of comments that MySQL runs are blanked, and so are
    psql's commands.
    """

    def __init__(
        self, blocks: Iterable[bytes], lexis: Lexis, origin: str, *, raw: bool = False
    ) -> None:
        self._window = Window(blocks)
        self._rules = rules(lexis)
        self._escaping = escaping(lexis)
        self._origin = origin
        self._raw = raw
        self._is_dump = not raw
        self._in_condition = False
        self._texts = Texts(self._window)

    def events(self) -> Iterator[Event]:
        """Yield what is in the file, in its order.

        Raises:
            SqlError: A string or comment does not end; in a raw file only one among data.
        """
        window = self._window
        window.fill(_AHEAD_BYTES)
        self._is_dump |= banner(window.data) is not None
        while True:
            yield from self._gaps()
            if window.is_over:
                yield from self._texts.all()
                return
            data, at = window.data, window.at
            if (copy := COPY.match(data, at)) is not None:
                yield from self._copy(copy)
            elif self._is_dump and (insert := INSERT.match(data, at)) is not None:
                yield from self._insert(insert)
            else:
                if (lock := LOCK.match(data, at)) is not None:
                    self._is_dump = True
                    yield Locked(table_name(lock["table"]))
                is_definition = DEFINITION.match(data, at) is not None
                yield from self._statement("definition" if is_definition else "other")

    def _more(self) -> Iterator[Text]:
        yield from self._texts.all()
        self._window.more()

    def _pass(self, kind: TextKind | None, end: int, *, blank: bool = False) -> None:
        """Pass over the bytes before the offset `end`: text of a kind, or data."""
        if kind is not None:
            self._texts.add("other" if self._raw else kind, blank=blank and not self._raw)
        self._window.at = end

    def _gaps(self) -> Iterator[Text | Load]:
        """Pass over what is between two statements."""
        window = self._window
        while True:
            while not window.is_last and len(window.data) - window.at < _AHEAD_BYTES:
                yield from self._more()
            found = self._rules.gap.match(window.data, window.at)
            kind = None if found is None else found.lastgroup
            if found is None or (kind == "close" and not self._in_condition):
                return
            if kind == "quote" or (kind == "sign" and self._raw):
                yield from self._quoted("gap", b"/*" if kind == "sign" else found[0])
            elif kind == "client":
                yield from self._line("gap")
            elif kind == "program":
                yield from self._program(found)
            else:
                self._in_condition = kind == "sign" or (self._in_condition and kind != "close")
                self._pass("gap", found.end(), blank=kind in ("sign", "close"))

    def _statement(self, kind: TextKind) -> Iterator[Text]:
        """Pass over a statement up to the sign that ends it."""
        window = self._window
        self._pass_plain(kind)
        while True:
            found = self._rules.token.search(window.data, window.at)
            limit = window.limit(_MARGIN_BYTES)
            start = limit if found is None else min(found.start(), limit)
            if start > window.at:
                self._pass(kind, start)
            if found is None or found.start() >= limit:
                if window.is_last:
                    return
                yield from self._more()
                self._pass_plain(kind)
            elif found.lastgroup in ("end", "batch"):
                return
            else:
                yield from self._marked(kind, found)

    def _pass_plain(self, kind: TextKind) -> None:
        """Pass over as much of a statement at once as is certain."""
        window, plain = self._window, self._rules.plain
        found = None if plain is None else plain.match(window.data, window.at)
        # What reaches to the end of the block may go on otherwise.
        if found is not None and window.at < found.end() < window.limit(_MARGIN_BYTES):
            self._pass(kind, found.end())

    def _marked(self, kind: TextKind, found: re.Match[bytes]) -> Iterator[Text]:
        """Pass over a mark in a statement, with what it opens."""
        mark = found.lastgroup
        if mark == "quote" or (mark == "sign" and self._raw):
            yield from self._quoted(kind, b"/*" if mark == "sign" else found[0])
        elif mark == "client":
            self._pass(kind, found.start() + 1)
            yield from self._line(kind)
        else:
            self._pass(kind, found.end(), blank=mark == "sign" or self._in_condition)
            self._in_condition = mark == "sign"

    def _quoted(
        self, kind: TextKind | None, opening: bytes, rules: Rules | None = None
    ) -> Iterator[Text]:
        """Pass over what `opening`, which is next, opens."""
        window, rules = self._window, rules or self._rules
        quote, depth = rules.quote(opening), 1
        place = window.place()
        self._pass(kind, window.at + len(opening))
        while depth:
            end = quote.stop(window.data, window.at)
            if rules.nested_comments and quote.is_comment and window.data.startswith(b"/*", end):
                depth += 1
                self._pass(kind, end + 2)
            elif _is_closed(quote, window, end):
                depth -= 1
                self._pass(kind, end + len(quote.closing))
            elif not window.is_last:
                self._pass(kind, end)
                yield from self._more()
            elif self._raw and kind is not None:
                self._pass(kind, len(window.data))
                return
            else:
                what = "comment" if quote.is_comment else "quoted text"
                raise SqlError(
                    f"the {what} does not end", origin=self._origin, line=place[0], column=place[1]
                )

    def _line(self, kind: TextKind) -> Iterator[Text]:
        """Pass over a line of a client, up to its end."""
        window = self._window
        while True:
            end = window.data.find(b"\n", window.at)
            self._pass(kind, end if end >= 0 else len(window.data), blank=True)
            if end >= 0 or window.is_last:
                return
            yield from self._more()

    def _copy(self, found: re.Match[bytes]) -> Iterator[Text | Load | Rows]:
        self._is_dump = True
        table = table_name(found["table"])
        yield from self._begun("COPY", table, found)
        yield Rows(table, copied_rows(self._window))

    def _insert(self, found: re.Match[bytes]) -> Iterator[Text | Load | Rows]:
        table, head = table_name(found["table"]), found[0]
        yield from self._begun("INSERT", table, found)
        its = self._escaping if b"`" in head else self._rules

        def passed(opening: bytes) -> None:
            for _ in self._quoted(None, opening, its):
                pass

        yield Rows(table, inserted_rows(self._window, its, head, passed, _MARGIN_BYTES))

    def _begun(
        self, kind: LoadKind, table: TableName, found: re.Match[bytes]
    ) -> Iterator[Text | Load]:
        """Pass over what data begin with."""
        yield from self._texts.all()
        yield Load(kind, table, *self._window.place())
        self._window.at = found.end()

    def _program(self, found: re.Match[bytes]) -> Iterator[Text | Load]:
        """Pass over a DELIMITER line, and over all up to the one that has the semicolon again."""
        window = self._window
        if found["mark"] == b";":
            self._pass("gap", found.end(), blank=True)
            return
        yield from self._begun("program", TableName(""), found)
        while True:
            end = _PROGRAM_END.search(window.data, window.at)
            limit = window.limit(_MARGIN_BYTES)
            if end is not None and end.start() < limit:
                window.at = end.end()
                return
            window.at = limit
            if window.is_last:
                return
            window.more()


def _is_closed(quote: Quote, window: Window, end: int) -> bool:
    """Whether a quote is closed at `end`, which is certain if it is not the end of a block."""
    rest = len(window.data) - end
    if not quote.closing:
        return rest > 0 or window.is_last
    # A quote at the very end may be the first of two, which stand for one in the text.
    is_certain = rest > len(quote.closing) or window.is_last
    return is_certain and window.data.startswith(quote.closing, end)
