"""Writing to MLflow: an experiment, and a run with its figures, data set and files."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.processes.temporary_folder import temporary_folder
from evaluation.tracking.dataset import Dataset
from evaluation.tracking.records import ArtifactFiles, Record, TrackingError
from evaluation.tracking.view import moment

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import DatasetInput, Experiment

PARAM_LIMIT = 6000
NOTE_LIMIT = 8000
METRICS_A_BATCH = 500
PARAMS_A_BATCH = 100
NOTE_TAG = "mlflow.note.content"
KIND_TAG = "mlflow.experimentKind"
KIND = "custom_model_development"
"""MLflow's view for runs that are compared by metrics; without it the UI shows that of GenAI."""
NEWEST = "Newest run"
"""An experiment's description that begins so is ours; another one is the user's and stays."""
_NOT_ALLOWED = re.compile(r"[^\w\-./: ]")


def written_experiment(client: "MlflowClient", name: str, folder: Path) -> "Experiment":
    """Return the experiment `name`, made where there is none, in the view for model training.

    `folder` holds the artifacts of an experiment that is made anew beside a SQLite file. A kind
    that the user chose stays.

    Raises:
        TrackingError: The experiment is deleted.
    """
    found = client.get_experiment_by_name(name)
    if found is None:
        location = None
        if client.tracking_uri.startswith("sqlite:"):
            folder.mkdir(parents=True, exist_ok=True)
            location = folder.resolve().as_uri()
        found = client.get_experiment(client.create_experiment(name, artifact_location=location))
    if found.lifecycle_stage != "active":
        raise TrackingError(
            f"MLflow's experiment '{name}' is deleted: restore it, or name another in "
            "[tracking].experiment."
        )
    if KIND_TAG not in found.tags:
        client.set_experiment_tag(found.experiment_id, KIND_TAG, KIND)
    return found


def note_newest(
    client: "MlflowClient", experiment: "Experiment", started_at: str, sentence: str
) -> None:
    """Say above the experiment's runs what the newest recommends, unless the user's text is there.

    A run that is recorded after a newer one changes nothing.
    """
    said = experiment.tags.get(NOTE_TAG, "")
    text = f"{NEWEST}, {moment(started_at)}: {sentence}"
    if sentence and (not said or (said.startswith(NEWEST) and said < text)):
        client.set_experiment_tag(experiment.experiment_id, NOTE_TAG, text[:NOTE_LIMIT])


def write_run(
    client: "MlflowClient",
    experiment_id: str,
    record: Record,
    files: ArtifactFiles,
    *,
    dataset: Dataset | None,
    tags: Mapping[str, str],
) -> str:
    """Write one run and return its id; the caller ends it."""
    noted = {NOTE_TAG: record.note[:NOTE_LIMIT]} if record.note else {}
    run = client.create_run(
        experiment_id,
        start_time=record.started_ms,
        run_name=record.name,
        tags={**tags, **noted},
    )
    run_id = str(run.info.run_id)
    _write_figures(client, run_id, record)
    if dataset is not None:
        client.log_inputs(run_id, datasets=[_input(dataset)])
    with temporary_folder() as folder:
        scratch = folder / "artifacts"
        scratch.mkdir()
        for name, content in files.items():
            file = scratch / name
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
            client.log_artifact(run_id, str(file))
    return run_id


def _write_figures(client: "MlflowClient", run_id: str, record: Record) -> None:
    from mlflow.entities import Metric, Param

    params = [Param(_key(k), v[:PARAM_LIMIT]) for k, v in record.params.items()]
    ended_ms = record.ended_ms
    metrics = [Metric(_key(k), float(v), ended_ms, 0) for k, v in record.metrics.items()]
    metrics += [
        Metric(_key(name), value, ended_ms, step)
        for name, values in record.series.items()
        for step, value in values.items()
    ]
    for start in range(0, len(params), PARAMS_A_BATCH):
        client.log_batch(run_id, params=params[start : start + PARAMS_A_BATCH])
    for start in range(0, len(metrics), METRICS_A_BATCH):
        client.log_batch(run_id, metrics=metrics[start : start + METRICS_A_BATCH])


def _input(dataset: Dataset) -> "DatasetInput":
    from mlflow.entities import Dataset as MlflowDataset
    from mlflow.entities import DatasetInput, InputTag

    entity = MlflowDataset(
        name=dataset.name[:500],
        digest=dataset.digest,
        source_type="catalog",
        source=dataset.source,
        schema=dataset.schema,
        profile=dataset.profile,
    )
    return DatasetInput(entity, [InputTag("mlflow.data.context", "evaluation")])


def _key(name: str) -> str:
    """Return `name` with what MLflow does not allow in a key replaced."""
    return _NOT_ALLOWED.sub("_", name)[:250]
