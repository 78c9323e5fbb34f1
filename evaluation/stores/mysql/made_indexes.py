"""The indexes and primary keys of the copies of a MariaDB or MySQL, as the server has them."""

from collections import defaultdict
from collections.abc import Mapping

from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.indexes import NAME
from evaluation.stores.mysql.sessions import session

_OURS = (
    "SELECT DISTINCT table_name, index_name FROM information_schema.statistics"
    " WHERE table_schema = %s AND LEFT(index_name, %s) = %s"
)
_KEYS = (
    "SELECT table_name, column_name FROM information_schema.statistics"
    " WHERE table_schema = %s AND index_name = 'PRIMARY' ORDER BY table_name, seq_in_index"
)


def made_indexes(connection: Connection) -> Mapping[str, frozenset[str]]:
    """Return table, in lower case, → names of the indexes that we made on its copy.

    The server is given a few seconds. Raises StoreError where it is not there.
    """
    found: dict[str, set[str]] = defaultdict(set)
    with session(connection, "asking for its indexes failed", patient=False) as execute:
        for table, name in execute(_OURS, (connection.namespace, len(NAME), NAME)):
            found[str(table).lower()].add(str(name))
    return {table: frozenset(names) for table, names in found.items()}


def primary_keys(connection: Connection) -> Mapping[str, tuple[str, ...]]:
    """Return table, in lower case, → the columns of its primary key, in whose order its rows lie.

    The server is given a few seconds. Raises StoreError where it is not there.
    """
    found: dict[str, list[str]] = defaultdict(list)
    with session(connection, "asking for its primary keys failed", patient=False) as execute:
        for table, name in execute(_KEYS, (connection.namespace,)):
            found[str(table).lower()].append(str(name))
    return {table: tuple(names) for table, names in found.items()}
