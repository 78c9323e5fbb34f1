"""MLflow's pages on a run's candidates, as a real browser draws them."""

import shutil
import subprocess
from contextlib import suppress
from html.parser import HTMLParser

import pytest

from evaluation.tracking.track import Artifacts, Description, newest, track
from tests.unit.advisor import measurements as made
from tests.unit.evaluation.tracked_runs import free_port, serving

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Of the page's own clock, which stands still while an answer is awaited.
PATIENCE_MS = 60_000
# A browser on a busy machine may be done before its page is.
ATTEMPTS = 4


class Cells(HTMLParser):
    """Reads the grid of runs: `found` is row → column → text."""

    def __init__(self):
        super().__init__()
        self.tag, self.row, self.column, self.found = "", None, None, {}

    def handle_starttag(self, tag, attrs):
        self.tag, given = tag, dict(attrs)
        self.row = given.get("row-index", self.row)
        if given.get("role") in ("gridcell", "columnheader"):
            self.column = given.get("col-id")

    def handle_data(self, data):
        # The last text of a cell is its own: before it may stand a colour.
        if data.strip() and self.tag != "style" and None not in (self.row, self.column):
            self.found.setdefault(self.row, {})[self.column] = data.strip()


@pytest.fixture(scope="module")
def pages(tmp_path_factory, empty_tracking):
    """Serve measurements like the demo's; yield the addresses of the table and of the charts."""
    folder = tmp_path_factory.mktemp("pages")
    database = folder / "tracking.db"
    database.write_bytes(empty_tracking)
    uri = f"sqlite:///{database}"
    description = Description(names={"single_store:duck": "duck alone"})
    track(
        made.demo(), Artifacts(), description, uri=uri, experiment="demo", folder=folder / "files"
    )
    found = newest(uri, "demo")
    command = serving(uri, folder, free_port())
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = server.stdout.readline().strip()
            yield address + found.table, address + found.charts
        finally:
            server.terminate()


def drawn(page, folder, marks):
    """Return the document of `page` once its scripts have drawn all `marks`, or the last one."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.fail(
            "No Chromium is installed, which draws MLflow's pages for this test: install it "
            "(on Debian `apt-get install chromium`), or leave this file out with "
            "--ignore=tests/unit/evaluation/test_tracking_pages.py."
        )
    document = ""
    for attempt in range(ATTEMPTS):
        with suppress(subprocess.TimeoutExpired):
            done = subprocess.run(
                [
                    *(browser, "--headless", "--no-sandbox", "--disable-gpu"),
                    *("--window-size=1800,1200", f"--user-data-dir={folder / str(attempt)}"),
                    *(f"--virtual-time-budget={PATIENCE_MS}", "--dump-dom", page),
                ],
                capture_output=True,
                check=True,
                text=True,
                timeout=240,
            )
            document = done.stdout
        if all(mark in document for mark in marks):
            break
    return document


def test_the_table_has_the_candidates_side_by_side_fastest_first(pages, tmp_path):
    reader = Cells()
    count = len(made.demo().candidates)
    reader.feed(drawn(pages[0], tmp_path, [f'row-index="{count - 1}"', "params.`feasible`"]))
    rows = [cells for _, cells in sorted(reader.found.items()) if "params.`feasible`" in cells]
    shown = [
        (
            cells["attributes.`Run Name`"],
            *(cells[f"metrics.`{name}`"] for name in ("measured_s", "predicted_s", "spread_s")),
            cells["metrics.`rows_moved`"],
            cells["params.`feasible`"],
        )
        for cells in rows
    ]
    expected = [
        (
            "duck alone" if each.plan.strategy == "single_store:duck" else each.plan.strategy,
            "-" if each.measured_s is None else f"{each.measured_s:.6g}",
            f"{each.predicted_s:.6g}",
            "-" if each.spread_s is None else f"{each.spread_s:.6g}",
            f"{sum(query.executions * query.rows_moved for query in each.queries):.0f}",
            str(each.plan.feasible).lower(),
        )
        for each in made.demo().ranked
    ]
    assert shown == expected


def test_the_charts_have_bars_of_measured_seconds_and_predicted_against_measured(pages, tmp_path):
    seconds = [each.measured_s for each in made.demo().candidates if each.measured_s is not None]
    marks = [f">{each:.2f}</text>" for each in seconds]
    marks += ["measured_s vs. predicted_s", "query_s", "round_s"]
    document = drawn(pages[1], tmp_path, marks)
    assert [mark for mark in marks if mark not in document] == []
