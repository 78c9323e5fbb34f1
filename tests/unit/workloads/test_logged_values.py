"""Parameters have the values that PostgreSQL's log has of a template's first execution."""

from dataclasses import replace

import pytest

from tests.unit.workloads.test_passing_through import query, with_data
from workloads.folding.logged_values import logged_values
from workloads.progress import Silent
from workloads.sources.logs.recorded import workload
from workloads.sql.parsing.given_values import with_values
from workloads.sql.statements import understand
from workloads.sql.unanswered import unanswered
from workloads.workload import Workload


@pytest.mark.parametrize(
    ("detail", "values"),
    [
        ("parameters: $1 = '1922'", ("1922",)),
        ("Parameters: $1 = 'it''s, $2 = ''', $2 = NULL, $3 = ''", ("it's, $2 = '", None, "")),
        ("parameters: $1 = 'two\nlines'", ("two\nlines",)),
        ("parameters: $1 = 'cut...'", ()),
        ("parameters: $2 = 'x'", ()),
        ("parameters: $1 = 'open", ()),
        ("prepare: PREPARE pq(int) AS SELECT 1", ()),
        ("parameters: $1 = '" + "x" * 20_000 + "'", ()),
        ("", ()),
    ],
)
def test_values_are_those_of_the_detail(detail: str, values: tuple[str | None, ...]):
    assert logged_values(detail) == values


@pytest.mark.parametrize(
    ("sql", "values", "filled"),
    [
        ("SELECT 1 WHERE a = $1 OR b = $2", ("x' OR 'y", None), "a = 'x'' OR ''y' OR b = NULL"),
        ("SELECT '$1', \"$1\" /* $1 */ WHERE a = $1", ("2",), "SELECT '$1', \"$1\" /* $1 */"),
        ("SELECT a LIMIT $1 OFFSET $2", ("10", "20"), "LIMIT 10 OFFSET 20"),
        ("SELECT a + $1, $1 - a, j -> $2", ("-3", "4"), "a + (-3), (-3) - a, j -> '4'"),
        ("SELECT $2 -> 'k'", ("1", "2"), "SELECT '2' -> 'k'"),
        ("SELECT a LIMIT $1", ("1; DROP TABLE t",), "LIMIT '1; DROP TABLE t'"),
        ("SELECT a WHERE a = $1 AND b = $11", tuple("abcdefghijk"), "a = 'a' AND b = 'k'"),
        ("SELECT a WHERE a = $1 AND b = $2", ("1",), "a = $1 AND b = $2"),
        ("SELECT a WHERE a = $1", (), "a = $1"),
    ],
)
def test_values_are_written_as_literals(sql: str, values: tuple[str | None, ...], filled: str):
    assert filled in with_values(replace(query(sql), values=values)).sql


LOG = """\
2025-05-01 10:00:02.000 UTC [9] a@s LOG:  duration: 2.5 ms  execute S_1: SELECT o_day FROM orders \
WHERE o_id = $1
2025-05-01 10:00:02.000 UTC [9] a@s DETAIL:  parameters: $1 = '{first}'
2025-05-01 10:00:03.000 UTC [9] a@s LOG:  duration: 2.5 ms  execute S_1: SELECT o_day FROM orders \
WHERE o_id = $1
2025-05-01 10:00:03.000 UTC [9] a@s DETAIL:  parameters: $1 = '43'
"""


def test_a_template_has_the_values_of_its_first_record(tmp_path):
    log = tmp_path / "postgresql.log"
    log.write_text(LOG.format(first="42"))
    ((found),) = workload(log).queries
    assert found.executions == 2
    assert found.values == ("42",)


def read(sql: str, *values: str | None):
    asked = replace(query(sql), values=values)
    whole = Workload(name="w", dialect="postgres", queries=(asked,))
    return understand(whole, with_data(), Silent())


def test_a_statement_is_understood_with_its_values():
    found = read("SELECT o_day FROM orders WHERE o_id = $1", "42")
    ((asked),) = found.workload.queries
    assert asked.sql == "SELECT o_day FROM orders WHERE o_id = '42'"
    assert not unanswered(asked, found.catalog, "postgres")


def test_values_that_it_cannot_be_understood_with_are_left_out():
    found = read("SELECT o_day FROM orders WHERE o_id = abs($1)", "42")
    ((asked),) = found.workload.queries
    assert asked.sql.endswith("abs($1)")
    assert "parameters" in unanswered(asked, found.catalog, "postgres")


@pytest.mark.parametrize(
    ("sql", "values", "filled"),
    [
        (
            "INSERT INTO item SELECT o_id, 1, 2 FROM orders WHERE o_id = $1 LIMIT $2",
            ("4", "5"),
            "WHERE o_id = '4' LIMIT 5",
        ),
        ("UPDATE orders SET o_day = $1 WHERE o_id = $2", ("2024-01-02", "8"), "o_id = '8'"),
        ("DELETE FROM item WHERE i_order IN (SELECT o_id FROM orders WHERE o_id < $1)", ("7",),
         "o_id < '7'"),
        (("WITH gone AS (DELETE FROM item WHERE i_order = $1 RETURNING i_order) SELECT o_day FROM"
         " orders JOIN gone ON o_id = i_order WHERE o_id > $2"), ("7", "8"), "o_id > '8'"),
    ],
)  # fmt: skip
def test_reads_within_writes_have_their_values(sql: str, values: tuple[str, ...], filled: str):
    found = read(sql, *values)
    ((asked),) = found.workload.queries
    assert filled in asked.sql
    assert not unanswered(asked, found.catalog, "postgres")
    assert [each.writes for each in found.footprints] != [frozenset()]


def test_a_write_that_cannot_be_understood_with_its_values_keeps_its_parameters():
    found = read("INSERT INTO item SELECT o_id, 1, 2 FROM orders WHERE o_id = abs($1)", "42")
    ((asked),) = found.workload.queries
    assert "42" not in asked.sql
    assert "parameters" in unanswered(asked, found.catalog, "postgres")


@pytest.mark.parametrize(
    ("value", "why"), [("42", ""), ("it's \\ 42", ""), (None, ""), ((), "parameters")]
)
def test_what_is_passed_through_has_its_values_too(value: object, why: str):
    values = () if value == () else (value,)
    found = read("SELECT quote_nullable($1), o_day FROM orders WHERE o_day IS NOT NULL", *values)
    ((passed),) = found.passed_through
    assert why in passed.incomparable
    assert bool(why) == bool(passed.incomparable)
