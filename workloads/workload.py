"""A workload: statements and how often each is run."""

from dataclasses import dataclass, field
from typing import Literal

from workloads.counting.seen import Seen
from workloads.search_path import SearchPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One statement. `origin` says where it came from, such as ``queries.sql:12``.

    `line` and `column` are the 1-based place in `origin`'s file at which `sql` starts.
    `schema` is the one that tables without a schema are in; "" where nothing tells it. `path` is
    where its session looked for them, if that is told. `dialect` is the SQL that it is written in
    where that is not the workload's. `temporary` are its session's temporary tables that it may
    name, in small letters; None where nothing tells of them. `maybe_temporary` are names that may
    be those of further ones: its session is older than its log.
    `system` is the SQL of the server that ran it, "" where nothing tells of one.
    `latency_s` is the mean time that one execution took where the workload was recorded, if it
    was. `values` are those that its parameters had in the example, None for NULL; none where
    nothing tells them.
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
    path: SearchPath | None = None
    values: tuple[str | None, ...] = ()
    temporary: tuple[str, ...] | None = None
    maybe_temporary: tuple[str, ...] = ()
    system: str = ""


SkippedKind = Literal[
    "invalid",
    "definition",
    "session",
    "unrecorded",
    "load",
    "dump",
    "maintenance",
    "catalog",
    "temporary",
    "own",
    "filtered",
    "untold",
]
FILTERED: frozenset[SkippedKind] = frozenset({"filtered", "untold"})
"""Statements that the filters of a workload leave out."""
NOT_THE_USERS: frozenset[SkippedKind] = FILTERED | {"own", "dump"}
"""Reasons why a record is none of the users' statements that count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A statement that was left out, or several. `line` and `column` are 1-based in `source`.

    'definition' is DDL, 'session' a command that reads no table (SET, BEGIN, SHOW …), 'unrecorded'
    what a log has without its SQL or as failed, 'load' what fills a table from a file or a dump,
    'dump' what copies tables out, 'maintenance' VACUUM and its like, 'catalog' a query on the
    system's own tables, 'temporary' what reads temporary tables alone, or what may be meant of
    one, 'own' what the advisor ran, 'filtered' what a filter leaves out, 'untold'
    what lacks the fact that a filter asks for, 'invalid' what was not understood. `statements` is
    how many records it stands for. `temporary` is the temporary table that is read, or may be
    meant; "" for none.
    """

    source: str
    line: int
    reason: str
    column: int = 1
    kind: SkippedKind = "invalid"
    executions: float = 1.0
    statements: int = 1
    temporary: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """Queries in one SQL dialect (sqlglot's name of it), and what its source could not give.

    `seen` has the values that filters met, if there are filters. `older_executions` are those of
    sessions that are older than their log, where their search paths or temporary tables matter.
    """

    name: str
    dialect: str
    queries: tuple[Query, ...]
    skipped: tuple[Skipped, ...] = ()
    seen: Seen = field(default_factory=Seen, compare=False)
    older_executions: float = 0.0

    def query(self, name: str) -> Query:
        """Return the query called `name`; KeyError where there is none."""
        for query in self.queries:
            if query.name == name:
                return query
        raise KeyError(name)
