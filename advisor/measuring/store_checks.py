"""Everything that a run will need of a project's stores, asked within seconds."""

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.figures import size
from advisor.project.project import Project
from advisor.project.source_settings import CatalogSettings
from advisor.project.store_settings import StoreSettings
from evaluation import embedded
from evaluation.calibration.server_settings import data_folder, settings_of
from evaluation.checks.check import Checked, Lack, Uses
from evaluation.kinds import BACKENDS, KINDS
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.failures import Failures
from evaluation.store_protocol.side_by_side import side_by_side
from workloads.errors import ConfigurationError, StoreError
from workloads.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreCheck:
    """The findings of one store.

    `encryption` is the protocol, "" for clear text and None where nothing is sent over a network
    or nobody can say. `free_bytes` are those of the disk where that is this machine's, and
    `held_bytes` those that the store's copies take there already, as far as is known. `checked` is
    None where the store was not asked, `error` why it could not be.
    """

    store: str
    kind: str
    address: str
    uses: Uses
    encryption: str | None = None
    checked: Checked | None = None
    free_bytes: int | None = None
    held_bytes: int = 0
    error: str = ""
    lacks: tuple[Lack, ...] = ()

    @property
    def serves(self) -> bool:
        """Whether a run finds all that it needs."""
        return not self.error and not self.lacks


def check_stores(project: Project, progress: Progress) -> tuple[StoreCheck, ...]:
    """Try every store at the same time, and change nothing in any of them."""
    states = {state.store: state for state in embedded.status(project.folder)}
    with progress.task("Checking the stores", len(project.stores)) as task:

        def one(store: StoreSettings) -> StoreCheck:
            found = _of(project, store, states)
            task.advance()
            return replace(found, lacks=(*found.lacks, *_too_little_room(store, found)))

        return side_by_side(one, project.stores)


def uses_of(project: Project, store: StoreSettings) -> Uses:
    """Return what the project does with a store; copies need data that can be loaded."""
    catalog = project.catalog
    has_data = catalog.benchmark is not None or catalog.is_parquet or bool(catalog.buckets)
    has_live = any(each.is_live for each in project.stores)
    tables = store.name in catalog.stores
    return Uses(
        copies=(has_data or has_live) and not store.is_live,
        tables=tables,
        statements=store.name in project.workload.stores,
        schemas=_schemas(store, catalog) if tables else (),
    )


def _schemas(store: StoreSettings, catalog: CatalogSettings) -> tuple[str, ...]:
    """Return the schemas of a store whose tables are read; () for all."""
    return store.schemas or (() if catalog.schema is None else (catalog.schema,))


def _of(
    project: Project, store: StoreSettings, states: Mapping[str, embedded.ServerStatus]
) -> StoreCheck:
    found = StoreCheck(store=store.name, kind=store.kind, address="", uses=uses_of(project, store))
    if store.embedded:
        state = states.get(store.name)
        up = state is not None and state.pid is not None
        return replace(
            found,
            address="embedded, up" if up else "embedded",
            free_bytes=_free_bytes(project.folder),
            held_bytes=0 if state is None else _bytes_below(state.folder),
        )
    try:
        connection = store.connection()
        found = replace(found, address=Failures(connection=connection).address)
        return (
            _file(found, connection) if connection.path is not None else _server(found, connection)
        )
    except (ConfigurationError, StoreError) as error:
        return replace(found, error=str(error))


def _file(found: StoreCheck, connection: Connection) -> StoreCheck:
    path, uses = Path(str(connection.path)), found.uses
    only_read = not uses.copies and (uses.tables or uses.statements)
    # A file that is not there yet is made in its folder.
    place = path if only_read or path.exists() else path.parent
    if not os.access(place, os.R_OK if only_read else os.R_OK | os.W_OK):
        refused = "cannot be read" if only_read else "cannot be read and written"
        what = refused if place.exists() else "is not there"
        return replace(found, error=f"Store '{found.store}': {place} {what}.")
    held = path.stat().st_size if path.is_file() else 0
    return replace(found, free_bytes=_free_bytes(path.parent), held_bytes=held)


def _server(found: StoreCheck, connection: Connection) -> StoreCheck:
    kind = KINDS[connection.kind]
    if kind.encryption is not None:
        found = replace(found, encryption=kind.encryption(connection) or "")
    elif not BACKENDS[connection.kind].answers(connection):
        return replace(
            found,
            error=f"Store '{found.store}' does not answer at {found.address}: check that it runs, "
            f"and the address and the password in [stores.{found.store}].",
        )
    if kind.check is not None:
        checked = kind.check(connection, found.uses)
        found = replace(found, checked=checked, lacks=checked.lacks)
    if found.uses.copies and not found.lacks:
        refused = BACKENDS[connection.kind].refusals(connection)
        found = replace(found, lacks=tuple(map(_as_lack, refused)))
    with suppress(StoreError):
        settings = settings_of(connection)
        folder = data_folder(connection, settings)
        free = None if folder is None else _free_bytes(folder)
        found = replace(found, free_bytes=free, held_bytes=settings.stored_bytes or 0)
    return found


def _as_lack(error: StoreError) -> Lack:
    """Return what refuses copies, such as a server that takes no writes, without the store."""
    return Lack(what=str(error).removeprefix(f"Store '{error.store}': ").rstrip("."))


def _free_bytes(folder: Path) -> int | None:
    """Return the free bytes of a folder's disk; the folder itself may be missing yet."""
    there = next((each for each in (folder, *folder.parents) if each.exists()), None)
    return None if there is None else shutil.disk_usage(there).free


def _bytes_below(folder: Path) -> int:
    found = 0
    for each in folder.rglob("*"):
        # A server removes files while they are counted.
        with suppress(OSError):
            found += each.stat().st_size if each.is_file() else 0
    return found


def _too_little_room(store: StoreSettings, found: StoreCheck) -> tuple[Lack, ...]:
    wanted = None if store.capacity is None else store.capacity.size_bytes
    free_bytes, held_bytes = found.free_bytes, found.held_bytes
    if wanted is None or free_bytes is None or free_bytes + held_bytes >= wanted:
        return ()
    held = f", {size(held_bytes)} are taken by copies" if held_bytes else ""
    what = (
        f"{size(free_bytes)} are free{held}, and [stores.{store.name}].capacity is {size(wanted)}: "
        "free space there, or lower it"
    )
    return (Lack(what=what),)
