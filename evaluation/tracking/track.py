"""The one door to MLflow: what was measured goes in, what was tracked comes out.

Nothing here has global state: no active run, no tracking URI set for the process.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.measuring.measurement import Measurements
from evaluation.tracking.client import errors, opened, refuse_missing
from evaluation.tracking.database import file_of, prepared
from evaluation.tracking.figures import SERIES
from evaluation.tracking.reaching import refuse_unreachable
from evaluation.tracking.records import (
    Artifacts,
    Description,
    TrackingError,
    candidate_record,
    parent_record,
)
from evaluation.tracking.server_tls import NO_FILES, ServerTls
from evaluation.tracking.view import (
    COLOUR_TAG,
    COLOURS,
    Comparison,
    comparison,
    outdated,
    view,
    view_key,
)
from evaluation.tracking.view import TAG as VIEW_TAG
from evaluation.tracking.writing import note_newest, write_run, written_experiment
from workloads.errors import ConfigurationError

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Experiment

PARENT_TAG = "mlflow.parentRunId"
STARTED_TAG = "placement_advisor.started_at"

__all__ = [
    "Artifacts",
    "Description",
    "TrackedRun",
    "TrackingError",
    "newest",
    "prepare",
    "runs",
    "track",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackedRun:
    """A run as MLflow keeps it. `parent` is None for a whole run; `started_at` is ISO 8601.

    `metrics` has no series (one figure a query or a round): MLflow hands out the last figure only.
    """

    run_id: str
    parent: str | None
    name: str
    started_at: str
    params: Mapping[str, str]
    metrics: Mapping[str, float]


def track(
    measurements: Measurements,
    artifacts: Artifacts,
    description: Description,
    *,
    uri: str,
    experiment: str,
    folder: Path,
    tls: ServerTls = NO_FILES,
) -> str:
    """Record a parent run with one nested run a candidate; return the parent's id.

    The view that shows the candidates side by side is recorded with them. `folder` holds the
    artifacts of an experiment that is made anew. Measurements are recorded once: what an
    interrupted recording left of them is removed first.

    Raises:
        TrackingError: MLflow cannot be reached at `uri`.
    """
    records = [parent_record(measurements, description)]
    records += [candidate_record(c, measurements, description) for c in measurements.candidates]
    files = [artifacts.parent]
    files += [artifacts.candidates.get(c.plan.strategy, {}) for c in measurements.candidates]
    file = file_of(uri)
    if file is not None and not file.exists():
        prepare(uri)
    with opened(uri, tls) as client:
        found = written_experiment(client, experiment, folder)
        recorded = _recorded(client, found.experiment_id, measurements.started_at)
        if recorded is not None:
            return recorded
        tags, parent, written = {STARTED_TAG: measurements.started_at}, "", []
        for record, kept, colour in zip(records, files, cycle(COLOURS)):
            run = write_run(
                client,
                found.experiment_id,
                record,
                kept,
                dataset=description.dataset,
                tags={**tags, COLOUR_TAG: colour},
            )
            written.append((run, record.ended_ms))
            parent = parent or run
            tags = {PARENT_TAG: parent}
        _keep_view(client, found, parent, measurements.started_at)
        note_newest(client, found, measurements.started_at, description.recommendation)
        # The parent ends last: it tells that all is recorded.
        for run, ended_ms in reversed(written):
            client.set_terminated(run, end_time=ended_ms)
    return parent


def _keep_view(
    client: "MlflowClient", experiment: "Experiment", parent: str, started_at: str
) -> None:
    tag = VIEW_TAG + view_key(started_at)
    client.set_experiment_tag(experiment.experiment_id, tag, view(parent, started_at))
    for old in outdated(experiment.tags.keys() - {tag}):
        client.delete_experiment_tag(experiment.experiment_id, old)


def prepare(uri: str, tls: ServerTls = NO_FILES) -> str:
    """Make MLflow's database at `uri` before it is needed; return what is to be said, or "".

    A database that is damaged is set aside. A server is only reached.

    Raises:
        TrackingError: Its folder cannot be written to, MLflow cannot make it, or a server is not
            reached.
    """
    refuse_unreachable(uri, tls)
    with errors(uri):
        return prepared(uri, _make)


def _make(uri: str) -> None:
    with opened(uri) as client:
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


def runs(
    uri: str, experiment: str, *, tls: ServerTls = NO_FILES, limit: int = 1000
) -> tuple[TrackedRun, ...]:
    """Return the newest runs of an experiment, newest first; nested ones name their parent.

    Raises:
        ConfigurationError: There is no such experiment; the message names those there are.
        TrackingError: MLflow cannot be reached at `uri`.
    """
    refuse_missing(uri)
    with opened(uri, tls) as client:
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
            started_at=_moment(run.info.start_time),
            params=dict(run.data.params),
            metrics={k: v for k, v in run.data.metrics.items() if k not in SERIES},
        )
        for run in page
    )


def newest(
    uri: str, experiment: str, *, tls: ServerTls = NO_FILES, limit: int = 1000
) -> Comparison | None:
    """Return the pages of MLflow's UI on the candidates of the newest whole run; None without one.

    A run that has no view, since an earlier version recorded it, is given one.

    Raises:
        ConfigurationError: Nothing is tracked at `uri` yet.
        TrackingError: MLflow cannot be reached at `uri`.
    """
    refuse_missing(uri)
    with opened(uri, tls) as client:
        found = client.get_experiment_by_name(experiment)
        if found is None or found.lifecycle_stage != "active":
            return None
        page = client.search_runs([found.experiment_id], max_results=limit)
        parents = (r for r in page if PARENT_TAG not in r.data.tags and r.info.status == "FINISHED")
        parent = next(parents, None)
        if parent is None:
            return None
        started_at = parent.data.tags.get(STARTED_TAG) or _moment(parent.info.start_time)
        if VIEW_TAG + view_key(started_at) not in found.tags:
            _keep_view(client, found, parent.info.run_id, started_at)
        return comparison(found.experiment_id, started_at)


def _moment(time_ms: int) -> str:
    return datetime.fromtimestamp(time_ms / 1000, UTC).isoformat()
