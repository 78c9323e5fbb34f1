"""Progress of work, reported to a listener that the work does not know."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class Task(Protocol):
    """One piece of work under way."""

    def advance(self, amount: float = 1) -> None:
        """Say that `amount` more of the task's total is done."""
        ...


class Progress(Protocol):
    """Shows tasks; a total of None is of unknown length."""

    def task(self, description: str, total: float | None = None) -> AbstractContextManager[Task]:
        """Show a task until the block ends."""
        ...


class Silent:
    """A `Progress` that shows nothing."""

    def advance(self, amount: float = 1) -> None:
        """Ignore the advance."""

    @contextmanager
    def task(self, description: str, total: float | None = None) -> Iterator[Task]:  # noqa: ARG002
        """Yield a task that ignores its advances."""
        yield self
