"""Stores that a quick calibration could not measure: whose rates they have, and who says so."""

from dataclasses import replace

import pytest

from advisor.measuring import first_rates
from advisor.measuring.first_rates import measure_first_rates
from advisor.measuring.quick_calibration import unseen
from advisor.problem.rates import rates_of, strength_of
from advisor.report.text.plan_text import rates_sentence
from advisor.report.text.predictions_text import remarks_on_rates
from evaluation.calibration.calibration import LeftOut
from evaluation.calibration.quick_plans import ALONE
from tests.unit.advisor.calibrated import calibration, shown
from tests.unit.advisor.project_files import load
from workloads.catalog import Catalog
from workloads.progress import Silent

HERE = 'kind = "mysql"\nembedded = true'
FAR = 'kind = "mysql"\nhost = "192.0.2.1"\nuser = "u"\npassword_env = "NOT_SET"'
FILE = 'kind = "duckdb"\npath = "shop.duckdb"'
FAR_ENGINE = 'master = "spark://192.0.2.1:7077"'


@pytest.mark.parametrize(
    ("sections", "told", "names"),
    [
        ({"stores__maria": HERE}, {"pg"}, ["maria"]),
        ({"stores__maria": HERE}, {"pg", "maria"}, []),
        ({"stores__maria": HERE, "stores__shop": FILE}, {"pg"}, ["maria", "shop"]),
        ({"stores__maria": FAR}, {"pg"}, []),
        # What a store elsewhere tells is not of this machine.
        ({"stores__maria": FAR, "stores__duck": HERE}, {"pg", "maria"}, []),
        ({"stores__maria": HERE, "evaluate": FAR_ENGINE}, {"pg"}, []),
    ],
)
def test_stores_of_this_machine_have_its_factor_where_all_that_was_told_is_of_it(
    tmp_path, own_cache, sections, told, names
):
    project = load(tmp_path, **sections)
    found = unseen(project, told)
    assert sorted(found) == names
    assert found == {name: rates_of(project).strengths[name] for name in names}


@pytest.fixture
def follows(tmp_path, own_cache):
    """A project of two stores, and a quick calibration that measured the first alone."""
    project = load(tmp_path, stores__maria=HERE)
    full = calibration(project, engine_errors=None)
    pg = replace(full.stores["pg"], errors=None)
    unseen_rates = {name: replace(rate, seen=0.0) for name, rate in pg.rates.items()}
    maria = replace(pg, target=f"mysql {pg.target.partition(' ')[2]}", rates=unseen_rates)
    late = LeftOut(placement=f"{ALONE}:maria", query="q13", outcome="timeout", message="Late.")
    found = replace(full, quick=True, stores={"pg": pg, "maria": maria}, left_out=(late, late))
    return project, found


def test_the_first_run_says_so_and_why(follows, monkeypatch):
    project, found = follows
    monkeypatch.setattr(first_rates, "quick_calibration", lambda *_: found)
    told = measure_first_rates(project, Catalog(name="none", tables={}), None, Silent())
    assert told == (
        "Rates of maria were not measured, and are defaults times this machine's factor. Late."
    )


def test_plans_reports_and_the_calibration_say_so(follows):
    project, found = follows
    measured, other = (strength_of(each, found).source for each in project.stores)
    assert measured.startswith("quick calibration 2026-01-02")
    assert other.startswith("default times the machine's factor, quick calibration 2026-01-02")
    assert "take copies in full" in rates_sentence({"maria": other})
    remark, about_pg = remarks_on_rates({"pg": measured, "maria": other}, ())
    assert remark.startswith("The rates of maria were not measured: they are defaults, times how")
    assert about_pg.startswith("The rates of pg are from a quick calibration")
    assert "maria could not be measured" in " ".join(shown(found).split())
