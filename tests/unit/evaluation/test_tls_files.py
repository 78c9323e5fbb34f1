"""Files of TLS are checked before a driver sees them, and keys are made readable for Java."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12

from evaluation.engines.trino_catalogs import trino_catalog
from evaluation.evaluate import open_session
from evaluation.kinds import JDBC, KINDS
from evaluation.migration_sql import MigrationCommands
from evaluation.running.job import Job
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.tls import Tls, TlsMode
from evaluation.store_protocol.tls_files import check_files, key_store
from placement.movement.migration_steps import Step
from tests.stores.certificates import Authority, Files
from workloads.catalog import Catalog
from workloads.errors import ConfigurationError, StoreError
from workloads.progress import Silent
from workloads.workload import Workload


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(name="authority", folder=tmp_path)


def connection(kind: str, files: Files | None = None, **tls: object) -> Connection:
    given = Tls(mode="require")
    if files is not None:
        given = replace(given, certificate=files.certificate, key=files.key)
    return Connection(
        store="shop",
        kind=kind,
        host="db",
        port=1,
        database="d",
        user="u",
        tls=replace(given, **tls),
    )


def _empty(files: Files) -> None:
    files.certificate.write_text("nothing")


def _without_key(files: Files) -> None:
    files.key.unlink()


def _open(files: Files) -> None:
    files.key.chmod(0o644)


def _of_another(files: Files) -> None:
    other = Authority(name="other", folder=files.key.parent).signed("other")
    files.key.write_bytes(other.key.read_bytes())


def _of_an_algorithm_that_java_lacks(files: Files) -> None:
    key = ed25519.Ed25519PrivateKey.generate()
    files.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (_empty, r"\[stores.shop\].certificate = '.*client.crt' cannot be used"),
        (_without_key, r"\[stores.shop\].key = '.*client.key' cannot be used: No such file"),
        (_open, "client.key can be read by others: run chmod 600"),
        (_of_another, "client.key does not belong to its certificate"),
        (_of_an_algorithm_that_java_lacks, "use RSA or an elliptic curve"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(
    authority: Authority, damage: Callable[[Files], None], expected: str
) -> None:
    files = authority.signed("client")
    check_files(connection("postgresql", files))
    damage(files)
    with pytest.raises(StoreError, match=expected) as raised:
        check_files(connection("postgresql", files))
    assert "\n" not in str(raised.value)


def test_an_authority_is_only_read_where_it_is_asked(tmp_path: Path) -> None:
    missing = tmp_path / "ca.pem"
    check_files(connection("mysql", ca=missing))
    with pytest.raises(StoreError, match=r"ca = '.*ca.pem' cannot be used: No such file"):
        check_files(connection("mysql", mode="verify-ca", ca=missing))


@pytest.mark.parametrize("kind", ["postgresql", "mysql"])
def test_java_gets_a_file_that_only_we_may_read_with_a_password_of_its_own(
    authority: Authority, kind: str
) -> None:
    files = authority.signed("client", password="s3cret")
    given = connection(kind, files, key_password="s3cret")
    options = JDBC[kind].jdbc(given, timeout_s=5, fetch_size=10)
    path, password = (options[name] for name in JDBC[kind].key_store_options)
    found = load_pkcs12(Path(path).read_bytes(), password.encode())
    assert found.cert is not None
    assert found.cert.friendly_name == b"user"
    assert Path(path).stat().st_mode & 0o777 == 0o600
    # Spark hides what is so called.
    assert "password" in JDBC[kind].key_store_options[1].lower()
    assert all(password not in value for name, value in options.items() if "assword" not in name)
    assert "s3cret" not in " ".join(options.values())
    again = key_store(given)
    assert again is not None
    assert str(again.path) == path
    assert password not in repr(again)


def test_a_key_stays_on_this_machine(authority: Authority) -> None:
    job = Job(
        workload=Workload(name="w", dialect="duckdb", queries=()),
        catalog=Catalog(name="c", tables={}),
        connections={"shop": connection("postgresql", authority.signed("client"))},
        master="spark://cluster:7077",
    )
    with (
        pytest.raises(ConfigurationError, match=r"\[stores.shop\].key, which stays"),
        open_session(job, Silent()),
    ):
        pass


@pytest.mark.parametrize(
    ("product", "mode", "expected"),
    [
        ("postgresql", "prefer", "/d\n"),
        ("postgresql", "disable", "/d?sslmode=disable\n"),
        ("postgresql", "verify-full", "/d?sslmode=verify-full&sslrootcert=/a/ca%20file.pem\n"),
        ("mariadb", "require", "/?sslMode=trust\n"),
        ("mariadb", "verify-ca", "/?sslMode=verify-ca&serverSslCert=/a/ca%20file.pem\n"),
        ("mysql8", "require", "/?sslMode=REQUIRED\n"),
    ],
)
def test_trino_is_told_of_tls_in_the_words_of_its_drivers(
    product: str, mode: TlsMode, expected: str
) -> None:
    kind = "postgresql" if product == "postgresql" else "mysql"
    ca = Path("/a/ca file.pem") if mode.startswith("verify") else None
    found = trino_catalog(connection(kind, mode=mode, ca=ca), product=KINDS[kind].product(product))
    assert expected in found.text


def test_trino_is_not_told_what_its_drivers_cannot_read(authority: Authority) -> None:
    verified = connection("mysql", mode="verify-ca", ca=authority.ca)
    with pytest.raises(ConfigurationError, match="authorities from a Java key store"):
        trino_catalog(verified, product=KINDS["mysql"].product("mysql8"))
    with pytest.raises(ConfigurationError, match="certificate and key from a Java key store"):
        trino_catalog(connection("postgresql", authority.signed("client")))


def test_printed_commands_say_how_java_gets_a_key(authority: Authority) -> None:
    given = connection("mysql", authority.signed("client", password="s3cret"))
    writer = MigrationCommands(
        catalog=Catalog(name="c", tables={}), connections={"shop": given}, exchange=Path("/x")
    )
    step = Step(
        kind="drop",
        table="t",
        source="shop",
        target=None,
        bytes=0,
        held_bytes={},
        estimated_s=0.0,
    )
    lines = "\n".join(writer.preamble([step]).text)
    assert "'sslMode': \"trust\"," in lines
    assert "'keyStore': os.environ['SHOP_KEY_STORE']," in lines
    assert "'keyStorePassword': os.environ['SHOP_KEY_STORE_PASSWORD']," in lines
    assert "openssl pkcs12 -export -name user" in lines
