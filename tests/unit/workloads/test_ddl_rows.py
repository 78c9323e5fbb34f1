"""The rows of tables of DDL, and the files that they are told in."""

import pytest

from tests.unit.workloads.ddl_texts import read, written
from workloads.definition import TableName
from workloads.errors import CatalogError, ConfigurationError, SqlError
from workloads.progress import Silent
from workloads.sources.ddl.catalog import definitions
from workloads.sources.ddl.dumps import read_dump
from workloads.sources.ddl.row_counts import row_counts
from workloads.sql.parsing.lexis import lexis


def test_rows_come_from_a_comment_a_file_beside_or_a_file_given(tmp_path):
    sql = "-- the large one\n-- rows: 1_500_000\nCREATE TABLE a (x int);\nCREATE TABLE b (x int);"
    assert read(tmp_path, sql).catalog.table("a").rows == 1_500_000
    assert read(tmp_path, sql).assumed_rows == ("b",)
    written(tmp_path, "table,rows\nshop.B,7\n", "rows.csv")
    assert read(tmp_path, sql).catalog.table("b").rows == 7
    given = written(tmp_path, "a;8\nb;9\n", "mine.csv")
    counted = read(tmp_path, sql, rows=given)
    assert [table.rows for table in counted.catalog.tables.values()] == [8, 9]
    assert counted.assumed_rows == ()


def test_a_comment_tells_more_of_a_table_than_the_few_rows_in_its_dump(tmp_path):
    sql = "{}CREATE TABLE a (x int);\nINSERT INTO a VALUES (1), (2);"
    assert read(tmp_path, sql.format("-- rows: 90\n")).catalog.table("a").rows == 90
    assert read(tmp_path, sql.format("")).catalog.table("a").rows == 2


def test_row_counts_that_are_wrong_are_refused_with_their_line(tmp_path):
    with pytest.raises(CatalogError, match=r"rows.csv:2: 'b,many' is not a table and its rows"):
        row_counts(written(tmp_path, "a,1\nb,many\n", "rows.csv"))
    given = written(tmp_path, "custmer,1\n", "rows.csv")
    with pytest.raises(CatalogError, match=r"counts the rows of 'custmer'.* mean 'customer'\?"):
        read(tmp_path, "CREATE TABLE customer (a int)", rows=given)
    assert read(tmp_path, "CREATE TABLE customer (a int)").assumed_rows == ("customer",)


def test_a_comment_of_rows_that_is_no_number_is_left_out_with_its_place(tmp_path):
    found = read(tmp_path, "-- rows: lots\nCREATE TABLE a (x int);")
    assert (found.skipped[0].line, found.skipped[0].column) == (2, 1)
    assert "'-- rows: lots'" in found.skipped[0].reason


def test_several_files_and_folders_are_one_catalog(tmp_path):
    written(tmp_path, "CREATE TABLE a (x int);", "1.sql")
    (tmp_path / "more").mkdir()
    written(tmp_path / "more", "CREATE TABLE b (y int REFERENCES a);", "2.sql")
    found = definitions([tmp_path], Silent())
    assert set(found.catalog.tables) == {"a", "b"}


def test_ddl_without_a_table_and_files_that_cannot_be_read_are_refused(tmp_path):
    with pytest.raises(CatalogError, match="There is no CREATE TABLE in"):
        read(tmp_path, "SELECT 1;")
    with pytest.raises(ConfigurationError, match="'mysq' is not a known SQL dialect"):
        read(tmp_path, "CREATE TABLE a (b int)", "mysq")
    (tmp_path / "latin.sql").write_bytes(b"CREATE TABLE a (\xe9 int)")
    with pytest.raises(SqlError, match="0xe9 is not UTF-8"):
        definitions([tmp_path / "latin.sql"], Silent())
    with pytest.raises(SqlError, match=r"does not end \(read as 'postgres', which was detected"):
        read(tmp_path, "CREATE TABLE a (b int DEFAULT 'x);")


def test_rows_are_counted_whatever_their_texts_hold():
    text = (
        "INSERT INTO public.a OVERRIDING SYSTEM VALUE VALUES (1, 'c:\\', 'x);\n(y);\n');\n"
        "INSERT INTO public.a VALUES (2, 'it''s (', NULL);\n"
        "INSERT INTO `b` (`x`) VALUES ('it\\'s );'),(now());\n"
        "INSERT INTO `b` VALUES\n(1,'x'),\n(2,'y');\n"
        "CREATE TABLE a (x int);\n"
    )
    dump = read_dump([text.encode()], lexis("postgres"), "a.sql")
    assert dump.rows == {TableName("a", "public"): 2, TableName("b"): 4}
    assert [(each.sql, each.line) for each in dump.definitions] == [("CREATE TABLE a (x int)", 9)]
