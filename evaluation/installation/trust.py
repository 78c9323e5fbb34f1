"""The machine's trusted certificates in the form that Java reads."""

import hashlib
import os
import re
import ssl
import struct
from pathlib import Path

from workloads.whole_files import write_whole

_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",  # Debian, Arch, Alpine
    "/etc/pki/tls/certs/ca-bundle.crt",  # Red Hat
    "/etc/ssl/ca-bundle.pem",  # SUSE
)
_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
# A store of public certificates has no secret; Java only checks that the file is whole.
_STORE_PASSWORD = "changeit"  # noqa: S105


def write_store(path: Path) -> Path | None:
    """Write the certificates this machine trusts as a Java key store and return its path.

    Returns None when the machine has no bundle, so that Java keeps its own list.
    """
    bundle = _bundle()
    if bundle is None:
        return None
    text = bundle.read_text(encoding="utf-8", errors="replace")
    certificates = [ssl.PEM_cert_to_DER_cert(pem) for pem in _CERTIFICATE.findall(text)]
    if not certificates:
        return None
    content = _key_store(certificates)
    if not path.is_file() or path.read_bytes() != content:
        write_whole(path, content)
    return path


def _bundle() -> Path | None:
    named = (os.environ.get("SSL_CERT_FILE"), ssl.get_default_verify_paths().cafile, *_BUNDLES)
    return next((Path(name) for name in named if name and Path(name).is_file()), None)


def _key_store(certificates: list[bytes]) -> bytes:
    """Return a key store in Java's own format (JKS, version 2) that holds `certificates`.

    Source: sun.security.provider.JavaKeyStore: magic, version, number of entries; for each its
    tag (2: a trusted certificate), alias, time, type and encoding; a salted SHA-1 at the end.
    """
    parts = [struct.pack(">III", 0xFEEDFEED, 2, len(certificates))]
    for number, certificate in enumerate(certificates):
        parts += [
            struct.pack(">I", 2),
            _text(f"ca-{number}"),
            struct.pack(">Q", 0),
            _text("X.509"),
            struct.pack(">I", len(certificate)),
            certificate,
        ]
    content = b"".join(parts)
    salt = _STORE_PASSWORD.encode("utf-16-be") + b"Mighty Aphrodite"
    return content + hashlib.sha1(salt + content, usedforsecurity=False).digest()


def _text(text: str) -> bytes:
    return struct.pack(">H", len(text)) + text.encode("ascii")
