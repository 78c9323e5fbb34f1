"""Options of a URL's query that say how a server is reached over TLS."""

from dataclasses import dataclass
from pathlib import Path
from typing import get_args
from urllib.parse import parse_qsl

from evaluation.store_protocol.tls import ENCRYPTING, VERIFYING, TlsMode
from workloads.errors import ConfigurationError
from workloads.paths import expanded

_KEYS = ("tls", "ca", "certificate", "key")
_NAMES = {
    "postgresql": {
        "sslmode": "tls", "sslrootcert": "ca", "sslcert": "certificate", "sslkey": "key",
    },
    "mysql": {
        "ssl-mode": "tls", "sslmode": "tls", "ssl-ca": "ca", "ssl-cert": "certificate",
        "ssl-key": "key",
    },
}  # fmt: skip
"""Kind → the name that its programs give an option → the project file's."""
_MODES = {
    "disabled": "disable",
    "preferred": "prefer",
    "required": "require",
    "trust": "require",
    "verify_ca": "verify-ca",
    "verify_identity": "verify-full",
}
"""The words of MySQL's and MariaDB's programs → the project file's."""
_SECRETS = frozenset({"password", "passwd", "sslpassword", "ssl-passphrase", "key_password"})


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlTls:
    """Keys of the project file that a URL says; None for those that it does not say."""

    mode: TlsMode | None = None
    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None


def url_tls(query: str, kind: str, where: str) -> UrlTls:
    """Return what the query of a URL says.

    Options have the names that the server's own programs give them, or the project file's.

    Raises:
        ConfigurationError: An option is unknown, secret, or said twice, or a file is not there.
    """
    names = {**_NAMES[kind], **{key: key for key in _KEYS}}
    found: dict[str, str] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name.lower() in _SECRETS:
            raise ConfigurationError(
                f"{where} has a password as '{name}', which the shell's history and the list of "
                "processes show to others: leave it out of the URL."
            )
        key = names.get(name.lower())
        if key is None:
            raise ConfigurationError(
                f"{where} has the option '{name}', which is not read here: leave it out. Known "
                f"are {', '.join(names)}."
            )
        if key in found:
            raise ConfigurationError(f"{where} says '{key}' twice: leave one out.")
        found[key] = value
    mode = _mode(found, where)
    if ("certificate" in found) is not ("key" in found):
        raise ConfigurationError(f"{where}: name both certificate and key, or neither.")
    if "certificate" in found and mode not in ENCRYPTING:
        raise ConfigurationError(f"{where} names a certificate, and its mode of TLS is '{mode}'.")
    if "ca" in found and mode not in VERIFYING:
        raise ConfigurationError(
            f"{where} names an authority, and its mode of TLS is '{mode}', which verifies nothing: "
            f"write {' or '.join(VERIFYING)}."
        )
    return UrlTls(
        mode=mode,
        ca=_file(found, "ca", where),
        certificate=_file(found, "certificate", where),
        key=_file(found, "key", where),
    )


def _mode(found: dict[str, str], where: str) -> TlsMode | None:
    if "tls" not in found:
        # An authority or a certificate that is named shall be used.
        return "verify-full" if "ca" in found else "require" if "certificate" in found else None
    word = found["tls"].lower()
    mode = _MODES.get(word, word)
    if mode not in get_args(TlsMode):
        raise ConfigurationError(
            f"{where} has no mode of TLS that is known here: write one of "
            f"{', '.join(get_args(TlsMode))}."
        )
    if mode in VERIFYING and "ca" not in found:
        raise ConfigurationError(
            f"{where} asks for {mode}: name the file (PEM) of the authority beside it, as ca=FILE. "
            "For a public one that is the system's bundle, often "
            "/etc/ssl/certs/ca-certificates.crt."
        )
    return mode  # type: ignore[return-value]


def _file(found: dict[str, str], key: str, where: str) -> Path | None:
    if key not in found:
        return None
    path = expanded(found[key]).absolute()
    if not path.is_file():
        raise ConfigurationError(f"{where} names {key}={found[key]}, which is no file.")
    return path
