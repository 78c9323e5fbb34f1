"""Functions that no server has are told, as they may be misspelt."""

from dataclasses import replace

import pytest

from tests.unit.workloads.test_passing_through import query, with_data
from workloads.catalog import Catalog
from workloads.pass_through import PassThrough
from workloads.progress import Silent
from workloads.sources.ddl.catalog import definitions
from workloads.sql.known_functions import known_functions
from workloads.sql.statements import understand
from workloads.workload import Workload


def passed(
    sql: str, dialect: str, *, catalog: Catalog | None = None, latency_s: float | None = None
) -> PassThrough:
    workload = Workload(name="w", dialect=dialect, queries=(query(sql, latency_s),))
    (found,) = understand(workload, catalog or with_data(), Silent()).passed_through
    return found


@pytest.mark.parametrize(
    ("dialect", "sql", "told"),
    [
        ("postgres", "SELECT coutn(*) FROM orders", ["coutn() (did you mean count()?)"]),
        ("postgres", "SELECT ts_rank_cd(to_tsvector(c_name), 'a') FROM customer", []),
        ("postgres", "SELECT jsonb_path_query(c_name::jsonb, '$') FROM customer", []),
        (
            "postgres",
            "SELECT e.v FROM customer, jsonb_eech(c_name::jsonb) AS e(v) WHERE xyzzy_9(c_id) > 1",
            ["jsonb_eech() (did you mean jsonb_each()?)", "xyzzy_9()"],
        ),
        ("postgres", "SELECT shop.own_function(c_id) FROM customer", []),
        ("mysql", "SELECT JSON_OVERLAP(c_name, '[1]') FROM customer",
         ["json_overlap() (did you mean json_overlaps()?)"]),
        ("mysql", "SELECT ST_AsText(c_name), JSON_PRETTY(c_name) FROM customer", []),
    ],
)  # fmt: skip
def test_a_function_that_no_server_has_is_told_with_the_nearest(
    dialect: str, sql: str, told: list[str]
):
    assert sorted(map(str, passed(sql, dialect).unknown)) == sorted(told)


def test_what_the_catalog_defines_or_a_server_ran_is_not_suspected(tmp_path):
    sql = "SELECT coutn(*), own_agg(o_id) FROM orders"
    assert len(passed(sql, "postgres").unknown) == 2
    assert passed(sql, "postgres", latency_s=0.1).unknown == ()
    (tmp_path / "schema.sql").write_text(
        "CREATE TABLE t (id integer);\n"
        "CREATE OR REPLACE FUNCTION public.coutn(x integer) RETURNS integer AS $$ SELECT x; $$"
        " LANGUAGE sql;\nCREATE AGGREGATE own_agg(integer) (sfunc = int4pl, stype = integer);\n"
    )
    defined = definitions([tmp_path / "schema.sql"], Silent(), dialect="postgres").catalog
    assert defined.functions == {"coutn", "own_agg"}
    # As mysqldump writes it: the function itself is a program between DELIMITER lines.
    (tmp_path / "dump.sql").write_text(
        "-- MySQL dump 10.13  Distrib 8.0.33\nCREATE TABLE t (id int);\n"
        "/*!50003 DROP FUNCTION IF EXISTS `gross` */;\nDELIMITER ;;\n"
        "CREATE DEFINER=`root`@`%` FUNCTION `gross`(p int) RETURNS int RETURN p ;;\nDELIMITER ;\n"
    )
    assert definitions([tmp_path / "dump.sql"], Silent()).catalog.functions == {"gross"}
    catalog = replace(with_data(), functions=defined.functions)
    assert passed(sql, "postgres", catalog=catalog).unknown == ()


def test_only_servers_of_which_the_functions_are_known_are_asked():
    assert {"count", "jsonb_path_query", "coalesce"} <= known_functions("postgres")
    assert {"json_overlaps", "st_astext", "group_concat"} <= known_functions("mysql")
    assert known_functions("duckdb") == frozenset()
