"""The views of an experiment, and the tags that its user has set."""

import dataclasses

from mlflow import MlflowClient

from evaluation.tracking.track import Artifacts, newest, track
from evaluation.tracking.view import KEPT_VIEWS, TAG
from evaluation.tracking.writing import KIND_TAG, NOTE_TAG
from tests.unit.advisor import measurements as made
from tests.unit.evaluation.tracked_runs import described


def tracked_into(folder, content, measured, **tags):
    """Track `measured` without files where the experiment has `tags` already; return its tags."""
    database = folder / "tracking.db"
    database.write_bytes(content)
    uri = f"sqlite:///{database}"
    client = MlflowClient(tracking_uri=uri)
    client.create_experiment("demo", tags=tags)
    track(measured, Artifacts(), described(), uri=uri, experiment="demo", folder=folder)
    return client.get_experiment_by_name("demo").tags


def test_what_the_user_says_of_the_experiment_stays(tmp_path, empty_tracking):
    few = dataclasses.replace(made.demo(), candidates=())
    mine = {KIND_TAG: "genai_development", NOTE_TAG: "Mine."}
    assert mine.items() <= tracked_into(tmp_path, empty_tracking, few, **mine).items()


def test_only_the_newest_views_are_kept_and_others_views_stay(tmp_path, empty_tracking):
    few = dataclasses.replace(made.demo(), candidates=())
    old = [f"{TAG}advisor-2024{number:04}" for number in range(KEPT_VIEWS)]
    tags = dict.fromkeys([*old, f"{TAG}mine"], "{}")
    kept = {tag for tag in tracked_into(tmp_path, empty_tracking, few, **tags) if TAG in tag}
    assert len(kept - {f"{TAG}mine"}) == KEPT_VIEWS
    assert kept & {old[0], f"{TAG}mine"} == {f"{TAG}mine"}


def test_a_run_of_an_earlier_version_is_given_a_view_once(tmp_path, empty_tracking):
    database = tmp_path / "tracking.db"
    database.write_bytes(empty_tracking)
    uri = f"sqlite:///{database}"
    client = MlflowClient(tracking_uri=uri)
    assert newest(uri, "demo") is None
    experiment = client.create_experiment("demo")
    assert newest(uri, "demo") is None
    run = client.create_run(experiment).info.run_id
    client.set_terminated(run)
    pages = newest(uri, "demo")
    tags = client.get_experiment(experiment).tags
    (key,) = (tag.removeprefix(TAG) for tag in tags if tag.startswith(TAG))
    assert pages.table.endswith(f"viewStateShareKey={key}")
    assert pages.table.replace("TABLE", "CHART") == pages.charts
    assert run in tags[TAG + key]
    assert newest(uri, "demo") == pages
    assert client.get_experiment(experiment).tags == tags
