"""The sections of a new project file that describe stores."""

from collections.abc import Iterator, Sequence

from advisor.figures import counted, listed, size
from advisor.starting.found import FoundStore
from advisor.starting.toml import commented, line, remark, text
from evaluation.surveys.survey import SchemaFound

_MIB, _GIB = 1 << 20, 1 << 30
_SNAPSHOT_BYTES = 20 << 30


SNAPSHOT = line('snapshot = "20 GiB"', "the most that `run` reads of them to check answers by")
_LIVE = line('tables = "live"', "its own tables, read where they are; it is never written to")
_MOVABLE = remark(
    'movable = true lets tables leave for other stores, as would movable = ["TABLE"]. '
    "Until then they stay, and may have copies beside them."
)


def live_lines() -> Sequence[str]:
    """Return the lines of any store whose own tables are read."""
    return (_LIVE, *_MOVABLE)


def live_section(store: FoundStore) -> Sequence[str]:
    """Return the section of a server whose own tables are read."""
    return (
        line(f"[stores.{store.login.store}]", store.survey.version),
        *_address(store),
        *_encryption(store),
        _LIVE,
        *_schemas(store),
        *_MOVABLE,
        *_snapshot(store),
        *_sizes(store),
    )


def copies_on(store: FoundStore) -> Sequence[str]:
    """Return the section, commented out, of the same server as a place for copies."""
    section = [f"[stores.{store.login.store}_copies]", *_address(store), *_encryption(store)]
    section += capacity_lines(store.free_bytes, "the server's disk")
    return (
        *remark(
            f"Copies on the server of {store.login.store}, in a schema or database of their own "
            "(placement_advisor). The account then needs more rights: docs/accounts.md has them."
        ),
        *commented(section),
    )


def capacity_lines(free_bytes: int | None, where: str) -> Sequence[str]:
    """Return the capacity of a store: half of what is free, if that is known."""
    if free_bytes is None:
        return remark(
            f"capacity is not known, as {where} is another machine's or closed to this account. "
            'Without one the store is unlimited: write a size such as "200 GiB".'
        )
    half = free_bytes // 2
    if half < _MIB:
        return remark(f"capacity: {size(free_bytes)} are free on {where}, which is too little.")
    unit, name = (_GIB, "GiB") if half >= _GIB else (_MIB, "MiB")
    rule = f"half of the {size(free_bytes)} that are free on {where}"
    amount = f"{half * 10 // unit / 10:.1f}".removesuffix(".0")
    return (line(f'capacity = "{amount} {name}"', rule),)


def _address(store: FoundStore) -> Iterator[str]:
    connection, login = store.login.connection(), store.login
    yield f"kind = {text(connection.kind)}"
    yield f"host = {text(connection.host)}"
    yield f"port = {connection.port}"
    if connection.database is not None:
        others = listed(store.survey.databases) if store.survey.databases else ""
        of_server = f"the server has {others} too" if others and not login.server.database else ""
        yield line(f"database = {text(connection.database)}", of_server)
    yield f"user = {text(connection.user)}"
    if login.password is not None:
        yield line(f"password_env = {text(login.variable)}", "the variable with the password")
    else:
        yield from remark(f"password_env = {text(login.variable)}: the login needed no password.")


def _encryption(store: FoundStore) -> Iterator[str]:
    tls = store.login.server.tls
    mode = tls.mode or "prefer"
    if store.encryption:
        mode = "require" if mode == "prefer" else mode
        more = "" if tls.ca else '; "verify-full" with ca also proves whose server it is'
        yield line(f"tls = {text(mode)}", f"found: {store.encryption}{more}")
    else:
        yield line(f"tls = {text(mode)}", "found: clear text; the server offered no TLS")
    for key, path in (("ca", tls.ca), ("certificate", tls.certificate), ("key", tls.key)):
        if path is not None:
            yield f"{key} = {text(path)}"
    if store.login.key_variable is not None:
        yield f"key_password_env = {text(store.login.key_variable)}"


def _schemas(store: FoundStore) -> Iterator[str]:
    yield "schemas = ["
    for each in store.readable:
        unread = each.tables - each.readable
        more = f"; {unread} more may not be read" if unread else ""
        yield line(f"  {text(each.name)},", f"{_counted(each)}{more}")
    yield "]"
    for each in store.schemas:
        if not each.readable:
            yield from remark(
                f"{text(each.name)} is left out, as none of its {counted(each.tables, 'table')} "
                "may be read: docs/accounts.md has the GRANT."
            )


def _counted(schema: SchemaFound) -> str:
    return f"{counted(schema.readable, 'table')}, {size(schema.bytes)}"


def _snapshot(store: FoundStore) -> Iterator[str]:
    yield SNAPSHOT
    total = sum(each.bytes for each in store.readable)
    if total > _SNAPSHOT_BYTES:
        yield from remark(
            f"Its tables have {size(total)}: where the workload reads more than the snapshot, the "
            "largest tables get no copies, and their answers are compared between candidates."
        )


def _sizes(store: FoundStore) -> Iterator[str]:
    free = "how much is free on its disk is not known here"
    if store.free_bytes is not None:
        free = f"{size(store.free_bytes)} are free on its disk"
    total = size(sum(each.bytes for each in store.readable))
    yield from remark(
        f"It holds {total} of tables, and {free}. It has no capacity here, as it takes no copies."
    )
