"""Many statements over many databases, and what came of each."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.store_protocol.connection import Connection
from tests.fuzzing.in_duckdb import InDuckDB
from tests.fuzzing.on_stores import on_stores
from tests.fuzzing.outcomes import BAD, Kind, Outcome, alike
from tests.fuzzing.queries import Statements
from tests.fuzzing.schemas import Database, draw_database

TOGETHER = 20
"""Statements that are one workload on real stores."""

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A statement of a database, both known by their seeds, and one end that it had."""

    seed: int
    number: int
    sql: str
    outcome: Outcome

    def told(self) -> str:
        """Return it in words."""
        return (
            f"{self.outcome.kind} (seed {self.seed}, statement {self.number}): "
            f"{self.outcome.said}\n  {self.sql}\n  {self.outcome.how}"
        )


@dataclass(slots=True)
class Tally:
    """What has been counted: ends by kind, reasons of refusals, what there must be none of.

    `second_tries` are the errors for which DuckDB in the driver answered over whole tables, and
    `tried_again` the first statement with each of them.
    """

    counts: Counter[Kind] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    second_tries: Counter[str] = field(default_factory=Counter)
    tried_again: dict[str, Tried] = field(default_factory=dict)
    bad: list[Tried] = field(default_factory=list)

    def add(self, tried: Tried) -> None:
        """Count an end."""
        kind = tried.outcome.kind
        self.counts[kind] += 1
        if kind is Kind.REFUSED:
            self.refusals[tried.outcome.signature] += 1
        if tried.outcome.second_try:
            error = alike(tried.outcome.second_try)
            self.second_tries[error] += 1
            self.tried_again.setdefault(error, tried)
        if kind in BAD:
            self.bad.append(tried)

    @property
    def tried(self) -> int:
        """Return how many ends there were, of whatever kind."""
        return self.counts.total()

    @property
    def refused_share(self) -> float:
        """Return the share of what DuckDB answers that was refused (0..1)."""
        asked = self.tried - self.counts[Kind.NOT_ASKED]
        return self.counts[Kind.REFUSED] / asked if asked else 0.0

    @property
    def run(self) -> int:
        """Return how many runs there were."""
        return self.tried - self.counts[Kind.NOT_ASKED] - self.counts[Kind.REFUSED]

    @property
    def second_try_share(self) -> float:
        """Return the share of the runs whose answer is that of a second try (0..1)."""
        return self.second_tries.total() / self.run if self.run else 0.0


def statement(seed: int, number: int, database: Database) -> str:
    """Return the statement of a number over the database of a seed."""
    return Statements(random.Random(f"{seed} {number}"), database).statement()


def tried_in_duckdb(
    seeds: Iterable[int], statements: int, folder: Path, covers: int = 4
) -> Iterator[Tried]:
    """Try so many statements over the database of each seed, every part of them in DuckDB."""
    for seed in seeds:
        database = draw_database(seed)
        here = InDuckDB.of_database(database, folder / str(seed) / "data")
        for number in range(statements):
            sql = statement(seed, number, database)
            outcome = here.tried(sql, number, covers)
            yield Tried(seed=seed, number=number, sql=sql, outcome=outcome)


def tried_on_stores(
    seeds: Iterable[int],
    statements: int,
    folder: Path,
    *,
    spark: "SparkSession",
    stores: Mapping[str, Connection],
    covers: int = 3,
) -> Iterator[Tried]:
    """Try so many statements over the database of each seed, on real stores."""
    for seed in seeds:
        database = draw_database(seed)
        with on_stores(
            database, folder / str(seed) / "data", spark, stores, f"fuzz{seed}"
        ) as there:
            for first in range(0, statements, TOGETHER):
                numbers = range(first, min(first + TOGETHER, statements))
                texts = {number: statement(seed, number, database) for number in numbers}
                for number, outcome in there.tried(texts, covers):
                    yield Tried(seed=seed, number=number, sql=texts[number], outcome=outcome)
