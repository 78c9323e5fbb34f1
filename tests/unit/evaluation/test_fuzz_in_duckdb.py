"""Random statements, cut in every way and each part run by DuckDB, have DuckDB's answers."""

from pathlib import Path

from tests.fuzzing.campaigns import Tally, tried_in_duckdb
from tests.fuzzing.outcomes import Kind

SEEDS = range(6)
STATEMENTS = 30
MOST_REFUSED = 0.02


def test_every_cut_of_random_statements_gives_their_answers(tmp_path: Path):
    tally = Tally()
    for tried in tried_in_duckdb(SEEDS, STATEMENTS, tmp_path, covers=3):
        tally.add(tried)
    assert [each.told() for each in tally.bad] == []
    assert tally.refused_share <= MOST_REFUSED, tally.refusals
    assert tally.counts[Kind.RIGHT] >= len(SEEDS) * STATEMENTS / 2
