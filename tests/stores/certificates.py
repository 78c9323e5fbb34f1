"""Authorities of the tests' own, and the certificates that they sign."""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import NameOID

_A_DAY = timedelta(days=1)
_SIGNS = x509.KeyUsage(
    key_cert_sign=True,
    crl_sign=True,
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    encipher_only=False,
    decipher_only=False,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """A certificate and its key as files of PEM."""

    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """An authority that signs itself; `ca` is its certificate as a file of PEM."""

    name: str
    folder: Path
    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )

    def __post_init__(self) -> None:
        found = (
            self._builder(self.name, self.key, _A_DAY)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(_SIGNS, critical=True)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(self.key.public_key()), critical=False
            )
            .sign(self.key, SHA256())
        )
        self.ca.write_bytes(found.public_bytes(Encoding.PEM))

    @property
    def ca(self) -> Path:
        return self.folder / f"{self.name}.pem"

    def signed(
        self,
        name: str,
        hosts: Sequence[str] = (),
        *,
        ends: timedelta = _A_DAY,
        password: str | None = None,
    ) -> Files:
        """Sign a certificate of `name` for `hosts`, which ends so long from now."""
        key = ec.generate_private_key(ec.SECP256R1())
        # What strict verifiers ask for: whose key has signed it.
        signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key())
        builder = self._builder(name, key, ends).add_extension(signer, critical=False)
        if hosts:
            alternatives = x509.SubjectAlternativeName([_host(host) for host in hosts])
            builder = builder.add_extension(alternatives, critical=False)
        certificate = builder.sign(self.key, SHA256())
        files = Files(
            certificate=self.folder / f"{name}.crt",
            key=self.folder / f"{name}.key",
        )
        files.certificate.write_bytes(certificate.public_bytes(Encoding.PEM))
        write_key(files.key, key, password)
        return files

    def _builder(
        self, name: str, key: ec.EllipticCurvePrivateKey, ends: timedelta
    ) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(_called(name))
            .issuer_name(_called(self.name))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - 2 * _A_DAY)
            .not_valid_after(now + ends)
        )


def write_key(path: Path, key: ec.EllipticCurvePrivateKey, password: str | None = None) -> None:
    """Write a key that only its owner may read, encrypted if there is a password."""
    encryption: KeySerializationEncryption = NoEncryption()
    if password is not None:
        encryption = BestAvailableEncryption(password.encode())
    path.touch(mode=0o600)
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption))


def _called(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
