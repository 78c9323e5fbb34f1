"""SQL for one table, as a kind of store writes it.

A checksum is the sum over all rows of 32 bits of the MD5 of the row's text. The text of a value
is the same in every store, so that the sums of equal copies are equal. Floating-point numbers have
no such text: of them it holds whether they are NULL, and their extremes are compared beside it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evaluation.store_protocol.columns import ColumnTypes, is_text, quoted
from workloads.catalog import Column, Table
from workloads.indexes import Index

ZONED = ("TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE")
SINGLE = ("FLOAT", "FLOAT4", "REAL")
FLOATING = (*SINGLE, "DOUBLE", "FLOAT8")
KINDS_OF_TEXT: Mapping[str, str] = {
    **dict.fromkeys(FLOATING, "floating"),
    **dict.fromkeys(("BOOLEAN", "BOOL"), "boolean"),
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "DATETIME"), "moment"),
    "BLOB": "bytes",
    **dict.fromkeys(ZONED, "zoned"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSql:
    """The statements of a copy's indexes, however wide its text is.

    `staged` gives a staged copy of a table, by its quoted name and the types of its columns, all of
    them. `renaming` gives them their names in a namespace once the copy is published. `adding`
    gives a published copy in a namespace an index by its name, and `dropping` drops it: both do
    nothing where that is done already.
    """

    staged: Callable[[Table, str, Mapping[str, str]], tuple[str, ...]]
    renaming: Callable[[Table, str], tuple[str, ...]]
    adding: Callable[[Table, Index, str, str], tuple[str, ...]]
    dropping: Callable[[Table, str, str], tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSql:
    """The spelling, in one kind of store, of what all of them can say.

    `text` is kind of value → its text, where ``{}`` is the column; "other" is of all others.
    `joined` puts texts, ``{}``, together with `comma` between them. `number` makes a number of the
    MD5 of the text ``{}``. `types` None: the catalog's own. `namespace` creates the schema or
    database, `complete` brings the statistics of a copy up to date. `begin` and `end` put the
    statements that publish a copy into one transaction, where the store can. `indexes` makes
    those of copies, None where they have none. `text_keys`: text may
    be in a key; `rounds_floats`: a FLOAT is handed out with fewer digits than it has. `in_utc`
    reads a moment with a time zone as one without, in UTC, so that no session's zone has a part in
    a move; `from_utc` makes the type with a zone of such a ``{column}`` of ``{table}``, where the
    store has one.
    """

    mark: str
    text: Mapping[str, str]
    joined: str
    comma: str
    number: str
    double: str
    types: ColumnTypes | None
    namespace: str
    complete: str
    rename: str
    begin: tuple[str, ...]
    end: tuple[str, ...]
    escapes: Mapping[str, str]
    text_keys: bool
    indexes: IndexSql | None
    in_utc: str
    from_utc: str = ""
    rounds_floats: bool = False

    def literal(self, text: str) -> str:
        """Return `text` as a string literal."""
        for character, escape in self.escapes.items():
            text = text.replace(character, escape)
        return f"'{text}'"

    def value(self, column: Column) -> str:
        """Return the text of a column's value: ``-`` for NULL, else it begins with ``=``."""
        kind = column.type.upper().split("(")[0].strip()
        form = self.text["text"] if is_text(column) else self.text[KINDS_OF_TEXT.get(kind, "other")]
        text = self.joined.format(
            self.comma.join(("'='", form.format(quoted(column.name, self.mark))))
        )
        return f"coalesce({text}, '-')"
