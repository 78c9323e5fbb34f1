"""A project's stores and its Spark, opened once for all that a command measures."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

from advisor.measuring.connections import connections
from advisor.project.project import Project
from evaluation.bench import KeptBench
from evaluation.store_protocol.connection import Connection
from workloads.progress import Progress


class OpenStores:
    """The stores of a project and its Spark (`bench`), each opened when it is first asked for."""

    def __init__(
        self, project: Project, progress: Progress, stack: ExitStack, bench: KeptBench
    ) -> None:
        self.bench = bench
        self._project = project
        self._progress = progress
        self._stack = stack
        self._found: Mapping[str, Connection] | None = None

    def connections(self) -> Mapping[str, Connection]:
        """Return store → connection, with the embedded servers running.

        Raises:
            StoreError: An embedded server does not start.
            ConfigurationError: A password is missing.
        """
        if self._found is None:
            found = connections(self._project, self._progress)
            self._found = self._stack.enter_context(found)
        return self._found


@contextmanager
def opening(project: Project, progress: Progress) -> Iterator[OpenStores]:
    """Yield a project's stores, which are closed when the block ends; nothing is opened yet."""
    with ExitStack() as stores, ExitStack() as spark:
        yield OpenStores(project, progress, stores, KeptBench(progress, spark))
