"""All refusals of a project come together, as one error with a line for each."""

import duckdb
import pytest

from advisor.analysis.analyze import analyze
from advisor.commands import cli
from advisor.project.config import load_project, read_project
from advisor.project.project_file import ProjectFile
from advisor.project.store_access import refuse_inaccessible
from advisor.refusals.refused import refuse
from tests.unit.advisor import project_files
from workloads.errors import (
    CatalogError,
    ConfigurationError,
    InvalidStatementsError,
    RefusalsError,
    StoreError,
)
from workloads.problems import Problems
from workloads.progress import Silent
from workloads.sources import parquet

SCHEMA = "CREATE TABLE orders (id INT PRIMARY KEY, total INT);\nCREATE TABLE item (id INT);\n"
WRONG_KEYS = """
[workload]
source = "queries.sql"
querries = "all"
[catalog]
source = "schema.sql"
rows = "nowhere.csv"
[stores.pg]
kind = "postgresql"
embedded = true
kapacity = "1 GiB"
[place]
max_copies = 0
[evaluate]
repeats = "five"
[constraints]
pin = { ordrs = "pg", item = "pgg" }
together = [["item", "nothing_like_it"]]
latency_s = { q1 = 1.0 }
"""


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """Write a project of DDL and statements, and return its file."""
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    (tmp_path / "schema.sql").write_text(SCHEMA)

    def written(text, statements="SELECT sum(total) FROM orders;"):
        (tmp_path / "queries.sql").write_text(statements)
        file = tmp_path / "shop.toml"
        file.write_text(text)
        return file

    return written


def refused(file, *, loads=False):
    """Return the lines that say why a project is refused."""
    with pytest.raises(RefusalsError) as raised:
        refuse(read_project(file), Silent(), loads=loads)
    return raised.value.details


def test_one_error_is_raised_as_it_is_and_several_are_raised_together():
    problems = Problems()
    problems.raise_any()
    with problems.gathering():
        raise CatalogError("one")
    with problems.gathering():
        raise CatalogError("one")
    with pytest.raises(CatalogError, match="one"):
        problems.raise_any()
    with problems.gathering():
        raise RefusalsError([StoreError("pg", "two"), InvalidStatementsError("three", ("a", "b"))])
    with pytest.raises(RefusalsError) as raised:
        problems.raise_any()
    assert raised.value.details == ("one", "Store 'pg': two", "a", "b", "three")
    assert raised.value.count == 4


def test_an_error_of_ours_is_not_gathered():
    with pytest.raises(KeyError), Problems().gathering():
        raise KeyError("a fault")


def test_wrong_keys_unknown_tables_and_statements_are_told_together(shop):
    lines = refused(shop(WRONG_KEYS, "SELECT nothing FROM orders;\nSELECT id FROM ordrs;"))
    told = [
        "max_copies = 0", "repeats = 'five'", "'kapacity' in [stores.pg]", "'querries'",
        "rows = 'nowhere.csv'", "Unknown store 'pgg'", "Unknown table or tag 'ordrs'",
        "Unknown table or tag 'nothing_like_it'", "queries.sql:1:8", "queries.sql:2:",
    ]  # fmt: skip
    for text in told:
        assert sum(text in line for line in lines) == 1, text
    # One more sums up the two statements.
    assert len(lines) == len(told) + 1
    assert sum("2 of 2 statements are not understood" in line for line in lines) == 1


def test_a_query_of_a_ceiling_is_not_called_unknown_where_no_query_was_read(shop):
    lines = refused(shop(WRONG_KEYS, "SELEC;"))
    assert not any("latency_s" in line for line in lines)


def test_what_a_section_lacks_hides_nothing_in_the_others(tmp_path):
    with pytest.raises(RefusalsError) as raised:
        project_files.load(
            tmp_path,
            workload="queries = [1]",
            stores__pg='kind = "postgresql"\nhost = "db"\nuser = "u"\nport = 0\npassword = "x"',
            stores__duck='kind = "duckdb"\noptions = { a = "b" }',
            constraints='pin = { item = "pg", orders = "mem" }\nmax_money = 1.0\nmax_moves = 1',
            tracking="url = 'x'",
        )
    assert [line.partition(":")[0] for line in raised.value.details] == [
        "[stores.pg].password in shop.toml",
        "[stores.pg].port = 0 in shop.toml",
        "[stores.duck.options].a in shop.toml",
        "[workload].source in shop.toml",
        "Unknown store 'mem' in [constraints].pin.orders of shop.toml",
        "[constraints].max_moves in shop.toml",
        "Unknown key 'url' in [tracking] of shop.toml",
    ]


def test_benchmarks_and_parquet_are_only_asked_for_their_names(tmp_path, monkeypatch):
    monkeypatch.setenv("PLACEMENT_ADVISOR_CACHE", str(tmp_path / "cache"))
    told = {"place": "max_copies = 0", "constraints": 'pin = { itm = "pg", data = "pg" }'}
    file = project_files.write(tmp_path, project_files.BASE | told)
    assert [line.partition(" in ")[0] for line in refused(file)] == [
        "[place].max_copies = 0",
        "Unknown table or tag 'itm'",
        "Unknown table or tag 'data'",
    ]
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "data.parquet").write_bytes(b"no Parquet, and not opened")
    told["catalog"] = f'source = "{tmp_path}/tables"'
    lines = refused(project_files.write(tmp_path, project_files.BASE | told))
    assert [line.partition(" in ")[0] for line in lines] == [
        "[place].max_copies = 0",
        "Unknown table or tag 'itm'",
    ]
    assert not (tmp_path / "cache").exists()


def test_passwords_that_are_not_set_are_told_for_every_store(tmp_path, monkeypatch):
    monkeypatch.delenv("NOT_SET", raising=False)
    stores = {
        f"stores.{name}": f'kind = "{kind}"\nhost = "localhost"\nuser = "u"\n'
        f'password_env = "NOT_SET_{name}"'
        for name, kind in (("one", "postgresql"), ("two", "mysql"))
    }
    file = project_files.write(tmp_path, project_files.BASE | stores)
    lines = refused(file, loads=True)
    assert [line.partition(" takes")[0] for line in lines] == ["Store 'one'", "Store 'two'"]
    assert refuse(read_project(file), Silent()).store("two").user == "u"


LIVE = """
[workload]
source = ["stores.one", "log.sql"]
[stores.one]
kind = "postgresql"
host = "127.0.0.1"
port = 1
user = "u"
password_env = "NOT_SET_one"
tls = "verify-full"
ca = "nowhere.pem"
certificate = "own.crt"
key = "own.key"
key_password_env = "NOT_SET_key"
tables = "live"
schemas = ["care"]
snapshot = "1 GiB"
[stores.two]
kind = "mysql"
host = "127.0.0.1"
port = 1
user = "u"
tls = "verify-ca"
ca = "nowhere.pem"
tables = "live"
schemas = ["portal"]
snapshot = "1 GiB"
[stores.copies]
kind = "duckdb"
embedded = true
"""
LACKED = (
    "environment variable NOT_SET_one", "environment variable NOT_SET_key",
    "[stores.one].ca = ", "[stores.one].certificate = ", "[stores.one].key = ",
    "[stores.two].ca = ",
)  # fmt: skip


@pytest.mark.parametrize("loads", [True, False])
def test_files_and_variables_that_are_not_there_are_told_with_wrong_keys(shop, tmp_path, loads):
    (tmp_path / "log.sql").write_text("SELECT 1;")
    wrong = '[place]\nmax_copis = 2\n[constraints]\nonly = { "care.address" = ["twoo"] }\n'
    lines = refused(shop(LIVE + wrong), loads=loads)
    told = ("'max_copis'", "Unknown store 'twoo'", *LACKED)
    for text in told:
        assert sum(text in line for line in lines) == 1, text
    assert len(lines) == len(told)
    assert "nowhere.pem' in shop.toml: there is no such file" in "\n".join(lines)


def test_files_and_variables_that_are_not_there_are_told_before_any_server_is_asked(shop, tmp_path):
    (tmp_path / "log.sql").write_text("SELECT 1;")
    lines = refused(shop(LIVE), loads=True)
    assert len(lines) == len(LACKED)
    with pytest.raises(RefusalsError) as raised:
        analyze(refuse(read_project(shop(LIVE)), Silent()), Silent())
    assert raised.value.details == lines


def test_a_source_that_is_not_there_hides_no_file_of_a_live_store(shop):
    lines = refused(shop(LIVE))  # there is no log.sql
    assert "log.sql" in lines[0]
    assert len(lines) == 1 + len(LACKED)


def test_files_that_are_there_lack_nothing(shop, tmp_path, monkeypatch):
    for name in ("nowhere.pem", "own.crt", "own.key"):
        (tmp_path / name).touch()
    for name in ("NOT_SET_one", "NOT_SET_key"):
        monkeypatch.setenv(name, "x")
    (tmp_path / "log.sql").write_text("SELECT 1;")
    project = load_project(shop(LIVE))
    for name in ("one", "two"):
        refuse_inaccessible(ProjectFile(path=project.file), project.store(name))


def test_unknown_tables_are_told_where_the_workload_cannot_be_read(shop):
    text = WRONG_KEYS.replace('source = "queries.sql"', 'source = "no.sql"')
    lines = refused(shop(text.replace('rows = "nowhere.csv"', "")))
    for told in ("no.sql", "Unknown table or tag 'ordrs'", "Unknown table or tag 'nothing_like"):
        assert sum(told in line for line in lines) == 1


def test_a_project_without_data_is_refused_together_with_its_constraints(shop):
    text = WRONG_KEYS.partition("[place]")[0].replace("kapacity", "capacity")
    text = text.replace('querries = "all"', "").replace('rows = "nowhere.csv"', "")
    file = shop(f"{text}[constraints]\npin = {{ ordrs = 'pg' }}")
    with pytest.raises(ConfigurationError, match="Unknown table or tag 'ordrs'"):
        analyze(load_project(file), Silent())
    with pytest.raises(RefusalsError) as raised:
        analyze(load_project(file), Silent(), needs_data=True)
    assert "Unknown table or tag 'ordrs'" in raised.value.details[0]
    assert "Table 'orders' has no data to load" in raised.value.details[1]


def test_of_many_lines_the_first_are_shown_and_all_are_in_a_file(shop, capsys, tmp_path):
    statements = "".join(f"SELECT c{number} FROM orders;\n" for number in range(30))
    file = shop(WRONG_KEYS.partition("[place]")[0].replace('querries = "all"', ""), statements)
    assert cli.main(["analyze", str(file)]) == cli.USER_ERROR
    *shown, last = capsys.readouterr().err.splitlines()
    written = (tmp_path / "cache" / cli.REFUSED).read_text().splitlines()
    assert shown[-cli.MOST_LINES :] == written[: cli.MOST_LINES]
    # Two of the file, thirty statements and what sums these up.
    assert len(written) == 33
    assert f"13 more lines are in {tmp_path}/cache/refused.txt, which has all of them." in last


def test_all_damaged_files_unknown_queries_and_counted_tables_are_told(tmp_path, shop):
    data = tmp_path / "data"
    data.mkdir()
    duckdb.sql(f"COPY (SELECT 1 AS id) TO '{data}/good.parquet'")
    for name in ("bad", "worse"):
        (data / f"{name}.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(RefusalsError) as raised:
        parquet.catalog(data, cache=tmp_path / "cache", progress=Silent())
    assert [line.split(" (")[0][:40] for line in raised.value.details] == [
        "DuckDB failed while reading table 'bad':",
        "DuckDB failed while reading table 'worse",
    ]
    (tmp_path / "rows.csv").write_text("table,rows\norders,5\nordrs,6\nnothing,7\n")
    text = (
        '[workload]\nsource = "queries.sql"\nqueries = ["no1", "no2"]\n[catalog]\n'
        'source = "schema.sql"\nrows = "rows.csv"\n[stores.pg]\nkind = "postgresql"\n'
        "embedded = true\n"
    )
    with pytest.raises(RefusalsError) as raised:
        analyze(load_project(shop(text)), Silent())
    for told in ("called 'no1'", "called 'no2'", "rows of 'ordrs'", "rows of 'nothing'"):
        assert sum(told in line for line in raised.value.details) == 1
