"""The indexes that we made on the copies of a MariaDB or MySQL, as the server has them."""

from collections import defaultdict
from collections.abc import Mapping

from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.indexes import NAME
from evaluation.stores.mysql.sessions import session

_OURS = (
    "SELECT DISTINCT table_name, index_name FROM information_schema.statistics"
    " WHERE table_schema = %s AND LEFT(index_name, %s) = %s"
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
