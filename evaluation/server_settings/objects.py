"""The object store's memory: the capacity of all nodes."""

from evaluation.objects.client import ObjectClient
from evaluation.objects.errors import NodeLostError, ObjectError, RefusedError
from evaluation.server_settings.settings import WORK, ServerSettings
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from evaluation.stores.objects import addresses


def settings(connection: Connection) -> ServerSettings:
    """Ask every node for its capacity."""
    failures = Failures(connection=connection)
    with failures.logging_in(NodeLostError, RefusedError):
        client = ObjectClient(addresses(connection), connection.password or "")
    with failures.told(WORK, ObjectError), client:
        nodes = client.usage().values()
    return ServerSettings(cache_bytes=sum(each.capacity_bytes for each in nodes))
