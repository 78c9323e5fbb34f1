"""Names of stores, and of the variables of their passwords."""

import re
import unicodedata
from collections.abc import Collection

from advisor.starting.sources import DuckDBFile, Server, host_label
from evaluation.kinds import KINDS

_MOST_CHARACTERS = 40
_NOT_PLAIN = re.compile(r"[^a-z0-9]+")


def store_name(source: Server | DuckDBFile, taken: Collection[str]) -> str:
    """Return a name that is none of `taken`: after the database, else the host, else the kind.

    It has small letters of ASCII, digits and underscores, so that it is a key of TOML and a
    variable of the shell.
    """
    plain = next(filter(None, map(_plain, _wanted(source))))
    name, number = plain, 1
    while name in taken:
        number += 1
        name = f"{plain}_{number}"
    return name


def password_variable(store: str) -> str:
    """Return the environment variable of a store's password; it begins with no digit."""
    prefix = "STORE_" if store[0].isdigit() else ""
    return f"{prefix}{store.upper()}_PASSWORD"


def key_password_variable(store: str) -> str:
    """Return the environment variable of the password of a store's key."""
    return password_variable(store).replace("_PASSWORD", "_KEY_PASSWORD")


def _wanted(source: Server | DuckDBFile) -> tuple[str, ...]:
    if isinstance(source, DuckDBFile):
        return source.path.stem, "duckdb"
    # Every server has a database that is called so.
    usual = KINDS[source.kind].address.database
    database = "" if source.database in (None, usual) else str(source.database)
    return database, host_label(source.host) or "", source.kind


def _plain(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.casefold()).encode("ascii", errors="ignore")
    return _NOT_PLAIN.sub("_", letters.decode()).strip("_")[:_MOST_CHARACTERS].strip("_")
