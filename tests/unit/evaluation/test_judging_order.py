"""The order that a statement fixes is compared; between ties, and beyond it, it fixes nothing."""

from collections.abc import Iterator

import pytest

from evaluation.judging.oracle import Oracle
from evaluation.measuring.measurement import QueryOutcome
from tests.unit.evaluation.judged import Court, court

ROWS = "SELECT i AS id, i % 4 AS k, CASE WHEN i % 5 > 0 THEN i % 5 END AS v FROM range(40) t(i)"
NAMES = "SELECT unnest(['a', 'B', 'b', 'A', NULL]) AS s, unnest([1, 2, 3, 4, 5]) AS n"

# Each with an answer that is right in another order of its ties, and one against the order.
ORDERED = [
    ("SELECT id, k FROM r ORDER BY k", "ORDER BY k, id DESC", "ORDER BY k DESC"),
    ("SELECT id, k FROM r ORDER BY 2", "ORDER BY k, id DESC", "ORDER BY id"),
    ("SELECT id, k FROM r ORDER BY k DESC, v", "ORDER BY k DESC, v, id DESC",
     "ORDER BY k DESC, id"),
    ("SELECT id, k AS x FROM r ORDER BY x", "ORDER BY k, id DESC", "ORDER BY id"),
    ("SELECT id, -k AS k FROM r ORDER BY k", "ORDER BY -k, id DESC", "ORDER BY r.k"),
    ("SELECT id, k FROM r ORDER BY k % 2", "ORDER BY k % 2, id DESC", "ORDER BY k % 2 DESC"),
    ("SELECT id, k FROM r ORDER BY v NULLS FIRST", "ORDER BY v NULLS FIRST, id DESC", "ORDER BY v"),
    ("SELECT * FROM r ORDER BY 3 DESC", "ORDER BY v DESC, id DESC", "ORDER BY v"),
    ("FROM r ORDER BY k", "ORDER BY k, id DESC", "ORDER BY id"),
    ("SELECT id, k FROM r ORDER BY (SELECT max(n) FROM s WHERE n = k)",
     "ORDER BY (SELECT max(n) FROM s WHERE n = k), id DESC", "ORDER BY id"),
    ("(SELECT id, k FROM r ORDER BY k)", "ORDER BY k, id DESC", "ORDER BY id"),
    ("SELECT id, k FROM r ORDER BY k -- of all\n;", "ORDER BY k, id DESC", "ORDER BY id"),
    ("WITH x AS (SELECT * FROM r ORDER BY id DESC) SELECT id, k FROM x ORDER BY k",
     "ORDER BY k, id", "ORDER BY k DESC"),
    ("SELECT id, rank() OVER (ORDER BY v) AS k FROM r ORDER BY k", None, "ORDER BY 2 DESC, 1"),
]  # fmt: skip


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Court]:
    with court(tmp_path_factory.mktemp("order"), {"r": ROWS, "s": NAMES}) as found:
        yield found


def without_order(sql: str) -> str:
    """Return a statement up to its last ORDER BY, without parentheses around it."""
    head = sql.removeprefix("(")
    return head[: head.rindex("ORDER BY")] if not head.startswith("SELECT id, rank") else head[:-11]


@pytest.mark.parametrize(("sql", "tied", "against"), ORDERED, ids=[each[0] for each in ORDERED])
def test_ties_are_in_any_order_and_the_rest_is_not(
    judge: Court, sql: str, tied: str | None, against: str
):
    plain = without_order(sql)
    assert judge.on(sql, judge.answer(sql).rows).outcome is QueryOutcome.VERIFIED
    if tied is not None:
        assert judge.on(sql, f"{plain} {tied}").outcome is QueryOutcome.VERIFIED
    found = judge.on(sql, f"{plain} {against}")
    assert found.outcome is QueryOutcome.WRONG
    assert "against the order" in found.message


def test_the_order_that_mariadb_loses_is_wrong(judge: Court):
    # A derived table's ORDER BY is dropped: rows come as they are stored.
    found = judge.on(
        "SELECT id, k, v FROM r ORDER BY k, v, id", "SELECT id, k, v FROM r ORDER BY id"
    )
    assert found.outcome is QueryOutcome.WRONG


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id, k FROM r",
        "SELECT id, k FROM (SELECT * FROM r ORDER BY id)",
        "WITH x AS (SELECT id, k FROM r ORDER BY id) SELECT * FROM x",
        "SELECT id, k FROM r WHERE id IN (SELECT id FROM r ORDER BY id LIMIT 40)",
        "(SELECT id, k FROM r WHERE k < 2 ORDER BY id) UNION ALL (SELECT id, k FROM r WHERE k > 1)",
        "SELECT id, k FROM r WHERE row(id) IS NOT NULL QUALIFY row_number() OVER (ORDER BY id) > 0",
    ],
)
def test_what_is_not_the_outermost_order_fixes_nothing(judge: Court, sql: str):
    other = "SELECT id, k FROM r ORDER BY hash(id)"
    assert judge.on(sql, other).outcome is QueryOutcome.VERIFIED


@pytest.mark.parametrize(
    ("sql", "right", "wrong"),
    [
        ("SELECT id FROM r LIMIT 3", [(39,), (0,), (17,)], [(39,), (0,), (40,)]),
        ("SELECT id FROM r LIMIT 3", [(5,), (6,), (7,)], [(5,), (5,), (6,)]),
        ("SELECT id FROM r LIMIT 3", [(5,), (6,), (7,)], [(5,), (6,)]),
        ("SELECT id FROM r OFFSET 38", [(3,), (4,)], [(3,), (3,)]),
        ("SELECT k FROM r ORDER BY k LIMIT 12", [(0,)] * 10 + [(1,)] * 2, [(0,)] * 9 + [(1,)] * 3),
        ("SELECT id, k FROM r ORDER BY k LIMIT 2", [(36, 0), (4, 0)], [(36, 0), (1, 1)]),
        ("SELECT id, k FROM r ORDER BY k LIMIT 2", [(36, 0), (4, 0)], [(36, 0), (36, 0)]),
        ("SELECT id, k FROM r ORDER BY k LIMIT 2 OFFSET 9", [(36, 0), (5, 1)], [(5, 1), (36, 0)]),
        ("SELECT id, k FROM r ORDER BY k OFFSET 38 ROWS", [(3, 3), (7, 3)], [(3, 3), (2, 2)]),
        ("SELECT id, k FROM r ORDER BY k LIMIT 1 + 1 OFFSET (SELECT 9)", [(8, 0), (5, 1)],
         [(5, 1), (9, 1)]),
        ("(SELECT id, k FROM r ORDER BY k) LIMIT 2", [(36, 0), (4, 0)], [(1, 1), (5, 1)]),
        ("SELECT id, k FROM r ORDER BY k FETCH FIRST 2 ROWS ONLY", [(36, 0), (4, 0)],
         [(1, 1), (5, 1)]),
        ("SELECT k FROM r ORDER BY ALL LIMIT 2", [(0,), (0,)], [(0,), (1,)]),
        ("SELECT DISTINCT k FROM r ORDER BY k DESC LIMIT 2", [(3,), (2,)], [(2,), (3,)]),
        ("SELECT k FROM r UNION SELECT v FROM r ORDER BY 1 LIMIT 2", [(0,), (1,)], [(1,), (0,)]),
        ("SELECT s FROM s ORDER BY s COLLATE NOCASE LIMIT 2", [("A",), ("a",)], [("a",), ("B",)]),
        ("SELECT s FROM s ORDER BY s COLLATE NOCASE LIMIT 3", [("A",), ("a",), ("b",)],
         [("A",), ("B",), ("a",)]),
    ],
)  # fmt: skip
def test_what_a_limit_cuts_is_compared_by_membership(
    judge: Court, sql: str, right: list[tuple[object, ...]], wrong: list[tuple[object, ...]]
):
    assert judge.on(sql, right).outcome is QueryOutcome.VERIFIED
    assert judge.on(sql, right).outcome is QueryOutcome.VERIFIED
    assert judge.on(sql, wrong).outcome is QueryOutcome.WRONG


def test_an_order_of_another_dialect_is_that_of_its_translation(judge: Court):
    oracle = Oracle(judge.catalog, "mysql")
    theirs = Court(judge.catalog, oracle, judge.data)
    sql = "SELECT `id`, `k` FROM `r` ORDER BY `k` LIMIT 9, 2"
    assert theirs.on(sql, [(36, 0), (5, 1)]).outcome is QueryOutcome.VERIFIED
    assert theirs.on(sql, [(5, 1), (36, 0)]).outcome is QueryOutcome.WRONG
    oracle.close()


def test_rows_with_intervals_and_days_without_end_have_an_order_too(judge: Court):
    sql = "SELECT to_months(k::INT) AS m, DATE 'infinity' AS d, id FROM r ORDER BY m, d"
    tied = "SELECT to_months(k::INT) AS m, DATE 'infinity' AS d, id FROM r ORDER BY k, id DESC"
    assert judge.on(sql, tied).outcome is QueryOutcome.VERIFIED
