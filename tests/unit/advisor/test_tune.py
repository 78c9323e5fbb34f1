"""Tuning a plan as a user does it: shown, said otherwise, written, and used again."""

from dataclasses import replace

import pytest

from advisor.commands import cli
from advisor.planned import tuning
from advisor.planned.tuning import Said
from advisor.problem.calibrations import calibrations_folder
from advisor.project.config import load_project
from evaluation.calibration.calibration import write_calibration
from placement.fragment import KeyTable
from placement.memory.join import StoreJoins
from placement.memory.machine import CacheLevel
from placement.memory.store_memory import StoreMemory
from placement.plan_file import read_plan
from placement.streaming import Division, SplitColumn
from placement.transfer.link import TransferSettings
from placement.transfer.streams import Streams
from tests.unit.advisor.calibrated import calibration
from tests.unit.placement.problems import changed, fragment
from workloads.errors import ConfigurationError

NOTHING = "There is nothing to tune."


@pytest.fixture
def large(monkeypatch):
    """Results of the shop are as large as those that are fetched in portions."""
    monkeypatch.setattr("placement.fetching.FEW_BYTES", -1)


def refused(shop, capfd, *arguments):
    capfd.readouterr()
    assert cli.main(["tune", str(shop / "plans/plan.json"), *arguments]) == 2
    return capfd.readouterr().err


def test_small_results_have_nothing_to_tune(answer):
    assert NOTHING in answer("tune")
    found = answer("tune", "--json")
    assert found["fragments"] == []
    assert found["predicted_s"] == found["predicted_s_before"]


@pytest.mark.usefixtures("large")
def test_every_result_that_is_fetched_in_portions_is_shown_with_its_curve(answer):
    found = answer("tune", "--json")["fragments"]
    assert {each["store"] for each in found} == {"pg"}
    for each in found:
        assert each["before"]["transfer"] is None
        sizes = [point["fetch_rows"] for point in each["curve"]]
        assert each["after"]["transfer"]["fetch_rows"] in sizes
        assert sizes == sorted(sizes)
    shown = answer("tune", "--explain")
    assert shown.count("<- this plan") == len(found)
    assert "<- this plan" not in answer("tune")


@pytest.mark.usefixtures("large")
def test_a_tuned_plan_is_written_for_the_project_and_found_as_it_is(shop, capfd, answer):
    name = answer("tune", "--json")["fragments"][0]["name"]
    file = shop / "tuned.json"
    answer("tune", "--set", f"{name}=77:4096", "-o", str(file))
    routed = [
        each
        for fragments in read_plan(file.read_text()).routing.values()
        for each in fragments
        if each.fragment.name == name
    ]
    assert {(each.transfer.fetch_rows, each.transfer.message_bytes) for each in routed} == {
        (77, 4096)
    }
    capfd.readouterr()
    assert cli.main(["explain", str(file)]) == 0
    assert "no longer matches" not in capfd.readouterr().err


@pytest.mark.usefixtures("large")
def test_settings_can_be_taken_away_again(shop, answer):
    name = answer("tune", "--json")["fragments"][0]["name"]
    file = shop / "plans/tuned.json"
    answer("tune", "-o", str(file))
    found = answer("tune", "--set", f"{name}=none", "--json", plan="plans/tuned.json")
    (one,) = [each for each in found["fragments"] if each["name"] == name]
    assert one["before"]["transfer"] is not None
    assert (one["after"]["transfer"], one["curve"]) == (None, [])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--set", "q1"), "write NAME=ROWS"),
        (("--set", "q1=0"), "at least 1 row"),
        (("--set", "q1=10:100"), "a message 512 to 32768 bytes"),
        (("--set", "q1=10"), "no fragment of this name is fetched in portions"),
        (("--memory", "10%"), "write a size such as '64 MiB'"),
        (("--memory", "much"), "--memory much"),
    ],
)
def test_what_cannot_be_is_refused(shop, capfd, arguments, expected):
    assert expected in refused(shop, capfd, *arguments)


def test_no_statements_are_stated_of_a_fragment_whose_keys_are_loaded():
    """Some stores load them for one statement alone: the price of several would be another's."""
    plain = fragment("q", ("t",), {"t": "t"})
    loading = changed(plain, key_tables=(KeyTable(source="b.other", keys=1e5, rows=1e5),))
    column = SplitColumn(name="t.id", values=1_000)
    division = Division(columns=(column,), usual_count=4)
    settings = TransferSettings(fetch_rows=9, message_bytes=4096)
    said = Said(transfer=settings, count=2)
    found = tuning._stated(plain, said, division)
    assert found.streams == Streams(count=2, column="t.id")
    with pytest.raises(ConfigurationError, match="as keys are loaded into its store first"):
        tuning._stated(loading, said, division)
    assert tuning._stated(loading, Said(transfer=settings), division) == settings


@pytest.fixture
def measured(shop):
    """The shop's PostgreSQL is calibrated: a hash table that fits the cache pays."""
    calibrated(shop, times=0.2)


def calibrated(shop, times):
    project = load_project(shop / "shop.toml")
    memory = StoreMemory(
        set_bytes=64 << 20,
        joins=StoreJoins(row_s=1e-7 * times, spilled_row_s=1e-9 * times, misses=1.0),
        caches=(CacheLevel(size_bytes=64 << 10, miss_s=1e-6 * times),),
    )
    found = calibration(project)
    stores = {"pg": replace(found.stores["pg"], memory=memory)}
    write_calibration(replace(found, stores=stores), calibrations_folder(project))


@pytest.mark.usefixtures("measured")
def test_fragments_whose_joins_want_another_memory_get_it(shop, answer):
    file = shop / "tuned.json"
    shown = answer("tune", "--join-memory", "--explain", "-o", str(file), plan="shop.toml")
    assert "1 fragment with a working memory of its own" in shown
    assert "<- chosen" in shown
    assert "with more cache misses" in shown
    (told,) = answer("tune", "--join-memory", "--json", plan="shop.toml")["memories"]
    assert told["store"] == "pg"
    assert told["before"]["memory_bytes"] == 64 << 20
    assert told["after"]["seconds"] < told["before"]["seconds"]
    given = {
        each.fragment.name: each.memory_bytes
        for fragments in read_plan(file.read_text()).routing.values()
        for each in fragments
    }
    assert given[told["name"]] == told["after"]["memory_bytes"]
    assert [name for name, memory in given.items() if memory] == [told["name"]]


@pytest.mark.parametrize(("share", "number"), [(0.95, 1), (1.05, 0)])
def test_joins_that_would_take_longer_than_their_store_computes_get_no_memory(
    shop, answer, share, number
):
    calibrated(shop, times=0.1)
    (told,) = answer("tune", "--join-memory", "--json", plan="shop.toml")["memories"]
    file = shop / "plan.json"
    answer("place", "-o", str(file), plan="shop.toml")
    (routed,) = (
        each
        for fragments in read_plan(file.read_text()).routing.values()
        for each in fragments
        if each.fragment.name == told["name"]
    )
    others_s = routed.engine_s + (routed.start_s or 0.0) + (routed.rows_s or 0.0)
    assert others_s > 0
    computed_s = routed.predicted_s - others_s
    calibrated(shop, times=0.1 * share * computed_s / told["before"]["seconds"])
    found = answer("tune", "--join-memory", "--json", plan="shop.toml")["memories"]
    assert len(found) == number


@pytest.mark.usefixtures("measured")
def test_sessions_keep_their_servers_memory_unless_it_is_asked_for(answer):
    assert answer("tune", "--json", plan="shop.toml")["memories"] == []
