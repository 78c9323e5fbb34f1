import pytest

from workloads.errors import ConfigurationError
from workloads.sql.parsing.split import refuse_unknown_dialect, split_statements


def split(text: str, dialect: str) -> list[tuple[str, int, int]]:
    found = split_statements(text, dialect, "q.sql")
    return [(each.sql, each.line, each.column) for each in found]


def test_a_statement_knows_the_column_that_it_starts_at():
    assert split("SELECT 1;  SELECT\n2; SELECT 3", "postgres") == [
        ("SELECT 1", 1, 1),
        ("SELECT\n2", 1, 12),
        ("SELECT 3", 2, 4),
    ]


def test_a_command_of_psql_is_a_statement_of_its_own_whatever_it_quotes():
    text = "\\set x it's\n\\timing\nSELECT '\n\\\n';"
    assert split(text, "postgres") == [
        ("\\set x it's", 1, 1),
        ("\\timing", 2, 1),
        ("SELECT '\n\\\n'", 3, 1),
    ]


def test_the_data_after_copy_from_stdin_are_no_statements():
    text = "COPY t (a, b) FROM stdin;\n1\tit's; \n2\t-- name: x\n\\.\nSELECT 1;"
    assert split(text, "postgres") == [("COPY t (a, b) FROM stdin", 1, 1), ("SELECT 1", 5, 1)]
    assert split_statements(text, "postgres", "q.sql")[1].comment.strip() == ""


def test_go_ends_a_batch_of_tsql():
    text = "SELECT 1\nGO\nSELECT go\nFROM t\ngo 5\nSELECT 2"
    assert split(text, "tsql") == [
        ("SELECT 1", 1, 1),
        ("SELECT go\nFROM t", 3, 1),
        ("SELECT 2", 6, 1),
    ]


def test_a_slash_alone_ends_a_statement_of_oracle():
    assert split("SELECT 1 FROM dual\n/\nSELECT 4 / 2 FROM dual", "oracle") == [
        ("SELECT 1 FROM dual", 1, 1),
        ("SELECT 4 / 2 FROM dual", 3, 1),
    ]


def test_other_dialects_have_columns_called_go():
    assert split("SELECT\nGO\nFROM t", "postgres") == [("SELECT\nGO\nFROM t", 1, 1)]


def test_the_name_of_an_unknown_dialect_is_told_in_short():
    with pytest.raises(ConfigurationError) as told:
        refuse_unknown_dialect("a" * 5_000)
    assert len(str(told.value)) < 1_000
