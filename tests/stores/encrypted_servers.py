"""Servers that refuse clear text, with certificates of the tests' own authority."""

import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest

from evaluation.embedded import running
from evaluation.servers import mysql, mysql8, postgresql
from evaluation.servers.server import server_user
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.tls import Tls
from tests.stores.certificates import Authority, Files
from tests.stores.live_servers import REQUESTS, maria, postgres, remember, with_extensions
from workloads.progress import Silent

HOST = "localhost"
"""The name in the servers' certificates; logins go there, and not to the address."""
KEY_PASSWORD = "a key's own"
_RELOAD = {
    "pg": "SELECT pg_reload_conf()",
    "maria": "FLUSH SSL",
    "mysql8": "ALTER INSTANCE RELOAD TLS",
}
STORES = tuple(_RELOAD)


@dataclass(frozen=True, slots=True, kw_only=True)
class Encrypted:
    """Servers `pg`, `maria` and `mysql8` that take no clear text.

    `trusted` signed their certificates and that of a client (`client`, whose key has the password
    `KEY_PASSWORD`); nobody knows `unknown`.
    """

    connections: Mapping[str, Connection]
    folder: Path
    trusted: Authority
    unknown: Authority
    client: Files

    def login(self, store: str, **tls: object) -> Connection:
        """Return how to log in to a server by its name; `tls` are fields of `Tls`."""
        return replace(self.connections[store], tls=replace(Tls(), **tls))

    @contextmanager
    def serving(self, store: str, files: Files) -> Iterator[None]:
        """Let a server show another certificate for the length of the block."""
        own = Files(certificate=self.folder / "own.crt", key=self.folder / "own.key")
        try:
            self._show(store, files)
            yield
        finally:
            self._show(store, own)

    def expired(self) -> Files:
        """Return a certificate that ended yesterday."""
        return self.trusted.signed("expired", [HOST], ends=-timedelta(days=1))

    def _show(self, store: str, files: Files) -> None:
        _install(files, self.folder, f"{store}")
        run = postgres if store == "pg" else maria
        run(self.connections[store], _RELOAD[store])


def _install(files: Files, folder: Path, name: str) -> None:
    user = server_user()
    for source, target in (
        (files.certificate, folder / f"{name}.crt"),
        (files.key, folder / f"{name}.key"),
    ):
        if source != target:
            shutil.copyfile(source, target)
        target.chmod(0o600)
        if user is not None:
            user.own(target)


def _settings(folder: Path, store: str) -> Mapping[str, str]:
    certificate, key, ca = (folder / name for name in (f"{store}.crt", f"{store}.key", "ca.pem"))
    if store == "pg":
        return {
            "ssl": "on",
            "ssl_cert_file": str(certificate),
            "ssl_key_file": str(key),
            "ssl_ca_file": str(ca),
            "hba_file": str(folder / "hba.conf"),
        }
    return {
        "ssl-cert": str(certificate),
        "ssl-key": str(key),
        "ssl-ca": str(ca),
        "require-secure-transport": "ON",
    }


_HBA = """
hostssl all certified 127.0.0.1/32 scram-sha-256 clientcert=verify-ca
hostssl all all 127.0.0.1/32 scram-sha-256
"""


@pytest.fixture(scope="session")
def encrypted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Encrypted]:
    """Servers that demand TLS, for the whole session."""
    with encrypted_servers(tmp_path_factory.mktemp("encrypted")) as found:
        yield found


@contextmanager
def encrypted_servers(
    root: Path, stores: Collection[str] = STORES, *, remembering: bool = False
) -> Iterator[Encrypted]:
    """Run servers that demand TLS; with statement statistics and a csvlog if `remembering`."""
    folder = root / "certificates"
    folder.mkdir()
    trusted = Authority(name="trusted", folder=folder)
    unknown = Authority(name="unknown", folder=folder)
    files = trusted.signed("own", [HOST])
    client = trusted.signed("client", password=KEY_PASSWORD)
    (folder / "hba.conf").write_text(_HBA)
    shutil.copyfile(trusted.ca, folder / "ca.pem")
    for store in stores:
        _install(files, folder, store)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postgresql, "_binaries", lambda: with_extensions(root / "installed"))
        servers = (
            (postgresql.SETTINGS, "pg"),
            (mysql._SETTINGS, "maria"),
            (mysql8._SETTINGS, "mysql8"),
        )
        for settings, store in servers:
            for name, value in _settings(folder, store).items():
                patch.setitem(settings, name, value)
        patch.setitem(mysql._SETTINGS, "ssl", "ON")
        patch.setitem(mysql8._SETTINGS, "tls-version", "TLSv1.2,TLSv1.3")
        if remembering:
            remember(patch)
        requests = [each for each in REQUESTS if each.store in stores]
        with running(requests, root / "servers", Silent()) as connections:
            patch.undo()
            yield Encrypted(
                connections={
                    name: replace(each, host=HOST, tls=Tls(mode="require"))
                    for name, each in connections.items()
                },
                folder=folder,
                trusted=trusted,
                unknown=unknown,
                client=client,
            )
