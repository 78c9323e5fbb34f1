"""The changes that `what-if` is asked for, made to a problem."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from advisor.analysis.analysis import Analysis
from advisor.analysis.analyze import analyze
from advisor.commands.what_if_options import Changes
from advisor.commands.what_if_workload import (
    with_executions,
    with_queries,
    without_ceilings,
    without_query,
)
from advisor.planned.planned import Planned
from advisor.problem.problem import placement_problem
from advisor.problem.rates import Rates
from advisor.project.project import Project
from advisor.project.project_file import refuse_unknown
from advisor.project.query_names import query_name
from advisor.project.sizes import parse_capacity
from advisor.project.source_settings import WorkloadSettings
from advisor.project.store_settings import StoreSettings
from evaluation.kinds import KINDS
from placement.problem import PlacementProblem
from placement.reasons.variations import (
    ENGINE,
    ENGINE_RATES,
    PRICES,
    STORE_RATES,
    rate_of,
    with_capacity,
    with_max_copies,
    with_price,
    with_rate,
    with_store,
    without_store,
)
from placement.routing.refitted import corrected
from workloads.copied_indexes import copies_bytes
from workloads.errors import ConfigurationError
from workloads.paths import expanded, is_there
from workloads.progress import Progress

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """The problem with everything changed that was asked for, and each change in words."""

    problem: PlacementProblem
    changes: tuple[str, ...]


def changed(given: Planned, asked: Changes, progress: Progress) -> Changed:
    """Return what the changes make of the problem: queries first, then stores, then their figures.

    Raises:
        ConfigurationError: An option names what there is not, or cannot be read.
    """
    said: list[str] = []
    analysis, project = _workload(given, asked, progress, said)
    problem = placement_problem(project, analysis, given.rates).with_indexes(given.plan.indexes)
    problem = corrected(problem, given.problem.costs.corrections)
    for text in asked.add_store:
        problem = _added(project, analysis, given.rates, problem, text)
        said.append(f"with store {text}")
    for name in asked.without_store:
        refuse_unknown("store", name, _stores(problem), "--without-store")
        problem = without_store(problem, name)
        said.append(f"without store {name}")
    if not problem.stores:
        raise ConfigurationError("--without-store leaves no store: keep at least one.")
    readers = (
        ("capacity", partial(_capacity, copies_bytes(analysis.catalog))),
        ("price", _price),
        ("rate", _rate),
    )
    for option, reader in readers:
        for text in getattr(asked, option):
            problem = reader(problem, text)
            said.append(f"{option} {text}")
    if asked.max_copies is not None:
        if asked.max_copies < 1:
            raise ConfigurationError("--max-copies: a table is in at least 1 store.")
        problem = with_max_copies(problem, asked.max_copies)
        said.append(f"max_copies {asked.max_copies}")
    return Changed(problem=problem, changes=tuple(said))


def _workload(
    given: Planned, asked: Changes, progress: Progress, said: list[str]
) -> tuple[Analysis, Project]:
    analysis, project = given.analysis, given.project
    for path in asked.add_query:
        analysis = with_queries(analysis, _analyzed(project, path, progress), path)
        said.append(f"with the statements of {path}")
    for text in asked.without_query:
        name = query_name(text, _statements(analysis), "--without-query")
        analysis = without_query(analysis, name)
        project = without_ceilings(project, {name})
        said.append(f"without query {name}")
    for text in asked.executions:
        name, value = _split("--executions", text, "q9=100")
        name = query_name(name, _statements(analysis), "--executions")
        analysis = with_executions(analysis, name, _number("--executions", text, value))
        said.append(f"executions {text}")
    return analysis, project


def _statements(analysis: Analysis) -> list[str]:
    return [each.query for each in analysis.statements_read]


def _analyzed(project: Project, path: str, progress: Progress) -> Analysis:
    """Analyse the statements of a file over the project's catalog, in the project's SQL."""
    file = expanded(path).resolve()
    if not is_there(file):
        raise ConfigurationError(f"--add-query {path}: there is no such file.")
    settings = WorkloadSettings(
        source=(str(file),),
        dialect=project.workload.dialect,
        skip_invalid=project.workload.skip_invalid,
    )
    return analyze(replace(project, workload=settings), progress)


def _added(
    project: Project, analysis: Analysis, rates: Rates, problem: PlacementProblem, text: str
) -> PlacementProblem:
    """Add a store with the rates of its kind: ``lake=duckdb:20%``."""
    option = "--add-store"
    name, value = _split(option, text, "lake=duckdb:20%")
    kind, _, size = value.partition(":")
    if name in (*_stores(problem), ENGINE):
        raise ConfigurationError(f"{option} {text}: there is a store '{name}' already.")
    refuse_unknown("kind of store", kind, KINDS, option)
    capacity = None
    if size:
        capacity = _read(option, text, lambda: parse_capacity(size))
    settings = StoreSettings(name=name, kind=kind, embedded=True, capacity=capacity)
    both = placement_problem(
        replace(project, stores=(*project.stores, settings)), analysis, rates.with_store(settings)
    )
    unheld = {t: why[name] for t, why in both.constraints.unheld.items() if name in why}
    return with_store(problem, both.store(name), unheld)


def _capacity(catalog_bytes: int, problem: PlacementProblem, text: str) -> PlacementProblem:
    name, value = _split("--capacity", text, "pg=80%")
    refuse_unknown("store", name, _stores(problem), "--capacity")
    if value == "none":
        return with_capacity(problem, name, None)
    size = _read("--capacity", text, lambda: parse_capacity(value))
    return with_capacity(problem, name, size.bytes(catalog_bytes))


def _price(problem: PlacementProblem, text: str) -> PlacementProblem:
    named, value = _split("--price", text, "pg.storage_gb_month=0.2")
    store, _, price = named.partition(".")
    refuse_unknown("store", store, _stores(problem), "--price")
    refuse_unknown("price", price, PRICES, "--price")
    return with_price(problem, store, price, _number("--price", text, value))


def _rate(problem: PlacementProblem, text: str) -> PlacementProblem:
    """Set a rate, or multiply it: ``pg.scan_bytes_per_s=2x``."""
    named, value = _split("--rate", text, "pg.scan_bytes_per_s=2x")
    owner, _, rate = named.partition(".")
    refuse_unknown("store", owner, (*_stores(problem), ENGINE), "--rate")
    refuse_unknown("rate", rate, ENGINE_RATES if owner == ENGINE else STORE_RATES, "--rate")
    number = _number("--rate", text, value.removesuffix("x"))
    if value.endswith("x"):
        known = rate_of(problem, owner, rate)
        if known is None:
            raise ConfigurationError(
                f"--rate {text}: '{owner}' has no {rate} to multiply: give the rate itself."
            )
        number *= known
    if rate.endswith("_per_s") and number == 0:
        raise ConfigurationError(f"--rate {text}: a rate a second has to be above zero.")
    return with_rate(problem, owner, rate, number)


def _stores(problem: PlacementProblem) -> list[str]:
    return [store.name for store in problem.stores]


def _split(option: str, text: str, example: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise ConfigurationError(f"{option} {text}: write it as {option} {example}.")
    return name, value


def _number(option: str, text: str, value: str) -> float:
    number = _read(option, text, lambda: float(value), f"'{value}' is no number")
    if not (number >= 0 and math.isfinite(number)):
        raise ConfigurationError(f"{option} {text}: this must be a number of at least 0.")
    return number


def _read(option: str, text: str, read: Callable[[], T], reason: str = "") -> T:
    try:
        return read()
    except ValueError as error:
        raise ConfigurationError(f"{option} {text}: {reason or error}.") from None
