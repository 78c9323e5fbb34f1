"""Statements over the tables of `dialect_facts`, compiled for one store."""

from dataclasses import replace

from evaluation.federation.compile import Compiler
from evaluation.federation.store_dialect import StoreDialect
from evaluation.kinds import BACKENDS, KINDS
from placement.fragments.enumeration import enumerate_fragments
from placement.plan import RoutedFragment
from placement.stores import Capability, Store
from tests.data_fixtures import statement
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint
from workloads.workload import Workload


def compiler(facts: Catalog, sql: str, dialect: str, lacks: frozenset[str]) -> Compiler:
    return Compiler(
        Workload(name="w", dialect="duckdb", queries=(statement(sql),)),
        facts,
        {"store": replace(written_for(dialect), lacks=lacks)},
    )


def written_for(dialect: str) -> StoreDialect:
    kinds = (kind for kind in KINDS.values() if kind.backend.dialect == dialect)
    return next(kinds).dialect("ns")


def routed(facts: Catalog, sql: str, kind: Capability) -> list[RoutedFragment]:
    found = footprint(statement(sql), facts, "duckdb")
    return [
        RoutedFragment(fragment=each, store="store", predicted_s=0.0)
        for each in enumerate_fragments(found, Estimator(facts, found))
        if each.kind is kind
    ]


def bare(sql: str) -> str:
    return sql.replace('"', "").replace("`", "").replace("fact.", "").replace("fragment_0.", "")


def store(kind: str) -> Store:
    backend = BACKENDS[kind]
    return Store(name=kind, kind=kind, strength=backend.strength, lacks=backend.lacks)
