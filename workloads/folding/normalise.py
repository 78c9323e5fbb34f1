"""The text of a statement without its literals: equal for executions of one template."""

import hashlib
import re
from collections.abc import Sequence

from workloads.folding.lexis import (
    Lexis,
    Part,
    alternatives,
    comments,
    dollar_quoted,
    identifiers,
    number,
    strings,
)

# Stands for a literal; no SQL has it.
_MARK = "\0"
_REMEMBERED_CHARACTERS = 32_000_000
_SIGNS = frozenset("+-")
_OPENING, _CLOSING = frozenset("(["), frozenset(")]")
_QUERIES = frozenset({"select", "with"})
# Words that an operand follows: a sign between the two belongs to the literal.
_BEFORE_OPERANDS = frozenset(
    [
        "all",
        "and",
        "any",
        "as",
        "between",
        "by",
        "case",
        "distinct",
        "else",
        "end",
        "escape",
        "except",
        "fetch",
        "first",
        "from",
        "having",
        "if",
        "in",
        "intersect",
        "interval",
        "is",
        "like",
        "ilike",
        "limit",
        "next",
        "not",
        "offset",
        "on",
        "or",
        "over",
        "regexp",
        "return",
        "returning",
        "rlike",
        "select",
        "set",
        "similar",
        "some",
        "then",
        "to",
        "top",
        "union",
        "using",
        "value",
        "values",
        "when",
        "where",
        "with",
    ]
)
_PREFIXED = re.compile(rf"(?i)(?<![\w$@#])(?:[ENXBR]|BR|RB|U&|_[a-z]\w*){_MARK}")
_POINT = re.compile(rf"(?<![\w\])\"`])\.{_MARK}")
_ROWS = re.compile(r"(?i)(\bvalues\s*)(\([^()]*+\))(?:\s*,\s*\2)++")
_LIST = re.compile(
    rf"\((?:(?<=\s[iI][nN]\()|(?<=\s[iI][nN]\s\())\s*+{_MARK}(?:\s*+,\s*+{_MARK})++\s*+\)"
)
_SHORT_LIST = f"({_MARK})"


class Normaliser:
    """Maps statements of one dialect to the text, and the digest, of their template.

    Literals (strings, numbers, parameters) become ``?``, with their sign, prefix and quotes;
    TRUE, FALSE and NULL stay. Comments, white space and a last semicolon go. Words outside quotes
    are written small. An IN list and the rows of VALUES keep one of each equal item.
    """

    def __init__(self, lexis: Lexis) -> None:
        self._rare = _rare(lexis)
        self._dollars = lexis.dollar_quotes
        self._openings = tuple(sorted({opening for opening, _ in lexis.identifiers}))
        self._quotes = tuple(sorted({quote for pair in lexis.identifiers for quote in pair}))
        self._plain = re.compile(
            alternatives([*strings(lexis, plain=True), number(lexis)]), re.DOTALL
        )
        self._easy = re.compile("|".join(_easy(pair) for pair in lexis.identifiers))
        self._all = re.compile(_everything(lexis), re.DOTALL)
        quoted = alternatives(identifiers(lexis))
        self._words = re.compile(rf"{quoted}|{_MARK}|\$\d+|[\w$@#]+|\S", re.DOTALL)
        self._known: dict[str, bytes] = {}
        self._characters = 0

    def digest(self, sql: str) -> bytes:
        """Return 16 bytes that stand for the template; none for a text without a statement."""
        bare = self._without_literals(sql)
        # Or each length of a list would be a text of its own to remember.
        bare = _LIST.sub(_SHORT_LIST, bare)
        found = self._known.get(bare)
        if found is None:
            text = self._canonical(bare)
            found = hashlib.blake2b(text.encode(), digest_size=16).digest() if text else b""
            self._remember(bare, found)
        return found

    def text(self, sql: str) -> str:
        """Return the text of the template; it need not be SQL."""
        return self._canonical(self._without_literals(sql)).replace(_MARK, "?")

    def _remember(self, bare: str, digest: bytes) -> None:
        """Keep what was found, within bounds: a log may hold any number of texts."""
        if self._characters > _REMEMBERED_CHARACTERS:
            self._known.clear()
            self._characters = 0
        self._known[bare] = digest
        self._characters += len(bare)

    def _without_literals(self, sql: str) -> str:
        if _MARK in sql:
            sql = sql.replace(_MARK, "")
        if self._is_plain(sql):
            return self._plain.sub(_MARK, sql)
        return self._all.sub(_replaced, sql)

    def _is_plain(self, sql: str) -> bool:
        """Whether strings and numbers can be told without looking at comments and identifiers."""
        for mark in self._rare:
            if mark in sql:
                return False
        if self._dollars and "$" in sql and _DOLLARS.search(sql):
            return False
        if any(opening in sql for opening in self._openings):
            rest = self._easy.sub("", sql)
            return not any(quote in rest for quote in self._quotes)
        return True

    def _canonical(self, bare: str) -> str:
        bare = _POINT.sub(_MARK, _PREFIXED.sub(_MARK, bare))
        bare = _ROWS.sub(r"\1\2", bare)
        words = [self._folded(word) for word in self._words.findall(bare)]
        while words and words[-1] == ";":
            words.pop()
        return " ".join(_short_lists(_unsigned(words)))

    def _folded(self, word: str) -> str:
        """Return a word in small letters if it is no quoted name; a parameter as a literal."""
        if word[0] in self._openings and len(word) > 1:
            return word
        if word == "?" or (word[0] == "$" and word[1:].isdecimal()):
            return _MARK
        return word.lower()


_DOLLARS = re.compile(alternatives([dollar_quoted()]), re.DOTALL)


def _rare(lexis: Lexis) -> tuple[str, ...]:
    """Return the marks at which the order of quotes, comments and identifiers begins to matter."""
    marks = {"/*", *lexis.line_comments}
    marks.update(opening for opening in lexis.literal_openings() if len(opening) > 1)
    return tuple(sorted(marks))


def _easy(pair: tuple[str, str]) -> str:
    """Match a quoted identifier that nothing in it can be mistaken for a literal."""
    opening, closing = map(re.escape, pair)
    return rf"{opening}[A-Za-z_][\w$]*+(?: [A-Za-z_][\w$]*+)*+{closing}"


def _everything(lexis: Lexis) -> str:
    literals: list[Part] = [*strings(lexis), number(lexis)]
    if lexis.dollar_quotes:
        literals.insert(0, dollar_quoted())
    parts = [
        *literals[:-1],
        *[(first, f"{rest}(?P<name{i}>)") for i, (first, rest) in enumerate(identifiers(lexis))],
        *[(first, f"{rest}(?P<gap{i}>)") for i, (first, rest) in enumerate(comments(lexis))],
        literals[-1],
    ]
    return alternatives(parts)


def _replaced(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if kind is None or kind == "tag":
        return _MARK
    return match[0] if kind.startswith("name") else " "


def _unsigned(words: Sequence[str]) -> list[str]:
    """Drop the sign of a literal, but no minus between two operands."""
    kept: list[str] = []
    for place, word in enumerate(words):
        if word in _SIGNS and place + 1 < len(words) and words[place + 1] == _MARK:
            before = kept[-1] if kept else "("
            if not _is_operand(before):
                continue
        kept.append(word)
    return kept


def _is_operand(word: str) -> bool:
    if word in {")", "]", _MARK}:
        return True
    if word == "[":
        return False
    return (word[0].isalnum() or word[0] in '_$@#"`[') and word not in _BEFORE_OPERANDS


def _short_lists(words: list[str]) -> list[str]:
    """Keep one of each equal item in lists of IN, of each row of VALUES, and of array literals."""
    kept: list[str] = []
    place = 0
    while place < len(words):
        word = words[place]
        kept.append(word)
        place += 1
        opened = words[place] if place < len(words) else ""
        if word == "[":
            items, end = _items(words, place)
            if set(items) == {_MARK}:
                kept += [_MARK, "]"]
                place = end
        elif word == "values" and opened == "(":
            rows, place = _rows(words, place + 1)
            kept.append(_distinct(rows))
        elif word == "in" and opened == "(" and not _QUERIES.intersection(words[place + 1 :][:1]):
            items, place = _items(words, place + 1)
            kept += ["(", _distinct(items), ")"]
    return kept


def _rows(words: Sequence[str], place: int) -> tuple[list[str], int]:
    """Return the rows from the one whose first word is at `place`, and where they end."""
    rows = []
    while True:
        items, place = _items(words, place)
        rows.append(f"( {' , '.join(items)} )")
        if place + 1 >= len(words) or words[place] != "," or words[place + 1] != "(":
            return rows, place
        place += 2


def _items(words: Sequence[str], place: int) -> tuple[list[str], int]:
    """Return what commas part from `place` to the end of its parenthesis, and where that is."""
    items: list[list[str]] = [[]]
    depth = 1
    while place < len(words):
        word = words[place]
        place += 1
        depth += (word in _OPENING) - (word in _CLOSING)
        if depth == 0:
            break
        if word == "," and depth == 1:
            items.append([])
        else:
            items[-1].append(word)
    return [" ".join(item) for item in items], place


def _distinct(items: Sequence[str]) -> str:
    """Return the different items in an order of their own, with commas between them."""
    return " , ".join(sorted(set(items)))
