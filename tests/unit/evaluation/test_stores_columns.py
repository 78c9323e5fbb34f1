"""What stores call DuckDB's types, and what their failures are told as."""

import pytest

from evaluation.kinds import BACKENDS, SCANNED
from evaluation.store_protocol.columns import ColumnTypes, quoted
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from evaluation.store_protocol.register import staging_name
from evaluation.stores.mysql import backend as mysql
from evaluation.stores.postgresql import values as postgresql
from tests.catalogs import table
from workloads.errors import StoreError

PG = Connection(store="pg", kind="postgresql", host="db", port=5432, user="ann", password="geheim")


@pytest.mark.parametrize("types", [postgresql.TYPES, mysql.TYPES])
@pytest.mark.parametrize(
    ("type_", "wanted"),
    [
        ("SMALLINT", "SMALLINT"), ("UTINYINT", "SMALLINT"), ("INTEGER", "INTEGER"),
        ("int", "INTEGER"), ("USMALLINT", "INTEGER"), ("bigint", "BIGINT"), ("INT8", "BIGINT"),
        ("UINTEGER", "BIGINT"),
    ],
)  # fmt: skip
def test_whole_numbers_keep_their_width(types: ColumnTypes, type_: str, wanted: str) -> None:
    one = table("t", 1, {"c": type_})
    assert types.of("s", one, one.columns[0]) == wanted


def test_decimals_keep_precision_and_scale() -> None:
    one = table("t", 1, {"c": "DECIMAL(7,2)"})
    assert postgresql.TYPES.of("pg", one, one.columns[0]) == "NUMERIC(7, 2)"
    assert mysql.TYPES.of("maria", one, one.columns[0]) == "DECIMAL(7, 2)"


def test_a_type_that_a_store_lacks_is_named_with_the_way_out() -> None:
    one = table("places", 1, {"shape": "STRUCT(x INTEGER)"})
    with pytest.raises(StoreError, match=r"'shape' of table 'places'.*STRUCT.*exclude") as raised:
        postgresql.TYPES.of("pg", one, one.columns[0])
    assert raised.value.store == "pg"


def test_quotes_within_a_name_are_doubled() -> None:
    assert quoted('a"b') == '"a""b"'
    assert quoted("a`b", "`") == "`a``b`"


def test_staging_names_are_short_and_differ() -> None:
    names = {staging_name(name) for name in ("a", "A", "x" * 200, "x" * 201)}
    assert len(names) == 4
    assert all(len(name) < 60 for name in names)


def test_a_reason_never_holds_the_password() -> None:
    reason = Failures(connection=PG).reason(ValueError("login geheim refused"))
    assert reason == "login *** refused"


def test_a_reason_is_one_line() -> None:
    told = "duplicate key value\nDETAIL: Key (id)=(7)\nCONTEXT: COPY numbers, line 2"
    assert Failures(connection=PG).reason(RuntimeError(told)) == "duplicate key value"


def test_a_driver_that_gives_a_number_and_a_text_is_told_by_its_text() -> None:
    assert Failures(connection=PG).reason(OSError(1045, "Access denied")) == "Access denied"


@pytest.mark.parametrize("kind", sorted(BACKENDS))
def test_a_back_end_says_what_the_model_needs(kind: str) -> None:
    backend = BACKENDS[kind]
    assert backend.kind == kind
    assert backend.jars or kind in SCANNED
    assert backend.strength.source == "default"
    assert backend.strength.scan_bytes_per_s > 0
