"""The experiments' page, Markdown and JSON: the same figures, and nothing where one lacks."""

import json
import re
from dataclasses import replace
from io import StringIO
from xml.etree import ElementTree as ET

import pytest

from advisor.experiments.claims import claims, directions, finished
from advisor.experiments.findings import Findings
from advisor.experiments.paper import paper
from advisor.experiments.series import Figure, Series, Variant, variant_of
from advisor.publishing.experiments import publish
from advisor.report.parts.experiment_words import variant_name
from advisor.report.pictures.bars import bars_svg
from advisor.report.text.experiments_text import findings_text
from tests.unit.advisor.experiments import P1, P2, cell, result
from tests.unit.advisor.project_files import load

AWKWARD = "<script>"


def figure(quantity, values, done, experiment=2):
    """Return a figure of fragments on partition 1 and 2."""
    series = (
        Series(variant=Variant(placement=placement), values=of)
        for placement, of in zip((P1, P2), values, strict=True)
    )
    return Figure(
        experiment=experiment,
        quantity=quantity,
        counterpart="figures 10 and 11",
        engine="fragments",
        series=tuple(series),
        results={(variant_of(each), each.query): result for each, result in done.items()},
    )


@pytest.fixture
def found(tmp_path):
    """Findings of experiment 2: q9 failed on partition 1, and q1 was mended there."""
    done = {
        each.cell: each
        for each in (
            result(cell(P1, "q1"), 4.0, message=f"mended of {AWKWARD}"),
            result(cell(P2, "q1"), 2.0),
            result(cell(P1, "q9"), None, message=f"no memory for {AWKWARD}"),
            result(cell(P2, "q9"), 3.0),
        )
    }
    stores = load(tmp_path).stores
    figures = (
        figure("seconds", [{"q1": 4.0}, {"q1": 2.0, "q9": 3.0}], done),
        figure("memory_bytes", [{"q1": 0.0}, {"q1": 5e6}], done),
    )
    known = paper(stores)
    return Findings(
        name="shop",
        scale_factor=0.5,
        numbers=(2,),
        figures=figures,
        directions=directions(claims(stores), figures, known),
        finished=finished(2, done),
        paper=known,
        results=tuple(done.values()),
        cells=5,
        left=1,
        impossible={"trino cannot read store 'acc'": (cell(engine="trino"),)},
    )


def texts(found, folder):
    return {file.suffix: file.read_text() for file in publish(found, folder)}


def test_all_forms_tell_directions_failures_and_contradictions(found, tmp_path):
    written = texts(found, tmp_path)
    for text in (written[".html"], written[".md"]):
        assert "partition 2 takes less time than partition 1" in text
        assert "figures 10 and 11" in text
        assert "Figure 8 mixes minutes and seconds" in text
        assert "1 of 5 cells are not measured yet" in text
        assert "no memory for" in text
        assert "mended of" in text
    assert "1 of 2 directions of the paper are found here" in written[".html"]


def test_the_page_escapes_what_servers_say(found, tmp_path):
    page = texts(found, tmp_path)[".html"]
    assert AWKWARD not in page
    assert "&lt;script&gt;" in page


def test_the_paper_s_figures_stand_beside_ours_in_one_order_of_queries(found, tmp_path):
    page = texts(found, tmp_path)[".html"]
    ours, its = re.findall(r"<svg class=.bars.*?</svg>", page)[:2]
    assert "q1, partition 1: 4.00" in ours
    assert "q1, partition 1: 252" in its
    assert re.findall(r">(q\d+)<", its)[:2] == ["q1", "q9"]


def test_what_is_not_known_has_no_bar_and_is_not_in_the_json(found, tmp_path):
    picture = bars_svg(found.figures[0])
    bars = re.findall(r"<title>(q9[^<]*)", picture)
    assert bars == ["q9, partition 2: 3.00"]
    document = json.loads(texts(found, tmp_path)[".json"])
    (seconds, memory) = document["figures"]
    assert [each["values"] for each in seconds["series"]] == [{"q1": 4.0}, {"q1": 2.0, "q9": 3.0}]
    assert memory["series"][0]["values"] == {"q1": 0.0}
    lost = next(each for each in document["results"] if each["outcome"] == "failed")
    assert (lost["measured_s"], lost["seconds"], lost["exchanges"]) == (None, [], None)


def test_a_variant_has_one_colour_in_figures_beside_each_other(found):
    ours = found.figures[0]
    its = replace(ours, engine=None, series=ours.series[::-1])
    colour = re.compile(r'class="b(\d)"[^>]*><title>q1, partition 2')
    assert colour.search(bars_svg(ours))[1] == colour.search(bars_svg(its, ours))[1]
    assert ET.fromstring(bars_svg(its, ours)) is not None


def test_a_variant_has_one_colour_in_all_figures_of_an_experiment(found):
    both = found.figures[0]
    alone = replace(both, engine="trino", series=both.series[1:])
    colour = re.compile(r'class="b(\d)"[^>]*><title>q1, partition 2')
    assert colour.search(bars_svg(alone))[1] != colour.search(bars_svg(both))[1]
    known = colour.search(bars_svg(alone, None, [both, alone]))
    assert known[1] == colour.search(bars_svg(both, None, [both, alone]))[1]


def test_automatic_joins_are_named_where_joins_are_compared():
    automatic = Variant(placement=P2)
    assert variant_name(automatic, 2) == "partition 2"
    assert variant_name(automatic, 5) == "partition 2, automatic joins"
    assert variant_name(replace(automatic, joins="broadcast"), 5) == "partition 2, broadcast joins"


def test_the_page_tells_the_load_that_seconds_were_measured_under(found, tmp_path):
    page = texts(found, tmp_path)[".html"]
    assert re.search(r"<dt>load average</dt><dd>0\.5 to 0\.6", page)


def test_the_terminal_sums_the_queries_that_all_placements_have(found):
    from rich.console import Console

    console = Console(width=200, record=True, file=StringIO())
    console.print(findings_text(found))
    text = console.export_text()
    assert re.search(r"partition 1 +1 +4\.00", text)
    assert re.search(r"partition 2 +2 +2\.00", text)
    assert "1 of 5 cells are left" in text
