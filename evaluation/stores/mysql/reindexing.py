"""Re-indexing a copy in MariaDB and MySQL: by one statement, which is done as a whole or not."""

from collections.abc import Mapping

import pymysql
from pymysql.constants import ER

from evaluation.store_protocol.columns import quoted
from evaluation.store_protocol.indexes import NAME
from evaluation.stores.copies import Copies
from evaluation.stores.mysql.indexes import additions
from evaluation.stores.mysql.servers import gather_index_statistics
from evaluation.stores.mysql.sessions import Execute
from evaluation.stores.reindexing import difference
from workloads.catalog import Table

_MARK = "`"
_OURS = (
    "SELECT DISTINCT index_name FROM information_schema.statistics WHERE table_schema = %s"
    " AND table_name = %s AND LEFT(index_name, %s) = %s AND index_type = 'BTREE'"
)
_TYPES = (
    "SELECT column_name, column_type FROM information_schema.columns"
    " WHERE table_schema = %s AND table_name = %s"
)
_CHANGED_MEANWHILE = (ER.DUP_KEYNAME, ER.CANT_DROP_FIELD_OR_KEY)


def change(execute: Execute, copies: Copies, table: Table) -> None:
    """Drop our indexes that `table` lacks, and make its own that are missing."""
    try:
        made = _changed(execute, copies, table)
    except pymysql.MySQLError as error:
        if error.args[:1] not in [(code,) for code in _CHANGED_MEANWHILE]:
            raise
        # The server has done meanwhile what an advisor that was killed had asked for.
        made = _changed(execute, copies, table)
    if made:
        gather_index_statistics(execute, copies.name(table.name), tuple(made))


def _changed(execute: Execute, copies: Copies, table: Table) -> Mapping[str, str]:
    """Change the indexes; return those that were missing, by name."""
    named = copies.connection.namespace, table.name
    had = frozenset(str(row[0]) for row in execute(_OURS, (*named, len(NAME), NAME)))
    types = {str(name): str(kind).upper() for name, kind in execute(_TYPES, named)}
    dropped, missing = difference(had, additions(table, types))
    parts = [*(f"DROP INDEX {quoted(name, _MARK)}" for name in dropped), *missing.values()]
    if parts:
        execute(f"ALTER TABLE {copies.name(table.name)} {', '.join(parts)}")
    return missing
