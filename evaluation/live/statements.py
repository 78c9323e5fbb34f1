"""A store's statement statistics as a workload."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from evaluation.store_protocol.connection import Connection
from workloads.counting.counting import Counting
from workloads.counting.facts import UNKNOWN, Facts
from workloads.counting.filters import Left
from workloads.counting.seen import Seen
from workloads.errors import ConfigurationError
from workloads.search_path import SearchPath
from workloads.workload import Query, Skipped, Workload

_DIGITS = 8
_NO_WORK = frozenset({"own", "dump", "load", "catalog"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """A statement of a store's statistics, read from `origin`, in the store's dialect.

    `hidden` says why the store does not show all of it, if so, and `left` why it is no work of the
    users' of the database that is read. `schema` is the one that tables without a schema are in,
    where the store tells it, and `path` where its session looked for them.
    """

    origin: str
    sql: str
    executions: float
    latency_s: float
    hidden: str = ""
    schema: str = ""
    path: SearchPath | None = None
    facts: Facts = UNKNOWN
    left: Left | None = None


def _name(statement: Remembered, taken: set[str]) -> str:
    """Return a name that the statement has again in the next command, as it does not tell its rank.

    It is added to `taken`; of statements that the store numbers alike each has a name of its own.
    """
    key = f"{statement.origin}\0{statement.schema}"
    plain = f"s_{sha256(key.encode()).hexdigest()[:_DIGITS]}"
    name, number = plain, 1
    while name in taken:
        number += 1
        name = f"{plain}_{number}"
    taken.add(name)
    return name


def counted_there(counting: Counting, connection: Connection, schema: str | None) -> Counting:
    """Return what counts in a store: its copies do not, unless their `schema` is asked for."""
    own = () if schema == connection.namespace else (*counting.namespaces, connection.namespace)
    return replace(counting, namespaces=own)


def gathered(
    connection: Connection,
    dialect: str,
    statements: Iterable[Remembered],
    counting: Counting,
    source: str,
) -> Workload:
    """Return the statements that count as a workload; the others are skipped, with counts.

    `source` is what remembers them: it lacks the facts that they do not have.

    Raises:
        ConfigurationError: There is none.
    """
    queries: list[Query] = []
    names: set[str] = set()
    skipped: list[Skipped] = []
    seen = Seen()
    # Of one reason one record.
    uncounted: dict[Left, list[Remembered]] = {}
    for each in statements:
        left = each.left or counting.left_out(each.sql, each.facts, each.latency_s, seen, source)
        if left is not None:
            uncounted.setdefault(left, []).append(each)
        elif each.hidden:
            skipped.append(
                Skipped(
                    source=each.origin,
                    line=1,
                    reason=each.hidden,
                    kind="unrecorded",
                    executions=each.executions,
                )
            )
        else:
            queries.append(_query(each, _name(each, names), dialect))
    skipped += _left_out(connection, uncounted)
    if not queries and all(each.kind in _NO_WORK for each in skipped):
        raise ConfigurationError(
            f"Store '{connection.store}' remembers no statement yet: run the workload there "
            "first, and read it before its statistics are reset."
        )
    return Workload(
        name=connection.store,
        dialect=dialect,
        queries=tuple(queries),
        skipped=tuple(skipped),
        seen=seen,
    )


def _query(each: Remembered, name: str, dialect: str) -> Query:
    return Query(
        name=name,
        sql=each.sql,
        origin=each.origin,
        executions=each.executions,
        latency_s=each.latency_s,
        schema=each.schema,
        path=each.path,
        system=dialect,
    )


def _left_out(
    connection: Connection, uncounted: Mapping[Left, Sequence[Remembered]]
) -> Iterator[Skipped]:
    for (kind, reason), several in uncounted.items():
        yield Skipped(
            source=connection.store,
            line=1,
            reason=reason,
            kind=kind,
            executions=sum(each.executions for each in several),
            statements=len(several),
        )
