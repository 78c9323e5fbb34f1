"""Errors that are gathered while independent checks go on, to be raised together."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from workloads.errors import AdvisorError, RefusalsError


class Problems:
    """The errors found so far, each once.

    Whoever has several independent things to check does each within `gathering`, and says
    `raise_any` where all that follows needs them all.
    """

    def __init__(self, found: Iterable[AdvisorError] = ()) -> None:
        self._found: dict[str, AdvisorError] = {}
        for error in found:
            self.add(error)

    @property
    def errors(self) -> tuple[AdvisorError, ...]:
        """Return the errors, in the order of finding."""
        return tuple(self._found.values())

    def add(self, error: AdvisorError) -> None:
        """Keep an error, or each of several. One that says what another did is the same."""
        for each in error.errors if isinstance(error, RefusalsError) else (error,):
            self._found.setdefault(str(each), each)

    @contextmanager
    def gathering(self) -> Iterator[None]:
        """Keep the error that ends the block, if one does: what follows the block goes on."""
        try:
            yield
        except AdvisorError as error:
            self.add(error)

    def raise_any(self) -> None:
        """Raise what was found: one error as it is, several as RefusalsError."""
        if len(self._found) == 1:
            raise next(iter(self._found.values()))
        if self._found:
            raise RefusalsError(self.errors)
