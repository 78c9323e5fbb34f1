"""Accumulo's servers are reached over TLS, by our client and by Spark; what fails says why."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    load_pem_private_key,
    pkcs12,
)
from cryptography.x509 import load_pem_x509_certificate
from py4j.protocol import Py4JJavaError

from evaluation.embedded import EmbeddedRequest, running
from evaluation.encryption import settled
from evaluation.kinds import KINDS
from evaluation.running.relations import ScannedSource
from evaluation.servers import accumulo
from evaluation.servers.server import server_user
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.tls import Tls
from evaluation.store_protocol.tls_advice import way_out
from evaluation.stores.accumulo.backend import Accumulo
from evaluation.stores.accumulo.sessions import _forget_all
from tests.stores.certificates import Authority, Files
from tests.stores.parquet_tables import write
from tests.stores.tls_listener import HOST, listening
from workloads.errors import StoreError
from workloads.progress import Silent

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.stores

ADDRESS = "127.0.0.1"
"""By which ZooKeeper knows the embedded servers."""
BACKEND = Accumulo()
_STORE_PASSWORD = "of the servers' key stores"
_REQUEST = EmbeddedRequest(store="acc", kind="accumulo")


@dataclass(frozen=True, slots=True, kw_only=True)
class Encrypted:
    """An Accumulo that takes no clear text and wants to know its clients."""

    connection: Connection
    trusted: Authority
    unknown: Authority
    client: Files

    def login(self, mode: str, **more: object) -> Connection:
        tls = {
            "mode": mode,
            "ca": self.trusted.ca if mode.startswith("verify") else None,
            "certificate": self.client.certificate,
            "key": self.client.key,
            **more,
        }
        return replace(self.connection, tls=replace(Tls(), **tls))


@pytest.fixture(scope="module")
def encrypted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Encrypted]:
    folder = tmp_path_factory.mktemp("accumulo-tls")
    trusted = Authority(name="trusted", folder=folder)
    own = trusted.signed("own", [ADDRESS])
    settings = {**key_stores(folder, trusted, own), "instance.rpc.ssl.clientAuth": "true"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setitem(accumulo._SETTINGS, name, value)
        client = trusted.signed("client")
        found = Encrypted(
            connection=Connection(store="acc", kind="accumulo"),
            trusted=trusted,
            unknown=Authority(name="unknown", folder=folder),
            client=client,
        )
        as_client = replace(Tls(), mode="require", certificate=client.certificate, key=client.key)
        with serving(folder, as_client, patch) as connection:
            patch.undo()
            yield replace(found, connection=connection)


@contextmanager
def serving(folder: Path, tls: Tls, patch: pytest.MonkeyPatch) -> Iterator[Connection]:
    """Run an Accumulo, which is asked over TLS whether it is ready."""
    answers = accumulo.Accumulo.answers

    def encrypted_answers(self: accumulo.Accumulo, connection: Connection) -> bool:
        return answers(self, replace(connection, tls=tls))

    patch.setattr(accumulo.Accumulo, "answers", encrypted_answers)
    with running([_REQUEST], folder / "servers", Silent()) as connections:
        yield connections["acc"]


def key_stores(folder: Path, trusted: Authority, own: Files) -> Mapping[str, str]:
    """Write what the servers show and whom they trust; return their settings."""
    certificate = load_pem_x509_certificate(own.certificate.read_bytes())
    ca = load_pem_x509_certificate(trusted.ca.read_bytes())
    key = load_pem_private_key(own.key.read_bytes(), None)
    secret = BestAvailableEncryption(_STORE_PASSWORD.encode())
    written = {
        "keyStore": pkcs12.serialize_key_and_certificates(b"own", key, certificate, [ca], secret),
        "trustStore": pkcs12.serialize_java_truststore(
            [pkcs12.PKCS12Certificate(ca, b"trusted")], secret
        ),
    }
    settings = {"instance.rpc.ssl.enabled": "true"}
    user = server_user()
    for name, content in written.items():
        file = folder / f"{name}.p12"
        file.write_bytes(content)
        file.chmod(0o600)
        if user is not None:
            user.own(file)
        settings[f"rpc.javax.net.ssl.{name}"] = str(file)
        settings[f"rpc.javax.net.ssl.{name}Type"] = "PKCS12"
        settings[f"rpc.javax.net.ssl.{name}Password"] = _STORE_PASSWORD
    return settings


def protocol(connection: Connection) -> str | None:
    encryption = KINDS["accumulo"].encryption
    assert encryption is not None
    return encryption(connection)


def refused(connection: Connection) -> str:
    """What a user is told of a login that fails: one line, without the password."""
    with pytest.raises(StoreError) as raised:
        protocol(connection)
    told = str(raised.value)
    assert "\n" not in told
    assert str(connection.password) not in told
    return told


@pytest.mark.parametrize("mode", ["prefer", "require", "verify-ca", "verify-full"])
def test_a_client_is_encrypted(encrypted: Encrypted, mode: str) -> None:
    assert str(protocol(encrypted.login(mode))).startswith("TLSv1.")


def test_a_copy_is_loaded_and_read_by_spark_over_tls(
    spark: "SparkSession", encrypted: Encrypted, tmp_path: Path
) -> None:
    connection = encrypted.login("verify-full")
    table = write(tmp_path, "facts", {"a": "BIGINT"}, "SELECT i AS a FROM range(1000) AS r(i)")
    BACKEND.prepare(connection)
    BACKEND.load(connection, table)
    source = ScannedSource(
        namespace=connection.namespace,
        scan=lambda name: BACKEND.scan(connection, name, timeout_s=60, fetch_size=100),
        views={},
    )
    name = BACKEND.table_name(connection, "facts")
    frame = source.relation(spark, f"SELECT sum(a) AS s FROM {name}", "q", {})
    assert frame.collect()[0][0] == sum(range(1000))
    hidden = str(connection.password)
    assert hidden not in frame._jdf.queryExecution().toString()


def test_no_key_store_is_left_by_clients_that_are_killed(encrypted: Encrypted) -> None:
    def key_stores() -> set[Path]:
        # Folders of other tests may go meanwhile: `os.walk` leaves them out, `rglob` fails.
        return {
            Path(folder) / name
            for folder, folders, files in os.walk(tempfile.gettempdir())
            for name in (*folders, *files)
            if name.startswith("placement-advisor-authorities")
        }

    before = key_stores()
    _forget_all()
    assert BACKEND.answers(encrypted.login("verify-full"))
    assert key_stores() - before
    _forget_all()
    assert key_stores() <= before


def test_what_is_preferred_is_settled_as_encrypted(encrypted: Encrypted) -> None:
    assert settled({"acc": encrypted.login("prefer")})["acc"].tls.mode == "require"


def test_servers_that_take_no_clear_text_say_so(encrypted: Encrypted) -> None:
    clear = encrypted.login("disable", certificate=None, key=None)
    assert "takes no clear text: write tls = 'verify-full'" in refused(clear)


def test_an_unknown_authority_is_refused(encrypted: Encrypted) -> None:
    told = refused(encrypted.login("verify-ca", ca=encrypted.unknown.ca))
    assert f"is of no authority in ca = '{encrypted.unknown.ca}'" in told


def test_a_missing_certificate_is_asked_for(encrypted: Encrypted) -> None:
    told = refused(encrypted.login("require", certificate=None, key=None))
    assert "its server wants a certificate of this user" in told


def test_a_certificate_of_an_unknown_authority_is_refused(encrypted: Encrypted) -> None:
    own = encrypted.unknown.signed("nobody knows it")
    told = refused(encrypted.login("require", certificate=own.certificate, key=own.key))
    assert "does not know the authority of certificate" in told


@pytest.mark.parametrize(
    ("host", "days", "reason"),
    [
        ("elsewhere", 1, "is not that of the address by which ZooKeeper knows it"),
        (HOST, -1, "has expired"),
    ],
    ids=["another host", "expired"],
)
def test_a_certificate_that_is_not_good_is_refused(
    spark: "SparkSession", tmp_path: Path, host: str, days: int, reason: str
) -> None:
    """As Java refuses it, on connections that are made as Accumulo's client makes its own."""
    trusted = Authority(name="trusted", folder=tmp_path)
    java = spark._jvm.placementadvisor.accumulo.tls
    tls = java.Tls("verify-full", str(trusted.ca), "", "")
    with listening(trusted.signed("good", [HOST])) as port:
        at = spark._jvm.java.net.InetSocketAddress(HOST, port)
        assert java.Handshake.protocol(at, tls) == "TLSv1.3"
    with listening(trusted.signed("shown", [host], ends=timedelta(days=days))) as port:
        at = spark._jvm.java.net.InetSocketAddress(HOST, port)
        with pytest.raises(Py4JJavaError) as raised:
            java.Handshake.protocol(at, tls)
        assert java.Handshake.protocol(at, getattr(tls, "with")("require")) == "TLSv1.3"
    cause = raised.value.java_exception
    while cause.getCause() is not None:
        cause = cause.getCause()
    given = Tls(mode="verify-full", ca=trusted.ca)
    connection = Connection(store="acc", kind="accumulo", tls=given)
    assert reason in str(way_out(connection, cause.getMessage()))


def test_servers_without_tls_are_only_refused_where_it_is_asked_for(
    accumulo: Mapping[str, Connection],
) -> None:
    given = replace(accumulo["acc"], tls=Tls(mode="require"))
    assert "its server offers no TLS" in refused(given)
    preferred = replace(given, tls=Tls())
    assert protocol(preferred) is None
    assert settled({"acc": preferred})["acc"].tls.mode == "disable"
