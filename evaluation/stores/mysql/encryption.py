"""TLS as the drivers of MySQL and MariaDB are told of it."""

import ssl
from collections.abc import Mapping
from typing import Any

from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.tls import ENCRYPTING, VERIFYING, Tls, TlsMode
from evaluation.store_protocol.tls_files import key_store

JDBC_MODES: Mapping[TlsMode, str] = {
    "disable": "disable",
    "require": "trust",
    "verify-ca": "verify-ca",
    "verify-full": "verify-full",
}
"""Our modes → those of MariaDB's driver, which has no `prefer`."""

KEY_STORE_OPTIONS = ("keyStore", "keyStorePassword")
"""Properties of the JDBC driver: Spark hides those whose names contain "password"."""


def login_options(tls: Tls) -> Mapping[str, Any]:
    """Return the arguments of PyMySQL, which takes TLS where there is some unless told otherwise.

    Given a context it refuses to go on in clear text.
    """
    if tls.mode == "disable":
        return {"ssl_disabled": True}
    return {"ssl": _context(tls)} if tls.mode in ENCRYPTING else {}


def _context(tls: Tls) -> ssl.SSLContext:
    # Of a context with no authority Python takes the system's.
    context = ssl.create_default_context(cafile=None if tls.ca is None else str(tls.ca))
    context.check_hostname = tls.mode == "verify-full"
    if tls.mode not in VERIFYING:
        context.verify_mode = ssl.CERT_NONE
    # The authorities that MySQL makes at its first start lack what Python 3.13 asks for.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if tls.certificate is not None:
        # With no password OpenSSL would ask for one on the terminal.
        context.load_cert_chain(tls.certificate, tls.key, password=tls.key_password or "")
    return context


def jdbc_options(connection: Connection) -> Mapping[str, str]:
    """Return the properties of MariaDB's driver, which knows no `prefer`: it then takes no TLS.

    `evaluation.encryption` says which of the others stands for it. Raises StoreError for a key
    that cannot be read.
    """
    tls = connection.tls
    options = {"sslMode": JDBC_MODES[tls.mode]} if tls.mode in JDBC_MODES else {}
    if tls.mode in VERIFYING and tls.ca is not None:
        options["serverSslCert"] = str(tls.ca)
    keys = key_store(connection)
    if keys is not None:
        options |= zip(KEY_STORE_OPTIONS, (str(keys.path), keys.password), strict=True)
    return options
