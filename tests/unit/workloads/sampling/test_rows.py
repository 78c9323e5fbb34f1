"""Rows and groups counted on samples, where columns, tables and rows depend on each other."""

import math
from dataclasses import replace

import duckdb
import pytest

from tests.footprints import block, condition, footprint, join, output, source
from workloads.estimation.cardinality import Estimator
from workloads.estimation.sample_database import SampleDatabase
from workloads.estimation.sampling import Sampling
from workloads.footprint import Filter
from workloads.progress import Silent
from workloads.sources import parquet


def where(column, kind, *values, sql, **more):
    return replace(condition(column, kind, *values, **more), sql=sql)


SALE_OF = (join("sale.model", "model.id"),)


def test_conditions_that_depend_on_each_other_are_counted_together(estimated):
    """A make is in one country: 10 models, where independence has 200 / 20 / 5 = 2."""
    both = (
        where("model.make", "eq", 7.0, sql="model.make = 7"),
        where("model.country", "eq", 2.0, sql="model.country = 2"),
    )
    assert estimated(source("model"), filters=both, sampled=False) == pytest.approx(2)
    assert estimated(source("model"), filters=both) == 10


def test_any_condition_is_evaluated_where_formulas_have_a_default(estimated, counted):
    odd = where("model.name", "other", sql="substr(model.name, 7, 2) IN ('12', '15')")
    true = counted("SELECT * FROM model WHERE substr(name, 7, 2) IN ('12', '15')")
    assert estimated(source("model"), filters=(odd,)) == true
    assert estimated(source("model"), filters=(odd,), sampled=False) > 3 * true


def test_a_skewed_foreign_key_keeps_what_really_refers_to_the_filtered_rows(estimated, counted):
    few = (where("model.id", "range", None, 9.0, sql="model.id <= 9"),)
    true = counted("SELECT * FROM sale JOIN model ON sale.model = model.id WHERE model.id <= 9")
    assert true > 18_000
    pair = (source("sale"), source("model"))
    assert estimated(*pair, joins=SALE_OF, filters=few) == pytest.approx(true, rel=0.05)


def test_every_part_of_a_tree_is_answered_by_one_query(estimated, database, monkeypatch):
    filters = (
        where("model.make", "eq", 3.0, sql="model.make = 3"),
        where("sale.day", "range", 10.0, 50.0, sql="sale.day BETWEEN 10 AND 50"),
    )
    asked = []
    run = database._run
    monkeypatch.setattr(database, "_run", lambda sql: asked.append(sql) or run(sql))
    for aliases in (["sale"], ["sale", "model"]):
        estimated(source("sale"), source("model"), aliases=aliases, joins=SALE_OF, filters=filters)
    assert [sql for sql in asked if "count(*)" in sql] == asked[-1:]


def test_a_join_of_two_facts_multiplies_the_rows_of_their_common_values(estimated, counted):
    joins = (join("sale.model", "visit.model"),)
    true = counted("SELECT * FROM sale JOIN visit ON sale.model = visit.model")
    pair = (source("sale"), source("visit"))
    assert estimated(*pair, joins=joins) == pytest.approx(true, rel=0.1)
    assert estimated(*pair, joins=joins, sampled=False) < true / 3


def test_facts_are_joined_through_a_table_that_both_look_up(estimated, counted):
    joins = (*SALE_OF, join("visit.model", "model.id"))
    filters = (where("model.make", "eq", 3.0, sql="model.make = 3"),)
    true = counted(
        "SELECT * FROM sale JOIN model ON sale.model = model.id"
        " JOIN visit ON visit.model = model.id WHERE make = 3"
    )
    three = (source("sale"), source("model"), source("visit"))
    assert estimated(*three, joins=joins, filters=filters) == pytest.approx(true, rel=0.2)


def test_a_condition_over_both_sides_of_a_join_of_facts_is_evaluated(estimated, counted):
    joins = (join("sale.model", "visit.model"),)
    later = Filter(
        columns=(("sale", "id"), ("visit", "id")), kind="other", sql="sale.id < visit.id"
    )
    true = counted("SELECT * FROM sale JOIN visit USING (model) WHERE sale.id < visit.id")
    pair = (source("sale"), source("visit"))
    assert estimated(*pair, joins=joins, filters=(later,)) == pytest.approx(true, rel=0.25)


def test_sources_called_as_our_own_trees_are_no_others(tmp_path):
    rows = "SELECT i AS id, i % 10 AS k, i % 50 AS n, i % 50 AS mask FROM range(500) t(i)"
    duckdb.sql(f"COPY ({rows}) TO '{tmp_path}/own.parquet' (FORMAT parquet)")
    made = parquet.catalog(tmp_path, cache=tmp_path / "cache", progress=Silent())
    later = Filter(columns=(("t0", "n"), ("t1", "n")), kind="other", sql="t0.n < t1.n")
    pair = (source("t0", table="own"), source("t1", table="own"))
    found = footprint(block(*pair, joins=(join("t0.k", "t1.k"),), filters=(later,)))
    with SampleDatabase(made) as opened:
        estimated = Estimator(made, found, samples=opened).rows_of_sources("b0", ["t0", "t1"])
    # Ten groups of 50 rows, each with ten rows of five values: of 2,500 pairs 1,000 ascend.
    assert estimated == pytest.approx(10 * 1_000)


def test_more_look_ups_than_share_a_query_give_the_same_rows(estimated, monkeypatch):
    filters = (where("model.make", "eq", 7.0, sql="model.make = 7"),)
    pair = (source("sale"), source("model"))
    together = estimated(*pair, joins=SALE_OF, filters=filters)
    monkeypatch.setattr("workloads.estimation.synopsis.MOST_SHARED", 0)
    assert estimated(*pair, joins=SALE_OF, filters=filters) == together


def test_the_first_sample_is_thinned_where_a_join_would_have_too_many_rows(
    estimated, counted, monkeypatch
):
    monkeypatch.setattr("workloads.estimation.synopsis_joins.MOST_PAIRS", 10_000)
    joins = (join("visit.model", "sale.model"),)
    true = counted("SELECT * FROM sale JOIN visit ON sale.model = visit.model")
    pair = (source("visit"), source("sale"))
    assert estimated(*pair, joins=joins) == pytest.approx(true, rel=0.3)


def test_a_left_join_by_a_key_keeps_its_rows_and_tells_which_have_no_match(estimated, counted):
    joins = (join("sale.id", "part.sale", "left"),)
    nullable = source("sale", needs="part")
    pair = (source("part"), nullable)
    assert estimated(*pair, joins=joins) == pytest.approx(20_000)
    none = (where("sale.id", "null", sql="sale.id IS NULL"),)
    assert estimated(*pair, joins=joins, filters=none) < 300
    early = (where("sale.day", "range", None, 9.0, sql="sale.day <= 9", outer=True),)
    true = counted("SELECT * FROM part LEFT JOIN sale ON sale.id = part.sale AND sale.day <= 9")
    assert estimated(*pair, joins=joins, filters=early) == pytest.approx(true)
    assert estimated(*pair, aliases=["sale"], joins=joins, filters=early) == pytest.approx(
        2_000, rel=0.15
    )


def test_few_matching_rows_are_those_of_the_rest_times_the_shares_of_the_rare(estimated):
    """One day in a hundred and one model in two hundred: 20,000 / 100 / 200 · 0.1 is 0.1."""
    filters = (
        where("sale.day", "eq", 77.0, sql="sale.day = 77"),
        where("model.id", "eq", 150.0, sql="model.id = 150"),
    )
    found = estimated(source("sale"), source("model"), joins=SALE_OF, filters=filters)
    assert 1 <= found < 20


def test_groups_of_dependent_columns_are_seen_in_the_sample(result):
    grouped = output(group_by="model.make model.country")
    found = block(source("sale"), source("model"), joins=SALE_OF, output=grouped)
    assert result(found) == pytest.approx(20)
    assert result(found, sampled=False) > 80


def test_a_set_of_columns_has_the_groups_that_it_has_among_other_sets(catalog, database):
    made = block(source("sale"), source("model"), joins=SALE_OF)
    tables = {name: catalog.tables[name] for name in ("sale", "model")}
    both, make = [("model", "make"), ("sale", "model")], [("model", "make")]
    sampling = Sampling(made, tables, database)
    among = sampling.groups(frozenset(tables), [both, make])
    assert among is not None
    assert sampling.groups(frozenset(tables), [both]) == among[:1]
    assert sampling.groups(frozenset(tables), [make]) == among[1:]


def test_each_prefix_of_a_rollup_has_its_own_groups(result):
    grouped = output(group_by="model.country model.make", grouping_sets=3)
    found = block(source("sale"), source("model"), joins=SALE_OF, output=grouped)
    assert result(found) == pytest.approx(20 + 5 + 1)


def test_a_condition_that_duckdb_cannot_run_leaves_formulas(estimated):
    foreign = where("model.make", "eq", 7.0, sql="model.make ~~~ no_such_function(7)")
    assert estimated(source("model"), filters=(foreign,)) == pytest.approx(200 / 20)


@pytest.mark.parametrize("foreign", ["model.make = $1", "no_such_function(model.make) = 7"])
def test_a_condition_that_duckdb_cannot_run_leaves_the_samples_to_the_others(
    estimated, counted, foreign
):
    """The skew of the key is still seen; the foreign condition keeps its formula's share, 1/20."""
    few = where("model.id", "range", None, 9.0, sql="model.id <= 9")
    make = where("model.make", "eq", None, sql=foreign)
    found = estimated(source("sale"), source("model"), joins=SALE_OF, filters=(few, make))
    true = counted("SELECT * FROM sale JOIN model ON model = model.id WHERE model.id <= 9")
    assert found == pytest.approx(true / 20, rel=0.1)


def test_an_expression_that_joins_is_left_to_formulas(estimated):
    computed = (replace(SALE_OF[0], computed=True),)
    assert estimated(source("sale"), source("model"), joins=computed) == pytest.approx(
        estimated(source("sale"), source("model"), joins=computed, sampled=False)
    )


def test_estimates_lie_between_one_and_the_cross_product(estimated):
    nothing = (where("model.make", "eq", 99.0, sql="model.make = 99"),)
    pair = (source("sale"), source("model"))
    assert estimated(*pair, joins=SALE_OF, filters=nothing) == 1
    assert estimated(*pair) == 20_000 * 200
    assert math.isfinite(estimated(*pair, filters=nothing))
