"""Logins of a new project's servers; passwords are in none of what is written or shown."""

import getpass
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from advisor.starting.names import key_password_variable, password_variable, store_name
from advisor.starting.sources import DuckDBFile, ParquetFolder, Server, Source
from evaluation.kinds import KINDS
from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.tls import Tls
from workloads.errors import ConfigurationError

COPIES = "copies"
"""The store that a new project has for copies."""

_SILENCE_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """A server with its name in the project, and how the account logs in.

    `password` is None where there was none to be had. One that `is_typed` came from a terminal, so
    that the variable for later commands has still to be set.
    """

    store: str
    server: Server
    password: str | None = field(default=None, repr=False)
    is_typed: bool = False

    @property
    def variable(self) -> str:
        """The environment variable of the password."""
        return password_variable(self.store)

    @property
    def key_variable(self) -> str | None:
        """The variable of the key's password, if the account has a key and the variable is set."""
        variable = key_password_variable(self.store)
        return variable if self.server.tls.key is not None and variable in os.environ else None

    def connection(self) -> Connection:
        """Return how to reach the server, in sessions that only read."""
        server, tls = self.server, self.server.tls
        return Connection(
            store=self.store,
            kind=server.kind,
            host=server.host,
            port=server.port,
            database=_login_database(server),
            user=server.user,
            password=self.password,
            password_env=self.variable,
            tls=Tls(
                mode=tls.mode or "prefer",
                ca=tls.ca,
                certificate=tls.certificate,
                key=tls.key,
                key_password=None if self.key_variable is None else os.environ[self.key_variable],
                key_password_env=key_password_variable(self.store),
            ),
            silence_s=_SILENCE_S,
            read_only=True,
        )


def names_of(sources: Sequence[Source]) -> Mapping[str, Server | DuckDBFile]:
    """Return store → the server or file that it is, in the order of the sources.

    Raises:
        ConfigurationError: Two sources have the same tables.
    """
    _refuse_same(sources)
    named: dict[str, Server | DuckDBFile] = {}
    for each in sources:
        if not isinstance(each, ParquetFolder):
            named[store_name(each, {*named, COPIES})] = each
    return named


def login(store: str, server: Server) -> Login:
    """Return a server's login: the password of its variable, else one that is typed, else none.

    Raises:
        ConfigurationError: Whoever was asked for a password ended the input.
    """
    given = os.environ.get(password_variable(store))
    if given is not None or not sys.stdin.isatty():
        return Login(store=store, server=server, password=given)
    try:
        typed = getpass.getpass(f"Password of {server.shown} (Enter for none): ")
    except EOFError:
        raise ConfigurationError(
            f"No password of {server.shown} was given: type it, or put it into the environment "
            f"variable {password_variable(store)}."
        ) from None
    return Login(store=store, server=server, password=typed or None, is_typed=bool(typed))


def _refuse_same(sources: Sequence[Source]) -> None:
    """Raise where a source is named twice, or is a database of a server that is named whole."""
    seen: set[tuple[object, str | None]] = set()
    folders = [each for each in sources if isinstance(each, ParquetFolder)]
    if len(folders) > 1:
        raise ConfigurationError(
            f"--from names {len(folders)} folders of Parquet, and a catalog has one: put the "
            "tables into one, such as by links."
        )
    for number, each in enumerate(sources, start=1):
        place = each.place if isinstance(each, Server) else each
        database = _database(each)
        is_whole = database is None and any(other == place for other, _ in seen)
        if is_whole or {(place, database), (place, None)} & seen:
            raise ConfigurationError(
                f"--from number {number} ({each.shown}) has tables that an earlier one has too: "
                "name each server and database once."
            )
        seen.add((place, database))


def _login_database(server: Server) -> str | None:
    """Return the database to log in to; None for kinds whose databases are schemas."""
    usual = KINDS[server.kind].address.database
    return usual and (server.database or usual)


def _database(source: Source) -> str | None:
    """Return the database whose tables are read; None for all of a server or a file."""
    if not isinstance(source, Server):
        return None
    return source.database or _login_database(source)
