from pathlib import Path

import pytest

from advisor.commands.arguments import parsed
from advisor.commands.command import choice
from advisor.project.config import demo_file, load_project, project_of_paths
from placement.strategies import STRATEGIES
from tests.unit.advisor.project_files import BASE, error, load, write
from workloads.errors import ConfigurationError

pytestmark = pytest.mark.usefixtures("own_cache")


def test_the_demo_is_the_papers_ten_queries_on_three_capped_stores():
    project = load_project(demo_file())
    assert project.workload.queries == tuple(
        f"q{number}" for number in (1, 9, 12, 15, 62, 80, 84, 86, 90, 91)
    )
    assert project.capacities_bytes(1000) == {"pg": 600, "maria": 600, "acc": 200}
    assert [store.kind for store in project.stores] == ["postgresql", "mysql", "accumulo"]
    assert all(store.embedded for store in project.stores)
    assert project.place.max_copies == 2


def test_the_demo_has_duckdb_and_the_object_store_by_option():
    project = choice(parsed(["demo", "--with", "mem, duck"])).project()
    assert [store.kind for store in project.stores[3:]] == ["duckdb", "objects"]


@pytest.mark.parametrize(
    "file", sorted(demo_file().parent.glob("*.toml")), ids=lambda file: file.stem
)
def test_every_project_file_of_ours_can_be_read(file):
    assert load_project(file).stores


DUCK = 'kind = "duckdb"\noptional = true'


def test_optional_stores_are_there_where_they_are_asked_for(tmp_path):
    sections = BASE | {"stores.duck": DUCK, "stores.cold": DUCK}
    file = write(tmp_path, sections)
    assert [store.name for store in load_project(file).stores] == ["pg"]
    assert [store.name for store in load_project(file, stores=("cold",)).stores] == ["pg", "cold"]


def test_a_store_is_asked_for_that_is_not_optional_or_not_there(tmp_path):
    file = write(tmp_path, BASE | {"stores.duck": DUCK})
    for name, way_out in (("pg", "known: duck"), ("duk", "did you mean 'duck'?")):
        with pytest.raises(ConfigurationError) as raised:
            load_project(file, stores=(name,))
        assert str(raised.value) == (
            f"Unknown optional store '{name}' in [stores] of shop.toml: {way_out}"
        )


def test_a_project_needs_a_store_that_is_not_left_out(tmp_path):
    assert error(tmp_path, stores__pg=DUCK) == (
        "[stores] in shop.toml: all are optional: ask for one, --with pg"
    )


def test_what_is_said_of_an_optional_store_is_validated_all_the_same(tmp_path):
    assert "Unknown key 'capcity'" in error(tmp_path, stores__duck=f'{DUCK}\ncapcity = "1%"')
    assert "optional" in error(tmp_path, stores__duck='kind = "duckdb"\noptional = "no"')


def test_what_is_left_out_has_its_default(tmp_path):
    project = load(tmp_path)
    assert project.catalog.scale_factor == 0.1
    assert project.evaluate.repeats == 3
    assert project.experiment == "shop"
    assert project.tracking_uri == f"sqlite:///{project.folder}/tracking.db"
    assert project.folder.parent == tmp_path / "cache" / "projects"


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


@pytest.mark.parametrize(
    "name", ["optimum", "graph_partition", "hypergraph_partition", "beam_search"]
)
def test_an_unknown_strategy_names_those_that_there_are(tmp_path, name):
    text = error(tmp_path, place=f'strategies = ["{name}"]')
    assert f"Unknown strategy '{name}'" in text
    assert ("did you mean 'optimal'?" in text) == (name == "optimum")
    assert all(known in text for known in STRATEGIES)
    assert "\n" not in text


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


@pytest.mark.parametrize(
    ("uri", "way_out"),
    [
        ("http://me:hunter2@mlflow.example.org", "MLFLOW_TRACKING_PASSWORD"),
        ("postgresql://me:hunter2@db/mlflow", "PGPASSWORD"),
        ("postgresql://me:hunt/er2@db/mlflow", "PGPASSWORD"),
        ("postgresql+psycopg://me:hun#ter2@db/mlflow", "PGPASSWORD"),
        ("mysql+pymysql://me@db/mlflow?charset=utf8&password=hunter2", "the database's own client"),
    ],
)
def test_a_password_in_the_tracking_uri_is_refused_and_not_repeated(tmp_path, uri, way_out):
    text = error(tmp_path, tracking=f'uri = "{uri}"')
    assert way_out in text
    assert "ter2" not in text


@pytest.mark.parametrize(
    ("uri", "taken"),
    [
        ("sqlite:///mlflow.db", "sqlite:///{}/mlflow.db"),
        ("sqlite:////var/mlflow.db", "sqlite:////var/mlflow.db"),
        ("postgresql://me@db:5432/mlflow", "postgresql://me@db:5432/mlflow"),
        ("https://mlflow.example.org:5000/at@home", "https://mlflow.example.org:5000/at@home"),
    ],
)
def test_a_tracking_database_is_where_the_project_file_says(tmp_path, uri, taken):
    found = load(tmp_path, tracking=f'uri = "{uri}"')
    assert found.tracking_uri == taken.format(tmp_path)


THREE = {
    "stores__maria": 'kind = "mysql"\nembedded = true',
    "stores__duck": 'kind = "duckdb"\nembedded = true',
}


def test_the_papers_placements_are_made_of_tpcds_alone(tmp_path):
    assert "paper_partition_1" in load(tmp_path, **THREE).place.strategies
    assert load(tmp_path, **THREE).unmade == {}
    other = load(tmp_path, workload='source = "tpch"', catalog='source = "tpch"', **THREE)
    assert other.place.strategies == ("single_store", "naive", "proximity", "optimal")
    assert other.unmade == {}


@pytest.mark.parametrize(
    ("left_out", "needed"), [("stores__maria", "mysql"), ("stores__duck", "accumulo or duckdb")]
)
def test_the_papers_placements_are_no_default_where_a_kind_of_store_is_missing(
    tmp_path, left_out, needed
):
    two = {name: body for name, body in THREE.items() if name != left_out}
    project = load(tmp_path, **two)
    assert project.place.strategies == ("single_store", "naive", "proximity", "optimal")
    assert project.unmade == {"paper_partition_1": needed, "paper_partition_2": needed}
    asked = load(tmp_path, place='strategies = ["paper_partition_1"]', **two)
    assert asked.place.strategies == ("paper_partition_1",)
    assert asked.unmade == {}


def test_a_file_that_is_missing_or_no_toml_is_one_line(tmp_path):
    with pytest.raises(ConfigurationError, match="There is no project file"):
        load_project(tmp_path / "none.toml")
    with pytest.raises(ConfigurationError, match=r"is a folder: name the project file in it"):
        load_project(tmp_path)
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
