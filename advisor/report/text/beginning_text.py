"""The text of `advisor init`: its sources, its findings, and the commands that come next."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from advisor.figures import NONE, counted, listed, size
from advisor.report.parts.tables import table_of
from advisor.starting.beginning import Beginning
from advisor.starting.found import Found, FoundStore
from advisor.starting.workload_text import QUERIES, used_log, workload_sources


def beginning_lines(beginning: Beginning, file: Path) -> Sequence[str]:
    """Tell what will be read, and what will be written where."""
    told = (
        f"Reads {listed(beginning.shown)}; sessions with servers are read-only, and nothing is "
        f"written there. Writes {file}."
    )
    return (told,)


def beginning_text(found: Found) -> RenderableType:
    """Show a row a server."""
    table = table_of(
        *("store", "is", "at", "encrypted", "schemas", ">tables", ">bytes", "statements of")
    )
    for each in found.stores:
        schemas = each.readable
        table.add_row(
            Text(each.login.store),
            Text(each.survey.version),
            Text(f"{each.login.server.host}:{each.login.server.port}"),
            each.encryption or "no: clear text",
            Text(", ".join(schema.name for schema in schemas)),
            str(sum(schema.readable for schema in schemas)),
            size(sum(schema.bytes for schema in schemas)),
            Text(_statements(each)),
        )
    return table if found.stores else Text("")


def next_lines(found: Found, file: Path) -> Iterator[str]:
    """Yield when it was read, what was written, and the commands to run next."""
    yield f"Read at {found.at:%Y-%m-%d %H:%M:%S} UTC. Written: {file}"
    if workload_sources(found) == (QUERIES,):
        yield f"No statements were found: put files of SQL or logs into {file.parent / QUERIES}."
    yield from _left_out(found)
    yield ""
    yield "Next:"
    for each in found.stores:
        if each.login.is_typed:
            variable = each.login.variable
            yield f"  read -rsp '{variable}: ' {variable} && export {variable}"
    yield from (f"  {each}" for each in commands(file))


def commands(file: Path) -> Sequence[str]:
    """Return the commands that come next, to be pasted into a shell."""
    project = shlex.quote(str(file))
    page, plan, report = (
        shlex.quote(str(file.parent / name)) for name in ("analysis.html", "plan.json", "report")
    )
    return (
        f"advisor stores check {project}",
        f"advisor analyze {project} --html {page}",
        f"advisor place {project} -o {plan}",
        f"advisor run {project} -o {report}",
    )


def beginning_document(found: Found, file: Path) -> Mapping[str, Any]:
    """Return it for programs."""
    return {
        "file": str(file),
        "read_at": found.at.isoformat(timespec="seconds"),
        "stores": [_store_document(each) for each in found.stores],
        "workload": list(workload_sources(found)),
        "catalog": [
            *([] if found.folder is None else [found.folder.source]),
            *(each.shown for each in found.files.values()),
        ],
        "next": list(commands(file)),
    }


def _store_document(store: FoundStore) -> Mapping[str, Any]:
    statistics, logs = store.statistics, store.logs
    return {
        "name": store.login.store,
        "kind": store.login.server.kind,
        "address": store.login.server.shown,
        "version": store.survey.version,
        "encryption": store.encryption,
        "password_env": None if store.login.password is None else store.login.variable,
        "schemas": [
            {
                "name": each.name,
                "tables": each.tables,
                "readable": each.readable,
                "bytes": each.bytes,
            }
            for each in store.schemas
        ],
        "statements": None if statistics.obstacle else statistics.statements,
        "logs": [
            {"name": each.log.name, "files": [str(file) for file in each.files]} for each in logs
        ],
        "free_bytes": store.free_bytes,
    }


def _statements(store: FoundStore) -> str:
    log = used_log(store)
    if log is not None:
        return f"its {log.log.name}"
    if store.statistics.statements:
        return f"its statistics: {store.statistics.statements}"
    return NONE


def _left_out(found: Found) -> Iterator[str]:
    for store in found.stores:
        name = store.login.store
        unread = [each.name for each in store.schemas if not each.readable]
        if unread:
            yield f"Store '{name}': {listed(unread)} may not be read, and is left out."
        some = sum(each.tables - each.readable for each in store.readable)
        if some:
            yield (
                f"Store '{name}': {counted(some, 'table')} of its schemas may not be read; "
                "`advisor stores check` prints the GRANT."
            )
        if store.statistics.obstacle and used_log(store) is None:
            yield f"Store '{name}': {store.statistics.obstacle}"
