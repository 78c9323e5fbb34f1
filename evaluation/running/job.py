"""All that an evaluation needs to know, in a form that can be handed to another process."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from evaluation.measuring.literals import LiteralSource
from evaluation.spark.combining import Combine
from evaluation.spark.joins import JoinStrategy
from evaluation.spark.settings import Executors
from evaluation.store_protocol.connection import SILENCE_S, Connection
from placement.costs import DEFAULT_COSTS, CostModel
from placement.machines import Machines
from placement.stores import Store
from workloads.adapters import adapter
from workloads.catalog import Catalog
from workloads.errors import ConfigurationError
from workloads.workload import Query, Workload

EngineName = Literal["fragments", "spark-native", "trino"]
OURS: EngineName = "fragments"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrinoConnection:
    """A Trino that has the stores as catalogs of their names. The password never shows in `repr`.

    `password_env` names the environment variable that the password came from. One that is silent
    for `silence_s` though it owes an answer has failed. `ca` is the file (PEM) of the authority of
    its certificate; None: one that Python's `requests` knows.
    """

    url: str
    user: str
    password: str | None = field(default=None, repr=False)
    password_env: str | None = None
    silence_s: float = SILENCE_S
    ca: Path | None = None

    @property
    def verify(self) -> str | bool:
        """Against whom `requests` verifies its certificate."""
        return True if self.ca is None else str(self.ca)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedStatement:
    """A statement that is passed through to `store`, as long as that has copies of `tables`.

    `dialect` is sqlglot's name of its SQL. `incomparable` says why it is not run on copies, if so.
    """

    query: Query
    dialect: str
    tables: tuple[str, ...]
    store: str
    incomparable: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenLiterals:
    """The query called `query`, whose parameters nobody recorded, with several sets of literals.

    `source` is where they are from. Without sets `reason` says why there are none.
    """

    query: str
    source: LiteralSource | None = None
    sets: tuple[Query, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A workload on a catalog, the stores to evaluate it on, and how.

    `scale_factor` is None for data that has none. `connections` maps store → connection. `trino`
    is there where `engine` needs it. `executors` are asked of a cluster. A candidate has at most
    `repeats` rounds, with `all_repeats` as many (see `evaluation.measuring.rounds`). `stores` and
    `costs` are those that the plans were priced with: a query that loses a store is routed again
    by the same prices. Without them the defaults of the kinds are taken. `literals` are those of
    the statements that have parameters without a value. `clients` are the numbers of clients that
    run the workload at once, after the rounds; what they share of `machines` predicts their
    throughput. So many engines are `sharing` the driver's memory: those of clients. `combine` says
    who combines small queries (`evaluation.spark.combining`).
    """

    workload: Workload
    catalog: Catalog
    connections: Mapping[str, Connection]
    scale_factor: float | None = None
    repeats: int = 3
    all_repeats: bool = False
    query_timeout_s: float = 120.0
    fetch_size: int = 10_000
    seed: int = 0
    master: str = "local[*]"
    driver_memory: str = "2g"
    executors: Executors = field(default_factory=Executors)
    join_strategy: JoinStrategy = "automatic"
    combine: Combine = "automatic"
    engine: EngineName = OURS
    trino: TrinoConnection | None = None
    stores: tuple[Store, ...] = ()
    costs: CostModel = DEFAULT_COSTS
    passed_through: tuple[HostedStatement, ...] = ()
    literals: tuple[GivenLiterals, ...] = ()
    clients: tuple[int, ...] = ()
    sharing: int = 1
    machines: Machines | None = None


def write_job(job: Job) -> str:
    """Return the job as JSON, without passwords: they stay in their variable or file."""
    bare = {
        name: replace(connection, password=None, tls=replace(connection.tls, key_password=None))
        for name, connection in job.connections.items()
    }
    trino = None if job.trino is None else replace(job.trino, password=None)
    bare_job = replace(job, connections=bare, trino=trino)
    return adapter(Job).dump_json(bare_job, indent=2).decode()


def read_job(path: Path) -> Job:
    """Read a job and find its passwords again.

    Raises:
        ConfigurationError: The file is missing or not a job, or a password cannot be found.
    """
    try:
        job = adapter(Job).validate_json(path.read_bytes())
    except OSError as error:
        raise ConfigurationError(f"Cannot read the job '{path}': {error.strerror}.") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigurationError(
            f"'{path}' is not a job: {where}: {first['msg']}. Make one with 'advisor export'."
        ) from error
    found = {name: _with_passwords(connection) for name, connection in job.connections.items()}
    return replace(job, connections=found, trino=_trino_with_password(job.trino))


def _trino_with_password(trino: TrinoConnection | None) -> TrinoConnection | None:
    if trino is None or trino.password_env is None:
        return trino
    password = os.environ.get(trino.password_env)
    if password is None:
        raise ConfigurationError(
            f"Trino takes its password from the environment variable {trino.password_env}, which "
            "is not set."
        )
    return replace(trino, password=password)


def _with_passwords(connection: Connection) -> Connection:
    """Return it with its own password and that of its key."""
    tls = connection.tls
    if tls.key_password_env is not None:
        password = _variable(connection, tls.key_password_env, "key's password")
        connection = replace(connection, tls=replace(tls, key_password=password))
    if connection.password_env is not None:
        password = _variable(connection, connection.password_env, "password")
        return replace(connection, password=password)
    if connection.password_file is not None:
        try:
            password = connection.password_file.read_text().strip()
        except OSError as error:
            raise ConfigurationError(
                f"Store '{connection.store}' keeps its password in {connection.password_file}: "
                f"{error.strerror}. Start it with 'advisor stores up'."
            ) from error
        if not password:
            raise ConfigurationError(
                f"Store '{connection.store}' keeps its password in {connection.password_file}, "
                "which is empty: 'advisor stores up' says the way out."
            )
        return replace(connection, password=password)
    return connection


def _variable(connection: Connection, name: str, secret: str) -> str:
    found = os.environ.get(name)
    if found is None:
        raise ConfigurationError(
            f"Store '{connection.store}' takes its {secret} from the environment variable {name}, "
            "which is not set."
        )
    return found
