"""Memory and disk of a store, from its own settings: the cache's size, the data's folder."""

import ipaddress
import os
import socket
from pathlib import Path

from evaluation.kinds import KINDS
from evaluation.server_settings.settings import ServerSettings
from evaluation.store_protocol.connection import Connection


def settings_of(connection: Connection) -> ServerSettings:
    """Ask a store for what it says of itself.

    Its cache is PostgreSQL's shared_buffers, MariaDB's and MySQL's InnoDB buffer pool, DuckDB's
    memory limit and the capacity of all nodes of the object store. Raises StoreError.
    """
    return KINDS[connection.kind].settings(connection)


def data_folder(connection: Connection, settings: ServerSettings) -> Path | None:
    """Return where a store of this machine has its data; None if it is elsewhere or not ours.

    It is here if its host is a loopback address, or it has none, and the folder that it names is
    one that we may read and write. A port that is forwarded to a machine or container with a
    folder of that name is not told from it.
    """
    if not is_here(connection):
        return None
    folder = settings.folder
    # Asked first: one that we may not enter would be an error below.
    if folder is None or not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return None
    return folder if folder.is_absolute() and folder.is_dir() else None


def is_here(connection: Connection) -> bool:
    """Tell whether a store's address is this machine's own, or those of all its nodes are."""
    if connection.nodes:
        return all(is_loopback(node.rpartition(":")[0]) for node in connection.nodes)
    host = connection.host
    if host is None:
        return connection.path is not None
    if host.startswith("/"):
        # Where PostgreSQL's socket is.
        return True
    return all(is_loopback(each.strip()) for each in host.split(","))


def is_loopback(host: str | None) -> bool:
    """Tell whether a host stands for addresses of this machine alone."""
    if host is None:
        return False
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    return all(ipaddress.ip_address(address[0]).is_loopback for *_, address in found)
