"""The machines that stores run on, and their cores: ``[stores.NAME].cores``."""

from collections.abc import Iterable

from advisor.project.project_file import ProjectFile
from advisor.project.store_settings import StoreSettings
from evaluation.calibration.server_settings import is_here
from evaluation.store_protocol.connection import Connection

HERE = "this machine"


def machine_of(store: StoreSettings) -> str:
    """Return the machine of a store: this one, or its host, or the hosts of its nodes."""
    nodes = store.nodes if isinstance(store.nodes, tuple) else ()
    address = Connection(
        store=store.name,
        kind=store.kind,
        host=store.host,
        port=store.port,
        path=store.path,
        nodes=nodes,
    )
    if store.embedded or is_here(address):
        return HERE
    hosts = sorted({node.rpartition(":")[0] for node in nodes}) or [store.host or store.name]
    return ",".join(hosts).lower()


def refuse_cores(file: ProjectFile, stores: Iterable[StoreSettings]) -> None:
    """Refuse cores of this machine, which are counted, and different ones of one host.

    Raises:
        ConfigurationError: There are such.
    """
    told: dict[str, StoreSettings] = {}
    for store in stores:
        if store.cores is None:
            continue
        machine, where = machine_of(store), f"[stores.{store.name}].cores = {store.cores}"
        if machine == HERE:
            raise file.error(
                where,
                "the cores of this machine, on which the store runs, are counted: leave it out",
            )
        first = told.setdefault(machine, store)
        if first.cores != store.cores:
            raise file.error(
                where,
                f"[stores.{first.name}] is on the same host, {machine}, and has cores = "
                f"{first.cores}: write one number, or leave it to one of them",
            )
