"""Statements of DDL as definitions of tables and views.

They are read word by word: storage clauses, which every system has of its own, are stepped over.
"""

import re
from dataclasses import replace
from typing import Literal

from workloads.catalog import View
from workloads.definition import (
    ColumnDefinition,
    CurrentSchema,
    Definition,
    NamedType,
    Removal,
    TableDefinition,
    TableName,
    TypeDefinition,
)
from workloads.duck import quoted
from workloads.sql.ddl.alterations import read_alteration, read_bounds
from workloads.sql.ddl.column_definitions import read_column, read_elements, read_type
from workloads.sql.ddl.indexes import created_index
from workloads.sql.ddl.words import Words
from workloads.sql.parsing.parse import parse
from workloads.workload import Query

_OBJECTS = (
    "TABLE", "VIEW", "TYPE", "DOMAIN", "FUNCTION", "PROCEDURE", "TRIGGER", "INDEX", "SEQUENCE",
    "SCHEMA", "DATABASE", "ROLE", "USER", "EXTENSION", "MACRO", "RULE", "POLICY", "STATISTICS",
    "EVENT", "SERVER", "AGGREGATE", "OPERATOR", "CAST", "COLLATION", "PUBLICATION", "SUBSCRIPTION",
    "STAGE", "STREAM", "TASK", "PIPE", "WAREHOUSE", "PACKAGE", "SYNONYM", "LOGIN", "CATALOG",
)  # fmt: skip
_TEMPORARY = ("TEMP", "TEMPORARY")
_USING_DATABASES = ("tsql", "fabric", "snowflake")
"""Dialects in which USE names a database, which schemas are in."""
_QUERY = ("SELECT", "WITH", "(", "FROM", "VALUES", "TABLE")
_ENDINGS = re.compile(
    r"\s+WITH\s+((CASCADED\s+|LOCAL\s+)?CHECK\s+OPTION|READ\s+ONLY|(NO\s+)?DATA"
    r"|NO\s+SCHEMA\s+BINDING)\s*$",
    re.IGNORECASE,
)
"""Clauses that may follow the query of a view or a table and are no part of it."""
_METHODS = ("RANGE", "LIST", "HASH")


def definition(query: Query, dialect: str) -> Definition | None:
    """Return what a statement defines; None for one that concerns no table or view.

    Temporary tables concern none: they are gone with their session.

    Raises:
        SqlError: A table or view is defined in a way that is not understood.
    """
    words = Words(query, dialect)
    if words.take("CREATE"):
        return _create(words)
    if words.take("DROP"):
        return _drop(words)
    if words.at("USE") or words.at("SET"):
        return _current_schema(words)
    return read_alteration(words) if words.take("ALTER", "TABLE") else None


def _current_schema(words: Words) -> CurrentSchema | None:
    """Return what ``USE name`` and ``SET search_path = name, …`` say of the tables after them."""
    if words.take("USE"):
        is_schema = words.take("SCHEMA") or words.dialect not in _USING_DATABASES
        words.take("DATABASE")
        return CurrentSchema(schema=words.next().text) if words and is_schema else None
    words.next()
    words.take("SESSION")
    words.take("LOCAL")
    if not words.take("SEARCH_PATH"):
        return None
    words.next()
    names = [part.next().text for part in words.parts() if part]
    own = [name for name in names if name.lower() not in ("pg_catalog", "$user", "")]
    return CurrentSchema(schema=own[0] if own else "")


def _create(words: Words) -> Definition | None:
    replaces = words.at("OR", "REPLACE")
    before = words.until(*_OBJECTS)
    kind = words.next().text.upper() if words else ""
    if kind == "TABLE":
        if any(word.is_one_of(*_TEMPORARY) for word in before) or words.peek().startswith("#"):
            return None
        virtual = any(word.is_one_of("VIRTUAL") for word in before)
        table = _table(words, replaces=replaces, virtual=virtual)
        return replace(table, is_foreign=any(word.is_one_of("FOREIGN") for word in before))
    if kind == "VIEW":
        view = _view(words)
        if any(word.is_one_of("RECURSIVE") for word in before):
            return _recursive(view)
        is_table = any(word.is_one_of("MATERIALIZED") for word in before)
        return _materialised(view, replaces=replaces) if is_table else view
    if kind == "INDEX":
        return created_index(words, before)
    return _named_type(words) if kind in ("TYPE", "DOMAIN") else None


def _table(words: Words, *, replaces: bool, virtual: bool) -> TableDefinition:
    existing: Literal["error", "kept", "replaced"] = "replaced" if replaces else "error"
    if words.take("IF", "NOT", "EXISTS"):
        existing = "kept"
    name, schema = words.name()
    if virtual:
        words.until("(")
    like: list[TableName] = []
    is_partition = words.at("PARTITION", "OF")
    if words.take("PARTITION", "OF") or words.take("LIKE") or words.take("CLONE"):
        like.append(words.name())
    bounds = read_bounds(words) if is_partition else None
    is_query = words.at("(", "SELECT") or words.at("(", "WITH")
    columns, keys, copied = read_elements(words.group() if words.at("(") and not is_query else [])
    like += copied
    partition_keys: tuple[str, ...] = ()
    parents: list[TableName] = []
    if not is_query:
        bounds = bounds or (read_bounds(words) if is_partition else None)
        partition_keys = _tail(words, columns, like, parents)
    if not columns and not like and not parents and not words:
        raise words.error(f"table '{name}' is defined without its columns")
    return TableDefinition(
        name=name,
        schema=schema,
        columns=tuple(columns),
        keys=keys,
        like=(*like, *parents),
        parents=tuple(parents),
        query=_ENDINGS.sub("", words.text) or None,
        partition_of=like[0] if is_partition else None,
        bounds=bounds,
        partition_keys=partition_keys,
        existing=existing,
    )


def _tail(
    words: Words,
    columns: list[ColumnDefinition],
    like: list[TableName],
    parents: list[TableName],
) -> tuple[str, ...]:
    """Step over what follows a table's columns to the query that fills it, if there is one.

    Returns what it is partitioned by.
    """
    keys: tuple[str, ...] = ()
    while words:
        words.until("INHERITS", "PARTITION", "PARTITIONED", "CLONE", "LIKE", "AS", "SELECT")
        if words.take("INHERITS"):
            parents += [parent.name() for parent in words.group()]
        elif words.take("CLONE") or words.take("LIKE"):
            like.append(words.name())
        elif any(words.take("PARTITION", "BY", method) for method in _METHODS):
            keys = tuple(map(_partition_key, words.group())) if words.at("(") else ()
        elif words.take("PARTITIONED", "BY"):
            columns += _hive_partitions(words, {column.name for column in columns})
        elif words.at("SELECT") or (words.take("AS") and words.at_one_of(*_QUERY)):
            return keys
        elif words:
            words.next()
    return keys


def _partition_key(part: Words) -> str:
    """Return a key as SQL: a column quoted, an expression in parentheses."""
    words = list(part)
    if words and not words[0].is_one_of("(") and not (words[1:] and words[1].is_one_of("(")):
        # What may follow is a collation or a class of operators.
        return quoted(words[0].text)
    return f"({part.text})"


def _hive_partitions(words: Words, known: set[str]) -> list[ColumnDefinition]:
    """Return the columns that only PARTITIONED BY names, with their types."""
    if not words.at("("):
        return []
    read = [read_column(part)[0] for part in words.group() if len(list(part)) > 1]
    return [column for column in read if column.type is not None and column.name not in known]


def _view(words: Words) -> View:
    words.take("IF", "NOT", "EXISTS")
    name, schema = words.name()
    columns = tuple(part.next().text for part in words.group()) if words.at("(") else ()
    words.until("AS")
    if not words.take("AS"):
        raise words.error(f"view '{name}' has no query")
    sql = _ENDINGS.sub("", words.text)
    parse(words.rest_as_query(name, sql), words.dialect)
    return View(name=name, sql=sql, dialect=words.dialect, columns=columns, schema=schema)


def _recursive(view: View) -> View:
    """Return a view whose query reads itself by the view's name."""
    name, columns = quoted(view.name), ", ".join(map(quoted, view.columns))
    head = f"{name} ({columns})" if columns else name
    sql = f"WITH RECURSIVE {head} AS ({view.sql}) SELECT * FROM {name}"  # noqa: S608 - quoted
    return replace(view, sql=sql)


def _materialised(view: View, *, replaces: bool) -> TableDefinition:
    """Return a materialised view, whose rows are stored: a table that is filled from its query."""
    return TableDefinition(
        name=view.name,
        schema=view.schema,
        query=view.sql,
        query_columns=view.columns,
        is_view=True,
        existing="replaced" if replaces else "error",
    )


def _named_type(words: Words) -> NamedType | None:
    name, _ = words.name()
    if words.take("AS", "ENUM"):
        labels = tuple(part.next().text for part in words.group())
        return NamedType(name=name, type=TypeDefinition(type="VARCHAR", labels=labels))
    words.take("FROM")
    words.take("AS")
    read = None if words.at("(") else read_type(words)
    return None if read is None else NamedType(name=name, type=read)


def _drop(words: Words) -> Removal | None:
    words.take("MATERIALIZED")
    if not (words.take("TABLE") or words.take("VIEW")):
        return None
    words.take("IF", "EXISTS")
    return Removal(names=tuple(part.name() for part in words.parts()))
