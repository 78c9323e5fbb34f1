"""Keys of a [stores.NAME] section that say how its connections are encrypted."""

from typing import Any, get_args

from advisor.project.project_file import ProjectFile
from evaluation.kinds import KINDS
from evaluation.store_protocol.tls import ENCRYPTING, VERIFYING, TlsMode

_FILES = ("ca", "certificate", "key")
_KEYS = ("tls", *_FILES, "key_password_env")
_PAIRS = (("certificate", "key"), ("key", "certificate"), ("key_password_env", "key"))
"""A key, and the one that it is nothing without."""


def with_tls(file: ProjectFile, raw: dict[str, Any], where: str) -> dict[str, Any]:
    """Return a section with the paths of its certificates made absolute.

    Raises:
        ConfigurationError: Its kind or its mode has no use for a key, or one is missing.
    """
    if "key_password" in raw:
        raise file.error(
            f"[{where}].key_password",
            "a password does not belong into a file: put it into an environment variable and "
            "name that in key_password_env",
        )
    given = [key for key in _KEYS if key in raw]
    if not given:
        return raw
    if KINDS[raw["kind"]].encryption is None:
        raise file.error(f"[{where}].{given[0]}", _not_encrypted(raw["kind"]))
    if raw.get("embedded"):
        raise file.error(f"[{where}].{given[0]}", "only a store with a host has this key")
    _check_mode(file, raw, where)
    for key, other in _PAIRS:
        if key in raw and other not in raw:
            raise file.error(f"[{where}].{other}", f"this key is needed beside {key}")
    paths = {
        key: file.resolved(raw[key], f"[{where}].{key}")
        for key in _FILES
        if isinstance(raw.get(key), str)
    }
    return {**raw, **paths}


def _not_encrypted(kind: str) -> str:
    *most, last = (f"'{each.name}'" for each in KINDS.values() if each.encryption)
    with_tls = f"{', '.join(most)} and {last}"
    if KINDS[kind].address.is_file:
        return f"a store of kind '{kind}' is a file, which no network is between: remove the key"
    return (
        f"stores of kind '{kind}' are reached in clear text, which no key changes yet (TLS is "
        f"there for {with_tls}): remove the key, and keep the store in a network that you trust"
    )


def _check_mode(file: ProjectFile, raw: dict[str, Any], where: str) -> None:
    mode = raw.get("tls", "prefer")
    if mode not in get_args(TlsMode):
        # That is said where the section's types are checked.
        return
    verifying = " or ".join(f'"{each}"' for each in VERIFYING)
    if mode in VERIFYING and "ca" not in raw:
        raise file.error(
            f"[{where}].ca",
            f"tls = '{mode}' needs the file (PEM) of the authority that signed the server's "
            "certificate; for a public one that is the system's bundle, often "
            "/etc/ssl/certs/ca-certificates.crt",
        )
    if mode not in VERIFYING and "ca" in raw:
        raise file.error(f"[{where}].ca", f"tls = '{mode}' verifies nothing: write {verifying}")
    if mode not in ENCRYPTING and "certificate" in raw:
        modes = ", ".join(f'"{each}"' for each in ENCRYPTING)
        raise file.error(
            f"[{where}].certificate", f"tls = '{mode}' may send it nowhere: write one of {modes}"
        )
