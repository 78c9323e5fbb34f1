"""Settings of [workload] and [catalog]: the source of each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field

from advisor.project.amounts import Amount, Positive
from workloads.counting.facts import moment_of
from workloads.counting.filters import Filters
from workloads.sources.benchmarks import BENCHMARKS
from workloads.sources.buckets import BUCKET_PREFIX

DEFAULT_SCALE_FACTOR = 0.1
STORE_PREFIX = "stores."
_PARQUET = ".[pP][aA][rR][qQ][uU][eE][tT]"


def _as_tuple(value: object) -> object:
    return (value,) if isinstance(value, str | Path) else value


def _query_names(value: object) -> object:
    """Return the names of queries as text: a number may be written without quotes."""
    if value == "all":
        return None
    if not isinstance(value, list | tuple):
        return value
    return tuple(str(v) if isinstance(v, int) and not isinstance(v, bool) else v for v in value)


def _moment(value: object) -> datetime:
    """Return a time of TOML, or in a text as ISO 8601 has it."""
    found = moment_of(value) if isinstance(value, str | date) else None
    if found is None:
        raise ValueError("this is no time such as 2025-05-01 or 2025-05-01 08:00:00+02:00")
    return found


Moment = Annotated[datetime, BeforeValidator(_moment)]
Names = Annotated[tuple[str, ...], BeforeValidator(_as_tuple), Field(min_length=1)]


OptionalNames = Annotated[tuple[str, ...], BeforeValidator(_as_tuple)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """Sources: ``tpcds`` or ``tpch`` alone, or else ``stores.NAME``, buckets and absolute paths.

    `schema` is one schema (or database of MySQL) of a store; None means all of the users' own.
    """

    source: Names
    schema: str | None = None

    @property
    def benchmark(self) -> str | None:
        """Return the name of the benchmark, if it is one."""
        first = self.source[0]
        return first if len(self.source) == 1 and first in BENCHMARKS else None

    @property
    def stores(self) -> tuple[str, ...]:
        """Return the names of the live stores."""
        named = (each for each in self.source if each.startswith(STORE_PREFIX))
        return tuple(each.removeprefix(STORE_PREFIX) for each in named)

    @property
    def paths(self) -> tuple[Path, ...]:
        """Return the files and folders."""
        if self.benchmark is not None:
            return ()
        named = (STORE_PREFIX, BUCKET_PREFIX)
        return tuple(Path(each) for each in self.source if not each.startswith(named))


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadSettings(_Source):
    """The source of the statements, and the ones that count.

    `dialect` None is detected; `queries` None takes all. `frequencies` is a file of executions by
    query. `skip_invalid` leaves out what is not understood instead of stopping. `period_days` is
    the period that the executions are of. `search_path` are the schemas where a table without a
    schema is looked for, in this order, if several have one that is called so; `search_paths` are
    those of some sources. `user` to `longest_s` are filters (see
    `workloads.counting.filters.Filters`).
    """

    dialect: str | None = None
    queries: Annotated[tuple[str, ...] | None, BeforeValidator(_query_names)] = None
    frequencies: Path | None = None
    skip_invalid: bool = False
    period_days: Positive = 30.0
    search_path: OptionalNames = ()
    search_paths: Mapping[str, OptionalNames] = field(default_factory=dict)
    user: OptionalNames = ()
    database: OptionalNames = ()
    application: OptionalNames = ()
    since: Moment | None = None
    until: Moment | None = None
    shortest_s: Amount | None = None
    longest_s: Amount | None = None

    def searched_by(self, source: str) -> tuple[str, ...]:
        """Return the search path of a source, () where the project names none for it."""
        return tuple(self.search_paths.get(source, self.search_path))

    @property
    def filters(self) -> Filters | None:
        """Return the filters; None if none is set."""
        filters = Filters(
            user=self.user,
            database=self.database,
            application=self.application,
            since=self.since,
            until=self.until,
            shortest_s=self.shortest_s,
            longest_s=self.longest_s,
        )
        return filters if any(filters.written()) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogSettings(_Source):
    """The source of the tables: generated, or folders of Parquet or DDL, and live stores.

    `rows` is a file of row counts by table and `dialect` (None is detected) the SQL, both of DDL.
    """

    scale_factor: Annotated[float, Field(gt=0, le=1000)] | None = None
    rows: Path | None = None
    dialect: str | None = None

    @property
    def buckets(self) -> tuple[str, ...]:
        """Return the folders in object storage, as ``s3://bucket/folder``."""
        return tuple(each for each in self.source if each.startswith(BUCKET_PREFIX))

    @property
    def is_parquet(self) -> bool:
        """Whether it is one folder of Parquet, and no DDL."""
        return len(self.paths) == 1 and holds_parquet(self.paths[0])


def holds_parquet(path: Path) -> bool:
    """Whether `path` is a folder with Parquet, or one without any SQL in it."""
    return path.is_dir() and (has_parquet(path) or not _holds_sql(path))


def has_parquet(folder: Path) -> bool:
    """Whether there are files of Parquet where a catalog's are."""
    return any(any(folder.glob(f"{each}{_PARQUET}")) for each in ("*", "*/*", "*/*=*/**/*"))


def _holds_sql(folder: Path) -> bool:
    return next(folder.rglob("*.[sS][qQ][lL]"), None) is not None
