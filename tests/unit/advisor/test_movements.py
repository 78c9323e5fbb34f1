"""`advisor diff` and `migrate` on a small shop, from the command line to their answer."""

import json

import pytest

from advisor.report.text.migration_text import SPARK
from tests.unit.advisor.planned_shop import PROJECT, answer, planned


@pytest.fixture
def shop(tmp_path, capfd, monkeypatch):
    return planned(tmp_path, capfd, monkeypatch)


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
