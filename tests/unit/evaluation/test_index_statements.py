"""The statements that make the indexes of a copy, in each dialect."""

from dataclasses import replace

import pytest

from evaluation.store_protocol.indexes import index_mark, index_name
from evaluation.store_protocol.register import as_of, fingerprint_of, indexes_of, registered
from evaluation.stores.mysql import indexes as mysql
from evaluation.stores.postgresql import indexes as postgresql
from workloads.catalog import Column, Table
from workloads.indexes import Index

COLUMNS = {"id": "BIGINT", "name": "VARCHAR", "ratio": "DOUBLE", "body": "BLOB"}
TYPES = {"id": "BIGINT", "name": "VARCHAR(50)", "ratio": "DOUBLE", "body": "LONGBLOB"}


def table(*indexes: Index, key: tuple[str, ...] = ("id",)) -> Table:
    return Table(
        name="t",
        rows=10,
        fingerprint="f",
        primary_key=key,
        indexes=indexes,
        columns=tuple(Column(name=n, type=t, width_bytes=8.0) for n, t in COLUMNS.items()),
    )


def over(*columns: str, unique: bool = False) -> Index:
    return Index(columns=columns, unique=unique)


@pytest.mark.parametrize(
    ("index", "width", "statement"),
    [
        (over("name", "id", unique=True), 50, 'CREATE UNIQUE INDEX ON t ("name", "id")'),
        # Two numbers may be one as binary fractions.
        (over("ratio", unique=True), 50, 'CREATE INDEX ON t ("ratio")'),
        (over("id", "name", "ratio"), 9_000, 'CREATE INDEX ON t ("id")'),
        (over("name", "id", unique=True), 9_000, 'CREATE INDEX ON t USING hash ("name")'),
        (over("name"), None, 'CREATE INDEX ON t USING hash ("name")'),
    ],
)
def test_postgresql_cuts_an_index_before_text_that_is_too_wide_for_it(
    index: Index, width: int | None, statement: str
) -> None:
    widths = {} if width is None else {"name": width}
    name = f"_advisor_staging_{index_name(table(index), index)}"
    made = statement.replace("INDEX ON", f'INDEX "{name}" ON')
    assert postgresql.index_statements(table(index), "t", widths) == (made,)


@pytest.mark.parametrize(
    ("index", "name_type", "added"),
    [
        (over("name", "id", unique=True), "VARCHAR(50)", "UNIQUE INDEX `{}` (`name`, `id`)"),
        (over("name", "id", unique=True), "LONGTEXT", "INDEX `{}` (`name`(763), `id`)"),
        (over("name", unique=True), "VARCHAR(768)", "UNIQUE INDEX `{}` (`name`)"),
        (over("name", unique=True), "VARCHAR(769)", "INDEX `{}` (`name`(768))"),
        (over("name", "body"), "VARCHAR(50)", "INDEX `{}` (`name`, `body`(384))"),
    ],
)
def test_mysql_holds_the_beginning_of_text_that_is_too_wide_for_an_index(
    index: Index, name_type: str, added: str
) -> None:
    (statement,) = mysql.index_statements(table(index), "`t`", TYPES | {"name": name_type})
    assert statement == f"ALTER TABLE `t` ADD {added.format(index_name(table(index), index))}"


def test_mysql_indexes_a_primary_key_of_text_that_it_cannot_be_a_key_of() -> None:
    wide = table(key=("name",))
    (statement,) = mysql.index_statements(wide, "`t`", TYPES | {"name": "LONGTEXT"})
    name = index_name(wide, over("name", unique=True))
    assert statement == f"ALTER TABLE `t` ADD INDEX `{name}` (`name`(768))"
    assert mysql.index_statements(wide, "`t`", TYPES) == ()


def test_no_copy_gets_an_index_with_an_obstacle() -> None:
    lacking = table(replace(over("id"), obstacle="its method is gin"))
    assert postgresql.index_statements(lacking, "t") == ()
    assert mysql.index_statements(lacking, "`t`", TYPES) == ()
    assert index_mark(lacking) == ""


def test_an_index_is_called_the_same_whatever_others_its_copy_has() -> None:
    alone, beside = table(over("name")), table(over("id"), over("name"))
    assert index_name(alone, over("name")) == index_name(beside, over("name"))
    names = {index_name(alone, each) for each in (over("name"), over("id"), over("name", "id"))}
    assert len(names) == 3
    assert index_name(replace(alone, name="other"), over("name")) not in names


def test_the_order_of_indexes_makes_no_other_copy() -> None:
    assert index_mark(table(over("id"), over("name"))) == index_mark(
        table(over("name"), over("id"))
    )


def test_the_register_tells_copies_with_other_indexes_apart() -> None:
    mark = index_mark(table(over("name")))
    assert mark != index_mark(table(over("name", unique=True)))
    kept = registered("f", "2024-01-01T00:00:00+00:00", mark)
    assert (fingerprint_of(kept), indexes_of(kept)) == ("f", mark)
    assert as_of(kept) == "2024-01-01T00:00:00+00:00"
    assert indexes_of(registered("f")) == ""
