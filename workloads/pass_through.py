"""A statement that is passed through: only a server of its own dialect can run it."""

from collections.abc import Mapping
from dataclasses import dataclass

from workloads.footprint import Footprint
from workloads.workload import Query

SERVERS: Mapping[str, str] = {"postgres": "PostgreSQL", "mysql": "MySQL or MariaDB"}
"""Dialects of statements that may be passed through, and whose servers they are sent to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownFunction:
    """A function that neither a server nor the catalog is known to have, and the `near` one."""

    name: str
    near: str = ""

    def __str__(self) -> str:
        """Return the call, with what may be meant."""
        return f"{self.name}()" + (f" (did you mean {self.near}()?)" if self.near else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class PassThrough:
    """A statement that is sent whole, as it is written, to a server that holds all its tables.

    `dialect` is sqlglot's name of its SQL, `reason` says why nothing else can run it. `footprint`
    has one block with its tables, each once: nothing else is known of it. `uncopied` are columns
    that it names and that copies have not (`Table.left_out`). `incomparable` says why an answer on
    a copy could be compared with nothing: such a statement is not run there. `moment` is the
    function of the present moment that it calls, on which its answer depends. `unknown` are the
    functions that may be misspelt. `alone` are the tables that it reads without those that inherit
    from them: no copy can tell these rows from the others.
    """

    query: Query
    dialect: str
    reason: str
    footprint: Footprint
    uncopied: tuple[str, ...] = ()
    incomparable: str = ""
    moment: str = ""
    unknown: tuple[UnknownFunction, ...] = ()
    alone: tuple[str, ...] = ()

    @property
    def tables(self) -> frozenset[str]:
        """Return the base tables that it reads."""
        return self.footprint.tables

    @property
    def server(self) -> str:
        """Return which servers can run it."""
        return SERVERS[self.dialect]
