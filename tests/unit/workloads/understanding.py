"""What is understood of statements over the shop."""

from collections.abc import Sequence

from tests.catalogs import shop
from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.sql.statements import Understood, understand
from workloads.workload import Query, Skipped, Workload


def understood(
    statements: Sequence[str] | str, dialect: str = "postgres", catalog: Catalog | None = None
) -> Understood:
    listed = [statements] if isinstance(statements, str) else statements
    queries = tuple(
        Query(name=f"s{line}", sql=sql, origin="w.sql", line=line, executions=float(line))
        for line, sql in enumerate(listed, start=1)
    )
    workload = Workload(name="w", dialect=dialect, queries=queries)
    return understand(workload, catalog or shop(), Silent())


def only_skipped(statements: Sequence[str] | str, dialect: str = "postgres") -> Skipped:
    found = understood(statements, dialect)
    assert (found.footprints, found.writes) == ((), ())
    (skipped,) = found.skipped
    return skipped
