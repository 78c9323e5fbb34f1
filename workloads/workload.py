"""A workload: statements and how often each is run."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One statement. `origin` says where it came from, such as ``queries.sql:12``.

    `line` is the 1-based line of `origin`'s file at which `sql` starts.
    """

    name: str
    sql: str
    origin: str
    line: int = 1
    executions: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """Queries in one SQL dialect (sqlglot's name of it)."""

    name: str
    dialect: str
    queries: tuple[Query, ...]

    def query(self, name: str) -> Query:
        """Return the query called `name`; KeyError where there is none."""
        for query in self.queries:
            if query.name == name:
                return query
        raise KeyError(name)
