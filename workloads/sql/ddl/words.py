"""A statement as words: what DDL is read by, since every system has clauses of its own in it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from sqlglot import Token, TokenType, tokenize

from workloads.definition import TableName
from workloads.sql.parsing.door import door, error_at
from workloads.sql.parsing.nesting import refuse_nesting
from workloads.workload import Query

_QUOTED = (TokenType.IDENTIFIER, TokenType.STRING)
_NESTED_TYPES = ("ARRAY", "MAP", "STRUCT", "ROW")


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word of a statement; `text` without its quotes, `start` and `end` where it stands.

    `depth` counts the groups in parentheses and angle brackets that it is in; a bracket is not in
    its own group.
    """

    text: str
    quoted: bool
    start: int
    end: int
    depth: int = 0

    def is_one_of(self, *words: str) -> bool:
        """Whether it is one of these keywords (in capitals) or signs."""
        return not self.quoted and self.text.upper() in words


class Words:
    """A statement's words with a place in them. Everything that looks ahead leaves the place."""

    def __init__(self, query: Query, dialect: str, words: tuple[Word, ...] | None = None) -> None:
        """Read the words of `query`; `words` are some of them, where only those are meant.

        Raises:
            SqlError: A quoted text or a comment does not end, or it is nested too deeply.
        """
        self.query = query
        self.dialect = dialect
        if words is None:
            with door(query):
                tokens = tokenize(query.sql, dialect=dialect)
            refuse_nesting(query, tokens)
            words = tuple(_nested(word for token in tokens for word in _words(token, query.sql)))
        self._words = words
        self._place = 0

    def __iter__(self) -> Iterator[Word]:
        """Yield what is left."""
        return iter(self._words[self._place :])

    def __bool__(self) -> bool:
        """Whether anything is left."""
        return self._place < len(self._words)

    @property
    def text(self) -> str:
        """Return what is left as it was written."""
        if not self:
            return ""
        return self.query.sql[self._words[self._place].start : self._words[-1].end]

    def at(self, *words: str) -> bool:
        """Whether the next words are these keywords or signs."""
        following = self._words[self._place : self._place + len(words)]
        return len(following) == len(words) and all(
            word.is_one_of(wanted) for word, wanted in zip(following, words, strict=True)
        )

    def at_one_of(self, *words: str) -> bool:
        """Whether the next word is one of these keywords."""
        return bool(self) and self._words[self._place].is_one_of(*words)

    def take(self, *words: str) -> bool:
        """Step over these words, if they are the next."""
        found = self.at(*words)
        if found:
            self._place += len(words)
        return found

    def peek(self) -> str:
        """Return the next word's text; nothing at the end."""
        return self._words[self._place].text if self else ""

    def next(self) -> Word:
        """Step over the next word and return it.

        Raises:
            SqlError: There is none.
        """
        if not self:
            raise self.error("ends too early")
        self._place += 1
        return self._words[self._place - 1]

    def name(self) -> TableName:
        """Step over a name and return it with its schema."""
        parts = [self.next().text]
        while self.take("."):
            parts.append(self.next().text)
        if self.dialect == "bigquery":
            parts = [part for each in parts for part in each.split(".")]
        return TableName(parts[-1], parts[-2] if len(parts) > 1 else "")

    def group(self) -> list["Words"]:
        """Step over a group in parentheses and return its parts between commas.

        Raises:
            SqlError: There is none, or it does not end.
        """
        if not self.at("("):
            raise self.error("'(' was expected")
        depth = self.next().depth
        start = self._place
        while not (self.at(")") and self._words[self._place].depth == depth):
            self.next()
        inside = self._part(start, self._place)
        self.next()
        return inside.parts()

    def parts(self) -> list["Words"]:
        """Return what stands between the commas of what is left; nested ones do not count."""
        found, start = [], self._place
        for place in range(self._place, len(self._words)):
            word = self._words[place]
            if word.depth == self._words[0].depth and word.is_one_of(","):
                found.append(self._part(start, place))
                start = place + 1
        if start < len(self._words):
            found.append(self._part(start, len(self._words)))
        return found

    def until(self, *words: str) -> "Words":
        """Step to the next of these keywords outside groups and return what is before it."""
        start = self._place
        while self:
            word = self._words[self._place]
            if word.depth == self._words[0].depth and word.is_one_of(*words):
                break
            self._place += 1
        return self._part(start, self._place)

    def rest_as_query(self, name: str, sql: str) -> Query:
        """Return what is left, or its beginning `sql`, as a statement with its own place."""
        offset = self._words[self._place].start if self else 0
        before = self.query.sql[:offset]
        line = before.count("\n")
        column = offset - (before.rfind("\n") + 1)
        return replace(
            self.query,
            name=name,
            sql=sql,
            line=self.query.line + line,
            column=column + (1 if line else self.query.column),
        )

    def error(self, reason: str) -> Exception:
        """Return an error at this place."""
        last = len(self._words) - 1
        place = self._words[min(self._place, last)].start if self._words else 0
        return error_at(self.query, place, reason)

    def _part(self, start: int, end: int) -> "Words":
        return Words(self.query, self.dialect, self._words[start:end])


def _words(token: Token, sql: str) -> Iterator[Word]:
    """Yield a token's words: sqlglot takes PRIMARY KEY and CHARACTER VARYING as one."""
    start, end = token.start, token.end + 1
    text = sql[start:end]
    if token.token_type in _QUOTED or " " not in token.text.strip():
        quoted = token.token_type in _QUOTED
        yield Word(text=token.text, quoted=quoted, start=start, end=end)
        return
    for part in text.split():
        at = text.index(part)
        yield Word(text=part, quoted=False, start=start + at, end=start + at + len(part))
        start, text = start + at + len(part), text[at + len(part) :]


def _nested(words: Iterable[Word]) -> Iterator[Word]:
    """Yield words with their depth. `<` opens a group after ARRAY and its like, or compares."""
    open_: list[str] = []
    before = None
    for word in words:
        for sign in word.text if word.is_one_of(")", ">", ">>") else "":
            if open_ and open_[-1] == {")": "(", ">": "<"}[sign]:
                open_.pop()
        yield replace(word, depth=len(open_))
        is_type = before is not None and before.is_one_of(*_NESTED_TYPES)
        if word.is_one_of("(") or (word.is_one_of("<") and is_type):
            open_.append(word.text)
        before = word
