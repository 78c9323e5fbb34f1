"""Stores that take no clear text are reached over TLS, by both drivers; what fails says why."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import psycopg
import pytest

from evaluation.encryption import settled
from evaluation.kinds import BACKENDS, KINDS
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.tls import Tls, TlsMode
from evaluation.store_protocol.tls_files import key_store
from tests.stores.each_store import answer
from tests.stores.encrypted_servers import KEY_PASSWORD, STORES, Encrypted
from tests.stores.live_servers import maria, postgres
from workloads.errors import StoreError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.stores

EACH = pytest.mark.parametrize("store", STORES)
MODES: tuple[TlsMode, ...] = ("prefer", "require", "verify-ca", "verify-full")
CIPHERS = {
    "postgresql": "SELECT cipher FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl",
    "mysql": "SELECT variable_value AS cipher FROM {}.session_status "
    "WHERE variable_name = 'Ssl_cipher'",
}
"""The server's own view of how a session is encrypted."""


def cipher(connection: Connection) -> str:
    schema = "performance_schema" if connection.store == "mysql8" else "information_schema"
    return CIPHERS[connection.kind].format(schema)


def login(encrypted: Encrypted, store: str, mode: TlsMode, **more: object) -> Connection:
    ca = encrypted.trusted.ca if mode.startswith("verify") else None
    return encrypted.login(store, **{"mode": mode, "ca": ca, **more})


def certified(encrypted: Encrypted, store: str, password: str | None = KEY_PASSWORD) -> Connection:
    """A login that shows the client's certificate."""
    return login(
        encrypted,
        store,
        "verify-full",
        certificate=encrypted.client.certificate,
        key=encrypted.client.key,
        key_password=password,
        key_password_env="KEY_PASSWORD",
    )


def protocol(connection: Connection) -> str | None:
    encryption = KINDS[connection.kind].encryption
    assert encryption is not None
    return encryption(connection)


def refused(connection: Connection) -> str:
    """What a user is told of a login that fails: one line, without any password."""
    with pytest.raises(StoreError) as raised:
        protocol(connection)
    told = str(raised.value)
    assert "\n" not in told
    assert str(connection.password) not in told
    assert not BACKENDS[connection.kind].answers(connection)
    return told


@EACH
@pytest.mark.parametrize("mode", MODES)
def test_python_and_java_are_encrypted_as_the_server_sees_it(
    spark: "SparkSession", encrypted: Encrypted, store: str, mode: TlsMode
) -> None:
    given = login(encrypted, store, mode)
    assert str(protocol(given)).startswith("TLSv1.")
    found = settled({store: given})[store]
    BACKENDS[found.kind].prepare(found)
    ((by_java,),) = answer(spark, found, cipher(found)).collect()
    assert "AES" in by_java


@EACH
def test_a_key_with_a_password_serves_python_and_java(
    spark: "SparkSession", encrypted: Encrypted, store: str
) -> None:
    given = only_certified(encrypted, store)
    assert str(protocol(given)).startswith("TLSv1.")
    BACKENDS[given.kind].prepare(encrypted.login(store, mode="require"))
    frame = answer(spark, given, cipher(given))
    assert "AES" in frame.collect()[0][0]
    keys = key_store(given)
    assert keys is not None
    plan = frame._jdf.queryExecution().toString()
    assert keys.password not in plan
    assert KEY_PASSWORD not in plan


@EACH
def test_java_refuses_whom_python_refuses(
    spark: "SparkSession", encrypted: Encrypted, store: str
) -> None:
    BACKENDS[encrypted.connections[store].kind].prepare(encrypted.connections[store])
    unknown = login(encrypted, store, "verify-ca", ca=encrypted.unknown.ca)
    other_host = replace(login(encrypted, store, "verify-full"), host="127.0.0.1")
    clear = login(encrypted, store, "disable")
    told = [refused_by_java(spark, each) for each in (unknown, other_host, clear)]
    assert "certification path" in told[0]
    assert "127.0.0.1" in told[1]
    assert "no encryption" in told[2] or "insecure transport" in told[2]
    with encrypted.serving(store, encrypted.expired()):
        expired = login(encrypted, store, "verify-ca")
        assert "validity check failed" in refused_by_java(spark, expired)


def refused_by_java(spark: "SparkSession", connection: Connection) -> str:
    """What Spark's driver says of a login, with all that caused it."""
    with pytest.raises(Exception, match="JDBC") as raised:
        answer(spark, connection, cipher(connection)).collect()
    java = getattr(raised.value, "_origin", None)
    told = [str(raised.value)]
    while java is not None:
        told.append(str(java.getMessage()))
        java = java.getCause()
    return "\n".join(told)


@EACH
def test_a_missing_certificate_is_asked_for(encrypted: Encrypted, store: str) -> None:
    given = replace(only_certified(encrypted, store), tls=Tls(mode="require"))
    told = refused(given)
    assert "certificate" in told
    assert f"[stores.{store}]" in told


@EACH
def test_a_server_that_takes_no_clear_text_says_so(encrypted: Encrypted, store: str) -> None:
    told = refused(login(encrypted, store, "disable"))
    assert "takes no clear text: write tls = 'verify-full'" in told


@EACH
def test_another_host_is_only_let_pass_where_no_names_are_compared(
    encrypted: Encrypted, store: str
) -> None:
    by_address = replace(login(encrypted, store, "verify-full"), host="127.0.0.1")
    assert "is not that of '127.0.0.1'" in refused(by_address)
    assert protocol(replace(login(encrypted, store, "verify-ca"), host="127.0.0.1"))


@EACH
def test_an_unknown_authority_is_refused(encrypted: Encrypted, store: str) -> None:
    told = refused(login(encrypted, store, "verify-ca", ca=encrypted.unknown.ca))
    assert f"is of no authority in ca = '{encrypted.unknown.ca}'" in told


@EACH
def test_an_expired_certificate_is_refused(encrypted: Encrypted, store: str) -> None:
    with encrypted.serving(store, encrypted.expired()):
        assert "has expired" in refused(login(encrypted, store, "verify-ca"))
        assert protocol(login(encrypted, store, "require"))


@EACH
@pytest.mark.parametrize(
    ("password", "reason"),
    [
        ("another", "the password in KEY_PASSWORD does not open it"),
        (None, "it is encrypted: name the variable of its password in key_password_env"),
    ],
)
def test_a_key_that_its_password_does_not_open_is_named(
    encrypted: Encrypted, store: str, password: str | None, reason: str
) -> None:
    told = refused(certified(encrypted, store, password))
    assert told.endswith(f"cannot be used: {reason}.")
    assert str(encrypted.client.key) in told


@pytest.mark.parametrize("store", ["pg", "maria"])
def test_a_server_without_tls_is_only_refused_where_it_is_asked_for(
    embedded: Mapping[str, Connection], store: str
) -> None:
    given = replace(embedded[store], tls=Tls(mode="require"))
    assert "its server offers no TLS" in refused(given)
    preferred = replace(given, tls=Tls())
    assert protocol(preferred) is None
    assert settled({store: preferred})[store].tls.mode == "disable"


def test_a_server_that_is_not_there_keeps_what_was_preferred() -> None:
    there = Connection(store="s", kind="mysql", host="127.0.0.1", port=1, user="u")
    assert settled({"s": there})["s"] is there


def test_psycopg_is_the_only_driver_that_says_nothing_of_the_reason(encrypted: Encrypted) -> None:
    """Why `refusal` asks again: were it told, that could go."""
    given = login(encrypted, "pg", "verify-ca", ca=encrypted.unknown.ca)
    with pytest.raises(psycopg.OperationalError) as raised:
        psycopg.connect(
            host=given.host,
            port=given.port,
            user=given.user,
            sslmode="verify-ca",
            sslrootcert=str(given.tls.ca),
        )
    assert "self-signed" not in str(raised.value)


def only_certified(encrypted: Encrypted, store: str) -> Connection:
    """The login of an account that has to show its certificate."""
    found = encrypted.connections[store]
    if store == "pg":
        postgres(found, "DROP ROLE IF EXISTS certified")
        postgres(found, f"CREATE ROLE certified SUPERUSER LOGIN PASSWORD '{found.password}'")
    else:
        user = "'certified'@'127.0.0.1'"
        maria(
            found,
            f"DROP USER IF EXISTS {user}",
            f"CREATE USER {user} IDENTIFIED BY '{found.password}' REQUIRE X509",
            f"GRANT ALL ON *.* TO {user}",
        )
    return replace(certified(encrypted, store), user="certified")
