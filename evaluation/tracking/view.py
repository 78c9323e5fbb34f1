"""The page of MLflow that shows a run's candidates side by side, as table and as charts.

MLflow's UI keeps a named view as a tag of the experiment, and an address names the tag. The view
chooses the candidates of one run, their order, the columns of the table and the charts.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from evaluation.tracking.figures import QUERIES, ROUNDS

TAG = "mlflow.sharedViewState."
OURS = "advisor-"
KEPT_VIEWS = 20
"""The views of the newest runs stay: the UI reads all tags of an experiment with each page."""
COLOUR_TAG = "mlflow.runColor"
COLOURS = (
    *("#4c4c4c", "#4e79a7", "#f28e2b", "#e15759", "#76b7b2", "#59a14f", "#b6992d", "#b07aa1"),
    *("#ff9da7", "#9c755f", "#1f3f6e", "#8cd17d"),
)
"""One a run: MLflow's own, from the run's id, give several candidates the same."""
ORDER = "metrics.`measured_s`"
COLUMNS = (
    ORDER,
    "metrics.`predicted_s`",
    "metrics.`spread_s`",
    "metrics.`rows_moved`",
    "params.`feasible`",
)
_WIDTHS = {"0": 50, "attributes.`Run Name`": 160, "runDateAndNestInfo": 130, "duration": 80}
"""Columns that MLflow always shows, in pixels; "0" has the boxes that choose runs."""
_COLUMN_WIDTH = 100
_CANDIDATES = "candidates"
_RUNS_IN_A_CHART = 100
_COLLAPSED = ("Model metrics", "store_s", "store_rows_moved", "store_bytes_moved", "System metrics")
"""The sections that MLflow makes of all other metrics."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The paths, behind the UI's address, of the pages that show a run's candidates."""

    table: str
    charts: str


def view_key(started_at: str) -> str:
    """Return the name of the view of a run; names are in the order of the runs' starts."""
    return OURS + "".join(each for each in started_at if each.isalnum())


def moment(started_at: str) -> str:
    """Write an ISO 8601 time as people read it, to the minute."""
    return started_at[:16].replace("T", " ")


def view(parent: str, started_at: str) -> str:
    """Return the named view of the candidates of the run `parent`, as MLflow's UI keeps it."""
    *chosen, created, duration = _WIDTHS
    state = {
        "searchFilter": _candidates_of(parent),
        "orderByKey": ORDER,
        "orderByAsc": True,
        "selectedColumns": COLUMNS,
        # The figures stand before the date and the duration: narrow pages show them too.
        "columnOrder": [*chosen, *COLUMNS, created, duration],
        "columnWidths": _WIDTHS | dict.fromkeys(COLUMNS, _COLUMN_WIDTH),
        "runsHiddenMode": "SHOW_ALL",
        "isAccordionReordered": True,
        "compareRunSections": _sections(),
        "compareRunCharts": _charts(),
    }
    name = f"Candidates of {moment(started_at)}"
    created_ms = round(1000 * datetime.fromisoformat(started_at).timestamp())
    return json.dumps({"name": name, "createdAt": created_ms, "state": json.dumps(state)})


def comparison(experiment: str, started_at: str) -> Comparison:
    """Return the pages of the run that began at `started_at` and has a view in `experiment`."""

    def page(mode: str) -> str:
        query = {
            "workflowType": "machine_learning",
            "compareRunsMode": mode,
            "viewStateShareKey": view_key(started_at),
        }
        return f"/#/experiments/{experiment}/runs?{urlencode(query)}"

    return Comparison(table=page("TABLE"), charts=page("CHART"))


def outdated(tags: Iterable[str]) -> list[str]:
    """Return those of an experiment's other tags that are views of ours and make place for one."""
    return sorted(tag for tag in tags if tag.startswith(TAG + OURS))[: 1 - KEPT_VIEWS]


def _candidates_of(parent: str) -> str:
    return f"tags.`mlflow.parentRunId` = '{parent}'"


def _sections() -> list[Mapping[str, Any]]:
    shown = {"uuid": _CANDIDATES, "name": "Candidates", "columns": 2, "display": True}
    hidden = [{"uuid": name, "name": name, "display": False} for name in _COLLAPSED]
    common = {"isReordered": True, "deleted": False, "isGenerated": False}
    return [{**each, **common} for each in (shown, *hidden)]


def _charts() -> list[Mapping[str, Any]]:
    measured = {"key": "measured_s", "type": "METRIC"}
    predicted = {"key": "predicted_s", "type": "METRIC"}
    charts: tuple[Mapping[str, Any], ...] = (
        {"type": "BAR", "metricKey": "measured_s"},
        {
            "type": "SCATTER",
            "xaxis": measured,
            "yaxis": predicted,
        },
        _line(QUERIES),
        _line(ROUNDS),
    )
    common = {"metricSectionId": _CANDIDATES, "deleted": False, "isGenerated": False}
    return [
        {"uuid": f"chart-{number}", "runsCountToCompare": _RUNS_IN_A_CHART, **common, **chart}
        for number, chart in enumerate(charts)
    ]


def _line(metric: str) -> Mapping[str, Any]:
    return {
        "type": "LINE",
        "metricKey": metric,
        "selectedMetricKeys": [metric],
        "xAxisKey": "step",
        # MLflow smooths lines unless told otherwise: a smoothed figure was never measured.
        "lineSmoothness": 0,
        "useGlobalLineSmoothing": False,
        "displayPoints": True,
    }
