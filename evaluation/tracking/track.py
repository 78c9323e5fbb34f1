"""The one door to MLflow: what was measured goes in, what was tracked comes out.

Nothing here has global state: no active run, no tracking URI set for the process.
"""

import logging
import os
import re
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.measuring.measurement import Measurements
from evaluation.processes.temporary_folder import temporary_folder
from evaluation.tracking.database import file_of, prepared, refuse_unopenable
from evaluation.tracking.records import (
    ArtifactFiles,
    Artifacts,
    Record,
    TrackingError,
    candidate_record,
    parent_record,
)
from workloads.errors import ConfigurationError

if TYPE_CHECKING:
    from mlflow import MlflowClient

PARENT_TAG = "mlflow.parentRunId"
STARTED_TAG = "placement_advisor.started_at"
PARAM_LIMIT = 6000
METRICS_A_BATCH = 500
PARAMS_A_BATCH = 100
_NOISY = ("mlflow", "alembic")
_NOT_ALLOWED = re.compile(r"[^\w\-./: ]")

__all__ = ["Artifacts", "TrackedRun", "TrackingError", "prepare", "runs", "track"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackedRun:
    """A run as MLflow keeps it. `parent` is None for a whole run; `started_at` is ISO 8601."""

    run_id: str
    parent: str | None
    name: str
    started_at: str
    params: Mapping[str, str]
    metrics: Mapping[str, float]


def track(
    measurements: Measurements,
    artifacts: Artifacts,
    *,
    uri: str,
    experiment: str,
    folder: Path,
) -> str:
    """Record a parent run with one nested run a candidate; return the parent's id.

    `folder` holds the artifacts of an experiment that is made anew. Measurements are recorded once:
    what an interrupted recording left of them is removed first.

    Raises:
        TrackingError: MLflow cannot be reached at `uri`.
    """
    records = [parent_record(measurements)]
    records += [candidate_record(c, measurements) for c in measurements.candidates]
    files = [artifacts.parent]
    files += [artifacts.candidates.get(c.plan.strategy, {}) for c in measurements.candidates]
    file = file_of(uri)
    if file is not None and not file.exists():
        prepare(uri)
    with _client(uri) as client:
        experiment_id = _experiment(client, experiment, folder)
        recorded = _recorded(client, experiment_id, measurements.started_at)
        if recorded is not None:
            return recorded
        tags = {STARTED_TAG: measurements.started_at}
        parent = _write(client, experiment_id, records[0], files[0], tags=tags)
        for record, kept in zip(records[1:], files[1:], strict=True):
            nested = _write(client, experiment_id, record, kept, tags={PARENT_TAG: parent})
            client.set_terminated(nested)
        client.set_terminated(parent)
    return parent


def prepare(uri: str) -> str:
    """Make MLflow's database at `uri` before it is needed; return what is to be said, or "".

    A database that is damaged is set aside.

    Raises:
        TrackingError: Its folder cannot be written to, or MLflow cannot make it.
    """
    with _errors(uri):
        return prepared(uri, _make)


def _make(uri: str) -> None:
    with _client(uri) as client:
        client.search_experiments(max_results=1)


def _recorded(client: "MlflowClient", experiment_id: str, started_at: str) -> str | None:
    """Return the finished run of measurements, if there is one; remove runs that were cut off."""
    for run in client.search_runs([experiment_id], f"tags.`{STARTED_TAG}` = '{started_at}'"):
        if run.info.status == "FINISHED":
            return str(run.info.run_id)
        of_it = f"tags.`{PARENT_TAG}` = '{run.info.run_id}'"
        for nested in client.search_runs([experiment_id], of_it):
            client.delete_run(nested.info.run_id)
        client.delete_run(run.info.run_id)
    return None


def runs(uri: str, experiment: str, *, limit: int = 1000) -> tuple[TrackedRun, ...]:
    """Return the newest runs of an experiment, newest first; nested ones name their parent.

    Raises:
        ConfigurationError: There is no such experiment; the message names those there are.
        TrackingError: MLflow cannot be reached at `uri`.
    """
    refuse_missing(uri)
    with _client(uri) as client:
        found = client.get_experiment_by_name(experiment)
        if found is None:
            names = sorted(e.name for e in client.search_experiments() if e.name != "Default")
            known = f"known: {', '.join(names)}" if names else "nothing is tracked yet"
            raise ConfigurationError(f"There is no experiment '{experiment}': {known}.")
        page = client.search_runs([found.experiment_id], max_results=limit)
    return tuple(
        TrackedRun(
            run_id=run.info.run_id,
            parent=run.data.tags.get(PARENT_TAG),
            name=run.info.run_name,
            started_at=datetime.fromtimestamp(run.info.start_time / 1000, UTC).isoformat(),
            params=dict(run.data.params),
            metrics=dict(run.data.metrics),
        )
        for run in page
    )


def refuse_missing(uri: str) -> None:
    """Raise ConfigurationError if `uri` is a SQLite file that does not exist."""
    path = file_of(uri)
    if path is not None and not path.is_file():
        raise ConfigurationError(f"Nothing is tracked yet in {path}: run `advisor run` first.")


def quiet_environment() -> Mapping[str, str]:
    """Return the variables that keep MLflow from reporting its use and from chatting."""
    return {
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "DO_NOT_TRACK": "true",
        "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
        "GIT_PYTHON_REFRESH": "quiet",
    }


@contextmanager
def _client(uri: str) -> Iterator["MlflowClient"]:
    """Yield a quiet client; what MLflow raises becomes one error with the way out."""
    os.environ.update(quiet_environment())
    for name in _NOISY:
        logging.getLogger(name).setLevel(logging.ERROR)
    # at its import MLflow sets the level of its own logger
    import mlflow
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    logging.getLogger("mlflow").setLevel(logging.ERROR)
    with _errors(uri, MlflowException, SQLAlchemyError, sqlite3.Error):
        refuse_unopenable(uri)
        yield mlflow.MlflowClient(tracking_uri=uri)


@contextmanager
def _errors(uri: str, *kinds: type[Exception]) -> Iterator[None]:
    caught: tuple[type[Exception], ...] = (*kinds, OSError)
    try:
        yield
    except caught as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        text = f"MLflow at {uri} cannot be used: {first}. {_way_out(uri)}"
        raise TrackingError(_without_passwords(text)) from error


def _way_out(uri: str) -> str:
    file = file_of(uri)
    if file is None or not file.exists():
        return "Check [tracking].uri."
    return f"Move {file} away, and a new database is made; or check [tracking].uri."


def _without_passwords(text: str) -> str:
    """Mask the passwords of all addresses in `text`; MLflow repeats them in its messages."""
    return re.sub(r"//([^/@:\s]+):[^/@\s]*@", r"//\1:***@", text)


def _experiment(client: "MlflowClient", name: str, folder: Path) -> str:
    found = client.get_experiment_by_name(name)
    if found is None:
        location = None
        if client.tracking_uri.startswith("sqlite:"):
            folder.mkdir(parents=True, exist_ok=True)
            location = folder.resolve().as_uri()
        return str(client.create_experiment(name, artifact_location=location))
    if found.lifecycle_stage != "active":
        raise TrackingError(
            f"MLflow's experiment '{name}' is deleted: restore it, or name another in "
            "[tracking].experiment."
        )
    return str(found.experiment_id)


def _write(
    client: "MlflowClient",
    experiment_id: str,
    record: Record,
    files: ArtifactFiles,
    *,
    tags: Mapping[str, str],
) -> str:
    """Write one run; the caller ends it."""
    from mlflow.entities import Metric, Param

    run = client.create_run(experiment_id, run_name=record.name, tags=dict(tags))
    run_id = str(run.info.run_id)
    now_ms = int(time.time() * 1000)
    params = [Param(_key(k), v[:PARAM_LIMIT]) for k, v in record.params.items()]
    metrics = [Metric(_key(k), float(v), now_ms, 0) for k, v in record.metrics.items()]
    for start in range(0, len(params), PARAMS_A_BATCH):
        client.log_batch(run_id, params=params[start : start + PARAMS_A_BATCH])
    for start in range(0, len(metrics), METRICS_A_BATCH):
        client.log_batch(run_id, metrics=metrics[start : start + METRICS_A_BATCH])
    with temporary_folder() as folder:
        scratch = folder / "artifacts"
        scratch.mkdir()
        for name, content in files.items():
            file = scratch / name
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
            client.log_artifact(run_id, str(file))
    return run_id


def _key(name: str) -> str:
    """Return `name` with what MLflow does not allow in a key replaced."""
    return _NOT_ALLOWED.sub("_", name)[:250]
