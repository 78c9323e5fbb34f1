import re

import pytest

from workloads.errors import ConfigurationError, SqlError
from workloads.sources.logs.recorded import workload
from workloads.sql.parsing.split import split_statements


def texts(text, dialect="duckdb"):
    return [statement.sql for statement in split_statements(text, dialect, "q.sql")]


def test_semicolons_in_strings_comments_and_quoted_names_do_not_split():
    text = """select 'a;b' as "c;d"; -- not; here
    select /* nor; here */ 2;
    select $$x;y$$"""
    assert texts(text) == [
        """select 'a;b' as "c;d\"""",
        "select /* nor; here */ 2",
        "select $$x;y$$",
    ]


def test_positions_count_characters_beyond_the_first_plane_once():
    assert texts("select '😀;é'; select 2;") == ["select '😀;é'", "select 2"]


def test_empty_statements_and_a_missing_last_semicolon_do_not_matter():
    assert texts(";; select 1 ;\n;select 2\n-- end") == ["select 1", "select 2"]
    assert texts("-- only a comment") == []


def test_a_statement_starts_at_its_own_line():
    found = split_statements("-- one\n\nselect\n1;\nselect 2;", "duckdb", "q.sql")
    assert [statement.line for statement in found] == [3, 5]


def test_backslash_escapes_follow_the_dialect():
    assert texts(r"select 'it\'s; one'; select 2", "mysql") == [
        r"select 'it\'s; one'",
        "select 2",
    ]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("select 1;\nselect 'open", "q.sql:2:8: the quoted text"),
        ("select 1;\n  /* open", "q.sql:2:3: the comment"),
        ("select 'it''s', 'a' from \"t", "q.sql:1:26: the quoted text"),
    ],
)
def test_what_does_not_end_is_pointed_at(text, where):
    with pytest.raises(SqlError) as error:
        texts(text)
    assert str(error.value) == f"{where} does not end"


def test_an_unknown_dialect_names_the_nearest():
    with pytest.raises(ConfigurationError, match=r"'postgre' .* did you mean 'postgres'\?"):
        texts("select 1", "postgre")


def test_executions_and_names_come_from_comments_before_a_statement(tmp_path):
    file = tmp_path / "log.sql"
    file.write_text(
        "-- executions: 120\n-- name: daily\nselect 1; -- executions: 7\n"
        "select a from t;\n\n--Executions:0.5\nselect '-- executions: 9';\nselect A\nfrom T"
    )
    found = workload(file, "duckdb")
    assert [(q.executions, q.line) for q in found.queries] == [(120, 3), (2, 4), (0.5, 7)]
    assert found.queries[0].name == "daily"
    assert all(re.fullmatch("t_[0-9a-f]{8}", q.name) for q in found.queries[1:])
    assert {q.origin for q in found.queries} == {str(file)}
    assert found.name == "log"


def test_a_folder_is_read_in_natural_order_and_single_statements_are_called_as_their_file(tmp_path):
    for name in ("q10", "q2", "sub/q1"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.sql").write_text("select 1;")
    (tmp_path / "notes.txt").write_text("no SQL")
    assert [q.name for q in workload(tmp_path, "").queries] == ["q2", "q10", "sub/q1"]


def test_several_paths_make_one_workload(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.sql").write_text("select 1")
    found = workload([tmp_path / "b.sql", tmp_path / "a.sql"], "spark")
    assert [q.name for q in found.queries] == ["b", "a"]
    assert found.dialect == "spark"


@pytest.mark.parametrize("value", ["many", "0", "-1", "nan", "inf", ""])
def test_executions_must_be_a_positive_number(tmp_path, value):
    (tmp_path / "q.sql").write_text(f"\n-- executions: {value}\nselect 1")
    with pytest.raises(SqlError, match=r"q\.sql:3:1: .*not a positive number"):
        workload(tmp_path / "q.sql", "duckdb")


def test_two_statements_of_one_name_are_refused_with_both_places(tmp_path):
    (tmp_path / "q.sql").write_text("-- name: x\nselect 1;\n-- name: x\nselect 2")
    with pytest.raises(ConfigurationError, match=r"'x' \(.*q\.sql:2 and .*q\.sql:4\)"):
        workload(tmp_path, "duckdb")


def test_missing_and_empty_paths_are_errors(tmp_path):
    with pytest.raises(ConfigurationError, match="There is no file or folder"):
        workload(tmp_path / "none.sql", "duckdb")
    with pytest.raises(ConfigurationError, match=r"holds no \.sql file"):
        workload(tmp_path, "duckdb")
    (tmp_path / "q.sql").write_text("-- nothing\n")
    with pytest.raises(ConfigurationError, match="There is no SQL statement"):
        workload(tmp_path, "duckdb")
    with pytest.raises(ConfigurationError, match="There is no SQL statement"):
        workload([], "duckdb")


def test_a_file_that_is_not_utf8_is_pointed_at(tmp_path):
    (tmp_path / "q.sql").write_bytes(b"select 1;\nselect '\xff'")
    with pytest.raises(SqlError, match=r"q\.sql:2:9: byte 0xff is not UTF-8"):
        workload(tmp_path, "duckdb")


def test_a_byte_order_mark_is_no_part_of_the_statement(tmp_path):
    (tmp_path / "q.sql").write_bytes(b"\xef\xbb\xbfselect 1")
    assert workload(tmp_path, "duckdb").queries[0].sql == "select 1"


def test_the_schema_that_a_file_names_holds_for_the_statements_after_it(tmp_path):
    file = tmp_path / "file.sql"
    file.write_text(
        "SELECT 1 FROM t;\nUSE `the shop`;\nSELECT 2 FROM t;\nSELECT 3, 3 FROM t;\n"
        "SET search_path TO sales, crm;\n-- name: named\nSELECT 4 FROM t;\n"
    )
    found = workload(file, "duckdb").queries
    assert [
        (q.sql, q.path.schemas if q.path else q.schema) for q in found if "FROM t" in q.sql
    ] == [
        ("SELECT 1 FROM t", ""),
        ("SELECT 2 FROM t", "the shop"),
        ("SELECT 3, 3 FROM t", "the shop"),
        ("SELECT 4 FROM t", ("sales", "crm")),
    ]


def test_a_statement_behind_use_is_alone_in_its_file(tmp_path):
    (tmp_path / "report.sql").write_text("USE shop;\nSELECT a FROM t;\n")
    names = {q.name: q.schema for q in workload(tmp_path, "mysql").queries}
    assert names["report"] == "shop"
