"""The indexes that we made on the copies of a MariaDB or MySQL, as the server has them."""

from collections.abc import Mapping

from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.indexes import NAME
from evaluation.stores.mysql.sessions import session

_OURS = (
    "SELECT LOWER(table_name), index_name, LOWER(column_name) FROM information_schema.statistics"
    " WHERE table_schema = %s AND LEFT(index_name, %s) = %s"
    " ORDER BY table_name, index_name, seq_in_index"
)


def made_indexes(connection: Connection) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return table → name → columns, in small letters, of the indexes that we made.

    The server is given a few seconds. Raises StoreError where it is not there.
    """
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    with session(connection, "asking for its indexes failed", patient=False) as execute:
        for table, name, column in execute(_OURS, (connection.namespace, len(NAME), NAME)):
            columns = found.setdefault(str(table), {})
            columns[str(name)] = (*columns.get(str(name), ()), str(column))
    return found
