"""Pictures of placements, seconds and fragments."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from advisor.report.pictures.charts import points, scatter_svg, typical_miss
from advisor.report.pictures.fragment_picture import ROWS, SECONDS, fragments_svg, store_colours
from advisor.report.pictures.groups import SHARED, UNUSED, groups
from advisor.report.pictures.placement_picture import placement_svg
from evaluation.measuring.prediction_quality import prediction_quality
from tests.unit.advisor import demo_tables
from tests.unit.advisor import measurements as made


def test_a_placement_picture_is_a_picture_and_marks_what_is_over():
    over = made.candidate("single_store:duck", (1.0,)).plan
    fits = made.candidate("optimal", (1.0,)).plan
    for plan in (over, fits):
        ET.fromstring(placement_svg(plan, demo_tables.setting()))
    assert "118 MB over" in placement_svg(over, demo_tables.setting())
    assert "over</text>" not in placement_svg(fits, demo_tables.setting())
    assert "date_dim 10.3 MB, a copy" in placement_svg(fits, demo_tables.setting())


def test_returns_belong_to_their_sales_and_dimensions_to_several():
    of_table = groups(demo_tables.BYTES, demo_tables.graph())
    assert of_table["store_returns"] == "store_sales"
    assert of_table["date_dim"] == SHARED
    assert of_table["inventory"] == UNUSED


def test_the_scatter_is_logarithmic_only_where_the_figures_are_far_apart():
    assert "(logarithmic)" in scatter_svg(points(made.demo()))
    near = [made.candidate("optimal", (3.0,)), made.candidate("naive", (4.0,))]
    near_points = points(made.measurements(near))
    ET.fromstring(scatter_svg(near_points))
    assert "(logarithmic)" not in scatter_svg(near_points)
    assert typical_miss(near_points) == pytest.approx(1.25)
    assert scatter_svg(()) == ""
    assert typical_miss(()) is None


def test_the_picture_of_seconds_frames_what_is_too_short_to_be_compared():
    quality = prediction_quality(made.demo())
    colours = store_colours(quality.fragments)
    short = replace(quality.fragments[0], predicted_s=0.04, measured_s=0.002)
    drawn = ET.fromstring(fragments_svg([*quality.fragments, short], SECONDS, colours))
    (frame,) = (each for each in drawn.iter("rect") if each.get("class") == "uncompared")
    left, top = float(frame.get("x")), float(frame.get("y"))
    right, bottom = left + float(frame.get("width")), top + float(frame.get("height"))
    inside = {
        each.findtext("title")
        for each in drawn.iter("circle")
        if left <= float(each.get("cx")) <= right and top <= float(each.get("cy")) <= bottom
    }
    assert len(inside) == 1
    assert "predicted 0.040, measured 0.002" in inside.pop()
    assert "uncompared" not in fragments_svg(quality.fragments, ROWS, colours)


def test_the_fragments_picture_is_a_picture_and_escapes_names():
    quality = prediction_quality(made.demo())
    evil = replace(quality.fragments[0], query="<script>", measured_rows=0, measured_s=0.0)
    for what in (ROWS, SECONDS):
        drawn = fragments_svg([evil], what, store_colours([evil]))
        ET.fromstring(drawn)
        assert "<script>" not in drawn
        assert fragments_svg([], what, {}) == ""
