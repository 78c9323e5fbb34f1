import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workloads.errors import SqlError
from workloads.sources.logs import sql_text
from workloads.sources.logs.sql_text import statements
from workloads.sql.parsing.lexis import lexis
from workloads.sql.parsing.split import split_statements


def split(text, dialect="duckdb", size=None):
    blocks = [text] if size is None else [text[i : i + size] for i in range(0, len(text), size)]
    return list(statements(blocks, lexis(dialect), "q.sql"))


_PARTS = st.sampled_from(
    [
        *("select 1", ";", "\n", " ", "'a;b'", "'it''s'", '"c;d"', "-- x; y\n", "/* ; */"),
        *(" $$;$$ ", "é😀"),
    ]
)


@given(st.lists(_PARTS, max_size=40).map("".join))
def test_statements_are_those_of_the_parsers_own_tokens(text):
    expected = [
        (each.sql, each.line, each.column, each.comment)
        for each in split_statements(text, "duckdb", "q.sql")
    ]
    assert [tuple(each) for each in split(text)] == expected


@settings(max_examples=200)
@given(st.lists(_PARTS, max_size=60).map("".join), st.integers(1, 40))
def test_how_the_text_is_cut_into_blocks_does_not_matter(text, size):
    assert split(text, size=size) == split(text)


@settings(max_examples=50)
@given(st.lists(_PARTS, min_size=300, max_size=500).map("".join), st.integers(100, 1000))
def test_nor_does_it_in_texts_longer_than_what_is_kept_back(text, size):
    assert split(text, size=size) == split(text)


def test_only_a_statement_and_a_block_are_kept(monkeypatch):
    longest = 0
    look = sql_text._Splitter._look

    def watched(self, limit):
        nonlocal longest
        longest = max(longest, len(self._text))
        return look(self, limit)

    monkeypatch.setattr(sql_text._Splitter, "_look", watched)
    block = "insert into t values (1, 'a;b');\n" * 100
    found = statements((block for _ in range(1_000)), lexis("duckdb"), "q.sql")
    assert sum(1 for _ in found) == 100_000
    assert longest < 3 * len(block)


def test_a_line_go_parts_batches_and_a_word_go_does_not():
    found = split("select a go\nGO\nselect 2 as go\ngo 5\nselect 3", "tsql")
    assert [each.sql for each in found] == ["select a go", "select 2 as go", "select 3"]


@pytest.mark.parametrize("size", [None, 7])
@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("select 1;\nselect 'open", "q.sql:2:8: the quoted text"),
        ("select 1;\n  /* open", "q.sql:2:3: the comment"),
        ("select 'it''s', 'a' from \"t", "q.sql:1:26: the quoted text"),
        (f"select 1;\n{' ' * 500}select 2;\nselect `x; {'y' * 500}", "q.sql:3:8: the quoted text"),
    ],
)
def test_what_does_not_end_is_pointed_at(text, where, size):
    dialect = "mysql" if "`" in text else "duckdb"
    with pytest.raises(SqlError) as error:
        split(text, dialect, size)
    assert str(error.value) == f"{where} does not end"
