from pathlib import Path

import pytest

from advisor.config import demo_file, load_project, project_of_paths
from advisor.sizes import Capacity, parse_capacity
from advisor.store_settings import STORE_KINDS
from evaluation.stores import BACKENDS
from workloads.errors import ConfigurationError

BASE = {
    "workload": 'source = "tpcds"\nqueries = [1, 9]',
    "catalog": 'source = "tpcds"',
    "stores.pg": 'kind = "postgresql"\nembedded = true\ncapacity = "60%"',
}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))


def write(folder, sections):
    file = folder / "shop.toml"
    file.write_text("".join(f"[{name}]\n{body}\n" for name, body in sections.items()))
    return file


def load(folder, overrides=None, /, **sections):
    changed = {name.replace("__", "."): body for name, body in sections.items()}
    return load_project(write(folder, BASE | changed), overrides)


def error(folder, overrides=None, /, **sections):
    with pytest.raises(ConfigurationError) as raised:
        load(folder, overrides, **sections)
    return str(raised.value)


def test_the_demo_is_the_papers_ten_queries_on_three_capped_stores():
    project = load_project(demo_file())
    assert project.workload.queries == tuple(
        f"q{number}" for number in (1, 9, 12, 15, 62, 80, 84, 86, 90, 91)
    )
    assert project.capacities_bytes(1000) == {"pg": 600, "maria": 600, "duck": 200}
    assert all(store.embedded for store in project.stores)
    assert project.constraints.max_copies == 2


def test_what_is_left_out_has_its_default(tmp_path):
    project = load(tmp_path)
    assert project.catalog.scale_factor == 0.1
    assert project.evaluate.repeats == 3
    assert project.experiment == "shop"
    assert project.tracking_uri == f"sqlite:///{project.folder}/tracking.db"
    assert project.folder.parent == tmp_path / "cache" / "projects"


def test_all_queries_are_none_chosen(tmp_path):
    assert load(tmp_path, workload='source = "tpcds"\nqueries = "all"').workload.queries is None


def test_an_option_takes_precedence_and_is_validated_alike(tmp_path):
    overrides = {"evaluate": {"repeats": 7}, "catalog": {"scale_factor": 1.0}}
    project = load(tmp_path, overrides)
    assert (project.evaluate.repeats, project.catalog.scale_factor) == (7, 1.0)
    assert "[evaluate].repeats = 0" in error(tmp_path, {"evaluate": {"repeats": 0}})


def test_relative_paths_are_relative_to_the_file(tmp_path):
    (tmp_path / "sql").mkdir()
    (tmp_path / "data").mkdir()
    project = load(
        tmp_path,
        workload='source = "sql"\ndialect = "postgres"',
        catalog='source = "data"',
        stores__duck='kind = "duckdb"\npath = "shop.duckdb"',
    )
    assert project.workload.paths == (tmp_path / "sql",)
    assert project.catalog.paths == (tmp_path / "data",)
    assert project.catalog.is_parquet
    assert project.stores[1].path == tmp_path / "shop.duckdb"


def test_an_unknown_key_names_the_nearest(tmp_path):
    body = 'kind = "postgresql"\nembedded = true\ncapcity = "60%"'
    assert error(tmp_path, stores__pg=body) == (
        "Unknown key 'capcity' in [stores.pg] of shop.toml: did you mean 'capacity'?"
    )


def test_an_unknown_section_names_the_nearest(tmp_path):
    text = error(tmp_path, evaluation="repeats = 3")
    assert "Unknown section 'evaluation'" in text
    assert "did you mean 'evaluate'?" in text


def test_an_unknown_kind_of_store_names_the_known_ones(tmp_path):
    text = error(tmp_path, stores__pg='kind = "oracle"\nembedded = true')
    assert text.startswith("[stores.pg].kind = 'oracle' in shop.toml")
    assert "postgresql, mysql, duckdb" in text


def test_every_kind_of_store_that_has_a_back_end_can_be_configured():
    assert set(STORE_KINDS) == set(BACKENDS)


def test_an_unknown_strategy_names_the_nearest(tmp_path):
    text = error(tmp_path, place='strategies = ["optimum"]')
    assert "Unknown strategy 'optimum'" in text
    assert "did you mean 'optimal'?" in text


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("repeats = 0", "[evaluate].repeats = 0 in shop.toml: Input should be greater than or"),
        ('repeats = "three"', "[evaluate].repeats = 'three' in shop.toml"),
        ("query_timeout_s = -1", "[evaluate].query_timeout_s = -1"),
        ('driver_memory = "plenty"', "[evaluate].driver_memory = 'plenty'"),
    ],
)
def test_a_value_out_of_its_limits_is_quoted_with_them(tmp_path, body, expected):
    assert expected in error(tmp_path, evaluate=body)


@pytest.mark.parametrize("capacity", ['"60"', "60", '"sixty %"', '"3 parsecs"', '"0%"'])
def test_a_capacity_without_a_unit_is_refused(tmp_path, capacity):
    body = f'kind = "postgresql"\nembedded = true\ncapacity = {capacity}'
    assert "[stores.pg].capacity" in error(tmp_path, stores__pg=body)


def test_a_password_in_the_file_is_refused_and_not_repeated(tmp_path):
    body = 'kind = "postgresql"\nhost = "db"\nuser = "u"\npassword = "hunter2"'
    text = error(tmp_path, stores__pg=body)
    assert "password_env" in text
    assert "hunter2" not in text


def test_a_password_in_the_tracking_uri_is_refused_and_not_repeated(tmp_path):
    text = error(tmp_path, tracking='uri = "http://me:hunter2@mlflow.example.org"')
    assert "MLFLOW_TRACKING_PASSWORD" in text
    assert "hunter2" not in text


def test_a_missing_password_variable_is_named_when_the_store_is_needed(tmp_path, monkeypatch):
    monkeypatch.delenv("SHOP_PASSWORD", raising=False)
    body = 'kind = "mysql"\nhost = "db"\nuser = "u"\npassword_env = "SHOP_PASSWORD"'
    store = load(tmp_path, stores__pg=body).stores[0]
    with pytest.raises(ConfigurationError, match="SHOP_PASSWORD, which is not set"):
        store.connection()


def test_a_host_gets_its_kinds_port_and_its_password_from_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("SHOP_PASSWORD", "hunter2")
    body = 'kind = "mysql"\nhost = "db"\nuser = "u"\npassword_env = "SHOP_PASSWORD"'
    project = load(tmp_path, stores__pg=body)
    connection = project.stores[0].connection()
    assert (connection.port, connection.password) == (3306, "hunter2")
    assert "hunter2" not in repr(connection)
    assert project.secrets() == {"hunter2"}


@pytest.mark.parametrize(
    "body",
    [
        'kind = "postgresql"',
        'kind = "postgresql"\nembedded = true\nhost = "db"\nuser = "u"',
        'kind = "duckdb"\nembedded = true\npath = "x.duckdb"',
        'kind = "duckdb"\nembedded = false',
    ],
)
def test_a_store_is_either_embedded_or_somewhere(tmp_path, body):
    assert "give either embedded = true or" in error(tmp_path, stores__pg=body)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('kind = "postgresql"\nhost = "db"', "[stores.pg].user"),
        ('kind = "postgresql"\nembedded = true\nport = 5432', "[stores.pg].port"),
        ('kind = "duckdb"\nhost = "db"', "[stores.pg].host"),
        ('kind = "mysql"\nhost = "db"\nuser = "u"\ndatabase = "d"', "[stores.pg].database"),
        ("embedded = true", "[stores.pg].kind"),
    ],
)
def test_an_address_that_does_not_fit_the_kind_is_refused(tmp_path, body, expected):
    assert expected in error(tmp_path, stores__pg=body)


def test_a_duckdb_without_a_path_is_embedded(tmp_path):
    assert load(tmp_path, stores__pg='kind = "duckdb"').stores[0].embedded


def test_constraints_name_known_stores_and_do_not_contradict(tmp_path):
    assert "did you mean 'pg'?" in error(tmp_path, constraints='pin = { item = ["pgg"] }')
    both = 'pin = { item = ["pg"] }\nexclude = { item = ["pg"] }'
    assert "both in pin and in exclude" in error(tmp_path, constraints=both)
    pinned = load(tmp_path, constraints='pin = { item = "pg" }').constraints.pin
    assert pinned == {"item": frozenset({"pg"})}


@pytest.mark.parametrize(
    ("section", "body", "expected"),
    [
        ("workload", 'source = "nowhere.sql"\ndialect = "mysql"', "there is no such file"),
        ("workload", "queries = [1]", "[workload].source in shop.toml: this key is needed"),
        ("workload", 'source = "tpcds"\nqueries = [100]', "TPC-DS has the queries 1 to 99"),
        ("catalog", 'source = "nowhere"', "there is no such file"),
        ("catalog", 'source = "tpcds"\nscale_factor = 0', "[catalog].scale_factor = 0"),
    ],
)
def test_a_source_that_is_not_there_is_named(tmp_path, section, body, expected):
    assert expected in error(tmp_path, **{section: body})


def test_the_dialect_of_files_is_detected_where_none_is_named(tmp_path):
    (tmp_path / "a.sql").write_text("SELECT 1")
    assert load(tmp_path, workload='source = "a.sql"').workload.dialect is None


def test_only_generated_data_are_scaled(tmp_path):
    text = error(tmp_path, catalog=f'source = "{tmp_path}"\nscale_factor = 1')
    assert "[catalog].scale_factor in shop.toml: only 'tpcds' or 'tpch' is scaled" in text


def test_a_typing_error_in_a_source_names_what_is_near(tmp_path):
    (tmp_path / "queries").mkdir()
    assert "did you mean 'tpch'?" in error(tmp_path, workload='source = "tpchh"')
    assert "did you mean 'queries'?" in error(tmp_path, workload='source = "querys"')


@pytest.mark.parametrize("chosen", ["[9]", '["9"]', '["q9"]', '["Q9"]'])
def test_a_benchmarks_queries_are_chosen_by_number_or_name(tmp_path, chosen):
    project = load(tmp_path, workload=f'source = "tpch"\nqueries = {chosen}')
    assert project.workload.queries == ("q9",)


def test_a_number_is_a_name_as_it_is_where_queries_are_the_users(tmp_path):
    (tmp_path / "a.sql").write_text("SELECT 1")
    project = load(tmp_path, workload='source = "a.sql"\nqueries = [1]')
    assert project.workload.queries == ("1",)


def test_tpch_has_22_queries_and_they_are_duckdbs(tmp_path):
    text = error(tmp_path, workload='source = "tpch"\nqueries = [23]')
    assert "TPC-H has the queries 1 to 22" in text
    text = error(tmp_path, workload='source = "tpch"\ndialect = "mysql"')
    assert "[workload].dialect = 'mysql'" in text


def test_an_empty_list_of_queries_is_refused(tmp_path):
    assert "name a query" in error(tmp_path, workload='source = "tpcds"\nqueries = []')


LIVE = 'kind = "postgresql"\nhost = "db"\nuser = "u"'


def test_a_live_store_can_be_workload_and_catalog(tmp_path):
    project = load(
        tmp_path,
        workload='source = "stores.pg"',
        catalog='source = "stores.pg"\nschema = "shop"',
        stores__pg=LIVE,
    )
    assert project.workload.store == project.catalog.store == "pg"
    assert project.catalog.schema == "shop"
    assert project.workload.paths == ()


def test_a_store_that_is_unknown_or_ours_is_no_source(tmp_path):
    assert "did you mean 'pg'?" in error(tmp_path, catalog='source = "stores.pgg"')
    text = error(tmp_path, workload='source = "stores.pg"')
    assert "[workload].source = 'stores.pg'" in text
    assert "embedded" in text
    with pytest.raises(ConfigurationError, match=r"--catalog = 'stores.pg': only a project file"):
        project_of_paths(["tpcds"], {"catalog": {"source": "stores.pg"}})


def test_a_schema_is_of_live_stores_alone(tmp_path):
    text = error(tmp_path, workload='source = "tpcds"\nschema = "x"')
    assert "[workload].schema in shop.toml: only a live store has schemas" in text


@pytest.mark.parametrize(
    ("files", "parquet"),
    [
        (("customer.parquet",), True),
        (("customer/1.parquet",), True),
        (("customer.parquet", "schema.sql"), True),
        (("schema.sql",), False),
        (("v1/schema.sql",), False),
        ((), True),
    ],
)
def test_a_folder_is_of_ddl_if_it_holds_sql_and_no_parquet(tmp_path, files, parquet):
    folder = tmp_path / "data"
    folder.mkdir()
    for name in files:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
    assert load(tmp_path, catalog='source = "data"').catalog.is_parquet is parquet


def test_row_counts_are_for_ddl_alone(tmp_path):
    (tmp_path / "rows.csv").write_text("a,1\n")
    (tmp_path / "schema.sql").write_text("CREATE TABLE a (b int)")
    text = error(tmp_path, catalog='source = "tpcds"\nrows = "rows.csv"')
    assert "[catalog].rows in shop.toml: only files of DDL have this key" in text
    project = load(tmp_path, catalog='source = "schema.sql"\nrows = "rows.csv"')
    assert project.catalog.rows == tmp_path / "rows.csv"


def test_an_option_is_named_as_the_user_wrote_it_where_there_is_no_file(tmp_path):
    with pytest.raises(ConfigurationError, match=r"^--catalog = 'nowhere': there is no such"):
        project_of_paths([str(tmp_path)], {"catalog": {"source": ["nowhere"]}})
    with pytest.raises(ConfigurationError, match=r"^PATH = 'nowhere.sql': there is no such"):
        project_of_paths(["nowhere.sql"])


def test_benchmarks_are_named_alone(tmp_path):
    with pytest.raises(ConfigurationError, match="a benchmark is a source of its own"):
        project_of_paths(["tpcds"], {"catalog": {"source": ["tpch", str(tmp_path)]}})


def test_a_benchmark_is_analysed_over_its_own_catalog():
    assert project_of_paths(["tpch"]).catalog.benchmark == "tpch"


def test_the_papers_placements_are_made_of_tpcds_alone(tmp_path):
    assert "paper_partition_1" in load(tmp_path).place.strategies
    other = load(tmp_path, workload='source = "tpch"', catalog='source = "tpch"')
    assert other.place.strategies == ("single_store", "naive", "proximity", "optimal")


def test_an_unknown_estimator_is_refused(tmp_path):
    assert load(tmp_path, place='estimator = "postgresql"').place.estimator == "postgresql"
    assert "[place].estimator = 'oracle'" in error(tmp_path, place='estimator = "oracle"')


def test_a_file_that_is_missing_or_no_toml_is_one_line(tmp_path):
    with pytest.raises(ConfigurationError, match="There is no project file"):
        load_project(tmp_path / "none.toml")
    broken = tmp_path / "broken.toml"
    broken.write_text("[workload\n")
    with pytest.raises(ConfigurationError, match=r"broken.toml is not valid TOML: .*line 1"):
        load_project(broken)


def test_a_project_needs_a_store_and_paths_alone_do_not(tmp_path):
    sections = {name: body for name, body in BASE.items() if name != "stores.pg"}
    with pytest.raises(ConfigurationError, match="describe at least one"):
        load_project(write(tmp_path, sections))
    (tmp_path / "a.sql").write_text("SELECT 1")
    project = project_of_paths([str(tmp_path / "a.sql")])
    assert project.stores == ()
    assert project.catalog.benchmark == "tpcds"
    assert project.workload.paths == (Path(tmp_path / "a.sql"),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("60%", Capacity(share=0.6)),
        ("200 GiB", Capacity(size_bytes=200 << 30)),
        ("1.5kB", Capacity(size_bytes=1500)),
    ],
)
def test_capacities_are_shares_or_sizes(text, expected):
    assert parse_capacity(text) == expected


def test_a_share_is_of_the_catalog_and_a_size_is_not():
    assert Capacity(share=0.2).bytes(1000) == 200
    assert Capacity(size_bytes=7).bytes(1000) == 7
