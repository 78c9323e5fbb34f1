"""A published benchmark as DuckDB generates it: queries and data, neither in this repository."""

import fcntl
import math
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import duckdb

from workloads.benchmarks.generator import Generator
from workloads.catalog import Catalog, ForeignKey, Table
from workloads.duck import connect, literal, quoted
from workloads.errors import CatalogError, ConfigurationError, SetUpError
from workloads.measuring.manifest import mark, read
from workloads.measuring.measured import measured
from workloads.measuring.table_files import TableFiles
from workloads.progress import Progress
from workloads.workload import Query, Workload

_MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """A benchmark: its generator, keys, and what its specification says of scale factor 1.

    `keys` holds every table's primary key; `references` maps the ending of a column's name to the
    table and the key that it refers to, `composite_keys` a table to its foreign key of several
    columns. `rows` are those at scale factor 1, `known_deviations` those of DuckDB's generator
    where it is known not to follow the specification. `former_names` maps a table to what its
    columns were called in earlier versions of the specification. `disk_bytes` is what generating
    scale factor 1 takes.
    """

    generator: Generator
    last_query: int
    keys: Mapping[str, tuple[str, ...]]
    references: Mapping[str, tuple[str, str]]
    composite_keys: Mapping[str, ForeignKey]
    rows: Mapping[str, int]
    disk_bytes: int
    known_deviations: Mapping[str, int] = field(default_factory=dict)
    former_names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the name in project files: ``tpcds``."""
        return self.generator.extension

    @property
    def title(self) -> str:
        """Return the published name: ``TPC-DS``."""
        return self.generator.title

    def queries(self, numbers: Iterable[int] | Literal["all"] = "all") -> Workload:
        """Return the queries with these numbers, from 1 on, named ``q1``, ``q2``, ….

        Raises:
            ConfigurationError: A number that no query has, or none at all.
            SetUpError: DuckDB's extension is missing.
        """
        with self.generator.connect(f"reading {self.title} queries") as connection:
            rows = connection.execute(f"SELECT query_nr, query FROM {self.name}_queries()")  # noqa: S608 - ours
            texts = dict(rows.fetchall())
        wanted = sorted(texts) if numbers == "all" else list(dict.fromkeys(numbers))
        unknown = [number for number in wanted if number not in texts]
        if unknown or not wanted:
            raise ConfigurationError(
                f"{self.title} has no query {', '.join(map(str, unknown)) or 'in an empty list'}:"
                f' take numbers from 1 to {len(texts)}, or "all".'
            )
        return Workload(
            name=self.name,
            dialect="duckdb",
            queries=tuple(
                Query(
                    name=f"q{number}",
                    sql=_statement(texts[number]),
                    origin=f"{self.name} q{number}",
                )
                for number in wanted
            ),
        )

    def catalog_name(self, scale_factor: float) -> str:
        """Return the name of the catalog of this scale factor."""
        return f"{self.name}-sf{scale_factor:g}"

    def generate(self, scale_factor: float, folder: Path, progress: Progress) -> Catalog:
        """Return the data of this scale factor in `folder`, generated only where not there yet.

        Raises:
            ConfigurationError: The scale factor is not a positive number.
            CatalogError: The data differ from the specification other than is known.
            SetUpError: Memory or disk ran out, or the extension is missing.
        """
        if not (math.isfinite(scale_factor) and scale_factor > 0):
            raise ConfigurationError(f"Scale factor {scale_factor} is not a positive number.")
        target = folder / self.name / f"sf{scale_factor:g}"
        catalog = self._complete(scale_factor, target)
        if catalog is not None:
            return catalog
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with _locked(target, progress):
                # Another process may have generated it while we waited for the lock.
                catalog = self._complete(scale_factor, target)
                if catalog is None:
                    self._generate(scale_factor, target, progress)
                    catalog = self._complete(scale_factor, target)
        except OSError as error:
            raise SetUpError(
                f"{target} cannot be written ({error.strerror}):"
                " free space or permit writing there, or choose another cache folder."
            ) from error
        if catalog is None:
            raise CatalogError(f"{target} was changed while it was generated: run again.")
        return catalog

    def row_count_deviations(self, catalog: Catalog) -> Mapping[str, tuple[int, int]]:
        """Return table → (specified, actual) rows where they differ.

        Only scale factor 1 is compared; for others the mapping is empty.
        """
        if catalog.name != self.catalog_name(1):
            return {}
        actual = {name: table.rows for name, table in catalog.tables.items()}
        return {
            name: (rows, actual.get(name, 0))
            for name, rows in self.rows.items()
            if actual.get(name, 0) != rows
        }

    def _complete(self, scale_factor: float, target: Path) -> Catalog | None:
        """Return the catalog if all that was generated is there, unchanged, as we now make it."""
        manifest = read(target / _MANIFEST)
        if manifest is None or manifest.versions != versions():
            return None
        tables = {}
        for name, entry in manifest.entries.items():
            parquet = target / f"{name}.parquet"
            known = entry.files[parquet.name]
            if not parquet.is_file() or mark(parquet, known).sha256 != known.sha256:
                return None
            keys = self._foreign_keys(entry.table)
            tables[name] = replace(
                entry.table,
                parquet=parquet,
                foreign_keys=keys,
                former_names=self.former_names.get(name, {}),
            )
        return Catalog(name=self.catalog_name(scale_factor), tables=tables)

    def _foreign_keys(self, table: Table) -> tuple[ForeignKey, ...]:
        single = (
            ForeignKey(columns=(column.name,), table=referred, references=(key,))
            for column in table.columns
            for ending, (referred, key) in self.references.items()
            if column.name.endswith(ending) and referred != table.name
        )
        composite = self.composite_keys.get(table.name)
        return (*single, *(() if composite is None else (composite,)))

    def _generate(self, scale_factor: float, target: Path, progress: Progress) -> None:
        """Make `target` in one step: all is done in a folder beside it that is then renamed."""
        partial = target.with_name(f".{target.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        self._refuse_small_disk(scale_factor, target.parent)
        partial.mkdir()
        try:
            self._write_parquet(scale_factor, partial, progress)
            sources = tuple(
                TableFiles(
                    name=name,
                    parquet=partial / f"{name}.parquet",
                    files=(partial / f"{name}.parquet",),
                    primary_key=key,
                )
                for name, key in sorted(self.keys.items())
            )
            tables = measured(sources, partial / _MANIFEST, progress, versions())
            self._refuse_deviations(Catalog(name=self.catalog_name(scale_factor), tables=tables))
            shutil.rmtree(target, ignore_errors=True)
            partial.rename(target)
        finally:
            shutil.rmtree(partial, ignore_errors=True)

    def _write_parquet(self, scale_factor: float, folder: Path, progress: Progress) -> None:
        """Write one file a table into `folder`."""
        database = folder / "generated.duckdb"
        work = self.generator.work(scale_factor)
        # The generator has no option to run it in steps: how far it is cannot be told.
        with progress.task(f"Generating {self.title} at scale factor {scale_factor:g}"):
            self.generator.generate_aside(scale_factor, database)
        with (
            progress.task("Writing Parquet", len(self.keys)) as task,
            connect(work, scratch=folder, database=database) as connection,
        ):
            for name in sorted(self.keys):
                file = literal(folder / f"{name}.parquet")
                connection.execute(f"COPY {quoted(name)} TO {file} (FORMAT parquet)")
                task.advance()
        database.unlink()

    def _refuse_small_disk(self, scale_factor: float, folder: Path) -> None:
        needed = self.disk_bytes * scale_factor
        free = shutil.disk_usage(folder).free
        if free < needed:
            raise SetUpError(
                f"{self.title} at scale factor {scale_factor:g} needs about {needed / 1e9:.1f} GB"
                f" in {folder}, which has {free / 1e9:.1f} GB free: free space, choose another"
                " cache folder, or take a smaller scale factor."
            )

    def _refuse_deviations(self, catalog: Catalog) -> None:
        for name, (specified, actual) in self.row_count_deviations(catalog).items():
            if self.known_deviations.get(name) != actual:
                raise CatalogError(
                    f"Table '{name}' was generated with {actual:,} rows where the {self.title}"
                    f" specification has {specified:,}: this version of DuckDB"
                    f" ({duckdb.__version__}) cannot be used."
                )


def versions() -> dict[str, str]:
    """Return what made the data: with another version they are made anew."""
    return {"duckdb": duckdb.__version__}


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


def _statement(text: str) -> str:
    return text.strip().removesuffix(";").rstrip()
