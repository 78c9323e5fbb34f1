"""The elements of CREATE TABLE: columns with their types, and keys."""

from sqlglot import exp, tokenize

from workloads.catalog import ForeignKey
from workloads.definition import ColumnDefinition, Keys, TableName, TypeDefinition
from workloads.indexes import index
from workloads.sql.ddl.indexes import begins_index, table_index
from workloads.sql.ddl.words import Words
from workloads.sql.parsing.door import FAILURES, door
from workloads.sql.parsing.nesting import refuse_depth

_AFTER_TYPE = (
    "NOT", "NULL", "DEFAULT", "PRIMARY", "UNIQUE", "REFERENCES", "CHECK", "CONSTRAINT", "COLLATE",
    "COMMENT", "GENERATED", "AUTO_INCREMENT", "AUTOINCREMENT", "IDENTITY", "ENCODE", "DISTKEY",
    "SORTKEY", "ON", "AS", "KEY", "VIRTUAL", "STORED", "INVISIBLE", "VISIBLE", "MASKING",
    "OPTIONS", "OPTION", "CHARSET", "SPARSE", "ROWGUIDCOL", "FORMAT", "TITLE", "CODEC", "TTL",
    "MATERIALIZED", "ALIAS", "EPHEMERAL", "STORAGE", "COMPRESSION", "COMPRESS", "HIDDEN",
    "PERSISTED", "ENABLE", "DISABLE", "SRID", "FIRST", "AFTER", "USING", "INLINE", "FILTER", "TAG",
)  # fmt: skip
_OVER_EXPRESSION = index((), name="", unique=True, has_expression=True)
_UNLIMITED = 65_535
"""From this length on a limit says nothing of the values: Snowflake's default is 16 MiB."""

_SIZED = {
    exp.DType.CHAR: "VARCHAR",
    exp.DType.NCHAR: "VARCHAR",
    exp.DType.VARCHAR: "VARCHAR",
    exp.DType.NVARCHAR: "VARCHAR",
    exp.DType.BINARY: "BLOB",
    exp.DType.VARBINARY: "BLOB",
    exp.DType.ROWVERSION: "BLOB",
    exp.DType.TEXT: "VARCHAR",
}
_RENAMED = {
    exp.DType.UDOUBLE: "DOUBLE",
    exp.DType.TINYTEXT: "VARCHAR",
    exp.DType.MEDIUMTEXT: "VARCHAR",
    exp.DType.LONGTEXT: "VARCHAR",
    exp.DType.MONEY: "DECIMAL(19, 4)",
    exp.DType.SMALLMONEY: "DECIMAL(10, 4)",
    exp.DType.BIGSERIAL: "BIGINT",
    exp.DType.SERIAL: "INTEGER",
    exp.DType.SMALLSERIAL: "SMALLINT",
    exp.DType.MEDIUMINT: "INTEGER",
    exp.DType.UMEDIUMINT: "UINTEGER",
    exp.DType.YEAR: "SMALLINT",
    exp.DType.DATETIME64: "TIMESTAMP",
    exp.DType.BIGDECIMAL: "DECIMAL(38, 10)",
}
_PADDED = {exp.DType.CHAR: 1, exp.DType.NCHAR: 1, exp.DType.BINARY: 1, exp.DType.ROWVERSION: 8}
"""Types whose values are all as long as the type says, with their length where it says none."""

_LABELLED = (exp.DType.ENUM, exp.DType.ENUM8, exp.DType.ENUM16)
_DECIMALS = (exp.DType.DECIMAL, exp.DType.UDECIMAL, exp.DType.BIGDECIMAL)
_PLAIN_DECIMALS = {
    **dict.fromkeys(("mysql", "spark", "spark2", "databricks", "hive"), "DECIMAL(10,0)"),
    **dict.fromkeys(("tsql", "fabric", "redshift"), "DECIMAL(18,0)"),
    **dict.fromkeys(("snowflake", "trino", "presto", "athena"), "DECIMAL(38,0)"),
    "bigquery": "DECIMAL(38,9)",
    "duckdb": "DECIMAL(18,3)",
}
"""A decimal without its digits. Elsewhere it has as many as a value needs: no type has, and DOUBLE
takes all values, as in a running PostgreSQL's catalog."""


def read_constraint(words: Words) -> Keys | None:
    """Return the keys and indexes of a table's constraint (none for CHECK); None for a column.

    Raises:
        SqlError: A key has no columns.
    """
    named = words.take("CONSTRAINT")
    if named and not words.at_one_of("PRIMARY", "UNIQUE", "FOREIGN", "CHECK", "EXCLUDE", "NOT"):
        words.next()
    rest = list(words)
    keys = Keys() if named or _is_keyless(words) else None
    if words.take("PRIMARY", "KEY"):
        keys = Keys(primary=_key(words))
    elif words.take("FOREIGN", "KEY"):
        columns = _key(words)
        words.until("REFERENCES")
        keys = Keys(foreign=(_reference(words, columns),))
    elif words.at("UNIQUE") and any(word.is_one_of("(") for word in rest[1:4]):
        columns = _key(words)
        keys = Keys(unique=(columns,)) if columns else Keys(indexes=(_OVER_EXPRESSION,))
    elif begins_index(words):
        keys = table_index(words)
    return keys


def _is_keyless(words: Words) -> bool:
    """Whether this is CHECK or the like, and no column of that name."""
    starts = (("CHECK", "("), ("EXCLUDE", "USING"), ("EXCLUDE", "("), ("PERIOD", "FOR"))
    return any(words.at(*start) for start in starts)


def read_elements(
    elements: list[Words],
) -> tuple[list[ColumnDefinition], Keys, list[TableName]]:
    """Return the columns, keys and LIKE tables among what a table's parentheses hold.

    Raises:
        SqlError: One of them is not understood.
    """
    columns: list[ColumnDefinition] = []
    keys, like = Keys(), list[TableName]()
    for element in elements:
        constraint = read_constraint(element)
        if constraint is not None:
            keys += constraint
        elif element.take("LIKE"):
            like.append(element.name())
        else:
            column, inline = read_column(element)
            columns.append(column)
            keys += inline
    return columns, keys, like


def read_column(words: Words) -> tuple[ColumnDefinition, Keys]:
    """Return a column with the keys that its own constraints make.

    Raises:
        SqlError: It has no name.
    """
    name = words.next().text
    type_ = read_type(words)
    keys, not_null = Keys(), False
    while words:
        words.until("PRIMARY", "UNIQUE", "REFERENCES", "NOT")
        if words.take("PRIMARY"):
            keys += Keys(primary=(name,))
        elif words.take("UNIQUE"):
            keys += Keys(unique=((name,),))
        elif words.at("REFERENCES"):
            keys += Keys(foreign=(_reference(words, (name,)),))
        elif words.take("NOT"):
            not_null = not_null or words.at("NULL")
    return ColumnDefinition(name=name, type=type_, not_null=not_null), keys


def read_type(words: Words) -> TypeDefinition | None:
    """Step over a type and return it; None where there is none.

    Raises:
        SqlError: It is nested too deeply to be read.
    """
    if not words or words.at_one_of(*_AFTER_TYPE):
        return None
    first = next(iter(words))
    place = words.rest_as_query(words.query.name, words.text)
    rest = _type_text(words)
    with door(place):
        refuse_depth(place, tokenize(rest, dialect=words.dialect))
    for text in (rest, first.text):
        read = _parsed(text, words.dialect)
        if read is not None:
            return read
    return TypeDefinition(type="VARCHAR", named=rest.split("(")[0].split(".")[-1].strip(' "[]`'))


def _type_text(words: Words) -> str:
    """Step over a type's words and return them, without the brackets that T-SQL puts around."""
    taken = [words.next()]
    while words and not words.at_one_of(*_AFTER_TYPE):
        if words.at("CHARACTER", "SET") or (words.at("WITH") and not _is_zone(words)):
            break
        taken.append(words.next())
    sql = words.query.sql
    if taken[0].quoted and words.dialect in ("tsql", "fabric"):
        bare = taken[-1] if taken[1:2] and taken[1].is_one_of(".") else taken[0]
        return bare.text + sql[bare.end : taken[-1].end]
    return sql[taken[0].start : taken[-1].end]


def _is_zone(words: Words) -> bool:
    return words.at("WITH", "TIME") or words.at("WITH", "LOCAL")


def _parsed(text: str, dialect: str) -> TypeDefinition | None:
    """Return the type that `text` is; None where sqlglot knows none of that name."""
    try:
        read = exp.DataType.build(text, dialect=dialect, udt=True)
    except FAILURES:
        return None
    if read.this == exp.DType.USERDEFINED:
        return None
    if read.this == exp.DType.LOWCARDINALITY and read.expressions:
        return _parsed(read.expressions[0].sql(dialect), dialect)
    return _described(read, dialect)


def _described(read: exp.DataType, dialect: str) -> TypeDefinition:
    kind = read.this
    if kind in _LABELLED:
        labels = tuple(label.name for label in read.find_all(exp.Literal) if label.is_string)
        return TypeDefinition(type="VARCHAR", labels=labels)
    if kind in _SIZED:
        length = _length(read, kind)
        return TypeDefinition(type=_SIZED[kind], length=length, padded=kind in _PADDED)
    if kind == exp.DType.BIT and _length(read, kind) in (None, 1):
        return TypeDefinition(type="BOOLEAN")
    if kind == exp.DType.UDECIMAL:
        # DuckDB has none, and what it holds is the same.
        read.set("this", exp.DType.DECIMAL)
    if kind in _DECIMALS and not read.expressions:
        return TypeDefinition(type=_PLAIN_DECIMALS.get(dialect, "DOUBLE"))
    return TypeDefinition(type=_RENAMED.get(kind) or read.sql("duckdb"))


def _length(read: exp.DataType, kind: exp.DType) -> int | None:
    sizes = [part.this.name for part in read.expressions if isinstance(part, exp.DataTypeParam)]
    size = next((int(text) for text in sizes if text.isdigit()), None)
    if size is None:
        return _PADDED.get(kind)
    return size if size < _UNLIMITED else None


def _key(words: Words) -> tuple[str, ...]:
    """Step to the columns of a key and return them; none of a key over an expression."""
    words.until("(")
    columns = []
    for part in words.group():
        column = part.next()
        following = next(iter(part), None)
        if column.is_one_of("(") or (following is not None and following.is_one_of("(", "->")):
            is_prefix = part.take("(") and part and part.next().text.isdigit()
            if not is_prefix:
                return ()
        columns.append(column.text)
    return tuple(columns)


def _reference(words: Words, columns: tuple[str, ...]) -> ForeignKey:
    if not words.take("REFERENCES"):
        raise words.error("a foreign key refers to no table")
    table = words.name()
    references = tuple(part.next().text for part in words.group()) if words.at("(") else ()
    return ForeignKey(columns=columns, table=str(table), references=references)
