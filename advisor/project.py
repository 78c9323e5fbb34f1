"""What a project file says, as validated frozen types. `advisor.config` reads it."""

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, StringConstraints

from advisor.sizes import Capacity, parse_capacity
from evaluation.connection import NAMESPACE, Connection
from placement.problem import Constraints
from workloads.errors import ConfigurationError

TPCDS = "tpcds"
DEFAULT_SCALE_FACTOR = 0.1
LAST_TPCDS_QUERY = 99


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreKind:
    """What a project file may say of a kind of store: a server's port and database, or a file."""

    port: int | None = None
    database: str | None = None

    @property
    def is_file(self) -> bool:
        """Whether the store is a file and no server."""
        return self.port is None


STORE_KINDS: Mapping[str, StoreKind] = {
    "postgresql": StoreKind(port=5432, database="postgres"),
    "mysql": StoreKind(port=3306),
    "duckdb": StoreKind(),
}


def _as_tuple(value: object) -> object:
    return (value,) if isinstance(value, str) else value


def _query_name(value: object) -> object:
    """Return ``q9`` for 9 and '9': TPC-DS queries are named so."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return value
    return f"q{value}" if re.fullmatch(r"\d+[a-z]?", str(value)) else value


def _query_names(value: object) -> object:
    if value == "all":
        return None
    return tuple(_query_name(v) for v in value) if isinstance(value, list | tuple) else value


def _capacity(value: object) -> object:
    return value if isinstance(value, Capacity) else parse_capacity(value)


Names = Annotated[tuple[str, ...], BeforeValidator(_as_tuple), Field(min_length=1)]
StoresOfTable = Mapping[str, Annotated[frozenset[str], BeforeValidator(_as_tuple)]]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadSettings:
    """Where the statements come from: TPC-DS, or files and folders in one SQL dialect.

    `queries` None takes all of them. `source` holds absolute paths, or ``tpcds`` alone.
    """

    source: Names
    dialect: str = "duckdb"
    queries: Annotated[tuple[str, ...] | None, BeforeValidator(_query_names)] = None

    @property
    def is_tpcds(self) -> bool:
        """Whether the queries are TPC-DS's own."""
        return self.source == (TPCDS,)

    @property
    def paths(self) -> tuple[Path, ...]:
        """Return the files and folders of statements; none for TPC-DS."""
        return () if self.is_tpcds else tuple(Path(path) for path in self.source)


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogSettings:
    """Where the data is: generated TPC-DS at a scale factor, or a folder of Parquet."""

    source: str
    scale_factor: Annotated[float, Field(gt=0, le=1000)] | None = None

    @property
    def is_tpcds(self) -> bool:
        """Whether the data is generated."""
        return self.source == TPCDS

    @property
    def path(self) -> Path | None:
        """Return the folder of Parquet; None for TPC-DS."""
        return None if self.is_tpcds else Path(self.source)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSettings:
    """One store: embedded, a server the user has, or a file. `capacity` None is unlimited.

    `password_env` names the environment variable that holds the password. `namespace` is the
    schema or database that holds the advisor's tables and nothing else.
    """

    name: str
    kind: str
    embedded: bool = False
    capacity: Annotated[Capacity, BeforeValidator(_capacity)] | None = None
    host: str | None = None
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    database: str | None = None
    user: str | None = None
    password_env: str | None = None
    path: Path | None = None
    namespace: Annotated[str, StringConstraints(min_length=1, max_length=63)] = NAMESPACE

    def connection(self) -> Connection:
        """Return how to reach a store that is not embedded, its password from the environment.

        Raises:
            ConfigurationError: The variable named by `password_env` is not set.
        """
        if self.embedded:
            raise ValueError(f"store {self.name} is embedded: its server says how to reach it")
        return Connection(
            store=self.name,
            kind=self.kind,
            host=self.host,
            port=self.port,
            database=self.database,
            user=self.user,
            password=self._password(),
            password_env=self.password_env,
            path=self.path,
            namespace=self.namespace,
        )

    def _password(self) -> str | None:
        if self.password_env is None:
            return None
        if self.password_env not in os.environ:
            raise ConfigurationError(
                f"Store '{self.name}' takes its password from the environment variable "
                f"{self.password_env}, which is not set: export {self.password_env}=… first."
            )
        return os.environ[self.password_env]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintSettings:
    """Tables that must, or must not, be in the stores named."""

    pin: StoresOfTable = field(default_factory=dict)
    exclude: StoresOfTable = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceSettings:
    """Which candidates to make, and how long the solver may take for one."""

    strategies: Names = (
        "single_store",
        "naive",
        "proximity",
        "paper_partition_1",
        "paper_partition_2",
        "optimal",
    )
    max_copies: Annotated[int, Field(ge=1)] = 1
    time_limit_s: Annotated[float, Field(gt=0)] = 60.0
    seed: Annotated[int, Field(ge=0)] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateSettings:
    """How candidates are measured. `master` and `driver_memory` are Spark's own spellings.

    `references` says whether candidates that break a capacity are loaded and measured too.
    """

    repeats: Annotated[int, Field(ge=1, le=1000)] = 3
    query_timeout_s: Annotated[float, Field(gt=0)] = 120.0
    fetch_size: Annotated[int, Field(ge=1)] = 10_000
    references: bool = True
    seed: Annotated[int, Field(ge=0)] = 0
    master: str = "local[*]"
    driver_memory: Annotated[str, StringConstraints(pattern=r"^[1-9]\d*[mg]$")] = "2g"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackingSettings:
    """Where MLflow keeps its runs: `uri` None is a SQLite file in the project's folder."""

    uri: str | None = None
    experiment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A validated project file. Every path in it is absolute."""

    file: Path
    workload: WorkloadSettings
    catalog: CatalogSettings
    stores: tuple[StoreSettings, ...]
    tables: ConstraintSettings
    place: PlaceSettings
    evaluate: EvaluateSettings
    tracking: TrackingSettings

    @property
    def name(self) -> str:
        """Return the file's name without its ending."""
        return self.file.stem

    @property
    def folder(self) -> Path:
        """Return the folder of the project's embedded stores, tracked runs and reports."""
        from evaluation.servers.cache import cache_folder

        digest = hashlib.sha256(str(self.file).encode()).hexdigest()[:8]
        return cache_folder() / "projects" / f"{self.name}-{digest}"

    @property
    def constraints(self) -> Constraints:
        """Return what a placement must respect beside capacities."""
        return Constraints(
            pin=self.tables.pin, exclude=self.tables.exclude, max_copies=self.place.max_copies
        )

    @property
    def tracking_uri(self) -> str:
        """Return MLflow's tracking URI."""
        return self.tracking.uri or f"sqlite:///{self.folder / 'tracking.db'}"

    @property
    def experiment(self) -> str:
        """Return MLflow's experiment: the project's name unless the file names another."""
        return self.tracking.experiment or self.name

    @property
    def artifacts_folder(self) -> Path:
        """Return the folder of MLflow's artifacts."""
        return self.folder / "artifacts"

    def capacities_bytes(self, catalog_bytes: int) -> Mapping[str, int | None]:
        """Return store → capacity for a catalog of `catalog_bytes`; None is unlimited."""
        return {
            store.name: None if store.capacity is None else store.capacity.bytes(catalog_bytes)
            for store in self.stores
        }

    def own_connections(self) -> Mapping[str, Connection]:
        """Return store → connection for the stores that are not embedded.

        Raises:
            ConfigurationError: The variable of a password is not set.
        """
        return {store.name: store.connection() for store in self.stores if not store.embedded}

    def secrets(self) -> frozenset[str]:
        """Return the passwords of all stores, never to be recorded: given ones and generated."""
        named = (store.password_env for store in self.stores if store.password_env)
        given = {os.environ[name] for name in named if os.environ.get(name)}
        made = {file.read_text().strip() for file in self.folder.glob("*/password")}
        return frozenset(given | made)
