"""Footprints of statements over the shop of `tests.catalogs`, and the edges of their graph."""

from tests.catalogs import shop
from workloads.access_graph import access_graph
from workloads.footprint import Block, Footprint
from workloads.sql import footprint
from workloads.workload import Query

PAIR = "customer.c_id", "orders.o_customer"


def of(
    sql: str, dialect: str = "duckdb", executions: float = 1.0, name: str | None = None
) -> Footprint:
    """Return the footprint of a query, which is called as its text if `name` is None."""
    query = Query(name=name or sql, sql=sql, origin="q.sql", executions=executions)
    return footprint(query, shop(), dialect)


def only(found: Footprint) -> Block:
    (block,) = found.blocks
    return block


def edges(sql: str, dialect: str = "duckdb") -> set[tuple[str, str, str]]:
    found = access_graph([of(sql, dialect)]).joins
    return {(edge.left, edge.right, edge.kind) for edge in found}
