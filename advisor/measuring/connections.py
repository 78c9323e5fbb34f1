"""The connections of a project's stores, and its embedded servers.

Passwords are not read here: `advisor.project.store_settings` has those of the user's servers,
`evaluation.processes.folder` those of embedded ones.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from advisor.project.project import Project
from evaluation import embedded
from evaluation.encryption import settled
from evaluation.kinds import KINDS
from evaluation.store_protocol.connection import Connection
from workloads.errors import ConfigurationError
from workloads.progress import Progress


@contextmanager
def connections(project: Project, progress: Progress) -> Iterator[Mapping[str, Connection]]:
    """Yield store → connection, with the embedded servers running for the length of the block."""
    requests = requested(project)
    others = settled(project.own_connections())
    with embedded.running(requests, project.folder, progress) as servers:
        found = {**servers, **others}
        yield {
            store.name: replace(
                found[store.name],
                # A server knows none: calibrating keeps its tables beside those of a workload.
                namespace=store.namespace,
                options={**found[store.name].options, **store.options},
                silence_s=store.silence_s,
            )
            for store in project.stores
        }


def requested(project: Project) -> tuple[embedded.EmbeddedRequest, ...]:
    """Return the stores of the project that we are to run ourselves."""
    return tuple(
        embedded.EmbeddedRequest(
            store=store.name,
            kind=store.kind,
            server=store.other_server,
            nodes=store.node_count,
            memory_bytes=store.memory_bytes,
        )
        for store in project.stores
        if store.embedded
    )


def refuse_asleep(project: Project) -> None:
    """Raise ConfigurationError where an embedded store is not up, so that no job can reach it."""
    running = {status.store for status in embedded.status(project.folder) if status.kept}
    asleep = [
        store.name
        for store in project.stores
        if store.embedded and not KINDS[store.kind].address.is_file and store.name not in running
    ]
    if asleep:
        raise ConfigurationError(
            f"Store '{asleep[0]}' is not up, so that nothing else could reach it: "
            f"run 'advisor stores up {project.file.name}' first."
        )
