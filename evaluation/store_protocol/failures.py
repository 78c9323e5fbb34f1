"""Errors of drivers as StoreError, without passwords."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from traceback import walk_tb

from evaluation.store_protocol.connection import Connection
from evaluation.store_protocol.tls_advice import also_required, way_out
from workloads.errors import StoreError

_OURS = __name__.partition(".")[0]
# What a host, a network and a name service say of an address where nothing answers.
_UNREACHED = re.compile(
    r"Connection refused|No route to host|Network is unreachable|could not translate host name"
    r"|Name or service not known|Temporary failure in name resolution|nodename nor servname"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """Turns the failures of one connection into errors that a user can act upon."""

    connection: Connection

    @property
    def store(self) -> str:
        """The store's name."""
        return self.connection.store

    @property
    def address(self) -> str:
        """The store's address, for a message."""
        if self.connection.path is not None:
            return str(self.connection.path)
        if self.connection.nodes:
            return ", ".join(self.connection.nodes)
        return f"{self.connection.host}:{self.connection.port}"

    @contextmanager
    def told(self, work: str, *kinds: type[Exception]) -> Iterator[None]:
        """Raise StoreError, which begins with `work`, for errors of these kinds.

        So does any other error inside the package of these kinds: a driver that gets a damaged
        answer fails in any way.
        """
        try:
            yield
        except Exception as error:
            if isinstance(error, kinds) or _is_drivers(error, kinds):
                raise self.error(error, work) from None
            raise

    @contextmanager
    def logging_in(self, *kinds: type[Exception]) -> Iterator[None]:
        """Raise StoreError for a login that fails, with what to look at; kinds as in `told`."""
        try:
            yield
        except Exception as error:
            if not (isinstance(error, kinds) or _is_drivers(error, kinds)):
                raise
            way = way_out(self.connection, str(error))
            if way is not None:
                raise StoreError(
                    self.store,
                    f"cannot log in to {self.address} ({self.reason(error)}): "
                    f"{self.connection.masked(way)}.",
                ) from None
            raise StoreError(self.store, self._not_logged_in(error)) from None

    def _not_logged_in(self, error: Exception) -> str:
        """Return what to look at where a login fails; a password only where it may have been."""
        user, there = self.connection.user, f"in [stores.{self.store}]"
        as_user = f" as user '{user}'" if user else ""
        failed = f"cannot log in to {self.address}{as_user} ({self.reason(error)})"
        if _UNREACHED.search(str(error)):
            keys = "host and port" if user else "nodes"
            return f"{failed}: check that the server runs, and {keys} {there}."
        source = self.connection.password_env or self.connection.password_file
        password = f"the password in {source}" if source else "the password"
        keys = "host, port, database and user" if user else "nodes"
        also = also_required(self.connection, str(error))
        return f"{failed}: check that the server runs, and {keys} {there} and {password}{also}."

    def in_use(self) -> StoreError:
        """Return the error that says that another advisor holds the namespace."""
        return StoreError(
            self.store,
            f"another advisor works in its namespace '{self.connection.namespace}' "
            f"({self.address}): wait until it has ended, or give this project a namespace of its "
            f"own in [stores.{self.store}].",
        )

    def error(self, error: Exception, work: str) -> StoreError:
        """Return the error that says that `work` failed, and why."""
        return StoreError(self.store, f"{work} ({self.address}): {self.reason(error)}.")

    def reason(self, error: Exception) -> str:
        """Return the cause in one line, without the password."""
        text = str(error.args[1]) if len(error.args) > 1 else str(error)
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        reason = (lines or [type(error).__name__])[0]
        return self.connection.masked(reason).rstrip(".")


def _is_drivers(error: Exception, kinds: tuple[type[Exception], ...]) -> bool:
    """Whether `error` was raised within the package that one of `kinds` is of.

    The driver's frames have to come after ours: an error of ours is not the store's.
    """
    packages = {kind.__module__.partition(".")[0] for kind in kinds} - {"builtins", _OURS}
    is_drivers = False
    for frame, _ in walk_tb(error.__traceback__):
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        # Compiled parts of a driver are a package beside it: psycopg_binary.
        is_drivers = package != _OURS and (
            is_drivers or any(package.startswith(each) for each in packages)
        )
    return is_drivers
