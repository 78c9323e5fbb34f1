"""What is too long is one line of error, and is never held whole."""

import csv
import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workloads.errors import ConfigurationError
from workloads.progress import Silent
from workloads.sources import longest
from workloads.sources.ddl.catalog import definitions
from workloads.sources.logs import cutting, files
from workloads.sources.logs.recorded import workload

MOST = 2_000
LONG = "SELECT " + "x" * MOST
LINED = "SELECT\n" + "\n".join(["x" * 99] * (MOST // 100)) + "\ny"
FITS = "SELECT " + "x" * (MOST - 1_000)


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(longest, "MOST_CHARACTERS", MOST)
    monkeypatch.setattr("workloads.sources.logs.blocks.BLOCK_BYTES", 100)


def delimited(sql):
    return "sql,executions\n" + f'SELECT 1,2\n"{sql}",3\n'


def postgresql(sql):
    start = "2025-05-01 10:00:01.000 UTC [101] app@shop LOG:  duration: 1.0 ms  statement: "
    return f"{start}SELECT 1\n{start}{sql.replace(chr(10), chr(10) + chr(9))}\n"


def postgresql_csv(sql):
    values = [""] * 26
    values[5], values[11] = "65.1", "LOG"
    messages = [f'"duration: 1.0 ms  statement: {each}"' for each in ("SELECT 1", sql)]
    return "".join(",".join([*values[:13], each, *values[14:]]) + "\n" for each in messages)


def mysql_slow(sql):
    notes = "# User@Host: a[a] @ h []\n# Query_time: 1.0  Lock_time: 0.0\n"
    return f"{notes}SELECT 1;\n{notes}{sql};\n"


def mysql_general(sql):
    return f"2025-05-01T10:00:00.0Z\t1 Query\tSELECT 1\n2025-05-01T10:00:01.0Z\t1 Query\t{sql}\n"


def json_lines(sql):
    return f'{{"sql": "SELECT 1"}}\n{json.dumps({"sql": sql})}\n'


def sql_file(sql):
    return f"SELECT 1;\n{sql};\n"


KINDS = {
    "log.csv": delimited,
    "postgresql.log": postgresql,
    "postgresql.csv": postgresql_csv,
    "slow.log": mysql_slow,
    "general.log": mysql_general,
    "log.jsonl": json_lines,
    "queries.sql": sql_file,
}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
@pytest.mark.parametrize("sql", [LONG, LINED], ids=["one line", "many lines"])
@pytest.mark.parametrize("name", KINDS)
def test_a_statement_that_is_too_long_is_one_line_with_its_place(tmp_path, name, sql, packed):
    log = tmp_path / (f"{name}.gz" if packed else name)
    data = KINDS[name](sql).encode()
    log.write_bytes(gzip.compress(data) if packed else data)
    with pytest.raises(ConfigurationError) as told:
        workload(log, "duckdb")
    assert str(told.value).startswith(f"{log}:")
    assert str(told.value).endswith(
        "has more than 2,000 characters, the most that is read: break it up, or take it out of the"
        " file."
    )
    assert int(str(told.value).removeprefix(f"{log}:").partition(":")[0]) in range(2, 7)


@pytest.mark.parametrize("name", KINDS)
def test_many_statements_within_the_limit_are_read(tmp_path, name):
    log = tmp_path / name
    text = KINDS[name](FITS)
    log.write_text(text)
    first = text.partition("\n")[0] + "\n" if name == "log.csv" else ""
    with log.open("a") as file:
        file.writelines([text.removeprefix(first)] * 5)
    assert sum(query.executions for query in workload(log, "duckdb").queries) >= 12


def test_a_record_of_many_short_values_is_too_long(tmp_path):
    log = tmp_path / "log.csv"
    with log.open("w", newline="") as file:
        csv.writer(file).writerows([["sql", "note"], ["SELECT 1", *["a\n" * 300] * 20]])
    with pytest.raises(ConfigurationError, match=r"log.csv:2: this record has more than 2,000"):
        workload(log, "duckdb")


def test_a_value_of_parquet_is_too_long(tmp_path):
    log = tmp_path / "log.parquet"
    pq.write_table(pa.table({"sql": ["SELECT 1", LONG]}), log)
    with pytest.raises(ConfigurationError, match=r"log.parquet:2: this value has more than 2,000"):
        workload(log, "duckdb")


@pytest.mark.parametrize("name", ["log.csv", "log.jsonl"])
def test_a_long_value_in_a_piece_of_a_log_is_told_with_its_line(tmp_path, monkeypatch, name):
    monkeypatch.setattr(cutting, "PIECE_BYTES", 500)
    log = tmp_path / name
    start = KINDS[name]("SELECT 2").partition("\n")[0] + "\n" if name == "log.csv" else ""
    record = "SELECT 1,2\n" if name == "log.csv" else '{"sql": "SELECT 1"}\n'
    long = f'"{LONG}",3\n' if name == "log.csv" else json.dumps({"sql": LONG}) + "\n"
    log.write_text(start + record * 200 + long + record * 200)
    line = 201 + len(start.splitlines())
    with pytest.raises(ConfigurationError, match=rf"{name}:{line}: this (line|value) has more"):
        workload(log, "duckdb")


@pytest.mark.parametrize("name", KINDS)
def test_little_is_unpacked_of_a_value_that_is_too_long(tmp_path, monkeypatch, name):
    log = tmp_path / f"{name}.gz"
    log.write_bytes(gzip.compress(KINDS[name]("SELECT " + "x" * 20_000_000).encode()))
    handed: list[int] = []
    opened = files.opened

    def counted(path):
        file = opened(path)
        file.read1 = _counting(file.read1, handed)
        return file

    monkeypatch.setattr(files, "opened", counted)
    with pytest.raises(ConfigurationError, match="has more than 2,000"):
        workload(log, "duckdb")
    assert 0 < sum(handed) < 1_000_000


def _counting(read, handed):
    def counted(*size):
        data = read(*size)
        handed.append(len(data))
        return data

    return counted


def test_a_byte_that_is_no_utf8_behind_a_long_line_is_found_without_holding_the_line(tmp_path):
    log = tmp_path / "queries.sql.gz"
    log.write_bytes(gzip.compress(b"SELECT '\xff" + b"x" * 1_000_000))
    with pytest.raises(Exception, match=r"byte 0xff is not UTF-8"):
        workload(log, "duckdb")


def test_a_block_of_lz4_is_no_larger_than_the_format_has_them(tmp_path):
    log = tmp_path / "log.lz4"
    log.write_bytes(b"LZ4Block\x20" + b"\x01\0\0\0" + b"\xff\xff\xff\x7f" + b"\0\0\0\0" + b"a")
    with pytest.raises(ConfigurationError, match=r"a block of LZ4 says that it has 2,147,483,647"):
        workload(log, "duckdb")


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("CREATE TABLE a (\n" + "x" * MOST + " int);", r":\d+: this file of DDL, without"),
        ("CREATE TABLE a (\n" + "x int,\n" * MOST + "y int);", r":\d+: this file of DDL, without"),
    ],
    ids=["line", "statement"],
)
def test_ddl_is_bounded_too(tmp_path, sql, told):
    ddl = tmp_path / "ddl.sql"
    ddl.write_text(sql)
    with pytest.raises(ConfigurationError, match=told):
        definitions([Path(ddl)], Silent())


@pytest.mark.parametrize(
    "data",
    [
        "COPY a FROM stdin;\n" + "1\n" * MOST + "\\.\n",
        "INSERT INTO a VALUES\n" + "(1),\n" * (MOST - 1) + "(2);",
        "INSERT INTO a VALUES (1);\n" * MOST,
    ],
    ids=["COPY", "one INSERT", "many"],
)
def test_the_rows_of_a_dump_may_be_more_than_the_limit(tmp_path, data):
    ddl = tmp_path / "ddl.sql"
    ddl.write_text("CREATE TABLE a (x int);\n" + data)
    assert definitions([Path(ddl)], Silent()).catalog.tables["a"].rows == MOST


def test_statements_that_define_nothing_may_be_longer_than_the_limit(tmp_path):
    ddl = tmp_path / "ddl.sql"
    ddl.write_text(f"CREATE TABLE a (x int);\nSELECT lowrite(0, '{'x' * 10 * MOST}');\n")
    assert set(definitions([Path(ddl)], Silent()).catalog.tables) == {"a"}
