"""The work of a command: what it has read and when, and what it is about to write where."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from advisor.figures import factor, listed
from advisor.measuring.contradicted_rates import ContradictedRates
from advisor.planned.measured_runs import REPORTS
from advisor.project.project import Project
from advisor.project.source_settings import STORE_PREFIX
from advisor.project.store_settings import StoreSettings
from workloads.cache import cache_folder


def work_lines(
    project: Project, begun: datetime, files: Iterable[Path | None] = ()
) -> Sequence[str]:
    """Tell what was read, and which files will be written; None is one that is not asked for.

    `begun` is when reading began, in UTC.
    """
    named = [str(each) for each in files if each is not None]
    written = listed([*named, f"what is kept in {cache_folder()}"])
    return _read(project, begun), f"Writes {written}, and nothing into any store."


def loading_lines(project: Project, begun: datetime, report: Path | None) -> Sequence[str]:
    """Tell what a run has read, which stores get copies, and where its measurements go."""
    live = [each.name for each in project.stores if each.is_live]
    copies = [_place(each) for each in project.stores if not each.is_live]
    stores = f"copies into {listed(copies)}" if copies else "no copy, as every store is only read"
    only = f" Only reads {listed(live)}." if live else ""
    page = project.folder / REPORTS if report is None else report / "report.html"
    tracking = project.tracking.uri or str(project.folder / "tracking.db")
    rounds = project.evaluate.repeats
    measures = (
        f"Runs the workload up to {rounds} times for each candidate; writes {page} and MLflow's "
        f"{tracking}."
    )
    copied = f"Writes {stores}, where they are needed and not there yet.{only}"
    return _read(project, begun, rows=bool(live)), copied, measures


def first_rates_line(asked: Project, contradicted: ContradictedRates | None = None) -> str:
    """Tell that a run measures rates first, and which stores of `asked` get tables for it.

    The reason is that there are none, or that those that there are are `contradicted`.
    """
    written = f", on some of TPC-H in {_stores(asked)}, dropped again" if asked.stores else ""
    return (
        f"{_reason(contradicted)}: measures them quickly first{written} (--no-quick-rates "
        "leaves it out)."
    )


def _reason(contradicted: ContradictedRates | None) -> str:
    if contradicted is None:
        return "No rates were measured yet by this version"
    made = contradicted.started_at[:16].replace("T", " ")
    return (
        f"A run took {factor(contradicted.factor)} times the seconds predicted by the rates of "
        f"{made}"
    )


def calibration_lines(
    asked: Project, live: Iterable[str], folder: Path, *, quick: bool = False
) -> Sequence[str]:
    """Tell which stores of `asked` get tables to measure on, and where their rates go.

    The `live` ones get none; of these a `quick` calibration reads some.
    """
    stores = _stores(asked) if asked.stores else "no store"
    names = list(live)
    does = "Reads small tables of" if quick else "Leaves out"
    only = f" {does} {listed(names)}, where nothing is written." if names else ""
    scale_factor = asked.catalog.scale_factor or 0.0
    tables = "some of TPC-H" if quick else "TPC-H"
    if quick and not asked.stores:
        return (f"Writes rates into {folder}.{only}",)
    told = (
        f"Writes {tables} at scale factor {scale_factor:g} into {stores}, and drops it again; "
        f"writes rates into {folder}.{only}"
    )
    return (told,)


def _stores(asked: Project) -> str:
    return listed([_place(each) for each in asked.stores])


def _read(project: Project, begun: datetime, *, rows: bool = False) -> str:
    statements = listed(list(_sources(project, project.workload.source)))
    tables = listed(list(_sources(project, project.catalog.source)))
    more = ", and the rows of live tables that are used" if rows else ""
    return (
        f"Read at {begun:%Y-%m-%d %H:%M:%S} UTC: statements of {statements}; tables of "
        f"{tables}{more}."
    )


def _sources(project: Project, sources: Iterable[str]) -> Iterator[str]:
    for each in sources:
        if each.startswith(STORE_PREFIX):
            name = each.removeprefix(STORE_PREFIX)
            yield f"{name} ({_address(project.store(name))})"
        else:
            yield _shortest(each)


def _shortest(source: str) -> str:
    """Return a path below the working folder without it."""
    path = Path(source)
    here = Path.cwd()
    return str(path.relative_to(here)) if path != here and path.is_relative_to(here) else source


def _address(store: StoreSettings) -> str:
    if store.embedded:
        return "embedded"
    if store.path is not None:
        return _shortest(str(store.path))
    if isinstance(store.nodes, tuple):
        return ", ".join(store.nodes)
    host = f"[{store.host}]" if ":" in (store.host or "") else store.host
    return f"{host}:{store.port}"


def _place(store: StoreSettings) -> str:
    """Return where a store's copies are."""
    schema = f"{store.namespace} at " if store.host is not None else ""
    return f"{store.name} ({schema}{_address(store)})"
