"""What a project file says of one store, and what it may say of its kind."""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, StringConstraints

from advisor.amounts import Amount, Positive
from advisor.sizes import Capacity, parse_capacity
from evaluation.connection import NAMESPACE, Connection
from placement.stores import Prices, Strength
from workloads.errors import ConfigurationError


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreKind:
    """What a project file may say of a kind of store: a server's port and database, or a file.

    `servers` are the embedded ones of a kind that has several, the first unless another is named.
    """

    port: int | None = None
    database: str | None = None
    servers: tuple[str, ...] = ()

    @property
    def is_file(self) -> bool:
        """Whether the store is a file and no server."""
        return self.port is None


SOURCE = "project file"
"""Where a `Strength` is from that a project file has changed."""

STORE_KINDS: Mapping[str, StoreKind] = {
    "postgresql": StoreKind(port=5432, database="postgres"),
    "mysql": StoreKind(port=3306, servers=("mariadb", "mysql8")),
    "duckdb": StoreKind(),
}


def _capacity(value: object) -> object:
    return value if isinstance(value, Capacity) else parse_capacity(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceSettings:
    """What a store costs in money, in one currency for all stores; see `Prices`."""

    storage_gb_month: Amount = 0.0
    transfer_gb: Amount = 0.0

    def prices(self) -> Prices:
        """Return them as the model takes them."""
        return Prices(storage_gb_month=self.storage_gb_month, transfer_gb=self.transfer_gb)


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthSettings:
    """The rates of `Strength` that the user knows of a store; None leaves the kind's own."""

    columnar: Annotated[bool, Field(strict=True)] | None = None
    repeats_ctes: Annotated[bool, Field(strict=True)] | None = None
    start_s: Amount | None = None
    scan_bytes_per_s: Positive | None = None
    join_rows_per_s: Positive | None = None
    aggregate_rows_per_s: Positive | None = None
    transfer_bytes_per_s: Positive | None = None
    transfer_rows_per_s: Positive | None = None
    round_trip_s: Amount | None = None
    write_start_s: Amount | None = None
    write_rows_per_s: Positive | None = None
    load_bytes_per_s: Positive | None = None

    def instead_of(self, strength: Strength) -> Strength:
        """Return `strength` with the rates that are known here."""
        known = {name: rate for name, rate in asdict(self).items() if rate is not None}
        return replace(strength, **known, source=SOURCE) if known else strength


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSettings:
    """One store: embedded, a server the user has, or a file. `capacity` None is unlimited.

    `server` names the embedded one where its kind has several; None is the first of them. What a
    server of the user's is, it says itself. `password_env` names the environment variable that
    holds the password. `namespace` is the schema or database that holds the advisor's tables and
    nothing else. `prices` and `strength` are the store's own where the kind's defaults do not hold.
    """

    name: str
    kind: str
    embedded: bool = False
    server: str | None = None
    capacity: Annotated[Capacity, BeforeValidator(_capacity)] | None = None
    host: str | None = None
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    database: str | None = None
    user: str | None = None
    password_env: str | None = None
    path: Path | None = None
    namespace: Annotated[str, StringConstraints(min_length=1, max_length=63)] = NAMESPACE
    prices: PriceSettings = PriceSettings()
    strength: StrengthSettings = StrengthSettings()

    @property
    def other_server(self) -> str | None:
        """The name of the embedded server where it is not its kind's first."""
        return self.server if self.server not in STORE_KINDS[self.kind].servers[:1] else None

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
