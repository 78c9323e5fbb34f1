"""Failures as texts that show all that is needed to see them again, shrunk before."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tests.fuzzing.campaigns import Tried
from tests.fuzzing.in_duckdb import InDuckDB
from tests.fuzzing.outcomes import Outcome
from tests.fuzzing.schemas import Database, draw_database
from tests.fuzzing.shrinking import shrunk_data, shrunk_sql, without_unread_columns

Given = TypeVar("Given")


def reproduction(tried: Tried, folder: Path, covers: int = 4) -> str:
    """Return a failure of `tried_in_duckdb`: its smallest statement, data, and what is wrong."""
    made = 0

    def on(database: Database) -> InDuckDB:
        nonlocal made
        made += 1
        place = folder / f"shrunk {tried.seed} {tried.number} {made}" / "data"
        return InDuckDB.of_database(database, place)

    database = draw_database(tried.seed)
    here = on(database)
    sql = shrunk_sql(tried.sql, _alike(tried, lambda text: here.tried(text, tried.number, covers)))
    alike = _alike(tried, lambda other: on(other).tried(sql, tried.number, covers))
    database = without_unread_columns(shrunk_data(database, alike), alike)
    last = on(database).tried(sql, tried.number, covers)
    return told(tried, sql, database, last)


def told(tried: Tried, sql: str, database: Database, last: Outcome) -> str:
    """Return the text of a failure."""
    data = ";\n".join(database.ddl())
    return (
        f"### {tried.outcome.signature} (seed {tried.seed}, statement {tried.number})\n"
        f"{data};\n{sql};\n-- {last.said}\n-- {last.how}\n"
    )


def _alike(tried: Tried, outcome: Callable[[Given], Outcome]) -> Callable[[Given], bool]:
    return lambda given: outcome(given).signature == tried.outcome.signature
