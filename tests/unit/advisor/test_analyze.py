import json
import os

import pytest

from advisor.analysis.analyze import analyze
from advisor.commands import cli
from advisor.measuring.exports import exported_job
from advisor.measuring.measure import measure
from advisor.pipeline import place, prepare
from advisor.project.config import load_project, project_of_paths
from tests.unit.advisor import analyses
from tests.unit.advisor.command import advisor, called
from workloads.errors import CatalogError, ConfigurationError, InvalidStatementsError
from workloads.progress import Silent


@pytest.fixture(scope="module")
def analysis(tmp_path_factory):
    return analyses.analysed(tmp_path_factory.mktemp("shop"))


def test_queries_writes_and_what_is_left_out_are_told_apart(analysis):
    assert [footprint.query for footprint in analysis.footprints] == ["revenue", "idle", "products"]
    assert [(each.query, each.writes) for each in analysis.writes] == [("note", {"audit"})]
    assert sorted(skipped.kind for skipped in analysis.skipped) == ["definition", "session"]
    assert analysis.statements == 6
    assert analysis.executions == 62


def test_reads_and_writes_are_weighted_by_executions(analysis):
    assert analysis.graph.tables == {"customer": 50, "orders": 50, "item": 43, "product": 3}
    assert analysis.graph.writes == {"audit": 7}


def test_every_query_has_fragments_with_estimates(analysis):
    assert set(analysis.fragments) == {"revenue", "idle", "products"}
    kinds = {str(fragment.kind) for fragment in analysis.fragments["revenue"]}
    assert {"query", "join", "scan"} <= kinds
    assert all(
        each.work.rows_out >= 1 and each.work.bytes_out >= 1
        for each in analysis.fragments["revenue"]
    )


def test_all_invalid_statements_are_listed_with_their_places(tmp_path):
    with pytest.raises(InvalidStatementsError) as raised:
        analyses.analysed(tmp_path, analyses.SQL + analyses.INVALID)
    first, second = raised.value.details
    assert first.startswith(f"{tmp_path / 'queries.sql'}:19:8: unknown column 'nothing'")
    assert second.startswith(f"{tmp_path / 'queries.sql'}:21:1: ")
    assert "2 of 8 statements are not understood (39.2 % of the executions)" in str(raised.value)


def test_invalid_statements_can_be_left_out_and_their_share_is_known(tmp_path):
    found = analyses.analysed(tmp_path, analyses.SQL + analyses.INVALID, skip_invalid=True)
    assert len(found.footprints) == 3
    assert len(found.invalid) == 2
    assert found.invalid_share == pytest.approx(40 / 102)


def test_a_table_that_ddl_does_not_define_clearly_is_invalid_too(tmp_path):
    ddl = analyses.DDL + "CREATE TABLE broken USING delta LOCATION 'x';"
    with pytest.raises(InvalidStatementsError) as raised:
        analyses.analysed(tmp_path, ddl=ddl)
    assert "schema.sql:10:" in raised.value.details[0]
    assert "table 'broken' is defined without its columns" in raised.value.details[0]


def test_what_is_not_understood_is_never_more_than_all(tmp_path):
    ddl = analyses.DDL + "CREATE TABLE broken USING delta LOCATION 'x';"
    with pytest.raises(InvalidStatementsError, match=r"2 of 2 statements .* \(100 % of the"):
        analyses.analysed(tmp_path, "SELECT nothing FROM customer;", ddl)


def test_the_statements_of_one_text_count_each(tmp_path):
    line = "2025-05-01 08:00:0{}.000 UTC [7] LOG:  duration: 1.000 ms  statement: {}\n"
    log = tmp_path / "pg.log"
    texts = ["SELECT nope FROM item; SELECT nothing FROM customer", "SELECT c_id FROM customer"]
    log.write_text("".join(line.format(n, text) for n, text in enumerate(texts)))
    _, schema = analyses.write(tmp_path)
    settings = {"catalog": {"source": [str(schema)]}, "workload": {"dialect": "postgres"}}
    with pytest.raises(InvalidStatementsError, match=r"2 of 3 statements .* \(66.7 % of the"):
        analyze(project_of_paths([str(log)], settings), Silent())


def test_a_workload_that_touches_no_table_says_why(tmp_path):
    with pytest.raises(ConfigurationError, match=r"None of the 1 statements .* left out since"):
        analyses.analysed(tmp_path, "SET x = 1;")


def test_chosen_queries_are_those_of_these_names(tmp_path):
    found = analyses.analysed(tmp_path, queries=["idle"])
    assert [footprint.query for footprint in found.footprints] == ["idle"]
    with pytest.raises(ConfigurationError, match=r"called 'idel'.*: did you mean 'idle'\?"):
        analyses.analysed(tmp_path, queries=["idel"])


PROJECT = """
[workload]
source = "queries.sql"
[catalog]
source = "schema.sql"
[stores.duck]
kind = "duckdb"
[stores.more]
kind = "duckdb"
[place]
strategies = ["naive", "optimal"]
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    analyses.write(tmp_path)
    file = tmp_path / "shop.toml"
    file.write_text(PROJECT)
    return load_project(file)


def test_tables_without_data_are_placed_but_never_loaded(project):
    found = analyze(project, Silent())
    prepared = prepare(project, found)
    plans = place(prepared.problem, project.place.strategies, Silent()).plans
    assert {plan.strategy for plan in plans} == {"naive", "optimal"}
    with pytest.raises(CatalogError, match="Table 'customer' has no data to load, nor have 4"):
        measure(prepared, plans, Silent())
    with pytest.raises(CatalogError, match="name a folder of Parquet"):
        exported_job(project, found, Silent())


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shop")
    analyses.write(folder)
    (folder / "shop.toml").write_text(PROJECT)
    return folder


def test_run_refuses_tables_without_data_before_placing_them(shop):
    environment = {**os.environ, "PLACEMENT_ADVISOR_CACHE": str(shop / "cache")}
    done = called("run", "shop.toml", cwd=shop, env=environment)
    assert done.returncode == 2
    assert "has no data to load" in done.stderr
    assert done.stdout == ""


def test_one_json_object_has_all_of_it_and_the_page_is_written(shop):
    done = advisor(
        *("analyze", "queries.sql", "--catalog", "schema.sql"),
        *("--html", "out/page.html", "--json"),
        cwd=shop,
    )
    assert done.returncode == 0
    document = json.loads(done.stdout)
    assert document["dialect"]
    assert {table["name"] for table in document["tables"] if table["rows_assumed"]} == {
        "product",
        "audit",
    }
    assert "The rows of 2 tables are not known and taken as 1,000: product, audit" in done.stderr
    assert "<svg" in (shop / "out" / "page.html").read_text()


def test_invalid_statements_stop_the_command_with_code_2_and_a_list(shop):
    (shop / "bad.sql").write_text(analyses.SQL + analyses.INVALID)
    done = called("analyze", "bad.sql", "--catalog", "schema.sql", cwd=shop)
    assert done.returncode == 2
    assert done.stdout == ""
    places = [line.split(": ")[0] for line in done.stderr.splitlines()]
    assert places[0].endswith("bad.sql:19:8")
    assert places[1].endswith("bad.sql:21:1")
    assert places[2] == "advisor"
    skipping = called("analyze", "bad.sql", "--catalog", "schema.sql", "--skip-invalid", cwd=shop)
    assert skipping.returncode == 0
    assert "2 of 8 statements are not understood and left out, 39.2 %" in skipping.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("analyze", "tpcds", "--repeats", "3"), "has no option '--repeats'"),
        (("analyze", "tpcds", "--strategies", "naive"), "has no option '--strategies'"),
        (("place", "x.toml", "--repeats", "3"), "has no option '--repeats'"),
        (("evaluate", "x.toml", "p.json", "--strategies", "naive"), "has no option '--strategies'"),
        (("analyze", "tpcds", "--quries", "1"), "did you mean '--queries'?"),
        (("analyze", "tpcds", "--skip-invalids"), "did you mean '--skip-invalid'?"),
        (("run", "x.toml", "y.toml"), "'y.toml' is one argument too many"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(capsys, arguments, expected):
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2
    assert expected in capsys.readouterr().err


def test_statements_over_a_benchmarks_tables_say_how_to_name_others(shop):
    done = called("analyze", "queries.sql", "--scale-factor", "0.01", cwd=shop)
    assert done.returncode == 2
    assert "unknown table 'orders'" in done.stderr
    assert "The catalog is that of TPC-DS: name another with --catalog" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("analyze", "shop.toml", "--dialect", "mysql"), "--dialect is for paths"),
        (("analyze", "shop.toml", "--catalog", "tpch"), "--catalog is for paths"),
        (("analyze", "shop.toml", "queries.sql"), "Analyse one project file"),
        (("analyze", "querys.sql"), "did you mean 'queries.sql'?"),
        (("analyze", "queries.sql", "--catalog", "schema.sq"), "did you mean 'schema.sql'?"),
        (("analyze", "queries.sql", "--dialect", "mysq"), "did you mean 'mysql'?"),
        (("analyze", "queries.sql", "--queries", "idel"), "did you mean 'idle'?"),
        (("analyze", "queries.sql", "--queries", "1"), "called '1'"),
        (("analyze", "tpch", "--spark"), "--spark folds logs"),
        (("analyze", "queries.sql", "--html", "schema.sql/x.html"), "Name another with --html"),
        (("analyze", "queries.sql", "--html", "."), "--html . is a folder"),
        (
            ("analyze", "queries.sql", "--catalog", "schema.sql", "--scale-factor", "1"),
            "--scale-factor: only 'tpcds' or 'tpch' is scaled",
        ),
        (("analyze", "queries.sql", "--rows", "schema.sql"), "--rows: only files of DDL"),
    ],
)
def test_wrong_use_is_one_line_that_says_the_way_out(shop, arguments, expected):
    done = called(*arguments, cwd=shop)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert expected in done.stderr


def test_several_hundred_set_operations_and_derived_tables_are_analysed(tmp_path):
    nested = "SELECT c_id FROM customer"
    for level in range(200):
        nested = f"SELECT c_id FROM ({nested}) AS t{level}"
    united = " UNION ALL ".join(["SELECT c_id FROM customer"] * 350)
    (tmp_path / "deep.sql").write_text(f"{nested};\n{united};\n")
    (tmp_path / "schema.sql").write_text("CREATE TABLE customer (c_id INT);")
    done = advisor("analyze", "deep.sql", "--catalog", "schema.sql", "--json", cwd=tmp_path)
    assert (done.returncode, len(json.loads(done.stdout)["queries"])) == (0, 2), done.stderr
