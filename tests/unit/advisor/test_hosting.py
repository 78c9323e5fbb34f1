"""Stores that statements are passed through to, and the tables that are pinned there by them."""

from dataclasses import replace
from pathlib import Path

import pytest

from advisor.analysis.analysis import Analysis
from advisor.analysis.analyze import analyze
from advisor.analysis.notes import notes
from advisor.pipeline import prepare
from advisor.problem.hosting import hosting
from advisor.project.config import load_project
from advisor.project.project import Project
from placement.limits.check import check
from placement.strategies.optimal import Optimal
from placement.strategies.single_store import SingleStore
from tests.unit.advisor.analyses import analysed
from workloads.catalog import Origin
from workloads.progress import Silent

SCHEMA = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, profile TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, total INTEGER);
CREATE TABLE visits (id INTEGER PRIMARY KEY, page TEXT);
"""
QUERIES = """
-- name: vip
SELECT id FROM customers WHERE profile::jsonb ? 'vip';
-- name: pages
SELECT page, count(*) FROM visits GROUP BY page;
-- name: vip_orders
SELECT jsonb_agg(o.total) FROM orders o JOIN customers c ON c.id = o.customer;
"""
PASSED = """
-- name: sampled
SELECT o_id FROM orders TABLESAMPLE SYSTEM (9) WHERE o_id::text::jsonb @> '1';
-- name: drawn
SELECT o_id FROM orders WHERE o_id::text::jsonb @> '1' ORDER BY random();
-- name: lately
SELECT o_id::text::jsonb @> '1' FROM orders WHERE o_day > now();
-- name: slip
SELECT e.v FROM orders, jsonb_eech(o_id::text::jsonb) AS e(v);
"""
PG = 'kind = "postgresql"\nembedded = true\n'
DUCK = 'kind = "duckdb"\nembedded = true\n'


def loaded(folder: Path, stores: dict[str, str], more: str = "") -> tuple[Project, Analysis]:
    (folder / "schema.sql").write_text(SCHEMA)
    (folder / "queries.sql").write_text(QUERIES)
    tables = "".join(f"[stores.{name}]\n{text}" for name, text in stores.items())
    (folder / "p.toml").write_text(
        '[workload]\nsource = "queries.sql"\ndialect = "postgres"\n'
        f'[catalog]\nsource = "schema.sql"\n{more}{tables}'
    )
    project = load_project(folder / "p.toml")
    return project, analyze(project, Silent())


def test_tables_of_passed_through_statements_are_pinned_to_a_server_of_their_dialect(
    tmp_path: Path,
):
    project, analysis = loaded(tmp_path, {"duck": DUCK, "pg": PG})
    assert hosting(project, analysis).stores == {"vip": "pg", "vip_orders": "pg"}
    problem = prepare(project, analysis).problem
    assert problem.constraints.pin == {"customers": {"pg"}, "orders": {"pg"}}
    assert problem.constraints.hosted["customers"] == {"pg": "vip, vip_orders"}
    assert [query.name for query in problem.queries] == ["pages"]
    plan = Optimal()(problem)
    assert check(problem, plan) == ()
    assert plan.placement["customers"] == plan.placement["orders"] == ("pg",)
    alone = SingleStore(store="duck")(problem)
    assert [
        f"Table '{table}' is not in store 'pg', to which it is pinned, as only its server can run "
        f"{names}: place it there, or leave these statements out."
        for table, names in (("customers", "vip, vip_orders"), ("orders", "vip_orders"))
    ] == list(alone.violations)


def test_the_store_that_holds_the_tables_now_is_taken_before_the_first(tmp_path: Path):
    current = '[place]\ncurrent = { customers = ["new"], orders = ["new"] }\n'
    project, analysis = loaded(tmp_path, {"old": PG, "new": PG}, current)
    assert set(hosting(project, analysis).stores.values()) == {"new"}
    project, analysis = loaded(tmp_path, {"old": PG, "new": PG})
    assert set(hosting(project, analysis).stores.values()) == {"old"}


def test_statements_on_one_table_share_a_store_where_it_may_be_in_one_alone(tmp_path: Path):
    current = '[place]\ncurrent = { customers = ["old"], orders = ["new"] }\n'
    project, analysis = loaded(tmp_path, {"old": PG, "new": PG}, current)
    found = hosting(project, analysis)
    assert len(set(found.stores.values())) == 1
    assert found.stores.keys() == {"vip", "vip_orders"}
    problem = prepare(project, analysis).problem
    assert check(problem, Optimal()(problem)) == ()


def test_rows_that_no_copy_tells_from_others_are_read_in_the_store_that_has_the_originals(
    tmp_path: Path,
):
    project, analysis = loaded(tmp_path, {"old": PG, "new": PG})
    alone = tuple(
        replace(each, alone=("customers",)) if each.query.name == "vip" else each
        for each in analysis.passed_through
    )
    found = hosting(project, replace(analysis, passed_through=alone))
    assert found.unhosted == {"vip": "no store has the originals of customers"}
    tables = dict(analysis.catalog.tables)
    tables["customers"] = replace(tables["customers"], origin=Origin(store="new"))
    catalog = replace(analysis.catalog, tables=tables)
    found = hosting(project, replace(analysis, catalog=catalog, passed_through=alone))
    assert (found.stores["vip"], found.unhosted) == ("new", {})


@pytest.mark.parametrize(
    ("stores", "more", "why"),
    [
        ({"duck": DUCK}, "", "none of the stores is PostgreSQL"),
        (
            {"duck": DUCK, "pg": PG},
            '[constraints]\nexclude = { customers = ["pg"] }\n',
            "may not be in pg",
        ),
        (
            {"duck": DUCK, "pg": PG},
            '[constraints]\npin = { customers = ["duck"] }\n',
            "may not be in pg",
        ),
        ({"duck": DUCK, "pg": f"{PG}capacity = '1 kB'\n"}, "", "do not fit into pg"),
    ],
)
def test_a_statement_that_no_store_may_run_is_told_with_the_reason(
    tmp_path: Path, stores: dict[str, str], more: str, why: str
):
    project, analysis = loaded(tmp_path, stores, more)
    found = hosting(project, analysis)
    assert found.stores.keys().isdisjoint({"vip"})
    assert why in found.unhosted["vip"]
    assert any(why in note and "vip" in note for note in found.notes(analysis))
    problem = prepare(project, analysis).problem
    assert check(problem, Optimal()(problem)) == ()


def test_a_statement_on_a_column_that_no_copy_has_stays_where_the_table_is(tmp_path: Path):
    project, analysis = loaded(tmp_path, {"duck": DUCK, "pg": PG})
    first, *others = analysis.passed_through
    analysis = replace(analysis, passed_through=(replace(first, uncopied=("photo",)), *others))
    found = hosting(project, analysis)
    assert found.unhosted == {first.query.name: "no copy has photo"}
    assert first.query.name not in found.stores


def test_what_is_not_run_what_changes_and_what_may_be_misspelt_is_told(tmp_path: Path):
    told = list(notes(analysed(tmp_path, PASSED)))
    assert any(
        "2 statements are kept whole in their server and not run on copies: a copy's" in note
        and "(sampled: TABLESAMPLE draws rows" in note
        and "; drawn: random() gives another value each time)" in note
        for note in told
    )
    dated = (
        "The answer of 1 statement passed through depends on the moment of the run (lately: now())"
    )
    assert any(note.startswith(dated) for note in told)
    assert any("slip calls jsonb_eech() (did you mean jsonb_each()?). If" in note for note in told)
