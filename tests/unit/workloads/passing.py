"""Statements that are passed through, over copies of the shop."""

from dataclasses import replace
from pathlib import Path

from tests.catalogs import shop
from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.sql.statements import Understood, understand
from workloads.workload import Query, Workload

COPIES = {name: f'"copies"."{name}"' for name in ("orders", "customer", "item")}

JSONB = "SELECT c_id FROM customer WHERE c_name::jsonb ? 'vip'"


def with_data() -> Catalog:
    tables = {n: replace(t, parquet=Path(f"{n}.parquet")) for n, t in shop().tables.items()}
    return replace(shop(), tables=tables)


def query(sql: str, latency_s: float | None = None) -> Query:
    return Query(name="q", sql=sql, origin="q.sql", executions=3, latency_s=latency_s)


def read(sql: str, dialect: str = "postgres", catalog: Catalog | None = None) -> Understood:
    workload = Workload(name="w", dialect=dialect, queries=(query(sql),))
    return understand(workload, catalog or with_data(), Silent())
