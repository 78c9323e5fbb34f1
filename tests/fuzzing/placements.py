"""Placements and routings of a statement, as `place` finds them and drawn at random."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.analysis.analysis import Analysis
from advisor.analysis.analyze import analyzed
from advisor.analysis.load_catalog import FoundCatalog
from advisor.pipeline import prepare
from advisor.project.config import load_project
from advisor.project.project import Project
from benchmarks.random_plans import Placement, random_placement, random_routing
from evaluation.spark.combining import Combine
from placement.plan import RoutedFragment
from placement.problem import PlacementProblem
from placement.routing.routing import route
from placement.stores import FULL_SQL
from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.workload import Query, Workload

PROJECT = Path(__file__).parents[2] / "conf" / "duckdb.toml"
_SCANNED = {
    "acc": {"kind": "accumulo", "embedded": True},
    "mem": {"kind": "objects", "embedded": True},
}
NAME = "q"
COMBINE: tuple[Combine, ...] = ("automatic", "spark")


@dataclass(frozen=True, slots=True, kw_only=True)
class Routed:
    """One way to run a statement: where its tables are, what runs which part, who combines them."""

    placement: Placement
    routing: tuple[RoutedFragment, ...]
    combine: Combine = "automatic"

    def told(self) -> str:
        """Return it in a line."""
        tables = ", ".join(f"{table} in {'+'.join(held)}" for table, held in self.placement.items())
        parts = ", ".join(
            f"{each.fragment.kind.value} {each.fragment.name} in {each.store}"
            for each in self.routing
        )
        return f"{tables} | {parts} | {self.combine}"


def project(*, skip_invalid: bool = False) -> Project:
    """Return a project with a store of each kind: pg, maria, duck, acc and mem.

    With `skip_invalid` statements that are refused are left out.
    """
    return load_project(PROJECT, {"stores": _SCANNED, "workload": {"skip_invalid": skip_invalid}})


def analysis_of(sql: str, catalog: Catalog, of: Project, dialect: str = "duckdb") -> Analysis:
    """Analyse one statement as `analyze` does.

    Raises:
        AdvisorError: It is refused, with the reason.
    """
    return analysis_of_all({NAME: sql}, catalog, of, dialect)


def analysis_of_all(
    statements: Mapping[str, str], catalog: Catalog, of: Project, dialect: str = "duckdb"
) -> Analysis:
    """Analyse statements by their names as one workload.

    Raises:
        AdvisorError: One is refused, with the reason, and `of` does not leave such ones out.
    """
    queries = tuple(
        Query(name=name, sql=sql, origin="fuzz.sql") for name, sql in statements.items()
    )
    workload = Workload(name="fuzz", dialect=dialect, queries=queries)
    return analyzed(of, workload, FoundCatalog(catalog=catalog), Silent(), generate_s=0.0)


def any_store_runs_all(problem: PlacementProblem) -> PlacementProblem:
    """Return the problem with stores that lack nothing, for cuts that the model never makes."""
    stores = tuple(
        replace(store, lacks=frozenset(), capabilities=FULL_SQL) for store in problem.stores
    )
    return replace(problem, stores=stores)


def routings(analysis: Analysis, of: Project, seed: int, count: int) -> Iterator[Routed]:
    """Yield ways to run the statement: the cost model's own, and random exact covers."""
    problem = prepare(of, analysis).problem
    name = analysis.workload.queries[0].name
    for number in range(count):
        placement = random_placement(problem, seed * 1000 + number)
        if number == 0:
            combine = COMBINE[seed % 2]
            routing = route(problem, placement)[name]
            yield Routed(placement=placement, routing=routing, combine=combine)
        else:
            yield random_one(problem, placement, seed * 1000 + number)


def random_one(problem: PlacementProblem, placement: Placement, seed: int) -> Routed:
    """Return a random exact cover of the statement on a placement."""
    routing = random_routing(problem, problem.queries[0], placement, seed)
    return Routed(placement=placement, routing=routing, combine=COMBINE[seed % 2])
