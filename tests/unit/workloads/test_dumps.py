"""The reader in one pass against what was written into a dump, on many small seeded dumps."""

import gzip
import random
import re
import tracemalloc
from collections import Counter
from collections.abc import Mapping

import pytest

from tests.unit.workloads.written_dumps import KINDS
from workloads.definition import TableName
from workloads.errors import SqlError
from workloads.progress import Silent
from workloads.sources.ddl.catalog import definitions
from workloads.sources.ddl.dumps import read_dump
from workloads.sources.dumps import reader
from workloads.sources.dumps.reader import Load, Reader, Rows
from workloads.sources.dumps.texts import Text
from workloads.sources.logs.recorded import workload
from workloads.sql.parsing.lexis import lexis


def by_name(rows: Mapping[TableName, int]) -> Counter[str]:
    """Return the rows of tables by what they are called in their schemas."""
    return sum((Counter({table.name: count}) for table, count in rows.items()), Counter())


def blocks(data: bytes, size_bytes: int):
    return [data[start : start + size_bytes] for start in range(0, len(data), size_bytes)]


@pytest.fixture
def small(monkeypatch):
    """Look no further ahead than the marks of these dumps need, so that blocks end everywhere."""
    monkeypatch.setattr(reader, "_AHEAD_BYTES", 90)
    monkeypatch.setattr(reader, "_MARGIN_BYTES", 40)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("seed", range(300))
@pytest.mark.parametrize("dialect", KINDS)
def test_definitions_places_and_rows_are_those_that_were_written(dialect, seed):
    draw = random.Random(seed)
    dump = KINDS[dialect](draw)
    parts = blocks(dump.data, draw.choice([1, 7, 40, 100, 10_000]))
    found = read_dump(parts, lexis(dialect), "a.sql")
    assert [(each.sql.rstrip(), each.line, each.column) for each in found.definitions] == (
        dump.definitions
    )
    assert by_name(found.rows) == dump.rows


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("seed", range(100))
@pytest.mark.parametrize("dialect", KINDS)
def test_a_workload_is_given_all_but_the_data_as_it_stands(dialect, seed):
    draw = random.Random(seed)
    dump = KINDS[dialect](draw)
    events = list(Reader(blocks(dump.data, 30), lexis(dialect), "a.sql", raw=True).events())
    texts = b"".join(each.data for each in events if isinstance(each, Text))
    # INSERTs that follow each other are one load, with the signs between them.
    assert without_gaps(texts) == without_gaps(dump.texts)
    rows = sum((Counter({e.table.name: e.rows}) for e in events if isinstance(e, Rows)), Counter())
    assert rows == +dump.rows
    lines = dump.data.split(b"\n")
    starts = {"COPY": b"COPY ", "INSERT": b"INSERT ", "program": b"DELIMITER "}
    for load in (each for each in events if isinstance(each, Load)):
        line = lines[load.line - 1].decode(errors="replace")
        assert line[load.column - 1 :].encode().startswith(starts[load.kind])


def without_gaps(text: bytes) -> bytes:
    return re.sub(rb"[;\s]+", b" ", text)


def test_the_data_of_a_dump_are_left_out_of_a_workload_and_counted_by_kind(tmp_path):
    dump = tmp_path / "dump.sql"
    dump.write_text(
        "-- PostgreSQL database dump\nCREATE TABLE a (x int);\nCOPY a FROM stdin;\nit's\n\\.\n"
        "INSERT INTO b VALUES (1);\nINSERT INTO b VALUES (2);\nSELECT x FROM a;\n"
    )
    found = workload(dump, "postgres")
    assert [query.sql for query in found.queries] == ["CREATE TABLE a (x int)", "SELECT x FROM a"]
    assert [query.line for query in found.queries] == [2, 8]
    assert [(each.line, each.kind, each.reason) for each in found.skipped] == [
        (3, "load", "COPY loads a dump's rows: a"),
        (6, "load", "INSERT loads a dump's rows: b"),
    ]


def test_the_inserts_of_a_workload_are_statements_unless_the_file_is_a_dump(tmp_path):
    (tmp_path / "a.sql").write_text("INSERT INTO b VALUES (1);\nSELECT 1;\n")
    assert len(workload(tmp_path / "a.sql", "mysql").queries) == 2
    (tmp_path / "a.sql").write_text("LOCK TABLES b WRITE;\nINSERT INTO b VALUES (1);\nSELECT 1;\n")
    found = workload(tmp_path / "a.sql", "mysql")
    assert [each.kind for each in found.skipped] == ["load"]


@pytest.mark.parametrize("packed", [False, True])
def test_what_is_no_utf8_is_data_or_an_error_with_its_place(tmp_path, packed):
    def written(data: bytes):
        file = tmp_path / ("a.sql.gz" if packed else "a.sql")
        file.write_bytes(gzip.compress(data) if packed else data)
        return file

    data = b"CREATE TABLE `a` (x blob);\r\nINSERT INTO `a` VALUES (_binary '\x00\xff\\'),(');\r\n"
    found = definitions([written(data)], Silent())
    assert found.catalog.table("a").rows == 1
    with pytest.raises(SqlError, match=r"sql(\.gz)?:3:18: byte 0xff is not UTF-8"):
        definitions([written(data + b"CREATE TABLE b (\xc3\xa9\xff int);")], Silent())


def test_data_that_are_cut_off_are_told_with_their_place(tmp_path):
    (tmp_path / "a.sql").write_text("CREATE TABLE `a` (x text);\nINSERT INTO `a` VALUES ('x\\'")
    with pytest.raises(SqlError, match=r"a\.sql:2:25: the quoted text does not end"):
        definitions([tmp_path / "a.sql"], Silent())


@pytest.mark.parametrize("dialect", KINDS)
def test_twenty_megabytes_of_data_are_read_in_little_memory(dialect):
    row = b"(1,'it\\'s; (x)',NULL)" if dialect == "mysql" else b"1\tit's; (x)\t\\N\n"
    head = b"INSERT INTO `a` VALUES " if dialect == "mysql" else b"COPY a FROM stdin;\n"
    separator = b"," if dialect == "mysql" else b""
    block = (row + separator) * 10_000
    number = 20_000_000 // len(block)

    def parts():
        yield head
        for _ in range(number):
            yield block
        yield (row + b";\n") if dialect == "mysql" else (row + b"\\.\n")

    tracemalloc.start()
    try:
        found = read_dump(parts(), lexis(dialect), "a.sql")
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert by_name(found.rows) == {"a": 10_000 * number + 1}
    assert peak_bytes < 10 * len(block)


@pytest.mark.parametrize(
    ("start", "dialect"),
    [
        ("--\n-- PostgreSQL database dump\n--\n", "postgres"),
        ("/*M!999999\\- enable the sandbox mode */ \n-- MariaDB dump 10.19\n", "mysql"),
        ("/*!40101 SET @saved_cs_client     = @@character_set_client */;\n", "mysql"),
        ("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n", "sqlite"),
    ],
)
def test_a_dump_tells_the_dialect_of_its_workload(tmp_path, start, dialect):
    sql = "CREATE TABLE a (x int);\nINSERT INTO a VALUES (1);\nSELECT x FROM a;\n"
    (tmp_path / "dump.sql").write_text(start + sql)
    found = workload(tmp_path / "dump.sql")
    assert found.dialect == dialect
    assert [each.kind for each in found.skipped] == ["load"]


class Counted(Silent):
    """Progress that adds up the totals of its tasks and what was done of them."""

    def __init__(self) -> None:
        self.total = self.done = 0.0

    def advance(self, amount: float = 1) -> None:
        self.done += amount

    def task(self, description: str, total: float | None = None):
        self.total += total or 0
        return super().task(description, total)


def test_the_bytes_of_a_dump_are_shown_as_progress(tmp_path):
    file = tmp_path / "dump.sql"
    file.write_text("CREATE TABLE a (x int);\nCOPY a FROM stdin;\n" + "1\n" * 500_000 + "\\.\n")
    progress = Counted()
    definitions([file], progress)
    assert progress.done == progress.total > file.stat().st_size
