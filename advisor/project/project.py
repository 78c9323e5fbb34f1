"""The project: validated frozen types of a project file. `advisor.project.config` reads it."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from advisor.project.amounts import Positive
from advisor.project.clients import MOST_CLIENTS, Clients
from advisor.project.constraint_settings import ConstraintSettings
from advisor.project.constraint_settings import Names as StoreNames
from advisor.project.experiment_settings import ExperimentsSettings, Memory
from advisor.project.source_settings import CatalogSettings, Names, WorkloadSettings
from advisor.project.store_settings import StoreSettings
from evaluation.running.job import OURS, EngineName, TrinoConnection
from evaluation.spark.combining import Combine
from evaluation.spark.joins import JoinStrategy
from evaluation.spark.settings import Executors
from evaluation.store_protocol.connection import SILENCE_S, Connection
from evaluation.tracking.server_tls import ServerTls
from placement.problem import Objective
from workloads.errors import ConfigurationError
from workloads.indexes import NamedIndex
from workloads.problems import Problems

DEFAULT_STRATEGIES = ("single_store", "naive", "proximity", "optimal")
DEFAULT_CLIENTS = 4
TPCDS_STRATEGIES = ("paper_partition_1", "paper_partition_2")
"""Strategies of a paper that place TPC-DS by hand, and no other tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceSettings:
    """The candidates to make, their objective, and the solver's time limit.

    `current` is the placement that there is: a table that it lacks is in no store yet. A move
    from it pays back in `horizon` periods of the workload. `work_limit` None leaves the search to
    `time_limit_s`. `clients` are those that `throughput` places for; None: see
    `Project.clients_at_once`. `tune_transfers` says whether plans have fetch and message sizes of
    their own where a store's link is calibrated, `quick_rates` whether a run calibrates quickly
    before it places where all rates are defaults, or a run has contradicted quick ones. `indexes`
    are those of copies beside their primary keys: none, those of their source table, or with these
    the ones that pay.
    """

    strategies: Names = DEFAULT_STRATEGIES
    max_copies: Annotated[int, Field(ge=1)] = 1
    objective: Objective = "work"
    current: Mapping[str, StoreNames] = field(default_factory=dict)
    horizon: Positive = 1.0
    time_limit_s: Annotated[float, Field(gt=0)] = 60.0
    work_limit: Annotated[int, Field(ge=1, strict=True)] | None = None
    seed: Annotated[int, Field(ge=0)] = 0
    clients: Annotated[int, Field(ge=1, le=MOST_CLIENTS, strict=True)] | None = None
    tune_transfers: Annotated[bool, Field(strict=True)] = True
    indexes: Literal["none", "source", "advise"] = "source"
    quick_rates: Annotated[bool, Field(strict=True)] = True


@dataclass(frozen=True, slots=True, kw_only=True)
class TrinoSettings:
    """The Trino that the engine `trino` asks; it has every store as a catalog of its name.

    `password_env` names the environment variable that holds the password. `ca` is the file of the
    authority that signed its certificate.
    """

    url: Annotated[str, StringConstraints(pattern=r"^https?://[^/\s@]+/?$")]
    user: str = "advisor"
    password_env: str | None = None
    ca: Path | None = None

    def connection(self, silence_s: float = SILENCE_S) -> TrinoConnection:
        """Return how to reach it, its password from the environment.

        Raises:
            ConfigurationError: The variable named by `password_env` is not set, or `ca` is no file.
            RefusalsError: Both are so.
        """
        problems, name = Problems(), self.password_env
        if self.ca is not None and not self.ca.is_file():
            problems.add(
                ConfigurationError(
                    f"[evaluate.trino].ca = '{self.ca}' is no file: name that of the authority "
                    "(PEM)."
                )
            )
        if name is not None and name not in os.environ:
            problems.add(
                ConfigurationError(
                    f"Trino takes its password from the environment variable {name}, which is not "
                    f"set: export {name}=… first."
                )
            )
        problems.raise_any()
        return TrinoConnection(
            url=self.url,
            user=self.user,
            password=None if name is None else os.environ[name],
            password_env=name,
            silence_s=silence_s,
            ca=self.ca,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateSettings:
    """Settings of measurements. `master` and memories are Spark's own spellings.

    `repeats` are the most rounds of a candidate, and with `all_repeats` those of each.
    A server that owes an answer and is silent for `silence_s` is asked whether it still works.
    `references` says whether candidates that break a capacity are loaded and measured too.
    `clients` are numbers of clients that run the workload at once, after the rounds.
    `combine` is "spark" where DuckDB is not to combine small queries (`spark.combining`).
    `engine` answers the queries; `trino` is there where it is Trino. `workers` and what executors
    have are as in `Executors`.
    """

    repeats: Annotated[int, Field(ge=1, le=1000)] = 3
    all_repeats: Annotated[bool, Field(strict=True)] = False
    query_timeout_s: Annotated[float, Field(gt=0)] = 120.0
    silence_s: Annotated[float, Field(gt=0)] = SILENCE_S
    fetch_size: Annotated[int, Field(ge=1)] = 10_000
    references: bool = True
    clients: Clients = ()
    seed: Annotated[int, Field(ge=0)] = 0
    master: str = "local[*]"
    driver_memory: Memory = "2g"
    workers: Annotated[int, Field(ge=1, le=10_000, strict=True)] | None = None
    executor_cores: Annotated[int, Field(ge=1, le=1000, strict=True)] | None = None
    executor_memory: Memory | None = None
    join_strategy: JoinStrategy = "automatic"
    combine: Combine = "automatic"
    engine: EngineName = OURS
    trino: TrinoSettings | None = None

    @property
    def executors(self) -> Executors:
        """Return the executors that the project asks a cluster for."""
        return Executors(
            workers=self.workers, cores=self.executor_cores, memory=self.executor_memory
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackingSettings:
    """The tracking server of MLflow: `uri` None is a SQLite file in the project's folder.

    `ca`, `certificate` and `key` are as in `ServerTls`.
    """

    uri: str | None = None
    experiment: str | None = None
    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None

    @property
    def tls(self) -> ServerTls:
        """Return how its server is reached where the address begins with https."""
        return ServerTls(ca=self.ca, certificate=self.certificate, key=self.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A validated project file. Every path in it is absolute.

    `unmade` maps each default strategy that the stores leave out to the kind that they lack.
    `current_indexes` are those that are chosen for copies where `place.current` is a plan's file.
    """

    file: Path
    workload: WorkloadSettings
    catalog: CatalogSettings
    stores: tuple[StoreSettings, ...]
    constraints: ConstraintSettings
    place: PlaceSettings
    evaluate: EvaluateSettings
    tracking: TrackingSettings
    unmade: Mapping[str, str] = field(default_factory=dict)
    current_indexes: Mapping[str, tuple[NamedIndex, ...]] = field(default_factory=dict)
    experiments: ExperimentsSettings = field(default_factory=ExperimentsSettings)

    @property
    def name(self) -> str:
        """Return the file's name without its ending."""
        return self.file.stem

    @property
    def folder(self) -> Path:
        """Return the folder of the project's embedded stores, tracked runs and reports."""
        from workloads.cache import cache_folder

        digest = hashlib.sha256(os.fsencode(self.file)).hexdigest()[:8]
        return cache_folder() / "projects" / f"{self.name}-{digest}"

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

    @property
    def clients_at_once(self) -> int:
        """Return how many clients `throughput` places for: the most that are measured, or four."""
        return self.place.clients or max(self.evaluate.clients, default=DEFAULT_CLIENTS)

    def store(self, name: str) -> StoreSettings:
        """Return the store called `name`; KeyError where there is none."""
        for store in self.stores:
            if store.name == name:
                return store
        raise KeyError(name)

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
        """Return the passwords of all stores, never to be recorded: given ones and generated.

        Those of their keys are among them.
        """
        variables = ((each.password_env, each.key_password_env) for each in self.stores)
        named = {name for names in variables for name in names if name}
        if self.evaluate.trino is not None and self.evaluate.trino.password_env is not None:
            named.add(self.evaluate.trino.password_env)
        given = {os.environ[name] for name in named if os.environ.get(name)}
        made = {file.read_text().strip() for file in self.folder.glob("*/password")}
        return frozenset(given | made)
