"""A store's statement statistics as a workload."""

from collections.abc import Iterable
from dataclasses import dataclass

from evaluation.store_protocol.connection import Connection
from workloads.errors import ConfigurationError
from workloads.workload import Query, Skipped, Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """A statement of a store's statistics, read from `origin`, in the store's dialect.

    `hidden` says why the store does not show all of it, if so. `schema` is the one that tables
    without a schema are in, where the store tells it.
    """

    origin: str
    sql: str
    executions: float
    latency_s: float
    hidden: str = ""
    schema: str = ""


def gathered(connection: Connection, dialect: str, statements: Iterable[Remembered]) -> Workload:
    """Return the statements as a workload; those that are not shown are skipped, with counts.

    Raises:
        ConfigurationError: There is none.
    """
    queries: list[Query] = []
    skipped: list[Skipped] = []
    for each in statements:
        if each.hidden:
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
            queries.append(
                Query(
                    name=f"s{len(queries) + 1}",
                    sql=each.sql,
                    origin=each.origin,
                    executions=each.executions,
                    latency_s=each.latency_s,
                    schema=each.schema,
                )
            )
    if not queries and not skipped:
        raise ConfigurationError(
            f"Store '{connection.store}' remembers no statement yet: run the workload there "
            "first, and read it before its statistics are reset."
        )
    return Workload(
        name=connection.store, dialect=dialect, queries=tuple(queries), skipped=tuple(skipped)
    )
