"""Stores as catalogs of a Trino: the properties files that it reads at its start."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from evaluation.kinds import KINDS
from evaluation.kinds.kind import Product, StoreKind, TrinoTls
from evaluation.store_protocol.connection import Connection
from workloads.errors import ConfigurationError

_CATALOG = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrinoCatalog:
    """One store as a file of Trino's ``etc/catalog``; `text` holds no password.

    `variable` is the environment variable that Trino takes the password from, None without one.
    `password_file` holds the password where the store is an embedded server's. `needs_plugin` tells
    that the connector is ours (`evaluation.installation.trino_plugin`).
    """

    file_name: str
    text: str
    variable: str | None = None
    password_file: Path | None = None
    needs_plugin: bool = False


def trino_catalog(
    connection: Connection, *, product: Product | None = None, mixed_case: bool = False
) -> TrinoCatalog:
    """Return the store as a catalog of its name.

    `product` is what the store is, which Trino's connector depends on; None: the first of its
    kind. With `mixed_case` Trino asks the store for the spelling of names: it knows small letters
    alone.

    Raises:
        ConfigurationError: The store's name cannot be that of a catalog, or Trino has no connector
            for its kind.
    """
    kind = KINDS[connection.kind]
    product = product or kind.product(None)
    if product.trino is None:
        raise ConfigurationError(
            f"Store '{connection.store}' cannot be a catalog of Trino, which has no connector for "
            f"kind '{connection.kind}': leave the store out of the project that is exported."
        )
    if not _CATALOG.fullmatch(connection.store):
        raise ConfigurationError(
            f"Store '{connection.store}' cannot be a catalog of Trino, whose names consist of "
            "small letters, digits and '_': call it otherwise in [stores]."
        )
    variable = _password_variable(connection)
    password = None if variable is None else f"${{ENV:{variable}}}"
    properties: Mapping[str, str | None]
    if product.trino_options is not None:
        if connection.tls.certificate is not None:
            raise _untold(connection, "no certificate of its own")
        # It finds names by their small letters.
        own = {"connector.name": product.trino, **product.trino_options(connection)}
        properties = {**own, "password": password}
    else:
        properties = {
            **_address(connection, kind, product, product.trino),
            "connection-password": password,
            "case-insensitive-name-matching": "true" if mixed_case else None,
        }
    return TrinoCatalog(
        file_name=f"{connection.store}.properties",
        text="".join(f"{key}={value}\n" for key, value in properties.items() if value is not None),
        needs_plugin=product.trino_options is not None,
        variable=variable,
        password_file=connection.password_file,
    )


def _address(
    connection: Connection, kind: StoreKind, product: Product, connector: str
) -> Mapping[str, str]:
    address = kind.address
    if address.is_file:
        return {
            "connector.name": connector,
            "connection-url": f"jdbc:{connector}:{connection.path}",
        }
    host = f"[{connection.host}]" if ":" in (connection.host or "") else connection.host
    database = ""
    # Of a kind without one the catalog has all databases as its schemas.
    if address.database is not None:
        database = quote(connection.database or connection.user or "", safe="")
    port = connection.port or address.port
    tls = "" if connection.tls.mode == "prefer" else f"?{_tls(connection, product.trino_tls)}"
    return {
        "connector.name": connector,
        "connection-url": f"jdbc:{connector}://{host}:{port}/{database}{tls}",
        "connection-user": connection.user or "",
        "join-pushdown.enabled": "true",
        "aggregation-pushdown.enabled": "true",
        "topn-pushdown.enabled": "true",
    }


def _tls(connection: Connection, known: TrinoTls) -> str:
    """Return the parameters of a URL for TLS.

    Raises:
        ConfigurationError: The driver of Trino's connector cannot be told of it so.
    """
    tls = connection.tls
    if tls.certificate is not None:
        raise _untold(connection, "a certificate and key from a Java key store")
    if tls.mode not in known.modes:
        raise _untold(connection, "authorities from a Java key store")
    authority = "" if tls.ca is None else f"&{known.ca}={quote(str(tls.ca))}"
    return f"{known.modes[tls.mode]}{authority}"


def _untold(connection: Connection, why: str) -> ConfigurationError:
    return ConfigurationError(
        f"Store '{connection.store}' with tls = '{connection.tls.mode}' cannot be a catalog of "
        f"Trino that is written here, since Trino's driver takes {why}: leave it out of the "
        "project that is exported, and write its file in etc/catalog by hand."
    )


def _password_variable(connection: Connection) -> str | None:
    """Return the variable with the password: the user's, or one for an embedded server's."""
    if connection.password_env is not None:
        return connection.password_env
    if connection.password_file is not None:
        return f"ADVISOR_{connection.store.upper()}_PASSWORD"
    return None
