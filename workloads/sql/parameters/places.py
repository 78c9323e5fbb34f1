"""Where a statement has parameters: ``$1``, ``?``, ``:name``, ``%s``, ``(...)`` …."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sqlglot import Dialect, Token, TokenType

from workloads.sql.parsing.parse import tokens_of
from workloads.sql.parsing.placeholders import question_marks, stands_for_value
from workloads.sql.parsing.typed_parameters import length_of_type
from workloads.workload import Query

PREFIX = "advisor_parameter_"
"""The beginning of the names that parameters get to be known again in the syntax tree."""

_ANONYMOUS = re.compile(r"\?|'?%s'?|\.\.\.")
_BLANKED_TYPE = re.compile(r"(?i)\b(?:date|time|timestamp|timestamptz)\s+\Z")
_SELECTED = re.compile(r"(?i)(?:\b(?:SELECT|DISTINCT|ALL)|,)\s*\Z")
_NAME = re.compile(r":[A-Za-z_]\w*")
_QUANTIFIED = re.compile(
    r"(?i)(?:=\s*(?:ANY|SOME)|(?:<>|!=)\s*ALL)\s*\(\s*(?P<cast>CAST\s*\(\s*)?\Z"
)
_ARRAY = r"[\w\". ]+(?:\(\s*\d+\s*\))?\[\s*\]\s*"
_ARRAY_END = re.compile(rf"(?i)\s*(?:::\s*{_ARRAY})?\)")
_CAST_END = re.compile(rf"(?i)\s*AS\s+{_ARRAY}\)\s*\)")
_MORE_VALUES = re.compile(r"\s*/\*\s*,\s*\.\.\.\s*\*/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter of a statement from `start` to `end`; those of one `key` have one value.

    `before` is where the type begins that is written in front of it, None without one. `is_one`
    tells that it stands for one value where it is alone in an IN list: PostgreSQL writes ``$1``
    for one and ``$1 /*, ... */`` for several, others write of both what they write of one.
    """

    start: int
    end: int
    key: str
    before: int | None = None
    is_one: bool = False

    def type_before(self, sql: str) -> str:
        """Return the type that is written in front of it, "" without one."""
        return "" if self.before is None else sql[self.before : self.start].strip()


def parameters(query: Query, dialect: str) -> tuple[Parameter, ...]:
    """Return the parameters of a statement in the order of its text.

    Raises:
        SqlError: It has no tokens, is several statements, or reaches the host.
    """
    marked = question_marks(query.sql, dialect)
    tokens = tokens_of(query, dialect)
    return tuple(_found(query.sql, marked, tokens, dialect))


def _found(sql: str, marked: str, tokens: Sequence[Token], dialect: str) -> Iterator[Parameter]:
    engine = Dialect.get_or_raise(dialect)
    for index, token in enumerate(tokens):
        start = token.start
        if token.token_type is TokenType.COLON:
            named = _NAME.match(sql, start)
            if named and stands_for_value(marked, start):
                yield Parameter(start=start, end=named.end(), key=named[0])
            continue
        if token.text != "?" or token.token_type is TokenType.STRING:
            continue
        if dialect == "postgres" and sql[start] == "?" and not stands_for_value(marked, start):
            continue  # An operator.
        end = _end(sql, marked, start)
        text = sql[start:end]
        blanked = _BLANKED_TYPE.search(sql, 0, start)
        before = blanked.start() if blanked and marked[start - 1] == " " else None
        if before is None and (length := length_of_type(tokens[:index], engine)):
            before = tokens[index - length].start
        yield Parameter(
            start=start,
            end=end,
            key=f"{index}" if _ANONYMOUS.fullmatch(text.strip()) else text,
            before=before,
            is_one=dialect == "postgres" and not _MORE_VALUES.match(sql, end),
        )


def _end(sql: str, marked: str, start: int) -> int:
    """Return where the parameter ends of which `marked` has one sign, and blanks."""
    place = end = start + 1
    while place < len(sql) and marked[place] == " ":
        place += 1
        if sql[place - 1] != " ":
            end = place
    return end


def named(query: Query, found: Sequence[Parameter], dialect: str) -> Query:
    """Return a statement with a name of its own for each parameter, by its place."""
    edits = []
    for place, each in enumerate(found):
        name = f":{PREFIX}{place}"
        if dialect == "duckdb" and _SELECTED.search(query.sql, 0, each.start):
            name = f"({name})"  # In `SELECT :a b` the name would be an alias, written in front.
        type_ = each.type_before(query.sql)
        if not type_ or type_.lower() == "interval":
            edits.append((each.start, each.end, name))
        else:
            edits.append((each.before or 0, each.end, f"CAST({name} AS {type_})"))
    return replace(query, sql=_edited(query.sql, edits))


def filled(query: Query, found: Sequence[Parameter], values: Sequence[Sequence[str]]) -> Query:
    """Return a statement with literals for its parameters, of a list several.

    ``= ANY($1)`` becomes IN, and ``<> ALL($1)`` NOT IN: an array is written by each system in its
    way.
    """
    sql = query.sql
    edits = []
    for each, literals in zip(found, values, strict=True):
        before = _QUANTIFIED.search(sql, 0, each.start)
        ending = _CAST_END if before and before["cast"] else _ARRAY_END
        behind = ending.match(sql, each.end)
        text = ", ".join(literals)
        if before and behind and each.before is None:
            word = "IN" if before[0].startswith("=") else "NOT IN"
            edits.append((before.start(), behind.end(), f"{word} ({text})"))
        elif text.startswith("-") and sql[: each.start].rstrip()[-1:] not in (
            "=",
            "<",
            ">",
            "(",
            ",",
        ):
            edits.append((each.start, each.end, f"({text})"))
        else:
            edits.append((each.start, each.end, text))
    return replace(query, sql=_edited(sql, edits), values=())


def _edited(text: str, edits: Sequence[tuple[int, int, str]]) -> str:
    for start, end, written in reversed(edits):
        text = text[:start] + written + text[end:]
    return text
