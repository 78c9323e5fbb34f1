"""A closed loop: clients that take queries from one queue, each once it has its last answer."""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Event, Thread
from time import perf_counter
from typing import TYPE_CHECKING

from evaluation.engines.engine import Prepared
from evaluation.judging.answer import Answer
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.cancellation import GRACE_S, cancel_jobs
from evaluation.store_protocol.patience import interrupted_by

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_POLL_S = 0.1
_CANCELLED = "cancel"


@dataclass(slots=True, kw_only=True)
class Looped:
    """One loop as its clients left it. `answers` are the distinct ones of each query."""

    elapsed_s: float = 0.0
    seconds: list[float] = field(default_factory=list)
    answers: dict[str, list[Answer]] = field(default_factory=dict)
    errors: list[tuple[str, Exception]] = field(default_factory=list)

    @property
    def failure(self) -> tuple[str, Exception] | None:
        """Return the query that ended the loop with its error; None where none did.

        A query that fails cancels all jobs of the engine, and those of other clients fail for it.
        """
        return min(self.errors, key=lambda each: _is_of_another(each[1]), default=None)


def closed_loop(
    spark: "SparkSession",
    prepared: Sequence[Mapping[str, Prepared]],
    drawn: Sequence[str],
    done: Callable[[], None],
) -> Looped:
    """Let a client for each of `prepared` ask the queries of `drawn`, until all are answered.

    The first query that fails or is late ends the loop.
    """
    found, waiting, ended, interrupted = Looped(), deque(drawn), Event(), Event()

    def client(own: Mapping[str, Prepared]) -> None:
        while not ended.is_set() and waiting:
            try:
                query = waiting.popleft()
            except IndexError:
                # Another client was first.
                return
            try:
                execution = own[query].run(counted=False)
            except Exception as error:  # noqa: BLE001 - told as the loop's outcome
                found.errors.append((query, error))
                ended.set()
                return
            found.seconds.append(execution.seconds)
            known = found.answers.setdefault(query, [])
            if execution.answer not in known:
                known.append(execution.answer)
            done()

    started = perf_counter()
    left = list[Event]()
    try:
        for own in prepared:
            # Before it starts: an interruption of the start must know of it.
            left.append(Event())
            _start(partial(client, own), left[-1], interrupted)
        for each in left:
            each.wait()
    except BaseException:
        ended.set()
        interrupted.set()
        _end(spark, left)
        raise
    found.elapsed_s = perf_counter() - started
    return found


def _start(client: Callable[[], None], left: Event, interrupted: Event) -> None:
    """Start a client; `left` tells when it has left. It waits for no store once `interrupted`.

    A thread that is waited for by `join` counts as ended once that is interrupted.
    """

    def until_it_leaves() -> None:
        try:
            client()
        finally:
            left.set()

    run = interrupted_by(interrupted).run
    Thread(target=partial(run, until_it_leaves), daemon=True).start()


def _end(spark: "SparkSession", left: Sequence[Event]) -> None:
    """Cancel what clients wait for, who end their sessions in the stores themselves."""
    ends = time.monotonic() + GRACE_S
    while not all(each.is_set() for each in left) and time.monotonic() < ends:
        cancel_jobs(spark)
        time.sleep(_POLL_S)


def _is_of_another(error: Exception) -> bool:
    """Tell whether a query failed since its job was cancelled, and not for itself."""
    own = isinstance(error, QueryFailedError) and error.timeout
    return not own and _CANCELLED in str(error).lower()
