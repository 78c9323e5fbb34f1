"""Experiments: which cells they have, what is left of them, and what the paper says beside it."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from advisor.experiments import results
from advisor.experiments.cells import cells, impossible, settings_of
from advisor.experiments.claims import PARTITION_1, PARTITION_2, Verdict, claims, compared, finished
from advisor.experiments.claims import directions as held
from advisor.experiments.laboratory import laboratory
from advisor.experiments.paper import paper
from advisor.experiments.runs import needed
from advisor.experiments.series import Figure, Series, Variant, variant_of
from advisor.project.experiment_settings import ExperimentSettings, ExperimentsSettings
from evaluation.measuring.measurement import QueryOutcome
from placement.plan import Outcome, PlacementPlan, RoutedFragment
from tests.unit.advisor.command import called
from tests.unit.advisor.experiments import P1, P2, cell, result
from tests.unit.advisor.measurements import demo
from tests.unit.advisor.project_files import BASE, load, write
from workloads.progress import Silent

ON = {
    1: ExperimentSettings(placements=("single_store", P1)),
    3: ExperimentSettings(placements=(P2,), workers=(1, 2)),
    4: ExperimentSettings(placements=(P1, P2)),
    5: ExperimentSettings(placements=(P2,), join_strategies=("broadcast", "automatic")),
}
PLACEMENTS = ("single_store:pg", P1, P2)
STORES = {
    "stores.pg": 'kind = "postgresql"\nembedded = true',
    "stores.my": 'kind = "mysql"\nserver = "mysql8"\nembedded = true',
    "stores.acc": 'kind = "accumulo"\nembedded = true',
}


def test_experiments_share_the_cells_that_they_have_alike():
    settings = ExperimentsSettings(numbered=ON)
    one, four = (cells(settings, [number], PLACEMENTS, ["q1", "q9"]) for number in (1, 4))
    both = cells(settings, [1, 4], PLACEMENTS, ["q1", "q9"])
    assert (len(one), len(four), len(both)) == (4, 4, 6)
    assert set(both) == {*one, *four}


def test_each_engine_has_each_number_of_workers_and_each_join_strategy():
    names = [each.name for each in settings_of(ON[3], ["fragments", "trino"])]
    assert names == [
        "fragments, 1 worker", "fragments, 2 workers", "trino, 1 worker", "trino, 2 workers",
    ]  # fmt: skip
    assert [each.name for each in settings_of(ON[5], ["trino"])] == [
        "trino, broadcast joins", "trino",
    ]  # fmt: skip


def test_ways_to_join_are_compared_without_placements_that_take_turns_with_theirs():
    settings = ExperimentsSettings(numbered=ON)
    joined, taking_turns = (cells(settings, [n], PLACEMENTS, ["q1"]) for n in (5, 4))
    assert {each.setting.joins for each in joined} == {"automatic", "broadcast"}
    assert all(each.setting.alone for each in joined)
    assert not any(each.setting.alone for each in taking_turns)
    assert not {each.file_name for each in joined} & {each.file_name for each in taking_turns}


def test_ways_to_join_on_several_placements_are_compared_while_these_take_turns():
    both = replace(ON[5], placements=(P1, P2))
    found = cells(ExperimentsSettings(numbered={5: both}), [5], PLACEMENTS, ["q1"])
    assert not any(each.setting.alone for each in found)


def test_a_result_of_taking_turns_does_not_hold_for_being_alone(plan):
    first, second = (results.digest(cell(alone=alone), plan, "", {}) for alone in (False, True))
    assert first != second


def test_no_two_cells_have_one_file_whatever_their_names():
    long = "x" * 300
    named = [
        cell(*(placement, query, engine), workers=workers, joins=joins, alone=alone)
        for query in ("q1", "q/1", long, long + "y")
        for engine in ("fragments", "trino")
        for workers in (None, 1)
        for joins in ("automatic", "broadcast")
        for alone in (False, True)
        for placement in (P1, "single_store:pg")
    ]
    files = {each.file_name for each in named}
    assert len(files) == len(named)
    assert all("/" not in name and len(name) < 150 for name in files)


@pytest.fixture(scope="module")
def plan():
    """A plan whose q1 reads Accumulo, and whose q9 does not."""
    fragment = next(iter(demo().candidates[0].plan.routing.values()))[0].fragment

    def routed(store):
        return (RoutedFragment(fragment=fragment, store=store, predicted_s=1.0),)

    return PlacementPlan(
        strategy=P1,
        outcome=Outcome.FEASIBLE,
        placement={},
        routing={"q1": routed("acc"), "q9": routed("pg")},
        predicted_s=2.0,
    )


def test_only_our_engine_reads_a_store_without_a_catalog(plan):
    kinds = {"acc": "objects", "pg": "postgresql"}

    def why(engine, query, **setting):
        named = setting.pop("own_trino", False)
        return impossible(cell(engine=engine, query=query, **setting), plan, kinds, own_trino=named)

    assert why("fragments", "q1") is None
    for engine in ("spark-native", "trino"):
        assert f"{engine} cannot read store 'acc'" in why(engine, "q1")
        assert why(engine, "q9") is None
    assert "the workers that it has" in why("trino", "q9", workers=2, own_trino=True)


def test_only_copies_that_the_cells_read_are_needed(plan):
    table = next(iter(plan.routing["q1"][0].fragment.tables))
    whole = replace(plan, placement={table: ("acc", "pg"), "other": ("acc",)}, violations=("over",))
    known = SimpleNamespace(plans={P1: whole})
    found = needed(known, P1, [cell(P1, "q9"), cell(P2, "q1")])
    assert found.placement == {table: ("pg",)}
    assert set(found.routing) == {"q9"}
    assert found.feasible


def test_a_result_is_read_as_it_was_written_and_nothing_else_is(tmp_path):
    first, second = cell(), cell(query="q9")
    results.write(result(first, 1.5, exchanges=3), tmp_path)
    (tmp_path / results.FOLDER / second.file_name).write_text("{}")
    assert results.read(tmp_path, [first, second]) == {first: result(first, 1.5, exchanges=3)}


def test_a_result_holds_for_the_plan_the_query_and_the_settings_that_it_had(plan):
    known = {
        results.digest(cell(query=query), plan, sql, others)
        for query in ("q1", "q9")
        for sql in ("SELECT 1", "SELECT 2")
        for others in ({"repeats": 1}, {"repeats": 2})
    }
    assert len(known) == 8
    assert results.digest(cell(), plan, "SELECT 1", {"repeats": 1}) in known


def known(tmp_path):
    stores = load(tmp_path, **{name.replace(".", "__"): body for name, body in STORES.items()})
    return paper(stores.stores), claims(stores.stores)


@pytest.mark.parametrize(
    ("key", "lower", "of", "total"),
    [
        ((2, "seconds"), 7, 8, 1.74),
        ((2, "memory_bytes"), 8, 8, 1.47),
        ((4, "exchanges"), 5, 5, 44 / 31),
        ((4, "exchanged_rows"), 5, 5, 3.91),
    ],
)
def test_the_papers_own_figures_give_its_directions(tmp_path, key, lower, of, total):
    found = compared(known(tmp_path)[0].figures[key], PARTITION_2, PARTITION_1)
    assert (found.lower, len(found.queries)) == (lower, of)
    assert found.total == pytest.approx(total, abs=0.01)


def test_a_ratio_in_the_mean_is_geometric(tmp_path):
    seconds = known(tmp_path)[0].figures[2, "seconds"]
    assert compared(seconds, PARTITION_2, PARTITION_1).mean == pytest.approx(2.70, abs=0.01)


def test_each_claim_names_variants_that_an_experiment_of_the_example_has(tmp_path):
    found = known(tmp_path)[1]
    assert {each.experiment for each in found} == {1, 2, 3, 4, 5}
    alone = {each.more.placement for each in found if each.experiment == 1} - {P1}
    assert alone == {"single_store:acc", "single_store:my"}


def figure(experiment, quantity, done=(), **values):
    """Return a figure of fragments on partition 1 and 2, with the results in `done`."""
    series = (
        Series(variant=Variant(placement=placement), values=values[name])
        for name, placement in (("one", P1), ("two", P2))
    )
    return Figure(
        experiment=experiment,
        quantity=quantity,
        counterpart="a figure",
        engine="fragments",
        series=tuple(series),
        results={(variant_of(each.cell), each.cell.query): each for each in done},
    )


@pytest.mark.parametrize(
    ("one", "two", "verdict"),
    [
        ({"q1": 4.0, "q9": 1.0}, {"q1": 2.0, "q9": 1.0}, Verdict.AGREES),
        ({"q1": 1.0, "q9": 1.0}, {"q1": 3.0, "q9": 1.0}, Verdict.DIFFERS),
        ({"q1": 1.0}, {"q1": 1.02}, Verdict.LEVEL),
        ({"q1": 1.0}, {"q9": 1.0}, Verdict.UNKNOWN),
        ({"q1": 3.0, "q9": 2.0}, {"q1": 0.0, "q9": 0.0}, Verdict.AGREES),
        ({"q1": 0.0}, {"q1": 3.0}, Verdict.DIFFERS),
        ({"q1": 0.0}, {"q1": 0.0}, Verdict.LEVEL),
    ],
)
def test_a_direction_is_judged_over_the_queries_that_both_have(tmp_path, one, two, verdict):
    source, said = known(tmp_path)
    done = [
        result(cell(placement, query), rows=rows, exchanges=rows // 10)
        for placement, rows in ((P1, 10), (P2, 2000))
        for query in ("q1", "q9")
    ]
    (found,) = held(said, [figure(2, "seconds", done, one=one, two=two)], source)
    assert found.verdict is verdict
    if verdict is Verdict.DIFFERS:
        assert found.why.startswith("q1: rows from the stores 2,000 against 10; exchanges 200")


def test_what_failed_and_what_was_mended_is_told_with_its_reason():
    lost = result(cell(query="q80"), None, message="no memory")
    mended = result(cell(query="q9"), 2.0, message="a value was too long")
    late = result(cell(query="q1"), 2.0, outcome=QueryOutcome.VERIFIED)
    (found,) = finished(2, {each.cell: each for each in (lost, mended, late)})
    assert found.verified == ("q9", "q1")
    assert found.mended == {"q9": "a value was too long"}
    assert found.failed == {"q80": "failed: no memory"}


def test_a_project_without_experiments_is_told_how_to_name_one(tmp_path):
    file = write(tmp_path, BASE)
    done = called("experiments", str(file), "--list")
    assert done.returncode == 2
    assert "names no experiments: add [experiments.1]" in done.stderr


def test_a_result_of_the_first_call_holds_in_the_next(tmp_path, monkeypatch):
    first, second = (_known(tmp_path, monkeypatch) for _ in range(2))
    assert first.cells == second.cells
    assert [*map(first.digest, first.cells)] == [*map(second.digest, second.cells)]


def _known(tmp_path, monkeypatch):
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    stores = {name.replace(".", "__"): body for name, body in STORES.items()}
    project = load(
        tmp_path,
        {
            "workload": {"source": "tpcds", "queries": [12, 84]},
            "catalog": {"source": "tpcds", "scale_factor": 0.01},
            "experiments": {"4": {"placements": [P1, P2]}},
        },
        **stores,
    )
    return laboratory(project, (), "advisor", Silent())


def test_what_failed_is_measured_again_if_that_is_asked_for(tmp_path, monkeypatch):
    known = _known(tmp_path, monkeypatch)
    failed, late, right = (
        replace(result(each, outcome=outcome), digest=known.digest(each))
        for each, outcome in zip(
            known.cells,
            (QueryOutcome.FAILED, QueryOutcome.TIMEOUT, QueryOutcome.VERIFIED),
            strict=False,
        )
    )
    for each in (failed, late, right):
        results.write(each, known.folder)
    assert not {failed.cell, late.cell, right.cell} & set(known.left())
    known.forget_failed()
    assert set(known.cells) - set(known.left()) == {right.cell}


def test_what_is_left_is_listed_and_nothing_is_measured(tmp_path):
    sections = {
        **BASE,
        "catalog": 'source = "tpcds"\nscale_factor = 0.01',
        "stores.maria": 'kind = "mysql"\nembedded = true',
        "experiments.1": 'placements = ["single_store", "naive"]',
    }
    file = write(tmp_path, sections)
    done = called("experiments", str(file), "--list", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["cells"], len(answer["left"]), answer["impossible"]) == (6, 6, [])
    placements = {each["placement"] for each in answer["left"]}
    assert placements == {"single_store:pg", "single_store:maria", "naive"}
    refused = called("experiments", str(file), "4", "--list")
    assert "has no experiment 4: it has 1" in refused.stderr
