"""ALTER TABLE: what it changes of a table's columns and keys."""

from workloads.definition import Alteration, ColumnDefinition, TableName
from workloads.partition_bounds import PartitionBounds
from workloads.sql.ddl.column_definitions import (
    read_column,
    read_constraint,
    read_elements,
    read_type,
)
from workloads.sql.ddl.words import Words

_NO_COLUMN = ("CONSTRAINT", "PRIMARY", "FOREIGN", "INDEX", "KEY", "CHECK", "PARTITION", "PERIOD")


def read_alteration(words: Words) -> Alteration:
    """Return what the words after ALTER TABLE change; what concerns no column or key is nothing.

    Raises:
        SqlError: A column or key is defined in a way that is not understood.
    """
    words.take("IF", "EXISTS")
    words.take("ONLY")
    table = words.name()
    words.take("*")
    found = Alteration(table=table)
    adding = False
    for action in words.parts():
        action.take("WITH", "CHECK")
        action.take("WITH", "NOCHECK")
        others = action.at_one_of("DROP", "ALTER", "RENAME", "MODIFY", "CHANGE", "ENABLE")
        # T-SQL writes ADD once for several columns.
        adding = action.take("ADD") or (adding and not others)
        found += _added(action, table) if adding else _action(action, table)
    return found


def _added(action: Words, table: TableName) -> Alteration:
    constraint = read_constraint(action)
    if constraint is not None:
        return Alteration(table=table, keys=constraint)
    if action.at_one_of("DEFAULT", "PARTITION", "PERIOD", "SEARCH"):
        return Alteration(table=table)
    if action.take("COLUMN") or action.take("COLUMNS"):
        action.take("IF", "NOT", "EXISTS")
    columns, keys, _ = read_elements(action.group() if action.at("(") else [action])
    named = tuple((column.name, column) for column in columns)
    return Alteration(table=table, columns=named, keys=keys)


def _action(action: Words, table: TableName) -> Alteration:
    if action.at_one_of("ATTACH", "DETACH", "INHERIT", "NO"):
        return _related(action, table)
    if action.take("DROP"):
        return Alteration(table=table, dropped=_dropped(action))
    if action.take("RENAME"):
        return _renamed(action, table)
    if action.at_one_of("MODIFY", "CHANGE", "ALTER"):
        return Alteration(table=table, columns=_changed(action))
    return Alteration(table=table)


def _related(action: Words, table: TableName) -> Alteration:
    """Return the tables that become its partitions or parents, or are these no longer."""
    if action.take("ATTACH", "PARTITION"):
        return Alteration(table=table, partitions=((action.name(), read_bounds(action)),))
    if action.take("DETACH", "PARTITION"):
        return Alteration(table=table, detached=(action.name(),))
    if action.take("INHERIT"):
        return Alteration(table=table, parents=(action.name(),))
    if action.take("NO", "INHERIT"):
        return Alteration(table=table, former_parents=(action.name(),))
    return Alteration(table=table)


def read_bounds(words: Words) -> PartitionBounds | None:
    """Return the bounds after FOR VALUES, or DEFAULT; None where there are none."""
    if words.take("DEFAULT"):
        return PartitionBounds(is_default=True)
    if words.take("FOR", "VALUES", "IN"):
        return PartitionBounds(values=tuple(part.text for part in words.group()))
    if words.take("FOR", "VALUES", "WITH"):
        return _hashed(words)
    if not words.take("FOR", "VALUES", "FROM"):
        return None
    low = tuple(part.text for part in words.group())
    high = tuple(part.text for part in words.group()) if words.take("TO") else ()
    return PartitionBounds(low=low, high=high) if len(low) == len(high) else None


def _hashed(words: Words) -> PartitionBounds | None:
    found: dict[str, int] = {}
    for part in words.group():
        name = part.next().text.upper()
        value = part.next().text if part else ""
        if value.isdigit():
            found[name] = int(value)
    if not {"MODULUS", "REMAINDER"} <= found.keys():
        return None
    return PartitionBounds(hashed=(found["MODULUS"], found["REMAINDER"]))


def _dropped(action: Words) -> tuple[str, ...]:
    """Return the columns that are dropped; a key that is dropped is taken to be made anew."""
    is_column = action.take("COLUMN")
    action.take("IF", "EXISTS")
    if not action or (not is_column and action.at_one_of(*_NO_COLUMN)):
        return ()
    return (action.next().text,)


def _renamed(action: Words, table: TableName) -> Alteration:
    if action.take("TO") or action.take("AS"):
        return Alteration(table=table, renamed_to=action.name().name)
    if action.at_one_of("CONSTRAINT", "INDEX", "KEY"):
        return Alteration(table=table)
    action.take("COLUMN")
    old = action.next().text
    new = action.next().text if action.take("TO") else old
    return Alteration(table=table, renamed=((old, new),))


def _changed(action: Words) -> tuple[tuple[str, ColumnDefinition], ...]:
    """Return the column that has another type now, with its old name before it."""
    verb = action.next().text.upper()
    if not action.take("COLUMN") and action.at_one_of(*_NO_COLUMN):
        return ()
    old = action.peek()
    if verb == "CHANGE":
        action.next()
    if verb != "ALTER":
        return ((old, read_column(action)[0]),)
    action.next()
    if action.take("SET", "DATA", "TYPE") or action.take("TYPE"):
        pass
    elif action.at_one_of("SET", "DROP", "ADD", "RESTART"):
        return ()
    new = read_type(action)
    return () if new is None else ((old, ColumnDefinition(name=old, type=new)),)
