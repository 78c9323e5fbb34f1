import os
from datetime import UTC, datetime

import pytest

from advisor.project.config import project_of_paths
from tests.unit.advisor.project_files import error, load
from workloads.counting.filters import Filters
from workloads.errors import ConfigurationError


def test_all_queries_are_none_chosen(tmp_path):
    assert load(tmp_path, workload='source = "tpcds"\nqueries = "all"').workload.queries is None


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
    assert project.workload.stores == project.catalog.stores == ("pg",)
    assert project.catalog.schema == "shop"
    assert project.workload.paths == ()


def test_stores_and_files_can_be_sources_together(tmp_path):
    (tmp_path / "log.sql").write_text("SELECT 1")
    project = load(
        tmp_path,
        workload='source = ["stores.pg", "log.sql"]\nsearch_path = ["sales", "crm"]',
        catalog='source = ["stores.pg", "stores.other"]',
        stores__pg=LIVE,
        stores__other=LIVE,
    )
    assert project.workload.stores == ("pg",)
    assert project.workload.paths == (tmp_path / "log.sql",)
    assert project.workload.search_path == ("sales", "crm")
    assert project.catalog.stores == ("pg", "other")
    assert project.catalog.paths == ()
    own = load(
        tmp_path,
        workload='source = ["stores.pg", "log.sql"]\nsearch_path = "sales"\n'
        'search_paths = { "log.sql" = ["crm", "sales"] }',
        stores__pg=LIVE,
    )
    assert own.workload.search_paths == {str(tmp_path / "log.sql"): ("crm", "sales")}
    assert own.workload.searched_by("stores.pg") == ("sales",)
    text = error(tmp_path, workload='source = "log.sql"\nsearch_paths = { "log.sq" = "crm" }')
    assert "Unknown source 'log.sq' in [workload].search_paths" in text
    text = error(tmp_path, catalog='source = ["tpcds", "log.sql"]')
    assert "a benchmark is a source of its own: name it alone" in text


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


def test_the_end_of_a_pipe_is_no_source(tmp_path):
    reading, writing = os.pipe()
    try:
        told = error(tmp_path, workload=f'source = "/dev/fd/{reading}"\ndialect = "duckdb"')
    finally:
        os.close(reading)
        os.close(writing)
    assert "is a pipe or a device" in told
    assert "write it to a file" in told


def test_a_catalog_may_lie_in_a_bucket_and_a_workload_may_not(tmp_path):
    catalog = load(tmp_path, catalog='source = "s3://shop/data"').catalog
    assert (catalog.buckets, catalog.paths) == (("s3://shop/data",), ())
    assert "there is no such file" in error(tmp_path, workload='source = "s3://shop/queries"')
    text = error(tmp_path, catalog='source = "s3://shop/data"\ndialect = "mysql"')
    assert "only files of DDL have this key" in text


def test_filters_of_the_workload_are_read(tmp_path):
    (tmp_path / "log.sql").write_text("SELECT 1")
    filters = """
        user = "shop"
        database = ["shop", "crm"]
        since = 2025-05-01
        until = "2025-06-01 08:00"
        shortest_s = 0.5
        longest_s = 60
    """
    found = load(tmp_path, workload=f'source = "log.sql"\n{filters}').workload.filters
    assert found == Filters(
        user=("shop",),
        database=("shop", "crm"),
        since=datetime(2025, 5, 1),  # noqa: DTZ001
        until=datetime(2025, 6, 1, 8),  # noqa: DTZ001
        shortest_s=0.5,
        longest_s=60.0,
    )
    with_offset = load(tmp_path, workload='source = "log.sql"\nsince = 2025-05-01T08:00:00+02:00')
    assert with_offset.workload.filters.since == datetime(2025, 5, 1, 6, tzinfo=UTC)
    assert load(tmp_path, workload='source = "log.sql"').workload.filters is None


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ('since = "may"', "[workload].since = 'may' in shop.toml: this is no time such as"),
        ("since = 2025", "this is no time such as"),
        ("since = 2025-05-02\nuntil = 2025-05-01", "it is not later than since = 2025-05-02"),
        ('since = 2025-05-01\nuntil = "2025-05-02Z"', "both have an offset, or none"),
        ("shortest_s = 2\nlongest_s = 1", "[workload].longest_s = 1 in shop.toml: it is below"),
        ("shortest_s = -1", "[workload].shortest_s = -1"),
        ("users = 'shop'", "did you mean 'user'?"),
    ],
)
def test_filters_that_nothing_can_pass_are_refused(tmp_path, keys, said):
    (tmp_path / "log.sql").write_text("SELECT 1")
    assert said in error(tmp_path, workload=f'source = "log.sql"\n{keys}')


def test_the_queries_of_a_benchmark_have_no_user(tmp_path):
    text = error(tmp_path, workload='source = "tpcds"\nuser = "shop"')
    assert "[workload].user in shop.toml: the queries of a benchmark were run by nobody" in text


def test_an_empty_path_is_not_the_current_folder(tmp_path):
    told = error(tmp_path, workload='source = ""')
    assert "[workload].source in shop.toml: the path is empty: write '.'" in told
