"""A workload: statements and how often each is run."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One statement. `origin` says where it came from, such as ``queries.sql:12``.

    `line` and `column` are the 1-based place in `origin`'s file at which `sql` starts.
    `schema` is the one that tables without a schema are in; "" where nothing tells it. `dialect` is
    the SQL that it is written in where that is not the workload's.
    `latency_s` is the mean time that one execution took where the workload was recorded, if it
    was.
    """

    name: str
    sql: str
    origin: str
    line: int = 1
    column: int = 1
    executions: float = 1.0
    latency_s: float | None = None
    schema: str = ""
    dialect: str = ""


SkippedKind = Literal["invalid", "definition", "session", "unrecorded", "load"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A statement that was left out. `line` and `column` are 1-based in `source`.

    'definition' is DDL, 'session' a command that reads no table (SET, BEGIN, SHOW …), 'unrecorded'
    what a log has without its SQL or as failed, 'load' the data of a dump, 'invalid' what was not
    understood.
    """

    source: str
    line: int
    reason: str
    column: int = 1
    kind: SkippedKind = "invalid"
    executions: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """Queries in one SQL dialect (sqlglot's name of it), and what its source could not give."""

    name: str
    dialect: str
    queries: tuple[Query, ...]
    skipped: tuple[Skipped, ...] = ()

    def query(self, name: str) -> Query:
        """Return the query called `name`; KeyError where there is none."""
        for query in self.queries:
            if query.name == name:
                return query
        raise KeyError(name)
