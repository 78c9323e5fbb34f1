"""TPC-DS as DuckDB generates it: queries and data, neither of which lies in this repository."""

import fcntl
import math
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal

import duckdb

from workloads.catalog import Catalog
from workloads.dsdgen import connect_tpcds, generate_aside
from workloads.duck import connect, literal, quoted
from workloads.errors import CatalogError, ConfigurationError, SetUpError
from workloads.manifest import mark, read
from workloads.progress import Progress
from workloads.statistics import TableFiles, measured
from workloads.workload import Query, Workload

SPECIFICATION_ROWS: Mapping[str, int] = {
    "call_center": 6, "catalog_page": 11_718, "catalog_returns": 144_067,
    "catalog_sales": 1_441_548, "customer": 100_000, "customer_address": 50_000,
    "customer_demographics": 1_920_800, "date_dim": 73_049, "household_demographics": 7_200,
    "income_band": 20, "inventory": 11_745_000, "item": 18_000, "promotion": 300, "reason": 35,
    "ship_mode": 20, "store": 12, "store_returns": 287_514, "store_sales": 2_880_404,
    "time_dim": 86_400, "warehouse": 5, "web_page": 60, "web_returns": 71_763,
    "web_sales": 719_384, "web_site": 30,
}  # fmt: skip
"""Rows at scale factor 1 (TPC-DS specification 3.2.0, table 3-2)."""

KNOWN_DEVIATIONS: Mapping[str, int] = {"store_returns": 287_867, "web_returns": 71_654}
"""Rows at scale factor 1 where DuckDB's generator is known not to follow the specification."""

_DISK_BYTES_PER_SCALE_FACTOR = 1_400_000_000
_MANIFEST = "manifest.json"


def queries(numbers: Iterable[int] | Literal["all"] = "all") -> Workload:
    """Return the queries with these numbers (1 to 99), named ``q1`` to ``q99``.

    Raises:
        ConfigurationError: A number that no query has, or none at all.
        SetUpError: DuckDB's tpcds extension is missing.
    """
    with connect_tpcds("reading TPC-DS queries") as connection:
        texts = dict(connection.execute("SELECT query_nr, query FROM tpcds_queries()").fetchall())
    wanted = sorted(texts) if numbers == "all" else list(dict.fromkeys(numbers))
    unknown = [number for number in wanted if number not in texts]
    if unknown or not wanted:
        raise ConfigurationError(
            f"TPC-DS has no query {', '.join(map(str, unknown)) or 'in an empty list'}:"
            f' take numbers from 1 to {len(texts)}, or "all".'
        )
    return Workload(
        name="tpcds",
        dialect="duckdb",
        queries=tuple(
            Query(name=f"q{number}", sql=_statement(texts[number]), origin=f"tpcds q{number}")
            for number in wanted
        ),
    )


def catalog_name(scale_factor: float) -> str:
    """Return the name of the catalog of this scale factor."""
    return f"tpcds-sf{scale_factor:g}"


def generate(scale_factor: float, folder: Path, progress: Progress) -> Catalog:
    """Return TPC-DS of this scale factor in `folder`, generating it only where it is not there.

    Raises:
        ConfigurationError: The scale factor is not a positive number.
        CatalogError: The data differ from the specification other than is known.
        SetUpError: Memory or disk ran out, or the tpcds extension is missing.
    """
    if not (math.isfinite(scale_factor) and scale_factor > 0):
        raise ConfigurationError(f"Scale factor {scale_factor} is not a positive number.")
    target = folder / "tpcds" / f"sf{scale_factor:g}"
    catalog = _complete(scale_factor, target)
    if catalog is not None:
        return catalog
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _locked(target, progress):
            # Another process may have generated it while we waited for the lock.
            catalog = _complete(scale_factor, target)
            if catalog is None:
                _generate(scale_factor, target, progress)
                catalog = _complete(scale_factor, target)
    except OSError as error:
        raise SetUpError(
            f"{target} cannot be written ({error.strerror}):"
            " free space or permit writing there, or choose another cache folder."
        ) from error
    if catalog is None:
        raise CatalogError(f"{target} was changed while it was generated: run again.")
    return catalog


def row_count_deviations(catalog: Catalog) -> Mapping[str, tuple[int, int]]:
    """Return table → (specified, actual) rows where they differ.

    Only scale factor 1 is compared; for others the mapping is empty.
    """
    if catalog.name != catalog_name(1):
        return {}
    actual = {name: table.rows for name, table in catalog.tables.items()}
    return {
        name: (rows, actual.get(name, 0))
        for name, rows in SPECIFICATION_ROWS.items()
        if actual.get(name, 0) != rows
    }


def _complete(scale_factor: float, target: Path) -> Catalog | None:
    """Return the catalog if all that was generated is there, unchanged, and still what we make."""
    manifest = read(target / _MANIFEST)
    if manifest is None or manifest.versions != _versions():
        return None
    tables = {}
    for name, entry in manifest.entries.items():
        parquet = target / f"{name}.parquet"
        known = entry.files[parquet.name]
        if not parquet.is_file() or mark(parquet, known).sha256 != known.sha256:
            return None
        tables[name] = replace(entry.table, parquet=parquet)
    return Catalog(name=catalog_name(scale_factor), tables=tables)


def _generate(scale_factor: float, target: Path, progress: Progress) -> None:
    """Make `target` in one step: all work is done in a folder beside it that is then renamed."""
    partial = target.with_name(f".{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    _refuse_small_disk(scale_factor, target.parent)
    partial.mkdir()
    try:
        keys = _write_parquet(scale_factor, partial, progress)
        sources = tuple(
            TableFiles(
                name=name,
                parquet=partial / f"{name}.parquet",
                files=(partial / f"{name}.parquet",),
                primary_key=key,
            )
            for name, key in keys.items()
        )
        tables = measured(sources, partial / _MANIFEST, progress, _versions())
        _refuse_deviations(Catalog(name=catalog_name(scale_factor), tables=tables))
        shutil.rmtree(target, ignore_errors=True)
        partial.rename(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _write_parquet(
    scale_factor: float, folder: Path, progress: Progress
) -> dict[str, tuple[str, ...]]:
    """Write one file a table into `folder` and return the tables with their primary keys."""
    database = folder / "generated.duckdb"
    work = f"generating TPC-DS at scale factor {scale_factor:g}"
    with connect_tpcds(work, scratch=folder) as connection:
        keys = _primary_keys(connection)
    # The generator has no option to run it in steps: how far it is cannot be told.
    with progress.task(f"Generating TPC-DS at scale factor {scale_factor:g}"):
        generate_aside(scale_factor, database)
    with (
        progress.task("Writing Parquet", len(keys)) as task,
        connect(work, scratch=folder, database=database) as connection,
    ):
        for name in keys:
            file = literal(folder / f"{name}.parquet")
            connection.execute(f"COPY {quoted(name)} TO {file} (FORMAT parquet)")
            task.advance()
    database.unlink()
    return keys


def _primary_keys(connection: duckdb.DuckDBPyConnection) -> dict[str, tuple[str, ...]]:
    connection.execute("CALL dsdgen(sf = 0, keys = true)")
    rows = connection.execute(
        "SELECT table_name, constraint_column_names FROM duckdb_tables()"
        " LEFT JOIN (FROM duckdb_constraints() WHERE constraint_type = 'PRIMARY KEY') AS keys"
        " USING (table_name) ORDER BY table_name"
    ).fetchall()
    return {name: tuple(columns or ()) for name, columns in rows}


def _refuse_small_disk(scale_factor: float, folder: Path) -> None:
    needed = _DISK_BYTES_PER_SCALE_FACTOR * scale_factor
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise SetUpError(
            f"TPC-DS at scale factor {scale_factor:g} needs about {needed / 1e9:.1f} GB in"
            f" {folder}, which has {free / 1e9:.1f} GB free: free space, choose another cache"
            " folder, or take a smaller scale factor."
        )


def _refuse_deviations(catalog: Catalog) -> None:
    for name, (specified, actual) in row_count_deviations(catalog).items():
        if KNOWN_DEVIATIONS.get(name) != actual:
            raise CatalogError(
                f"Table '{name}' was generated with {actual:,} rows where the TPC-DS specification"
                f" has {specified:,}: this version of DuckDB ({duckdb.__version__}) cannot be used."
            )


@contextmanager
def _locked(target: Path, progress: Progress) -> Iterator[None]:
    """Let one process at a time generate `target`; the lock ends with its process."""
    with target.with_name(f".{target.name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with progress.task(f"Waiting for another process that generates {target}"):
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _versions() -> dict[str, str]:
    return {"duckdb": duckdb.__version__}


def _statement(text: str) -> str:
    return text.strip().removesuffix(";").rstrip()
