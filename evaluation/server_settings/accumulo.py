"""Accumulo's memory and disk, of which it tells nothing."""

from evaluation.server_settings.settings import ServerSettings
from evaluation.store_protocol.connection import Connection
from evaluation.stores.accumulo.sessions import probe


def settings(connection: Connection) -> ServerSettings:
    """Tell nothing: its client has no request for what its tablet servers are set to."""
    probe(connection)
    return ServerSettings()
