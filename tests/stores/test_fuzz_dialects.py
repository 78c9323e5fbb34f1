"""Random statements of PostgreSQL and MySQL mean in DuckDB what they mean to their servers."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from evaluation.store_protocol.connection import Connection
from tests.fuzzing.campaigns import Tally
from tests.fuzzing.comparing import Answer
from tests.fuzzing.declared.alike import difference
from tests.fuzzing.declared.trying import DIALECTS, declared_statement, tried_declared
from tests.fuzzing.outcomes import Kind
from tests.fuzzing.schemas import draw_database

pytestmark = pytest.mark.stores

SEEDS = range(3)
STATEMENTS = 40
MOST_REFUSED = 0.05


def test_random_statements_are_answered_as_by_their_own_server(
    embedded: Mapping[str, Connection], tmp_path: Path
):
    tally = Tally()
    for tried in tried_declared(SEEDS, STATEMENTS, tmp_path, embedded):
        tally.add(tried)
    assert [each.told() for each in tally.bad] == []
    assert tally.refused_share <= MOST_REFUSED, tally.refusals
    assert tally.counts[Kind.RIGHT] >= len(SEEDS) * STATEMENTS * len(DIALECTS) * 0.8


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda each: each.name)
def test_the_same_seed_gives_the_same_statement(dialect):
    database = dialect.held(draw_database(3))
    first = [declared_statement(dialect, 3, number, database) for number in range(20)]
    assert first == [declared_statement(dialect, 3, number, database) for number in range(20)]
    assert len(set(first)) == len(first)


@pytest.mark.parametrize(
    ("server", "ours", "same"),
    [
        (1, True, True),
        (Decimal("1.50"), Decimal("1.5"), True),
        (Decimal("0.3333333333333333"), 1 / 3, True),
        (datetime(2000, 1, 1, tzinfo=UTC), date(2000, 1, 1), True),
        (0.1 + 0.2, 0.3, True),
        (Decimal("0.33"), Decimal("0.3333"), False),
        (2**53, 2**53 + 1, False),
        (0.3, 0.3000001, False),
        ("1", 1, False),
        ("a", "a ", False),
        (None, 0, False),
    ],
)
def test_values_are_told_apart_by_more_than_their_types(server, ours, same):
    assert (difference(Answer(rows=[(server,)]), [(ours,)]) is None) == same


def test_the_order_that_a_statement_fixes_counts():
    rows = [(1,), (2,)]
    assert difference(Answer(rows=rows, ordered_by=(0,)), rows[::-1]) is not None
    assert difference(Answer(rows=rows), rows[::-1]) is None
