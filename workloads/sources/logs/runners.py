"""Who does the work of many tasks: processes of this machine, or (in `evaluation`) Spark."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from workloads.folding import processes
from workloads.folding.templates import Folding
from workloads.sources.logs.formats import Task, fold


class Runner(Protocol):
    """Does the work of many tasks, in any order: in processes here, or in a Spark job."""

    def each(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[Any]:
        """Yield what `function` makes of each task."""
        ...

    def folded(self, tasks: Sequence[Task]) -> Iterator[Folding]:
        """Yield foldings that are together what the tasks' are."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Processes:
    """Work in so many processes of this machine; in this one if it is one."""

    workers: int

    def each(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[Any]:
        """Yield what `function` makes of each task."""
        return processes.run(function, tasks, self.workers)

    def folded(self, tasks: Sequence[Task]) -> Iterator[Folding]:
        """Yield the folding of each task."""
        return processes.run(fold, tasks, self.workers)
