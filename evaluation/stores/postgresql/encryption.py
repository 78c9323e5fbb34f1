"""TLS as PostgreSQL's two drivers are told of it, and why a certificate was refused."""

import ssl
import struct
from collections.abc import Mapping
from typing import Any

from evaluation.store_protocol.connecting import connected
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.tls import VERIFYING, Tls
from evaluation.store_protocol.tls_files import key_store

# The first packet of a session that wants TLS, and the answer of a server that has it.
_TLS_REQUEST = struct.pack("!ii", 8, 80877103)
_TLS_FOLLOWS = b"S"

KEY_STORE_OPTIONS = ("sslkey", "sslpassword")
"""Properties of the JDBC driver: Spark hides those whose names contain "password"."""


def login_options(tls: Tls) -> Mapping[str, Any]:
    """Return the parameters of libpq, whose modes have the project file's names."""
    options = {"sslmode": str(tls.mode)}
    if tls.mode in VERIFYING and tls.ca is not None:
        options["sslrootcert"] = str(tls.ca)
    if tls.certificate is not None:
        options["sslcert"] = str(tls.certificate)
    if tls.key is not None:
        options["sslkey"] = str(tls.key)
    if tls.key_password is not None:
        options["sslpassword"] = tls.key_password
    return options


def jdbc_options(connection: Connection) -> Mapping[str, str]:
    """Return the properties of the JDBC driver, which reads a key in PKCS#12 but none in PEM.

    Raises StoreError for a key that cannot be read.
    """
    tls = connection.tls
    options = {"sslmode": str(tls.mode)}
    if tls.mode in VERIFYING and tls.ca is not None:
        options["sslrootcert"] = str(tls.ca)
    keys = key_store(connection)
    if keys is not None:
        options |= zip(KEY_STORE_OPTIONS, (str(keys.path), keys.password), strict=True)
    return options


def refusal(connection: Connection, *, timeout_s: float) -> str:
    """Return why the server's certificate is refused, which libpq leaves out; "" if it is not.

    A connection is opened for it that goes no further than the certificate.
    """
    context = ssl.create_default_context(cafile=str(connection.tls.ca))
    context.check_hostname = connection.tls.mode == "verify-full"
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    address = (connection.host or "", connection.port or 5432)
    try:
        with connected(address, timeout_s) as there:
            there.settimeout(timeout_s)
            there.sendall(_TLS_REQUEST)
            if there.recv(1) == _TLS_FOLLOWS:
                context.wrap_socket(there, server_hostname=connection.host).close()
    except ssl.SSLCertVerificationError as error:
        return error.verify_message
    except OSError:
        return ""
    return ""
