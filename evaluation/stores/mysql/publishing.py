"""Publishing a staged copy in MariaDB and MySQL, where no transaction spans what makes tables."""

from evaluation.store_protocol.backend import LoadedTable
from evaluation.store_protocol.register import entry, staging_name
from evaluation.stores.copies import Copies
from workloads.catalog import Table


def published(copies: Copies, table: Table, started: float) -> LoadedTable:
    """Give the staged copy its name, in place of an older one, and then its entry in the register.

    `started` is `perf_counter`'s at the load's begin.
    """
    execute, register = copies.execute, copies.register
    staging, target = copies.staging(table), copies.name(table.name)
    execute(register.forget, (table.name,))
    if table.name in copies.tables():
        old = copies.name(f"{staging_name(table.name)}_old")
        execute(f"DROP TABLE IF EXISTS {old}")
        execute(f"RENAME TABLE {target} TO {old}, {staging} TO {target}")
        execute(f"DROP TABLE {old}")
    else:
        execute(f"RENAME TABLE {staging} TO {target}")
    copy = copies.copy(table, started)
    execute(register.remember, entry(copy))
    return copy
