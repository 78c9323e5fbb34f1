"""Work shared among processes of their own, which end with ours however it ends."""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from queue import SimpleQueue
from typing import Any, TypeVar

from workloads.errors import AdvisorError, SetUpError

T = TypeVar("T")
R = TypeVar("R")

# A fresh interpreter imports what it is sent and nothing else: not even our main module.
_START = (
    "import sys; sys.path[:] = {path!r}; from workloads.folding.processes import serve; serve()"
)


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(function: Callable[[T], R], tasks: Sequence[T], workers: int) -> Iterator[R]:
    """Yield what `function` makes of each task, as they are done.

    With more than one worker, each is a process: `function`, tasks and results are pickled.

    Raises:
        SetUpError: A worker died.
        AdvisorError: `function` raised it; any other error of it comes as RuntimeError.
    """
    workers = min(workers, len(tasks))
    if workers <= 1:
        yield from map(function, tasks)
        return
    idle: SimpleQueue[_Worker] = SimpleQueue()
    started: list[_Worker] = []
    try:
        for _ in range(workers):
            started.append(_Worker(function))
            idle.put(started[-1])
        yield from _asked(idle, tasks, workers)
    finally:
        for worker in started:
            worker.end()


def _asked(idle: "SimpleQueue[_Worker]", tasks: Sequence[T], workers: int) -> Iterator[Any]:
    """Yield results; no more tasks are under way than there are workers and one result waits."""

    def ask(task: T) -> Any:  # noqa: ANN401
        worker = idle.get()
        try:
            return worker.ask(task)
        finally:
            idle.put(worker)

    with ThreadPoolExecutor(workers) as threads:
        waiting = list(reversed(tasks))
        running: set[Future[Any]] = set()
        try:
            while waiting or running:
                while waiting and len(running) <= workers:
                    running.add(threads.submit(ask, waiting.pop()))
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for each in done:
                    yield each.result()
        finally:
            for each in running:
                each.cancel()


class _Worker:
    """A process that answers one task at a time."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        command = [sys.executable, "-c", _START.format(path=sys.path)]
        # A session of its own, so that Ctrl-C reaches us alone and we end it.
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        self._send(function)

    def ask(self, task: object) -> object:
        self._send(task)
        try:
            done, answer = pickle.load(self._pipe(self._process.stdout))  # noqa: S301 - our own
        except (EOFError, pickle.UnpicklingError) as error:
            raise self._died() from error
        if done:
            return answer
        raise answer

    def _send(self, value: object) -> None:
        pipe = self._pipe(self._process.stdin)
        try:
            pickle.dump(value, pipe, protocol=pickle.HIGHEST_PROTOCOL)
            pipe.flush()
        except BrokenPipeError as error:
            raise self._died() from error

    def _died(self) -> SetUpError:
        code = self._process.wait()
        return SetUpError(
            f"A worker process ended unasked (exit code {code}): free memory, or look at its words"
            " above."
        )

    def _pipe(self, pipe: Any) -> Any:  # noqa: ANN401
        return pipe

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()


def serve() -> None:
    """Answer tasks from standard input until it is closed: the worker's side."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # What else is printed must not get between the answers.
    os.dup2(2, 1)
    try:
        function = pickle.load(requests)  # noqa: S301 - our parent's
        while True:
            task = pickle.load(requests)  # noqa: S301
            pickle.dump(answer(function, task), answers, protocol=pickle.HIGHEST_PROTOCOL)
            answers.flush()
    except (EOFError, BrokenPipeError):
        return


def answer(function: Callable[[Any], Any], task: object) -> tuple[bool, Any]:
    """Return whether `function` succeeds on a task, and its result or error, fit to be pickled."""
    try:
        return True, function(task)
    except AdvisorError as error:
        return False, error
    except Exception as error:  # noqa: BLE001 - carried over to the parent
        try:
            pickle.loads(pickle.dumps(error))  # noqa: S301
        except Exception:  # noqa: BLE001
            return False, RuntimeError(f"{type(error).__name__}: {error}")
        return False, error
