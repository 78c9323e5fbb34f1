"""What every back end must do, on real servers."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from evaluation.bulk import bulk
from evaluation.kinds import BACKENDS, JDBC, SCANNED
from evaluation.store_protocol.backend import Backend
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.register import REGISTER
from tests.stores.each_store import answer, read, rows
from tests.stores.parquet_tables import TYPES, UNPLEASANT_TEXT, every_type, numbers, texts, write
from workloads.catalog import Table
from workloads.errors import StoreError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.stores, pytest.mark.spark]


def parquet_rows(table: Table) -> list[tuple[Any, ...]]:
    with duckdb.connect() as database:
        return sorted(database.execute(f"FROM '{table.parquet}'").fetchall())


def test_every_type_comes_back_as_it_was(
    spark: "SparkSession", connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    table = every_type(tmp_path)
    backend.load(connection, table)
    # A FLOAT is read as the double of the same digits, or as the double it is.
    real = list(TYPES).index("real")
    for found, expected in zip(
        rows(spark, connection, table.name), parquet_rows(table), strict=True
    ):
        assert found[:real] + found[real + 1 :] == expected[:real] + expected[real + 1 :]
        assert found[real] == (None if expected[real] is None else pytest.approx(expected[real]))


def test_whole_numbers_and_flags_have_their_types_in_spark(
    spark: "SparkSession", connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    backend.load(connection, every_type(tmp_path))
    types = dict(read(spark, connection, "every_type").dtypes)
    assert types["big"] == "bigint"
    assert types["price"] == "decimal(7,2)"
    assert types["wide"] == "decimal(38,4)"
    assert types["flag"] == "boolean"
    assert types["day"] == "date"
    assert types["ratio"] == "double"


def test_text_comes_back_as_it_was(
    spark: "SparkSession", connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    backend.load(connection, texts(tmp_path))
    found = dict(rows(spark, connection, "texts"))
    assert [found[index] for index in range(len(UNPLEASANT_TEXT))] == list(UNPLEASANT_TEXT)
    assert found[len(UNPLEASANT_TEXT)] is None


def test_text_is_equal_only_to_itself(
    spark: "SparkSession", connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    query = "SELECT unnest(['a', 'A', 'á', 'a ', 'ß', 'ss']) AS text"
    backend.load(connection, write(tmp_path, "words", {"text": "VARCHAR"}, query))
    name = backend.table_name(connection, "words")
    counted = answer(spark, connection, f"SELECT count(DISTINCT text) AS n FROM {name}")
    assert counted.collect()[0][0] == 6


def test_an_empty_table_is_loaded(
    spark: "SparkSession", connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    table = write(tmp_path, "empty", {"id": "BIGINT"}, "SELECT 1::BIGINT AS id WHERE false")
    assert backend.load(connection, table).rows == 0
    assert rows(spark, connection, "empty") == []
    assert backend.loaded(connection)["empty"].rows == 0


def test_names_may_need_quotes(
    spark: "SparkSession", connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    columns = {"Order": "BIGINT", "select": "VARCHAR", "two words": "DATE"}
    query = 'SELECT 1::BIGINT AS "Order", \'a\' AS "select", DATE \'2020-01-01\' AS "two words"'
    for name in ("Group", "order by", "CamelCase"):
        table = write(tmp_path, name, columns, query, key="Order")
        backend.load(connection, table)
        assert read(spark, connection, name).columns == list(columns)
        assert len(rows(spark, connection, name)) == 1
    assert {"Group", "order by", "CamelCase"} <= backend.loaded(connection).keys()


def test_a_table_of_many_row_groups_is_loaded_in_several_parts(
    spark: "SparkSession",
    connection: Connection,
    backend: Backend,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bulk, "_ROWS_PER_PART", 4096)
    table = numbers(tmp_path, "numbers", 30_000)
    assert backend.load(connection, table).rows == 30_000
    assert [row[0] for row in rows(spark, connection, "numbers")] == list(range(30_000))


def test_rows_in_any_order_arrive_whole_in_several_parts(
    spark: "SparkSession",
    connection: Connection,
    backend: Backend,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bulk, "_ROWS_PER_PART", 4096)
    query = "SELECT (range * 7919) % 30000 AS id, 'w' || range AS word FROM range(30000)"
    table = write(tmp_path, "mixed", {"id": "BIGINT", "word": "VARCHAR"}, query, key="id")
    backend.load(connection, table)
    assert rows(spark, connection, "mixed") == parquet_rows(table)


def test_a_key_that_two_rows_have_is_an_error_and_no_table(
    connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    query = "SELECT 7::BIGINT AS id FROM range(2)"
    table = write(tmp_path, "twice", {"id": "BIGINT"}, query, key="id")
    with pytest.raises(StoreError, match=r"'twice' cannot be loaded .*(?i:unique|duplicate)"):
        backend.load(connection, table)
    assert "twice" not in backend.loaded(connection)


def test_the_register_remembers_what_a_copy_was_and_cost(
    connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    loaded = backend.load(connection, texts(tmp_path))
    found = backend.loaded(connection)["texts"]
    assert found == replace(loaded, found=True)
    assert found.load_s > 0


def test_loading_again_replaces_the_copy(
    spark: "SparkSession", connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    backend.load(connection, numbers(tmp_path, "numbers", 10))
    larger = replace(numbers(tmp_path, "numbers", 20), fingerprint="larger")
    backend.load(connection, larger)
    assert len(rows(spark, connection, "numbers")) == 20
    assert backend.loaded(connection)["numbers"].fingerprint == "larger"


def test_a_copy_with_too_few_rows_never_appears(
    spark: "SparkSession", connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    table = numbers(tmp_path, "numbers", 10)
    backend.load(connection, table)
    with pytest.raises(StoreError, match="10 rows, 11 expected"):
        backend.load(connection, replace(table, rows=11, fingerprint="wrong"))
    assert backend.loaded(connection)["numbers"].fingerprint == table.fingerprint
    assert len(rows(spark, connection, "numbers")) == 10


def test_a_dropped_table_is_no_longer_there(
    connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    backend.load(connection, texts(tmp_path))
    backend.drop(connection, "texts")
    assert "texts" not in backend.loaded(connection)
    backend.drop(connection, "texts")


def test_missing_parquet_is_an_error(
    connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    table = replace(texts(tmp_path), parquet=tmp_path / "none-*.parquet")
    with pytest.raises(StoreError, match="there is no Parquet at"):
        backend.load(connection, table)


def test_damaged_parquet_is_an_error(
    connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged.parquet"
    damaged.write_bytes(b"not Parquet at all")
    table = replace(texts(tmp_path), name="damaged", parquet=damaged)
    with pytest.raises(StoreError, match="damaged"):
        backend.load(connection, table)
    assert "damaged" not in backend.loaded(connection)


def test_a_statement_that_takes_too_long_is_ended(
    spark: "SparkSession", connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    backend.load(connection, numbers(tmp_path, "numbers", 4_000))
    name = backend.table_name(connection, "numbers")
    product = f"SELECT count(*) AS n FROM {name} a, {name} b, {name} c WHERE a.id + b.id > c.id"
    # MySQL 8 computes it when it is asked for its columns.
    with pytest.raises((PySparkException, Py4JError), match=r"(?i)time|interrupt|cancel"):
        answer(spark, connection, product, timeout_s=1).collect()


def test_unqualified_names_are_those_of_the_namespace(
    spark: "SparkSession", connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    backend.load(connection, texts(tmp_path))
    query = answer(spark, connection, "SELECT id FROM texts")
    assert len(query.collect()) == len(UNPLEASANT_TEXT) + 1


def test_prepare_changes_nothing_that_is_complete(
    connection: Connection, backend: Backend, tmp_path: Path
) -> None:
    backend.load(connection, texts(tmp_path))
    before = backend.loaded(connection)
    backend.prepare(connection)
    assert backend.loaded(connection) == before
    assert REGISTER not in before


def test_the_password_is_only_in_the_option_that_spark_hides(connection: Connection) -> None:
    secret = replace(connection, password="geheim")
    if connection.kind in JDBC:
        options = JDBC[connection.kind].jdbc(secret, timeout_s=1, fetch_size=1)
    else:
        scan = SCANNED[connection.kind].scan(secret, "t", timeout_s=1, fetch_size=1)
        assert "geheim" not in repr(scan)
        options = scan.options
    assert "geheim" not in " ".join(value for key, value in options.items() if key != "password")


def test_a_host_that_refuses_is_named_with_its_port(process: Connection) -> None:
    nodes = ("127.0.0.1:1",) if process.nodes else ()
    refusing = replace(process, port=1, nodes=nodes)
    with pytest.raises(StoreError) as raised:
        BACKENDS[process.kind].prepare(refusing)
    as_user = f" as user '{process.user}'" if process.user else ""
    assert f"127.0.0.1:1{as_user} (" in str(raised.value)
    assert process.store in str(raised.value)
    assert process.password not in str(raised.value)


def test_a_wrong_password_is_not_printed(process: Connection) -> None:
    wrong = replace(process, password="wr0ng-secret", password_env="PG_PASSWORD")
    with pytest.raises(StoreError, match="PG_PASSWORD") as raised:
        BACKENDS[process.kind].loaded(wrong)
    seen: BaseException | None = raised.value
    while seen is not None:
        assert "wr0ng-secret" not in str(seen)
        seen = seen.__cause__


def test_an_unknown_database_is_named(embedded: Mapping[str, Connection]) -> None:
    connection = next(each for each in embedded.values() if each.kind == "postgresql")
    with pytest.raises(StoreError, match="nowhere"):
        BACKENDS["postgresql"].prepare(replace(connection, database="nowhere"))


def test_a_file_that_is_no_database_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("no database")
    with pytest.raises(StoreError, match="must be a DuckDB file"):
        BACKENDS["duckdb"].prepare(Connection(store="duck", kind="duckdb", path=path))


def test_a_second_advisor_is_kept_out_of_the_namespace(connection: Connection, backend: Backend):
    with backend.hold(connection):
        with (
            pytest.raises(StoreError, match=r"another advisor works in its namespace"),
            backend.hold(connection),
        ):
            pass
        with backend.hold(replace(connection, namespace="another")):
            pass
    with backend.hold(connection):
        pass
