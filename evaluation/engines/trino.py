"""Trino as an engine: a server that the user names, with every store as a catalog of its name."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from evaluation.engines.engine import Engine
from evaluation.engines.spark_native import refuse_unlisted, writer
from evaluation.engines.trino_statistics import exchanged_of, information_on, moved_of
from evaluation.federation.compile import Compiler
from evaluation.federation.located import LocatedQuery, Writer
from evaluation.judging.answer import AnswerColumn
from evaluation.judging.oracle import Oracle
from evaluation.judging.types import TypeRule
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.executed import Execution
from evaluation.running.failover import SecondTry
from evaluation.running.job import Job, TrinoConnection
from evaluation.spark.joins import JoinStrategy
from placement.plan import PlacementPlan
from workloads.counting.own import APPLICATION
from workloads.errors import ConfigurationError, SetUpError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Trino's own limit comes after ours: it is for a client that is gone.
_BEYOND_S = 5
# Each request is tried so often: a coordinator under load refuses some.
_ATTEMPTS = 3
_UNVERIFIED = "certificate verify failed"
_LATE = frozenset({"EXCEEDED_TIME_LIMIT", "EXCEEDED_QUEUED_TIME_LIMIT"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Located:
    """One query in Trino's SQL."""

    query: LocatedQuery
    trino: TrinoConnection
    timeout_s: float
    join_strategy: JoinStrategy = "automatic"

    def run(self, *, counted: bool = True) -> Execution:
        """Run it in Trino, until its last row is here."""
        session = connect(self.trino, timeout_s=self.timeout_s, join_strategy=self.join_strategy)
        with closing(session) as connection:
            cursor = connection.cursor()
            started = perf_counter()
            rows = self._rows(cursor)
            columns = tuple(
                AnswerColumn(name=each[0], type=str(each[1]).upper())
                for each in cursor.description or ()
            )
            seconds = perf_counter() - started
            if not counted:
                return Execution(columns=columns, rows=rows, seconds=seconds, moved={})
            information = information_on(self.trino, cursor.query_id or "")
            exchanged = exchanged_of(information)
            return Execution(
                columns=columns,
                rows=rows,
                seconds=seconds,
                moved=moved_of(information),
                exchanges=exchanged.exchanges,
                exchanged_rows=exchanged.rows,
                exchanged_bytes=exchanged.bytes,
                peak_memory_bytes=cursor.stats.get("peakMemoryBytes"),
                spilled_bytes=cursor.stats.get("spilledBytes"),
            )

    def _rows(self, cursor: Any) -> Sequence[Sequence[object]]:  # noqa: ANN401 - untyped
        from requests import RequestException, Timeout
        from trino.exceptions import Error, HttpError

        with _cancelled_after(cursor, self.timeout_s) as late:
            try:
                cursor.execute(self.query.sql)
                rows: Sequence[Sequence[object]] = cursor.fetchall()
            except (Error, HttpError, RequestException) as error:
                _cancel(cursor)
                if late.is_set() or getattr(error, "error_name", "") in _LATE:
                    raise self._timeout() from error
                # The client tells it in an error of its own, while it fetches.
                silent = isinstance(error, Timeout) or isinstance(error.__context__, Timeout)
                said = silence_of(self.trino) if silent else _said(error)
                raise QueryFailedError(f"Trino: {said}", timeout=False) from error
            except BaseException:
                _cancel(cursor)
                raise
        if late.is_set():
            raise self._timeout()
        return rows

    def _timeout(self) -> QueryFailedError:
        return QueryFailedError(
            f"not done after {self.timeout_s:g} s: raise [evaluate].query_timeout_s.", timeout=True
        )

    def again(self, error: QueryFailedError) -> SecondTry | None:  # noqa: ARG002
        """Try nothing: Trino knows of no other copies."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trino:
    """A Trino that has the job's stores as catalogs."""

    types: ClassVar[TypeRule] = TypeRule.FAMILY
    compiler: Compiler
    writer: Writer
    trino: TrinoConnection
    timeout_s: float
    join_strategy: JoinStrategy

    def prepare(self, query: str, plan: PlacementPlan) -> _Located:
        """Write `query` in Trino's SQL; SqlError where that cannot be done."""
        located = self.writer.located(
            query, self.compiler.tree(query, as_asked=True), plan.routing[query]
        )
        return _Located(
            query=located,
            trino=self.trino,
            timeout_s=self.timeout_s,
            join_strategy=self.join_strategy,
        )

    def learn(self, other: Engine) -> None:
        """Know no more: Trino plans every statement anew."""


@contextmanager
def open_trino(spark: "SparkSession", job: Job, oracle: Oracle) -> Iterator[Trino]:  # noqa: ARG001
    """Open the engine for the length of the block.

    Raises:
        ConfigurationError: Trino is not named, does not answer, lacks a store or cannot have it.
        SetUpError: Trino's client is not installed.
    """
    if job.trino is None:
        raise ConfigurationError("The engine 'trino' needs [evaluate.trino] with url and user.")
    refuse_unlisted(job, "trino")
    _refuse_missing_catalogs(job.trino, job)
    yield Trino(
        compiler=Compiler(job.workload, job.catalog, {}),
        writer=writer(job, "trino"),
        trino=job.trino,
        timeout_s=job.query_timeout_s,
        join_strategy=job.join_strategy,
    )


def connect(
    trino: TrinoConnection, *, timeout_s: float, join_strategy: JoinStrategy = "automatic"
) -> Any:  # noqa: ANN401 - untyped
    """Return a session; none of its statements runs for much longer than `timeout_s`.

    Trino's ways to distribute a join have the names of our strategies. With "automatic" the
    server's own setting stays.

    Trino answers at once, also where it works on: so no answer is waited for longer than the
    silence that is allowed it, all attempts together.

    Raises:
        SetUpError: Trino's client is not installed.
    """
    try:
        from trino import dbapi
        from trino.auth import BasicAuthentication
    except ModuleNotFoundError:
        raise SetUpError(
            "Trino's client is not installed: run `make setup`, or `pip install trino`."
        ) from None
    address = urlsplit(trino.url)
    properties = {"query_max_run_time": f"{round(timeout_s) + _BEYOND_S}s"}
    if join_strategy != "automatic":
        properties["join_distribution_type"] = join_strategy.upper()
    password = trino.password
    client: Any = dbapi
    return client.connect(
        host=address.hostname or "",
        port=address.port or (443 if address.scheme == "https" else 8080),
        http_scheme=address.scheme,
        user=trino.user,
        auth=None if password is None else BasicAuthentication(trino.user, password),
        source=APPLICATION,
        timezone="UTC",
        http_session=None if trino.ca is None else _verifying(trino.ca),
        request_timeout=trino.silence_s / _ATTEMPTS,
        max_attempts=_ATTEMPTS,
        session_properties=properties,
    )


def _verifying(ca: Path) -> Any:  # noqa: ANN401 - untyped
    """Return a session of HTTP that verifies by `ca`, whatever the environment names."""
    import requests

    class Verifying(requests.Session):
        def merge_environment_settings(self, *given: Any) -> Any:  # noqa: ANN401 - untyped
            url, proxies, stream, _, certificate = given
            # The variables of `requests` would come before what a session is set to.
            return super().merge_environment_settings(url, proxies, stream, str(ca), certificate)

    return Verifying()


def _refuse_missing_catalogs(trino: TrinoConnection, job: Job) -> None:
    from requests import RequestException
    from trino.exceptions import Error, HttpError

    with closing(connect(trino, timeout_s=job.query_timeout_s)) as connection:
        cursor = connection.cursor()
        try:
            cursor.execute("SHOW CATALOGS")
            found = {str(row[0]) for row in cursor.fetchall()}
        except (Error, HttpError, RequestException) as error:
            said = _said(error)
            if _UNVERIFIED in said:
                said = (
                    f"{_UNVERIFIED}: name the file of its authority in [evaluate.trino].ca, and "
                    "the host that its certificate bears in url."
                )
            raise ConfigurationError(
                f"Trino does not answer at [evaluate.trino].url = '{trino.url}': {said}"
            ) from error
    missing = sorted(job.connections.keys() - found)
    if missing:
        raise ConfigurationError(
            f"Trino at {trino.url} has no catalog '{missing[0]}': write its properties with "
            "'advisor export PROJECT --trino FOLDER', put them into etc/catalog and restart it."
        )


@contextmanager
def _cancelled_after(cursor: Any, timeout_s: float) -> Iterator[Event]:  # noqa: ANN401 - untyped
    """Cancel the cursor's query when the block takes longer than `timeout_s`; the event is set."""
    late, ended = Event(), Event()

    def watch() -> None:
        if not ended.wait(timeout_s):
            late.set()
            _cancel(cursor)

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield late
    finally:
        ended.set()
        watcher.join()


def _cancel(cursor: Any) -> None:  # noqa: ANN401 - untyped
    """Cancel the cursor's query, if Trino still listens: why it is cancelled is what is told."""
    from requests import RequestException
    from trino.exceptions import Error, HttpError

    with suppress(Error, HttpError, RequestException):
        cursor.cancel()


def silence_of(trino: TrinoConnection) -> str:
    """Return what to say of a Trino that said nothing for as long as it may."""
    return (
        f"it has said nothing for {trino.silence_s:g} s: look at the server and the network, or"
        " raise [evaluate].silence_s"
    )


def _said(error: Exception) -> str:
    """Return what an error says, in one line."""
    message: Any = getattr(error, "message", None) or str(error)
    return " ".join(str(message).split())[:500]
