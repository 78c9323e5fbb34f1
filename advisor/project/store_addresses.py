"""Addresses of stores, for commands that are printed: no password is read."""

from collections.abc import Mapping
from dataclasses import replace

from advisor.project.project import Project
from evaluation import embedded
from evaluation.processes.folder import ServerFolder
from evaluation.store_protocol.connection import Connection


class _Unopened(ServerFolder):
    """An embedded store's folder, whose password is left where it is."""

    def password(self) -> str:
        """Return nothing."""
        return ""


def addresses(project: Project) -> Mapping[str, Connection]:
    """Return store → connection; an embedded server that is not up has no port."""
    ports = {status.store: status.port for status in embedded.status(project.folder)}
    found = {}
    for store in project.stores:
        if store.embedded:
            name = store.other_server or store.kind
            own = ServerFolder.of(project.folder, store.name, name)
            folder = _Unopened(store=own.store, kind=own.kind, path=own.path)
            server = {**embedded.SERVERS, **embedded.OTHERS}[name]
            connection = server.connection(folder, ports.get(store.name))
        else:
            connection = replace(store, password_env=None, key_password_env=None).connection()
        found[store.name] = replace(connection, password=None, password_env=store.password_env)
    return found
