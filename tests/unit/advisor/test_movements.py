"""`advisor pareto`, `diff` and `migrate` on a small shop, from the command line to their answer."""

import json
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from advisor.commands import cli
from advisor.pipeline import current
from advisor.project.plan_files import named_plan
from advisor.report.pictures.pareto_picture import CHARACTER, ELSEWHERE, LEGEND, frontier_svg
from advisor.report.text.migration_text import SPARK
from advisor.report.text.pareto_text import choice
from placement.frontier.pareto import pareto
from tests.unit.advisor.test_place import SCHEMA, SQL
from tests.unit.placement.problems import problem, query, store
from workloads.progress import Silent

PROJECT = """
[workload]
source = "queries.sql"
[catalog]
source = "schema.sql"
[stores.pg]
kind = "postgresql"
host = "db.example.org"
user = "advisor"
password_env = "SHOP_PASSWORD"
capacity = "110%"
prices = {{ storage_gb_month = 3.0, transfer_gb = 0.1 }}
[stores.duck]
kind = "duckdb"
path = "shop.duckdb"
capacity = "110%"
[place]
max_copies = 2
{place}
"""
ALL_IN_PG = 'current = { orders = "pg", customer = "pg", events = "pg" }'


@pytest.fixture
def shop(tmp_path, capfd, monkeypatch):
    """Return a function that calls the advisor in the shop's folder, which has plans a and b."""
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SHOP_PASSWORD", "open sesame")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "schema.sql").write_text(SCHEMA)
    (tmp_path / "queries.sql").write_text(SQL)
    (tmp_path / "shop.toml").write_text(PROJECT.format(place=ALL_IN_PG))

    def run(*arguments):
        code = cli.main(arguments)
        shown = capfd.readouterr()
        return code, shown.out, shown.err

    for file, strategy in (("a.json", "single_store:pg"), ("b.json", "single_store:duck")):
        assert run("place", "shop.toml", "-s", strategy, "-o", file)[0] == 0
    return run


def answer(shop, *arguments):
    code, out, err = shop(*arguments, "--json")
    assert code == 0, err
    assert "open sesame" not in out
    return json.loads(out)


def test_a_diff_has_the_tables_that_move_and_the_queries_that_gain(shop):
    found = answer(shop, "diff", "a.json", "b.json")
    assert [each["table"] for each in found["tables"]] == ["orders", "events", "customer"]
    assert {each["kind"] for each in found["tables"]} == {"moved"}
    assert found["copied_bytes"] == found["dropped_bytes"] > 0
    gain = sum(query["delta_s"] for query in found["queries"])
    assert gain < 0
    code, out, _ = shop("diff", "a.json", "b.json")
    assert code == 0
    assert "Queries that change most" in out
    assert "3 tables elsewhere, from 'a.json' to 'b.json'" in out


def test_a_plan_is_no_different_from_itself(shop):
    code, out, _ = shop("diff", "a.json", "a.json")
    assert code == 0
    assert "place every table alike" in out


def test_a_migration_answers_with_steps_that_have_commands(shop):
    found = answer(shop, "migrate", "a.json", "b.json")
    kinds = [step["kind"] for step in found["steps"]]
    assert kinds == ["copy", "verify", "switch", "drop"] * 3
    assert all(step["commands"] for step in found["steps"])
    assert found["goal"]["orders"] == ["duck"]
    verify = found["steps"][1]["commands"]
    assert [command["store"] for command in verify] == ["pg", "duck"]
    assert all("checksum" in command["text"][0] for command in verify)
    assert "'password': os.environ['SHOP_PASSWORD']" in "\n".join(found["preamble"]["text"])
    assert found["queries_s"]["after"] < found["queries_s"]["before"]


def test_a_migration_starts_from_the_current_placement_where_no_other_is_named(shop):
    named = answer(shop, "migrate", "--from", "a.json", "--to", "b.json")
    assert answer(shop, "migrate", "--to", "b.json") == named
    assert answer(shop, "migrate", "b.json") == named


def test_commands_are_written_without_a_password_even_if_none_is_set(shop, tmp_path, monkeypatch):
    monkeypatch.delenv("SHOP_PASSWORD")
    code, out, err = shop("migrate", "a.json", "b.json", "--sql", "steps.sql")
    assert code == 0, err
    assert "Written: steps.sql" in out
    written = (tmp_path / "steps.sql").read_text()
    sql = [line for line in written.splitlines() if line and not line.startswith("--")]
    assert all(line.endswith(";") for line in sql)
    python = [line.removeprefix(SPARK) for line in written.splitlines() if line.startswith(SPARK)]
    compile("\n".join(python), "steps", "exec")
    assert 'DROP TABLE IF EXISTS "placement_advisor"."orders";' in sql


def test_commands_are_written_into_a_folder_a_file_for_each_store_and_for_spark(shop, tmp_path):
    code, out, err = shop("migrate", "a.json", "b.json", "--sql", "steps")
    assert code == 0, err
    assert "Written: steps" in out
    files = {each.name: each.read_text() for each in (tmp_path / "steps").iterdir()}
    order = [line.strip() for line in files.pop("README.txt").splitlines() if line.startswith("  ")]
    assert order == sorted(files)
    assert {name.split(".", 1)[1] for name in files} == {"spark.py", "pg.sql", "duck.sql"}
    for name, text in files.items():
        if name.endswith(".py"):
            compile(text, name, "exec")
            assert "SparkSession.builder.getOrCreate()" in text
        else:
            statements = [line for line in text.splitlines() if not line.startswith("--")]
            assert statements
            assert all(line.endswith(";") for line in statements)
    # Other files there would be taken for these commands.
    for place, told in (("steps", "has files already"), ("a.json", "is a file: name a folder")):
        code, out, err = shop("migrate", "a.json", "b.json", "--sql", place)
        assert (code, out) == (2, "")
        assert told in err
        assert err.count("\n") == 1


@pytest.mark.parametrize("plans", [("none.json", "b.json"), ("a.json", "none.json")])
@pytest.mark.parametrize("place", ["new/steps", "new/steps.sql"])
def test_a_plan_that_is_not_there_is_told_before_anything_is_made(shop, tmp_path, plans, place):
    code, out, err = shop("migrate", *plans, "--sql", place)
    assert (code, out) == (2, "")
    assert "There is no plan none.json" in err
    assert not (tmp_path / "new").exists()


def test_a_plan_without_its_project_is_told_before_anything_is_made(shop, tmp_path):
    (tmp_path / "shop.toml").rename(tmp_path / "elsewhere.toml")
    for arguments in (("migrate", "a.json", "b.json", "--sql"), ("tune", "a.json", "-o")):
        code, _, err = shop(*arguments, "new/there")
        assert code == 2
        assert "shop.toml" in err
        assert not (tmp_path / "new").exists()
    assert shop("tune", "none.toml", "-o", "new/there")[0] == 2
    assert not (tmp_path / "new").exists()


def test_what_cannot_be_migrated_is_told_in_one_line(shop, tmp_path):
    for arguments, told in (
        (("migrate",), "Name the plans to go from and to"),
        (("migrate", "a.json", "b.json", "c.json"), "Name the plans to go from and to"),
        (("migrate", "a.json", "none.json"), "There is no plan"),
        (("diff", "a.json", "none.json"), "There is no plan"),
    ):
        code, out, err = shop(*arguments)
        assert (code, out) == (2, "")
        assert err.count("\n") == 1
        assert told in err
    (tmp_path / "shop.toml").write_text(PROJECT.format(place='current = { orders = "pg" }'))
    code, _, err = shop("migrate", "--to", "b.json")
    assert code == 2
    assert "[place].current does not say where customer, events are now" in err
    plan = json.loads((tmp_path / "b.json").read_text())
    plan["settings"].pop("project")
    (tmp_path / "b.json").write_text(json.dumps(plan))
    code, _, err = shop("diff", "a.json", "b.json")
    assert code == 2
    assert "--project" in err
    assert shop("diff", "a.json", "b.json", "--project", "shop.toml")[0] == 0


def test_the_frontier_has_a_table_a_picture_and_the_recommended_plan(shop, tmp_path):
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
    said = "The recommended plan takes 14.2 s, 63 % longer than the fastest, and in return"
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
