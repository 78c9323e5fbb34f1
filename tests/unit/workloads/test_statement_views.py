"""Views that a workload defines, and the statements that read them."""

import pytest

from tests.unit.workloads.understanding import understood


def test_a_view_defined_in_the_workload_is_kept_in_the_catalog():
    found = understood(
        [
            "CREATE VIEW v (n, t) AS SELECT c_name, o_total FROM customer, orders",
            "SELECT n FROM v WHERE t > 5",
        ]
    )
    (footprint,) = found.footprints
    assert footprint.tables == {"customer", "orders"}
    assert found.catalog.views["v"].columns == ("n", "t")
    assert [skipped.kind for skipped in found.skipped] == ["definition"]


def test_a_view_may_be_defined_after_what_reads_it():
    found = understood(
        [
            "SELECT n FROM Upper",
            "CREATE VIEW upper AS SELECT n FROM lower",
            "CREATE VIEW lower AS SELECT c_id AS n FROM customer",
        ]
    )
    assert [(each.query, each.executions) for each in found.footprints] == [("s1", 1.0)]
    assert found.footprints[0].tables == {"customer"}
    assert [each.kind for each in found.skipped] == ["definition", "definition"]


@pytest.mark.parametrize(
    "statements",
    [
        (  # v and w list a column that each table has and none lists.
            "CREATE VIEW v AS SELECT ctid, c_id FROM customer",
            "CREATE VIEW w AS SELECT ctid, o_id FROM orders",
            "CREATE VIEW x AS SELECT ctid FROM item",
        ),
        (  # A table of v's name goes first.
            "CREATE VIEW v AS SELECT c_id AS n FROM customer",
            "CREATE VIEW w AS WITH v AS (SELECT c_name FROM customer) SELECT c_name FROM v",
            "CREATE VIEW x AS SELECT V.N, w.C_NAME FROM V JOIN w ON true",
        ),
        (  # v names the first of its columns.
            "CREATE VIEW v (a) AS SELECT c_id, c_name FROM customer",
            "CREATE VIEW w AS SELECT a, c_name FROM v",
            "CREATE VIEW x AS SELECT * FROM v JOIN w USING (a)",
        ),
    ],
)
def test_a_view_may_read_what_views_before_it_return(statements):
    found = understood(statements)
    assert [each.kind for each in found.skipped] == ["definition"] * len(statements)
    assert set(found.catalog.views) == {"v", "w", "x"}


def test_a_view_may_not_read_what_a_view_before_it_does_not_return():
    views = [
        "CREATE VIEW v (a) AS SELECT c_id, c_name FROM customer",
        "CREATE VIEW w AS SELECT c_id FROM v",
    ]
    first, second = understood(views).skipped
    assert (first.kind, second.kind) == ("definition", "invalid")
    assert "unknown column 'c_id'" in second.reason


def test_the_definition_that_reads_too_many_views_is_told():
    doubled = "CREATE VIEW v{0} AS SELECT a.c_id FROM v{1} a JOIN v{1} b ON a.c_id = b.c_id"
    views = [doubled.format(number, number - 1) for number in range(1, 12)]
    found = understood(["CREATE VIEW v0 AS SELECT c_id FROM customer", *views])
    first = next(each for each in found.skipped if each.kind == "invalid")
    assert "it reads more than 500 views" in first.reason
    assert list(found.catalog.views) == [f"v{number}" for number in range(8)]


def test_views_that_read_each_other_are_invalid():
    found = understood(
        ["SELECT * FROM v", "CREATE VIEW v AS SELECT * FROM w", "CREATE VIEW w AS SELECT * FROM v"]
    )
    assert [each.kind for each in found.skipped] == ["invalid"] * 3


def test_each_statement_reads_the_view_as_it_was_then():
    found = understood(
        [
            "CREATE VIEW v AS SELECT c_id AS a FROM customer",
            "CREATE VIEW w AS SELECT a FROM v",
            "SELECT v.a FROM v",
            "CREATE OR REPLACE VIEW v AS SELECT o_id AS a FROM orders",
            "SELECT v.a FROM v",
            "SELECT a FROM w",
            "DROP VIEW v",
            "CREATE VIEW v AS SELECT i_order AS a FROM item",
            "SELECT v.a FROM v",
            "WITH v AS (SELECT c_id AS a FROM customer) SELECT a FROM v",
        ]
    )
    read = [footprint.tables for footprint in found.footprints]
    assert read == [{"customer"}, {"orders"}, {"orders"}, {"item"}, {"customer"}]


def test_the_same_view_defined_again_is_the_same_view():
    view = "CREATE OR REPLACE VIEW v AS SELECT c_id FROM customer"
    found = understood([view, "SELECT c_id FROM v", view, "SELECT c_id FROM v"])
    assert list(found.catalog.views) == ["v"]


def test_what_reads_a_view_that_was_not_understood_says_so():
    found = understood(["CREATE VIEW v AS SELECT nope FROM customer", "SELECT * FROM v"])
    assert [skipped.kind for skipped in found.skipped] == ["invalid", "invalid"]
    assert "definition of 'v' was not understood (w.sql:1)" in found.skipped[1].reason


@pytest.mark.parametrize(
    ("view", "dialect"),
    [
        ("CREATE VIEW v AS SELECT o_id FROM orders WITH LOCAL CHECK OPTION", "postgres"),
        ("CREATE ALGORITHM = MERGE VIEW v AS SELECT o_id FROM orders WITH CHECK OPTION", "mysql"),
        (
            "CREATE DEFINER=`a`@`%` SQL SECURITY INVOKER VIEW v AS SELECT o_id FROM orders",
            "mysql",
        ),
    ],
)
def test_a_view_is_read_without_the_clauses_that_no_query_has(view: str, dialect: str):
    found = understood([view, "SELECT o_id FROM v"], dialect)
    assert [skipped.reason for skipped in found.skipped] == ["it defines the view 'v'"]
    assert [each.tables for each in found.footprints] == [{"orders"}]
