"""`advisor pareto` on a small shop, from the command line to their answer."""

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from advisor.pipeline import current
from advisor.project.plan_files import named_plan
from advisor.report.pictures.pareto_picture import CHARACTER, ELSEWHERE, LEGEND, frontier_svg
from advisor.report.text.pareto_text import choice
from placement.frontier.pareto import pareto
from tests.unit.advisor.planned_shop import PROJECT, answer, planned
from tests.unit.placement.problems import problem, query, store
from workloads.progress import Silent

RATES = """
[stores.pg.strength]
scan_bytes_per_s = 2.3e9
scan_rows_per_s = 35e6
scan_values_per_s = 1e12
"""
"""Rates by which the recommended plan is not the fastest, whatever the default ones are."""


@pytest.fixture
def shop(tmp_path, capfd, monkeypatch):
    return planned(tmp_path, capfd, monkeypatch)


def test_the_frontier_has_a_table_a_picture_and_the_recommended_plan(shop, tmp_path):
    with (tmp_path / "shop.toml").open("a") as file:
        file.write(RATES)
    options = ("--points", "3", "--html", "f.html", "--svg", "f.svg", "-o", "k.json")
    found = answer(shop, "pareto", "shop.toml", *options)
    (knee,) = (point for point in found["points"] if point["recommended"])
    assert named_plan(tmp_path / "k.json").placement == {
        table: tuple(stores) for table, stores in knee["placement"].items()
    }
    names = {point["name"]: point for point in found["baselines"]}
    solved = [point for point in found["points"] if point["name"] not in names]
    assert {point["outcome"] for point in solved} == {"OPTIMAL"}
    assert names.keys() >= {"single_store:pg", "naive", "current"}
    assert names["current"]["migration_bytes"] == 0
    assert solved[-1]["migration_bytes"] == 0
    page, picture = (tmp_path / "f.html").read_text(), (tmp_path / "f.svg").read_text()
    assert picture in page
    assert "bytes to migrate" in picture
    assert picture.count('class="knee"') == picture.count('class="title"')
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    code, out, _ = shop("pareto", "shop.toml", "--points", "3")
    assert code == 0
    assert "recommended" in out
    knee_s, fastest_s = knee["predicted_s"], min(each["predicted_s"] for each in found["points"])
    times = f"{knee_s / fastest_s:.1f} times as long as the fastest, and in return"
    said = f"The recommended plan takes {knee_s:.1f} s, {times}"
    assert said in " ".join(out.split())
    lead = re.search('<p class="lead">(.*?)</p>', page).group(1)
    assert said in lead
    assert " than the present placement (" in lead or "It is the present placement" in lead
    assert page.index(lead) < page.index("<svg") < page.index("<table")


def test_the_recommended_plan_is_set_beside_the_fastest():
    made = problem(
        {"t": 100},
        [store("fast", storage=1.0, speed=2.0), store("cheap")],
        [query("q", ("t",))],
    )
    found = pareto(made, Silent(), points=2)
    said = choice(replace(found, knee=found.points[-1]))
    slower = found.points[-1].objectives.predicted_s / found.points[0].objectives.predicted_s - 1
    assert f", {100 * slower:.0f} % longer than the fastest, and in return costs 0.00 ins" in said
    assert "costs 0.00 instead of 100.00 a month. [place].current does not say" in said
    fastest = choice(replace(found, knee=found.points[0]))
    assert fastest.startswith("The recommended plan is the fastest, at 0.")


def test_the_recommended_plan_is_set_beside_the_present_placement():
    made = problem(
        {"t": 100},
        [store("fast", storage=1.0, speed=2.0), store("cheap")],
        [query("q", ("t",))],
        current={"t": ("cheap",)},
    )
    found = pareto(made, Silent(), points=2, baselines=tuple(current(made)))
    (present,) = found.baselines
    said = choice(replace(found, knee=found.points[0]))
    less = 1 - found.points[0].objectives.predicted_s / present.objectives.predicted_s
    assert f"It takes {100 * less:.0f} % less time than the present placement (" in said
    assert said.endswith(" s), but costs 100.00 instead of 0.00 a month and migrates 100 B.")
    stays = choice(
        replace(
            found, knee=next(p for p in found.points if p.plan.placement == present.plan.placement)
        )
    )
    assert stays.endswith("It is the present placement: nothing moves.")


def test_the_legend_fits_a_picture_of_one_panel():
    made = problem(
        {"t": 100},
        [store("fast", storage=1.0, speed=2.0), store("cheap")],
        [query("q", ("t",))],
    )
    drawn = ET.fromstring(frontier_svg(pareto(made, Silent(), points=2)))
    namespace = "{http://www.w3.org/2000/svg}"
    shift = [
        float(re.match(r"translate\((\d+)", each.get("transform")).group(1))
        + CHARACTER * len(each.findtext(f"{namespace}text"))
        for each in drawn.iter(f"{namespace}g")
        if each.find(f"{namespace}text") is not None and len(each) == 2
    ]
    assert len(shift) == len(LEGEND) - 1
    assert max(shift) <= float(drawn.get("width"))
    assert ELSEWHERE not in "".join(drawn.itertext())


def test_a_frontier_of_one_plan_has_nothing_to_choose(shop, tmp_path):
    text = PROJECT.format(place="").replace("prices =", "# prices =").replace("110%", "200%")
    (tmp_path / "shop.toml").write_text(text)
    code, out, _ = shop("pareto", "shop.toml")
    assert code == 0
    assert "1 plan on the frontier" in out
    assert "there is nothing to trade" in out
    assert "The recommended plan is the fastest, at" in out


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("pareto", "shop.toml", "--html"), "--html"),
        (("pareto", "shop.toml", "--svg"), "--svg"),
        (("pareto", "shop.toml", "-o"), "--output"),
        (("place", "shop.toml", "-o"), "--output"),
    ],
)
def test_a_file_that_cannot_be_written_is_told_before_anything_is_computed(
    shop, tmp_path, monkeypatch, words, option
):
    monkeypatch.setattr("advisor.analysis.analyze.analyze", None)
    (tmp_path / "taken").mkdir()
    code, out, err = shop(*words, "taken")
    assert (code, out) == (2, "")
    assert err == f"advisor: {option} taken is a folder: name a file in it.\n"
    (tmp_path / "file").write_text("")
    code, out, err = shop(*words, "file/inside")
    assert (code, out) == (2, "")
    assert f"Name another with {option}." in err


def test_the_frontiers_page_says_how_to_make_it_again(shop, tmp_path):
    options = ("--points", "2", "--queries", "all", "--html", "f.html")
    assert shop("pareto", "shop.toml", *options)[0] == 0
    page = (tmp_path / "f.html").read_text()
    assert "advisor pareto shop.toml --points 2 --queries all" in page


def test_too_few_points_are_refused_in_one_line(shop, capfd):
    with pytest.raises(SystemExit) as ended:
        shop("pareto", "shop.toml", "--points", "1")
    assert ended.value.code == 2
    assert "'1' is no number of points from 2 to 100" in capfd.readouterr().err
