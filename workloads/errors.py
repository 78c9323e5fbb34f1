"""The one tree of errors that a user can cause or must act upon.

The CLI prints such an error as one line and exits with 2. A message names the thing, its value,
the limit and the way out, and holds no secret.

    AdvisorError
    ├── ConfigurationError          a project file, option or plan that cannot be used
    ├── CatalogError                data or a catalog that is not what it claims to be
    ├── SqlError                    a statement that cannot be understood, with its place
    │   ├── UnknownTableError       … since no catalog has a table that it names
    │   ├── NotSentError            … as its text may do more to a server than was seen
    │   └── UnresolvedNameError     … since a name is that of no column or alias, or of several
    ├── InvalidStatementsError      statements of a workload that are left out, in `details`
    ├── RefusalsError               several of these at once, gathered by `workloads.problems`
    ├── InfeasibleError             no placement fits the hard limits
    ├── StoreError                  a store that cannot be reached, started, loaded or queried
    ├── SetUpError                  a part of the set-up that is missing
    ├── TrackingError               MLflow (`evaluation.tracking.records`)
    ├── OutOfTimeError              a strategy had no time (`placement.time_limit`)
    └── TooManyStatesError          a problem that is too large for arrays (`placement.arrays`)

Exceptions outside this tree never reach a user: whoever calls what raises them turns them into an
outcome of a query or into one of these.
"""

from collections.abc import Sequence
from functools import partial


class AdvisorError(Exception):
    """Base of every error that the advisor raises on purpose.

    `details` are lines to be shown before the message, where one line cannot say it.
    """

    details: tuple[str, ...] = ()


class ConfigurationError(AdvisorError):
    """A project file or option that cannot be used: unknown key, wrong type, missing file."""


class SqlError(AdvisorError):
    """A statement that cannot be understood.

    `origin` is where it came from (``file:line`` or a query's name); `line` and `column` are
    1-based positions inside the statement's file where they are known.
    """

    def __init__(
        self, message: str, *, origin: str, line: int | None = None, column: int | None = None
    ) -> None:
        self.origin = origin
        self.line = line
        self.column = column
        self.reason = message
        where = origin if line is None else f"{origin}:{line}:{column}"
        super().__init__(f"{where}: {message}")

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions are made again from their text alone, which is not what ours are made of.
        rebuild = partial(type(self), origin=self.origin, line=self.line, column=self.column)
        return rebuild, (self.reason,)


class UnknownTableError(SqlError):
    """A statement reads or writes a table that no catalog knows: `table`, as it was written."""

    table: str = ""


class NotSentError(SqlError):
    """A statement that no server gets as it is written: it may do more than was seen of it."""


class UnresolvedNameError(SqlError):
    """A statement has a name that none, or more than one, of its tables and aliases has."""


class InvalidStatementsError(AdvisorError):
    """Statements of a workload that are not understood, each with its place in `details`."""

    def __init__(self, message: str, details: tuple[str, ...]) -> None:
        self.details = details
        super().__init__(message)


class RefusalsError(AdvisorError):
    """Several errors that are independent of one another: `errors`, in the order of finding.

    Each has its line in `details`, after those of its own `details`.
    """

    def __init__(self, errors: Sequence[AdvisorError]) -> None:
        self.errors = tuple(errors)
        self.details = tuple(line for each in errors for line in (*each.details, str(each)))
        self.count = sum(len(each.details) or 1 for each in errors)
        super().__init__(f"{self.count} things are refused: each has its line, with its way out.")


class CatalogError(AdvisorError):
    """Data or a catalog that is missing, damaged or not what it claims to be."""


class InfeasibleError(AdvisorError):
    """No placement fits the stores' hard limits."""


class StoreError(AdvisorError):
    """A store that cannot be reached, started, loaded or queried. `store` is its name."""

    def __init__(self, store: str, message: str) -> None:
        self.store = store
        super().__init__(f"Store '{store}': {message}")


class SetUpError(AdvisorError):
    """A part of the set-up that is missing: Java, a server's binaries, disk space."""
