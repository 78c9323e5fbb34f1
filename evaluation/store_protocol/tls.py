"""TLS of a connection: whether it is encrypted, and to whom."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

TlsMode = Literal["prefer", "disable", "require", "verify-ca", "verify-full"]
VERIFYING: tuple[TlsMode, ...] = ("verify-ca", "verify-full")
"""Modes in which the server's certificate has to come from the authority in `ca`."""
ENCRYPTING: tuple[TlsMode, ...] = ("require", *VERIFYING)
"""Modes in which nothing is sent in clear text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tls:
    """The way to a store over TLS. The key's password never shows in `repr`.

    `prefer` encrypts where the server can, `require` always; `verify-ca` demands a certificate of
    an authority in the file `ca` besides, and `verify-full` one of the host's own name.
    `certificate` and `key` are what a server gets that asks who we are. All files are PEM.
    `key_password_env` names the variable that the key's password came from.
    """

    mode: TlsMode = "prefer"
    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    key_password: str | None = field(default=None, repr=False)
    key_password_env: str | None = None


PREFERRED = Tls()
"""TLS of a store whose section says nothing of it."""
CLEAR = Tls(mode="disable")
"""No TLS: embedded servers listen on loopback alone."""
