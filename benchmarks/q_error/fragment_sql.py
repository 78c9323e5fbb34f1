"""Every fragment of a workload with its own SQL, as it would be sent to a store."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.federation.compile import Compiler
from evaluation.federation.store_dialect import StoreDialect
from evaluation.kinds import KINDS
from evaluation.store_protocol.connection import NAMESPACE
from placement.fragment import Fragment
from placement.fragments.enumeration import enumerate_fragments
from placement.plan import RoutedFragment
from workloads.catalog import Catalog
from workloads.errors import SqlError
from workloads.estimation.cardinality import Estimator
from workloads.sql import footprint
from workloads.workload import Workload

MOST_SOURCES = 6
_DIALECTS = {
    "duckdb": StoreDialect(dialect="duckdb", namespace=""),
    "postgres": replace(KINDS["postgresql"].dialect(NAMESPACE), lacks=frozenset()),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FragmentSql:
    """A fragment by the name that `placement.fragments.enumeration.Fragment` gives it, and its SQL.

    `sql_postgres` is empty where PostgreSQL's dialect cannot say it, which `reason` then tells.
    """

    query: str
    fragment: str
    kind: str
    block: str
    sources: int
    sql_duckdb: str
    sql_postgres: str
    reason: str = ""


def every_fragment(workload: Workload, catalog: Catalog) -> Iterator[FragmentSql]:
    """Yield each fragment that has at most `MOST_SOURCES` sources below it."""
    compilers = {
        name: Compiler(workload, catalog, {"store": dialect}) for name, dialect in _DIALECTS.items()
    }
    for query in workload.queries:
        found = footprint(query, catalog, workload.dialect)
        for fragment in enumerate_fragments(found, Estimator(catalog, found)):
            if len(fragment.sources) <= MOST_SOURCES:
                yield _with_sql(fragment, compilers)


def _with_sql(fragment: Fragment, compilers: dict[str, Compiler]) -> FragmentSql:
    routed = RoutedFragment(fragment=fragment, store="store", predicted_s=0.0)
    texts, reason = {}, ""
    for name, compiler in compilers.items():
        try:
            texts[name] = compiler.fragment_sql(fragment.query, routed)
        except SqlError as error:
            texts[name], reason = "", str(error)
    return FragmentSql(
        query=fragment.query,
        fragment=fragment.name,
        kind=fragment.kind.value,
        block=fragment.coverage.block,
        sources=len(fragment.sources),
        sql_duckdb=texts["duckdb"],
        sql_postgres=texts["postgres"],
        reason=reason,
    )


def stamp(folder: Path, scale_factor: float) -> Path:
    """Return the file that says what the answers in `folder` were asked."""
    return folder / f"q_error_postgresql_sf{scale_factor:g}.sha256"


def asked(fragments: Sequence[FragmentSql]) -> str:
    """Return a digest of the statements that PostgreSQL is asked about."""
    texts = "".join(f"{each.fragment}\n{each.sql_postgres}\n" for each in fragments)
    return hashlib.sha256(texts.encode()).hexdigest()
