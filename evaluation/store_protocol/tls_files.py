"""Files of TLS: checked before a driver opens them, and the key in the form that Java reads.

Drivers name neither the file nor the reason in the same words, and Java's read no key in PEM.
"""

import atexit
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TypeVar

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    load_pem_private_key,
    pkcs12,
)

from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.tls import VERIFYING
from workloads.errors import StoreError

_Read = TypeVar("_Read")
PrivateKey = RSAPrivateKey | EllipticCurvePrivateKey
"""Keys of which all drivers can make use."""

KEY_ALIAS = "user"
"""The name by which PostgreSQL's driver looks for the key."""
_made: dict[tuple[bytes, ...], "KeyStore"] = {}
_OTHERS = 0o077
_OWNERS_GROUP = 0o040


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyStore:
    """A file of PKCS#12 with certificate and key, and its password, which is in no file."""

    path: Path
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Identity:
    """A certificate with those that signed it, and its key."""

    certificates: tuple[x509.Certificate, ...]
    key: PrivateKey = field(repr=False)


def check_files(connection: Connection) -> None:
    """Raise StoreError for a file of TLS that cannot be used, with what to do about it."""
    tls = connection.tls
    if tls.ca is not None and tls.mode in VERIFYING:
        _read(connection, "ca", tls.ca, x509.load_pem_x509_certificates)
    if tls.certificate is not None and tls.key is not None:
        _identity(connection, tls.certificate, tls.key)


def key_store(connection: Connection) -> KeyStore | None:
    """Return certificate and key as Java reads them; None where the store is reached without.

    The file is in a folder of this process alone, which is removed when it ends. It is encrypted
    with a password made here, so that the key's own never reaches Spark. Raises StoreError.
    """
    tls = connection.tls
    if tls.certificate is None or tls.key is None:
        return None
    identity = _identity(connection, tls.certificate, tls.key)
    # A key belongs to one certificate.
    made = tuple(each.fingerprint(SHA256()) for each in identity.certificates)
    if made not in _made:
        _made[made] = _written(identity)
    return _made[made]


@cache
def _folder() -> Path:
    folder = Path(mkdtemp(prefix="placement-advisor-"))
    atexit.register(rmtree, folder, ignore_errors=True)
    return folder


def _written(identity: _Identity) -> KeyStore:
    first, *signers = identity.certificates
    password = secrets.token_urlsafe(24)
    content = pkcs12.serialize_key_and_certificates(
        KEY_ALIAS.encode(),
        identity.key,
        first,
        signers,
        BestAvailableEncryption(password.encode()),
    )
    path = _folder() / f"{secrets.token_hex(8)}.p12"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    return KeyStore(path=path, password=password)


def _identity(connection: Connection, certificate: Path, key: Path) -> _Identity:
    found = _read(connection, "certificate", certificate, x509.load_pem_x509_certificates)
    _refuse_open(connection, key)
    password, variable = connection.tls.key_password, connection.tls.key_password_env

    def opened(content: bytes) -> PrivateKey:
        return _private_key(content, password, variable)

    loaded = _read(connection, "key", key, opened)
    if loaded.public_key() != found[0].public_key():
        raise StoreError(
            connection.store,
            f"its key {key} does not belong to its certificate {certificate}: name the two files "
            f"that were made together in [stores.{connection.store}].",
        )
    return _Identity(certificates=tuple(found), key=loaded)


def _private_key(content: bytes, password: str | None, variable: str | None) -> PrivateKey:
    """Read a key; ValueError says why it cannot be."""
    if password is not None and b"ENCRYPTED" not in content:
        # It needs none: OpenSSL, too, reads such a key whatever password is given.
        password = None
    try:
        loaded = load_pem_private_key(content, None if password is None else password.encode())
    except TypeError:
        raise ValueError(
            "it is encrypted: name the variable of its password in key_password_env"
        ) from None
    except ValueError:
        if password is None:
            raise
        raise ValueError(f"the password in {variable} does not open it") from None
    if not isinstance(loaded, PrivateKey):
        raise ValueError(  # noqa: TRY004 - a file's content, not an argument
            "no driver takes a key of its algorithm: use RSA or an elliptic curve"
        )
    return loaded


def _refuse_open(connection: Connection, key: Path) -> None:
    """Raise StoreError for a key that others may read, as PostgreSQL's driver does."""
    try:
        status = key.stat()
    except OSError:
        return
    allowed = _OWNERS_GROUP if status.st_uid == 0 else 0
    if status.st_mode & _OTHERS & ~allowed:
        raise StoreError(
            connection.store,
            f"its key {key} can be read by others: run chmod 600 on it.",
        )


def _read(
    connection: Connection, option: str, path: Path, parse: Callable[[bytes], _Read]
) -> _Read:
    """Return what a file of PEM holds; StoreError where it holds nothing such."""
    try:
        return parse(path.read_bytes())
    except OSError as error:
        reason = str(error.strerror)
    except ValueError as error:
        # What the library says of a file without PEM has several sentences.
        reason = str(error).partition(". ")[0].rstrip(".")
    raise StoreError(
        connection.store,
        f"[stores.{connection.store}].{option} = '{path}' cannot be used: {reason}.",
    )
