"""Settings of one [stores.NAME] section, and those that its kind allows.

The password of a store is read here, from the environment, when a connection is asked for.
"""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from advisor.project.amounts import Amount, Positive
from advisor.project.sizes import Capacity, parse_capacity
from advisor.project.source_settings import OptionalNames
from evaluation.kinds import KINDS
from evaluation.store_protocol.connection import NAMESPACE, SILENCE_S, Connection
from evaluation.store_protocol.tls import Tls, TlsMode
from placement.stores import Prices, Strength
from workloads.errors import ConfigurationError

SOURCE = "project file"
"""The source of a `Strength` that a project file has changed."""
# Bytes in memory for a byte of the catalog, at most: a decimal takes 16 in Arrow.
_MEMORY_FOR_CAPACITY = 3


def _capacity(value: object) -> object:
    return value if isinstance(value, Capacity) else parse_capacity(value)


def _nodes(value: object) -> object:
    """Read how many nodes there are, or their addresses."""
    many = isinstance(value, int) and not isinstance(value, bool) and value > 0
    listed = isinstance(value, list) and value and all(_is_address(each) for each in value)
    if not (many or listed):
        raise ValueError("write how many embedded nodes, or a list of 'host:port' of your own")
    return tuple(value) if isinstance(value, list) else value


def _is_address(value: object) -> bool:
    host, _, port = str(value).rpartition(":")
    return isinstance(value, str) and bool(host) and port.isdigit() and is_host(host)


def _host(value: str) -> str:
    """Read a host, or several of Accumulo's with commas between them."""
    if not all(is_host(each.strip()) for each in value.split(",")):
        raise ValueError("write the name of a host, or its address")
    return value


def is_host(text: str) -> bool:
    """Whether a network's names can be such: a part of one has 63 characters at most."""
    try:
        text.encode("idna")
    except UnicodeError:
        return False
    return "\0" not in text


def _memory(value: object) -> object:
    if isinstance(value, int):
        return value
    size = parse_capacity(value).size_bytes
    if size is None:
        raise ValueError("write a size such as '2 GiB'")
    return size


def _movable(value: object) -> object:
    """Read whether all tables may be elsewhere, or the names of those that may."""
    listed = isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
    if not (isinstance(value, bool) or listed):
        raise ValueError("write true, or a list of names of tables")
    return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceSettings:
    """Prices of a store, in one currency for all stores; see `Prices`."""

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
    clustered: Annotated[bool, Field(strict=True)] | None = None
    start_s: Amount | None = None
    scan_bytes_per_s: Positive | None = None
    scan_rows_per_s: Positive | None = None
    scan_values_per_s: Positive | None = None
    join_rows_per_s: Positive | None = None
    aggregate_rows_per_s: Positive | None = None
    transfer_bytes_per_s: Positive | None = None
    transfer_rows_per_s: Positive | None = None
    transfer_decimals_per_s: Positive | None = None
    driver_rows_per_s: Positive | None = None
    round_trip_s: Amount | None = None
    write_start_s: Amount | None = None
    write_rows_per_s: Positive | None = None
    load_bytes_per_s: Positive | None = None
    kept_bytes: Positive | None = None
    missed_bytes_per_s: Positive | None = None
    pool_bytes: Positive | None = None
    missed_pages_per_s: Positive | None = None
    index_rows_per_s: Positive | None = None
    conditions_per_s: Positive | None = None

    def instead_of(self, strength: Strength) -> Strength:
        """Return `strength` with the rates that are known here."""
        known = {name: rate for name, rate in asdict(self).items() if rate is not None}
        if not known:
            return strength
        round_trip_s = known.pop("round_trip_s", None)
        if round_trip_s is not None:
            strength = strength.with_round_trip(round_trip_s)
        return replace(strength, **known, source=SOURCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSettings:
    """One store: embedded, a server the user has, or a file. `capacity` None is unlimited.

    `server` names the embedded one where its kind has several; None is the first of them. What a
    server of the user's is, it says itself. `password_env` names the environment variable that
    holds the password. `namespace` is the schema or database that holds the advisor's tables and
    nothing else. `nodes` are addresses of nodes, or how many embedded ones there are, which hold
    `memory` bytes together. `prices` and `strength` are the store's own where the kind's defaults
    do not hold. `options` are those of its kind. `silence_s` is [evaluate]'s unless it is given
    here. `cores` are those of its host, where that is another machine. One that is `optional` is
    left out of the project unless it is asked for.
    `tls` and the keys below it are as in `Tls`. Of `tables` that are "live" those of its `schemas`,
    or of all, are copies that exist; it is only read. They stay there unless they are `movable`, or
    named in it. `snapshot` bounds the bytes that are read of them.
    """

    name: str
    kind: str
    optional: Annotated[bool, Field(strict=True)] = False
    embedded: bool = False
    server: str | None = None
    capacity: Annotated[Capacity, BeforeValidator(_capacity)] | None = None
    host: Annotated[str, AfterValidator(_host)] | None = None
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    database: str | None = None
    user: str | None = None
    password_env: str | None = None
    path: Path | None = None
    nodes: Annotated[int | tuple[str, ...], BeforeValidator(_nodes)] | None = None
    memory: Annotated[int, BeforeValidator(_memory)] | None = None
    namespace: Annotated[str, StringConstraints(min_length=1, max_length=63)] = NAMESPACE
    prices: PriceSettings = PriceSettings()
    strength: StrengthSettings = StrengthSettings()
    options: Mapping[str, str] = field(default_factory=dict)
    silence_s: Annotated[float, Field(gt=0)] = SILENCE_S
    cores: Annotated[int, Field(ge=1, le=10_000, strict=True)] | None = None
    tls: TlsMode = "prefer"
    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    key_password_env: str | None = None
    tables: Literal["copies", "live"] = "copies"
    schemas: OptionalNames = ()
    movable: Annotated[bool | tuple[str, ...], BeforeValidator(_movable)] = False
    read_only: Annotated[bool, Field(strict=True)] | None = None
    snapshot: Annotated[int, BeforeValidator(_memory)] = 20 << 30

    @property
    def is_live(self) -> bool:
        """Whether it has tables of its own and no copies."""
        return self.tables == "live"

    @property
    def node_count(self) -> int | None:
        """The number of embedded nodes that are asked for."""
        return self.nodes if isinstance(self.nodes, int) else None

    @property
    def memory_bytes(self) -> int | None:
        """Return the bytes that embedded nodes hold: as given, else the capacity; None: open."""
        if self.memory is not None or self.capacity is None or self.capacity.size_bytes is None:
            return self.memory
        return _MEMORY_FOR_CAPACITY * self.capacity.size_bytes

    @property
    def other_server(self) -> str | None:
        """The name of the embedded server where it is not its kind's first."""
        return self.server if self.server in KINDS[self.kind].others else None

    def connection(self) -> Connection:
        """Return how to reach a store that is not embedded, its password from the environment.

        Raises:
            ConfigurationError: A variable named by `password_env` or `key_password_env` is not set.
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
            password=self._secret(self.password_env, "password"),
            password_env=self.password_env,
            path=self.path,
            nodes=self.nodes if isinstance(self.nodes, tuple) else (),
            namespace=self.namespace,
            options=self.options,
            silence_s=self.silence_s,
            tls=Tls(
                mode=self.tls,
                ca=self.ca,
                certificate=self.certificate,
                key=self.key,
                key_password=self._secret(self.key_password_env, "key's password"),
                key_password_env=self.key_password_env,
            ),
            read_only=self.is_live,
        )

    def _secret(self, variable: str | None, secret: str) -> str | None:
        if variable is None:
            return None
        if variable not in os.environ:
            raise ConfigurationError(
                f"Store '{self.name}' takes its {secret} from the environment variable "
                f"{variable}, which is not set: export {variable}=… first."
            )
        return os.environ[variable]
