"""Indexes in DDL: CREATE INDEX, and those among the elements of CREATE TABLE and ALTER TABLE."""

from workloads.definition import Alteration, Keys
from workloads.errors import SqlError
from workloads.indexes import ORDERED, Index, index
from workloads.sql.ddl.words import Words

INDEXES = {
    "mysql": ("KEY", "INDEX", "FULLTEXT", "SPATIAL"),
    "tsql": ("INDEX",),
    "clickhouse": ("INDEX", "PROJECTION"),
}
"""Words that begin an index among the columns, in the dialects that have that."""

_MYSQL_LIKE = ("doris", "starrocks", "singlestore")
_METHODS = ("FULLTEXT", "SPATIAL", "BITMAP", "COLUMNSTORE", "SEARCH", "VECTOR", "HASH")
"""Words before INDEX that say its method."""


def begins_index(words: Words) -> bool:
    """Whether an element of a table is an index, and no column of that name."""
    known = "mysql" if words.dialect in _MYSQL_LIKE else words.dialect
    return words.at_one_of(*INDEXES.get(known, ()))


def created_index(words: Words, before: Words) -> Alteration | None:
    """Return what the words after CREATE … INDEX add to a table; None where it is not understood.

    `before` are the words between CREATE and INDEX. An index that is not understood costs nothing
    but itself: no table is lost for it.
    """
    try:
        words.take("CONCURRENTLY")
        words.take("IF", "NOT", "EXISTS")
        name = "" if words.at("ON") else words.name().name
        words.until("ON")
        words.take("ON")
        words.take("ONLY")
        table = words.name()
        kinds = list(before)
        method = next((word.text for word in kinds if word.is_one_of(*_METHODS)), ORDERED)
        unique = any(word.is_one_of("UNIQUE") for word in kinds)
        found = _index(words, name=name, method=method, unique=unique)
    except SqlError:
        return None
    return Alteration(table=table, keys=Keys(indexes=(found,)))


def table_index(words: Words) -> Keys:
    """Return the index that an element of a table is; none where it is not understood."""
    if words.dialect == "clickhouse":  # its indexes skip blocks and find no rows
        return Keys()
    try:
        first = words.next().text
        words.take("INDEX")
        words.take("KEY")
        words.take("IF", "NOT", "EXISTS")
        name = "" if words.at("(") or words.at("USING") else words.next().text
        method = first if first.upper() in _METHODS else ORDERED
        unique = words.take("UNIQUE")
        return Keys(indexes=(_index(words, name=name, method=method, unique=unique),))
    except SqlError:
        return Keys()


def _index(words: Words, *, name: str, method: str, unique: bool) -> Index:
    """Return the index whose columns follow, perhaps after its method."""
    before = list(words.until("("))
    used = [at for at, word in enumerate(before[:-1]) if word.is_one_of("USING")]
    columns = [_column(part) for part in words.group()]
    rest = list(words)
    used_after = [at for at, word in enumerate(rest[:-1]) if word.is_one_of("USING")]
    if used:
        method = before[used[0] + 1].text
    elif used_after:
        method = rest[used_after[0] + 1].text
    return index(
        (column for column in columns if column),
        name=name,
        method=method,
        unique=unique,
        is_partial=any(word.is_one_of("WHERE") for word in rest),
        has_expression="" in columns,
    )


def _column(part: Words) -> str:
    """Return the column that a part of a key is, or begins; "" for an expression."""
    first = part.next()
    following = next(iter(part), None)
    if first.is_one_of("(") or following is None:
        return "" if first.is_one_of("(") else first.text
    if following.is_one_of("("):
        part.next()
        return first.text if part and part.next().text.isdigit() else ""
    return first.text if _is_plain(following.text) else ""


def _is_plain(text: str) -> bool:
    """Whether a word after a column is its order, collation or the like, and no operator."""
    return text[:1].isalpha() or text[:1] == "_"
