"""The changes that `what-if` is asked for, as they were written."""

from dataclasses import dataclass

from workloads.errors import ConfigurationError

LISTED = (
    *("add_store", "without_store", "capacity", "price", "rate"),
    *("add_query", "without_query", "executions"),
)
"""The options that may be given several times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Values of the options, such as ``pg=80%`` of --capacity; nothing where one was not given."""

    add_store: tuple[str, ...] = ()
    without_store: tuple[str, ...] = ()
    capacity: tuple[str, ...] = ()
    price: tuple[str, ...] = ()
    rate: tuple[str, ...] = ()
    add_query: tuple[str, ...] = ()
    without_query: tuple[str, ...] = ()
    executions: tuple[str, ...] = ()
    max_copies: int | None = None

    def refuse_unclear(self) -> None:
        """Raise ConfigurationError where no option changes anything, or two change the same."""
        if not any(getattr(self, name) for name in LISTED) and self.max_copies is None:
            raise ConfigurationError(
                "what-if needs at least one change, such as --capacity pg=80% or --without-store "
                "pg: see 'advisor what-if --help'."
            )
        for name in LISTED:
            subjects = [text.partition("=")[0] for text in getattr(self, name)]
            for subject in subjects:
                if subjects.count(subject) > 1:
                    option = f"--{name.replace('_', '-')}"
                    raise ConfigurationError(
                        f"{option} of {subject} is given twice: leave one out."
                    )
