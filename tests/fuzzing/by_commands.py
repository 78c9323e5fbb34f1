"""Stage 3: statements as a user has them: Parquet, a file of SQL, a project, and three commands."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.project.config import load_project
from tests.fuzzing.asked import answer
from tests.fuzzing.schemas import Database
from workloads.cache import remove

COMMANDS = ("analyze", "place", "run")
TIMEOUT_S = 1200
_PROJECT = """
[workload]
source = "queries.sql"
dialect = "duckdb"
skip_invalid = true

[catalog]
source = "data"

[stores.pg]
kind = "postgresql"
embedded = true

[stores.maria]
kind = "mysql"
embedded = true

[stores.duck]
kind = "duckdb"
embedded = true

[place]
strategies = ["naive", "optimal"]
max_copies = 2
quick_rates = false

[evaluate]
repeats = 1
query_timeout_s = 60
driver_memory = "1g"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a command ended: its exit status and what it said. `queries` are those of `run`."""

    command: str
    status: int
    said: str
    queries: Sequence[tuple[str, str, str]] = ()

    @property
    def is_bad(self) -> bool:
        """Whether it ended by a fault of ours or a refusal, or any answer was wrong or none."""
        return self.status in (1, 2) or any(
            outcome not in ("verified", "undetermined") for _, outcome, _ in self.queries
        )


def ended(database: Database, statements: Sequence[str], folder: Path) -> list[Ended]:
    """Run the commands over `database` and those `statements` that DuckDB answers."""
    folder.mkdir(parents=True, exist_ok=True)
    database.catalog(folder / "data")
    with database.connect() as connection:
        kept = [sql for sql in statements if answer(connection, sql) is not None]
    (folder / "queries.sql").write_text(";\n".join(kept) + ";\n", encoding="utf-8")
    file = folder / "fuzz.toml"
    file.write_text(_PROJECT, encoding="utf-8")
    try:
        return [_ended(command, file) for command in COMMANDS]
    finally:
        # What its embedded stores keep is in the user's cache.
        remove(load_project(file).folder)


def _ended(command: str, file: Path) -> Ended:
    done = subprocess.run(
        [sys.executable, "-m", "advisor", command, file.name, "--json"],
        cwd=file.parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    queries = []
    if command == "run" and done.stdout.startswith("{"):
        for candidate in json.loads(done.stdout).get("candidates", ()):
            queries += [
                (f"{each['name']} on {candidate['strategy']}", each["outcome"], each["message"])
                for each in candidate["queries"]
            ]
    return Ended(
        command=command,
        status=done.returncode,
        said=(done.stderr or done.stdout)[-2000:],
        queries=tuple(queries),
    )
