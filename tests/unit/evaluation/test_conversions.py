"""Which types are made of which others: exactly, or not at all."""

import pyarrow as pa
import pytest
from duckdb import Error

from evaluation.running.arrived import Arrivals
from evaluation.running.conversions import UnlikeTypeError, conversion, in_duckdb
from evaluation.running.typed_frames import Shape
from evaluation.store_protocol.carried import NUMBERS
from evaluation.stores.duckdb import backend as duckdb
from evaluation.stores.mysql import backend as mysql
from evaluation.stores.postgresql import values as postgresql

MARIADB = mysql.CARRIED.arrives


@pytest.mark.parametrize(
    ("found", "wanted", "sql"),
    [
        ("int", "int", "c"),
        ("int", None, "c"),
        ("bigint", "int", "CAST(c AS int)"),
        ("bigint", "decimal(38,0)", "CAST(c AS decimal(38,0))"),
        ("decimal(38,0)", "bigint", "CAST(c AS bigint)"),
        ("decimal(17,2)", "decimal(38,2)", "CAST(c AS decimal(38,2))"),
        ("float", "double", "CAST(c AS double)"),
        ("date", "timestamp_ntz", "CAST(c AS timestamp_ntz)"),
        ("timestamp", "timestamp_ntz", "CAST(c AS timestamp_ntz)"),
        ("void", "date", "CAST(c AS date)"),
    ],
)
def test_what_holds_every_value_is_cast(found: str, wanted: str | None, sql: str):
    assert conversion("c", found, wanted) == sql


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        ("double", "bigint"),
        ("double", "float"),
        ("double", "decimal(7,2)"),
        ("bigint", "double"),
        ("decimal(17,2)", "bigint"),
        ("decimal(17,4)", "decimal(38,2)"),
        ("decimal(17,2)", "double"),
        ("string", "int"),
        ("string", "decimal(38,0)"),
        ("string", "date"),
        ("int", "string"),
        ("int", "boolean"),
        ("boolean", "int"),
        ("bigint", "date"),
        ("bigint", "timestamp_ntz"),
        ("timestamp_ntz", "date"),
        ("binary", "string"),
    ],
)
def test_a_wrong_type_stays_what_it_is(found: str, wanted: str):
    assert conversion("c", found, wanted) is None


@pytest.mark.parametrize(
    ("found", "wanted", "arrives", "sql"),
    [
        ("bigint", "date", NUMBERS, "date_from_unix_date(CAST(c AS INT))"),
        ("bigint", "timestamp_ntz", NUMBERS, "CAST(timestamp_micros(c) AS timestamp_ntz)"),
        ("binary", "string", MARIADB, "CAST(c AS string)"),
        (
            "string",
            "decimal(38,2)",
            MARIADB,
            (
                "CASE WHEN c NOT RLIKE '^-?[0-9]+([.][0-9]{0,2})?$' "
                "THEN raise_error(concat('no decimal(38,2): ', CAST(c AS STRING))) "
                "ELSE CAST(c AS decimal(38,2)) END"
            ),
        ),
    ],
)
def test_a_store_hands_out_kinds_for_others(found, wanted, arrives, sql):
    assert conversion("c", found, wanted, arrives) == sql


@pytest.mark.parametrize("carried", [postgresql.CARRIED, duckdb.CARRIED])
@pytest.mark.parametrize(
    ("found", "wanted"), [("double", "float"), ("string", "decimal(38,0)"), ("int", "boolean")]
)
def test_what_mariadb_alone_hands_out_is_wrong_elsewhere(carried, found: str, wanted: str):
    assert conversion("c", found, wanted, MARIADB) is not None
    assert conversion("c", found, wanted, carried.arrives) is None


def test_a_combining_query_of_a_wrong_type_is_not_cast():
    shape = Shape(names=("n", "m"), types=("BIGINT", "BIGINT"))
    with pytest.raises(UnlikeTypeError, match="column 'n' arrives as double, of which no BIGINT"):
        shape.written("SELECT 1", [("n", "double"), ("m", "bigint")])
    with pytest.raises(UnlikeTypeError, match="1 columns arrive where 2"):
        shape.written("SELECT 1", [("n", "bigint")])
    assert shape.written("SELECT 1", [("n", "bigint"), ("m", "int")]) == (
        "SELECT `c0` AS `n`, CAST(`c1` AS bigint) AS `m` FROM (\nSELECT 1\n) AS shaped(`c0`, `c1`)"
    )


@pytest.mark.parametrize(
    ("values", "type_", "stays"),
    [
        (pa.array([1.5]), "BIGINT", "DOUBLE"),
        (pa.array([1.0]), "INTEGER", "DOUBLE"),
        (pa.array(["1"]), "INTEGER", "VARCHAR"),
        (pa.array([1]), "DOUBLE", "BIGINT"),
        (pa.array([1]), "BOOLEAN", "BIGINT"),
    ],
)
def test_the_judge_sees_a_wrong_type(values: pa.Array, type_: str, stays: str):
    (column,) = Arrivals().answer(pa.table({"n": values}), (type_,)).columns
    assert column.type == stays


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        (pa.array([255], pa.int16()), "UTINYINT"),
        (pa.array([2**63], pa.decimal128(20, 0)), "UBIGINT"),
        (pa.array([2**100], pa.decimal128(38, 0)), "HUGEINT"),
        (pa.array(["12:30:00"]), "TIME"),
        (pa.array([1_000_000], pa.timestamp("us")), "TIMESTAMP_S"),
        (pa.array([None], pa.timestamp("us")), "TIMESTAMP_MS"),
        (pa.nulls(1), "UUID"),
    ],
)
def test_what_carries_a_type_arrives_as_it(values: pa.Array, type_: str):
    (column,) = Arrivals().answer(pa.table({"n": values}), (type_,)).columns
    assert column.type == type_


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        (pa.array([256], pa.int16()), "UTINYINT"),
        (pa.array([1], pa.timestamp("us")), "TIMESTAMP_S"),
        (pa.array([1_500], pa.timestamp("us")), "TIMESTAMP_MS"),
    ],
)
def test_a_value_that_its_type_cannot_hold_is_an_error(values: pa.Array, type_: str):
    with pytest.raises(Error):
        Arrivals().answer(pa.table({"n": values}), (type_,))


def test_duckdb_in_the_driver_casts_nothing_of_a_wrong_type():
    assert in_duckdb("c", "DOUBLE", "BIGINT") is None
    assert in_duckdb("c", "DECIMAL(38,0)", "HUGEINT") == "CAST(c AS HUGEINT)"
