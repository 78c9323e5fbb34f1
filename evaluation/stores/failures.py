"""Errors of drivers as StoreError, without passwords."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from evaluation.connection import Connection
from workloads.errors import StoreError


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
        """Where the store is, for a message."""
        if self.connection.path is not None:
            return str(self.connection.path)
        if self.connection.nodes:
            return ", ".join(self.connection.nodes)
        return f"{self.connection.host}:{self.connection.port}"

    @contextmanager
    def told(self, work: str, *kinds: type[Exception]) -> Iterator[None]:
        """Raise StoreError, which begins with `work`, for errors of these kinds."""
        try:
            yield
        except kinds as error:
            raise self.error(error, work) from None

    @contextmanager
    def logging_in(self, *kinds: type[Exception]) -> Iterator[None]:
        """Raise StoreError for a login that fails, with what to look at."""
        try:
            yield
        except kinds as error:
            source = self.connection.password_env or self.connection.password_file
            password = f"the password in {source}" if source else "the password"
            user = self.connection.user
            as_user = f" as user '{user}'" if user else ""
            keys = "host, port, database and user" if user else "nodes"
            raise StoreError(
                self.store,
                f"cannot log in to {self.address}{as_user} "
                f"({self.reason(error)}): check that the server runs, and {keys} "
                f"in [stores.{self.store}] and {password}.",
            ) from None

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
