"""Statements, and the literals that are found for their parameters."""

from collections.abc import Sequence

from workloads.catalog import Catalog
from workloads.literals.filling import Filled, Filling, fill
from workloads.progress import Silent
from workloads.sql.statements import Understood, understand
from workloads.workload import Query, Workload


def asked(*statements: str, of_server: bool = False) -> tuple[Query, ...]:
    return tuple(
        Query(name=f"s{n}", sql=sql, origin=f"server/{n}", latency_s=0.1 if of_server else None)
        for n, sql in enumerate(statements, start=1)
    )


def filling(
    catalog: Catalog, dialect: str, queries: Sequence[Query], seed: int = 0
) -> tuple[Understood, Filling]:
    whole = Workload(name="w", dialect=dialect, queries=tuple(queries))
    read = understand(whole, catalog, Silent())
    assert [each.reason for each in read.skipped] == []
    passed = read.passed_through
    found = fill(read.workload, read.footprints, passed, read.catalog, Silent(), seed=seed)
    return read, found


def filled(catalog: Catalog, dialect: str, sql: str) -> Filled:
    _, found = filling(catalog, dialect, asked(sql))
    assert found.unfilled == {}
    return found.filled["s1"]
