import re
from dataclasses import replace

import pytest

from advisor.analysis.analyze import analyze
from advisor.commands import cli
from advisor.commands.what_if_workload import with_executions, with_queries, without_query
from advisor.pipeline import prepare
from advisor.project.config import load_project
from advisor.report.text.reasons_explain import change_text, table_text
from placement.limits.check import check
from placement.plan_file import read_plan, write_plan
from placement.reasons.explain import explain_table
from placement.routing.routing import plan_for
from placement.strategies.optimal import Optimal
from tests.unit.advisor.command import one_line
from tests.unit.advisor.printed import text_of
from workloads.errors import ConfigurationError
from workloads.progress import Silent


def test_the_overview_names_every_table_and_what_holds_it(answer):
    shown = answer("explain")
    assert "3 tables, all others fixed" in shown
    assert re.search(r"orders +pg .* exclusion", shown)


def test_a_table_is_explained_with_all_else_fixed_and_free(answer):
    found = answer("explain", "customers", "--json")["tables"][0]
    assert found["name"] == "customers"
    assert [each["kind"] for each in found["fixed"]] == [each["kind"] for each in found["free"]]
    for each in found["fixed"]:
        gained = sum(query["delta_s"] for query in each["queries"]) + each["copies_delta_s"]
        assert each["delta_s"] == pytest.approx(gained)


def test_fixed_only_solves_nothing(answer, monkeypatch):
    monkeypatch.setattr(Optimal, "__call__", None)
    assert answer("explain", "visits", "--fixed-only", "--json")["tables"][0]["free"] == []
    assert "all else free" not in answer("explain", "visits", "--fixed-only").lower()


def test_a_rule_that_forbids_a_move_is_said_in_its_place(answer):
    assert "All else free: Table 'orders' is excluded from store 'duck'." in answer(
        "explain", "orders"
    )


def test_a_query_is_explained_by_its_fragments_and_stores(answer):
    found = answer("explain", "--query", "revenue", "--json")
    assert found["query"] == "revenue"
    kinds = ("start_s", "scan_s", "join_s", "aggregate_s", "transfer_s", "engine_s")
    total = sum(each[kind] for each in found["fragments"] for kind in kinds)
    assert total == pytest.approx(found["predicted_s"])
    assert [each["store"] for each in found["stores"]] == ["pg", "duck"]
    assert "Query 'revenue': 1 fragment" in answer("explain", "--query", "revenue")


def test_a_project_is_explained_by_its_best_plan(answer):
    of_plan, of_project = (
        answer("explain", "--json", plan=plan) for plan in ("plans/plan.json", "shop.toml")
    )
    assert of_plan == of_project


def test_a_plan_of_a_project_that_has_changed_is_priced_anew_and_a_note_says_so(
    shop, capfd, answer
):
    file = shop / "shop.toml"
    file.write_text(file.read_text() + "[stores.pg.strength]\nscan_bytes_per_s = 1e6\n")
    capfd.readouterr()
    assert cli.main(["explain", str(shop / "plans/plan.json")]) == 0
    assert "no longer matches shop.toml" in capfd.readouterr().err


def test_what_if_compares_what_is_with_what_would_be(answer):
    found = answer("what-if", "--capacity", "duck=none", "--rate", "duck.start_s=0.5x", "--json")
    assert found["changes"] == ["capacity duck=none", "rate duck.start_s=0.5x"]
    assert found["after"]["predicted_s"] <= found["kept"]["predicted_s"]
    assert found["kept"]["predicted_s"] <= found["before"]["predicted_s"]


def test_money_is_shown_where_something_has_a_price(answer):
    assert "money" not in answer("what-if", "--capacity", "duck=none")
    assert "money a month" in answer("what-if", "--price", "pg.storage_gb_month=5")


def test_every_kind_of_change_can_be_asked_for_at_once(answer, shop):
    (shop / "more.sql").write_text("-- name: total\nSELECT SUM(total) FROM orders;\n")
    shown = answer(
        *("what-if", "--add-store", "lake=duckdb:50%", "--without-store", "duck"),
        *("--capacity", "pg=2 GB", "--price", "pg.storage_gb_month=0.5"),
        *("--rate", "engine.start_s=0.3", "--without-query", "pages"),
        *("--executions", "rename=50", "--add-query", shop / "more.sql", "--max-copies", "1"),
    )
    assert "What if: with the statements of" in shown
    assert "without store duck" in shown
    assert re.search(r"total +1 +\N{EN DASH}", shown)


def test_what_there_was_no_time_for_is_said(answer, shop):
    found = answer("sensitivity", "--json", "--top-queries", "1")
    names = [each["name"] for each in found["figures"]]
    assert found["left_out"] == {"figures": [], "capacities": []}
    assert answer("explain", "visits", "--json")["tables"][0]["left_out"] == []
    file = shop / "shop.toml"
    file.write_text(
        file.read_text().replace("max_copies = 2", "max_copies = 2\ntime_limit_s = 1e-9")
    )
    found = answer("sensitivity", "--json", "--top-queries", "1")
    told = [each["name"] for each in found["figures"]]
    assert sorted(told + found["left_out"]["figures"]) == sorted(names)
    assert found["left_out"]["figures"]
    assert found["left_out"]["capacities"] == ["pg", "duck"]
    shown = " ".join(answer("sensitivity").split())
    assert "The time was over, which all solves share: raise [place].time_limit_s" in shown
    assert "more capacity in pg, duck" in shown
    (table,) = answer("explain", "visits", "--json")["tables"]
    assert table["free"] == []
    assert [each["enters"] for each in table["left_out"]] == [e["enters"] for e in table["fixed"]]
    shown = " ".join(answer("explain", "visits").split())
    assert "Left out with all else free: " in shown


def test_other_places_that_were_cut_are_marked_as_such(tpcds_small):
    plan = Optimal()(tpcds_small)
    table = next(iter(plan.placement))
    reasons = explain_table(tpcds_small, plan, table)
    first, *others = reasons.free
    cut = replace(first, plan=replace(first.plan, cut="60 s cut the search"))
    shown = " ".join(text_of(table_text(replace(reasons, free=(cut, *others)))).split())
    name = change_text(first.change, reasons.stores)
    assert f"All else free, these may cost less: {name}. 60 s cut the search." in shown
    assert "may cost less" not in text_of(table_text(reasons))


def test_sensitivity_names_figures_and_capacities(answer):
    found = answer("sensitivity", "--json", "--top-queries", "1")
    names = {each["name"] for each in found["figures"]}
    assert "pg.scan_bytes_per_s" in names
    assert sum(name.endswith(".executions") for name in names) == 1
    assert [each["store"] for each in found["capacities"]] == ["pg", "duck"]
    shown = answer("sensitivity", "--rate", "pg.start_s")
    assert "this is proven, not sampled" in shown
    assert "What more capacity is worth" not in shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("explain", "custmers"), "no table 'custmers': did you mean 'customers'?"),
        (("explain", "--query", "revenu"), "no query 'revenu': did you mean 'revenue'?"),
        (("explain", "orders", "--query", "pages"), "not both at once"),
        (("explain", "pages"), "'pages' is a query: explain it with --query pages"),
        (("explain", "--query", "pages", "--fixed-only"), "--fixed-only belongs to explain TABLE"),
        (("what-if",), "such as --capacity pg=80%"),
        (("what-if", "--capacity", "pg=5%", "--capacity", "pg=6%"), "of pg is given twice"),
        (("what-if", "--rate", "pg.start_s=2x", "--rate", "pg.start_s=1"), "is given twice"),
        (("sensitivity", "--top-queries", "-1"), "at least 0 queries"),
        (("what-if", "--without-store", "dukc"), "no store 'dukc': did you mean 'duck'?"),
        (("what-if", "--without-store", "pg", "--without-store", "duck"), "leaves no store"),
        (("what-if", "--capacity", "pg"), "write it as --capacity pg=80%"),
        (("what-if", "--capacity", "pg=8q"), "'q' is no unit"),
        (("what-if", "--capacity", "duck=1 B", "--capacity", "pg=1 B"), "capacity"),
        (("what-if", "--price", "pg.storage=1"), "did you mean 'storage_gb_month'?"),
        (("what-if", "--rate", "pg.scan_bytes_per_s=0x"), "above zero"),
        (("what-if", "--rate", "pg.start_s=fast"), "'fast' is no number"),
        (("what-if", "--rate", "pg.start_s=-1"), "at least 0"),
        (("what-if", "--rate", "duck.index_rows_per_s=2x"), "has no index_rows_per_s to multiply"),
        (("what-if", "--without-query", "page"), "did you mean 'pages'?"),
        (("what-if", "--executions", "pages=nan"), "at least 0"),
        (("what-if", "--add-query", "none.sql"), "there is no such file"),
        (("what-if", "--add-store", "pg=duckdb"), "there is a store 'pg' already"),
        (("what-if", "--add-store", "x=oracle"), "no kind of store 'oracle'"),
        (("what-if", "--max-copies", "0"), "at least 1 store"),
        (("sensitivity", "--rate", "pgg"), "no rate 'pgg': did you mean 'pg'?"),
    ],
)
def test_what_cannot_be_asked_is_one_line(answer, words, said):
    shown = answer(*words)
    assert one_line(shown)
    assert said in shown


def test_a_plan_without_its_project_names_the_option(shop, answer):
    plan = read_plan((shop / "plans/plan.json").read_text())
    (shop / "lone.json").write_text(write_plan(type(plan)(**{**fields_of(plan), "settings": {}})))
    assert "--project" in answer("explain", plan="lone.json")
    assert "3 tables" in answer("explain", "--project", shop / "shop.toml", plan="lone.json")


def fields_of(plan):
    return {name: getattr(plan, name) for name in type(plan).__slots__}


@pytest.fixture
def analysis(shop):
    return analyze(load_project(shop / "shop.toml"), Silent())


def test_without_a_query_its_reads_are_gone(analysis):
    left = without_query(analysis, "pages")
    assert [each.query for each in left.footprints] == ["revenue", "audience", "rename"]
    assert left.graph.tables["visits"] == analysis.graph.tables["visits"] - 1


def test_more_executions_of_a_statement_that_writes_are_more_writes(analysis):
    more = with_executions(analysis, "rename", 40.0)
    assert (analysis.graph.writes["customers"], more.graph.writes["customers"]) == (1.0, 40.0)


def test_a_query_of_a_name_that_there_is_cannot_be_added(analysis):
    with pytest.raises(ConfigurationError, match="a query 'revenue' already"):
        with_queries(analysis, analysis, "more.sql")


@pytest.fixture(scope="module")
def tpcds_small(tmp_path_factory):
    """The problem of ten queries of TPC-DS at scale factor 0.01 over three stores."""
    file = tmp_path_factory.mktemp("tpcds") / "ten.toml"
    file.write_text(
        '[workload]\nsource = "tpcds"\nqueries = [1, 9, 12, 15, 62, 80, 84, 86, 90, 91]\n'
        '[catalog]\nsource = "tpcds"\nscale_factor = 0.01\n'
        '[stores.pg]\nkind = "postgresql"\nembedded = true\ncapacity = "60%"\n'
        '[stores.maria]\nkind = "mysql"\nembedded = true\ncapacity = "60%"\n'
        '[stores.duck]\nkind = "duckdb"\ncapacity = "20%"\n[place]\nmax_copies = 2\n'
    )
    project = load_project(file)
    return prepare(project, analyze(project, Silent())).problem


@pytest.mark.parametrize("table", ["date_dim", "web_sales"])
def test_moving_a_table_of_tpcds_as_explained_changes_the_checked_cost_by_what_is_said(
    tpcds_small, table
):
    plan = Optimal()(tpcds_small)
    found = explain_table(tpcds_small, plan, table)
    for each in (*found.fixed, *found.free):
        if each.plan is None:
            continue
        held = {*plan.placement[table]} - {each.change.leaves} | {each.change.enters} - {None}
        assert set(each.placement[table]) >= held - {None}
        assert check(tpcds_small, each.plan) == each.violations
        moved = plan_for(tpcds_small, "moved", each.placement)
        assert moved.predicted_s == pytest.approx(plan.predicted_s + each.delta_s, rel=1e-9)
    for fixed, free in zip(found.fixed, found.free, strict=True):
        if fixed.plan is not None and not fixed.violations:
            assert -1e-6 * plan.predicted_s <= free.delta_s
            assert free.delta_s <= fixed.delta_s + 1e-6 * plan.predicted_s
