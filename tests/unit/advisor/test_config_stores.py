from dataclasses import fields, replace

import pytest

from advisor.measuring.connections import requested
from advisor.problem.rates import strength_of
from advisor.project.config import load_project
from advisor.project.sizes import Capacity, parse_capacity
from advisor.project.store_settings import StrengthSettings
from evaluation.kinds import BACKENDS, KINDS
from placement.stores import Strength
from tests.unit.advisor.project_files import error, load
from workloads.errors import ConfigurationError

pytestmark = pytest.mark.usefixtures("own_cache")


def test_an_unknown_kind_of_store_names_the_known_ones(tmp_path):
    text = error(tmp_path, stores__pg='kind = "oracle"\nembedded = true')
    assert text.startswith("[stores.pg].kind = 'oracle' in shop.toml")
    assert "postgresql, mysql, duckdb" in text


def test_an_embedded_mysql_is_mariadb_unless_mysql_8_is_asked_for(tmp_path):
    body = 'kind = "mysql"\nembedded = true'
    for server, name in (
        ("", None),
        ("\nserver = 'mariadb'", None),
        ("\nserver = 'mysql8'", "mysql8"),
    ):
        project = load(tmp_path, stores__pg=body + server)
        assert [each.server for each in requested(project)] == [name]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('kind = "mysql"\nembedded = true\nserver = "mysql"', "did you mean 'mysql8'?"),
        ('kind = "duckdb"\nserver = "mysql8"', "kind 'duckdb' has one server alone"),
        (
            'kind = "mysql"\nhost = "db"\nuser = "u"\nserver = "mysql8"',
            "a server of yours says itself what it is",
        ),
    ],
)
def test_a_server_that_cannot_be_asked_for_is_refused(tmp_path, body, expected):
    text = error(tmp_path, stores__pg=body)
    assert "[stores.pg]" in text
    assert expected in text


def test_only_mariadb_pays_for_each_reader_of_a_cte(tmp_path):
    body = 'kind = "mysql"\nembedded = true'
    assert strength_of(load(tmp_path, stores__pg=body).stores[0]).repeats_ctes
    other = load(tmp_path, stores__pg=f'{body}\nserver = "mysql8"').stores[0]
    assert not strength_of(other).repeats_ctes
    said = load(tmp_path, stores__pg=f'{body}\nserver = "mysql8"\nstrength = {{ start_s = 1.0 }}')
    assert strength_of(said.stores[0]) == replace(
        KINDS["mysql"].product("mysql8").strength, start_s=1.0, source="project file"
    )


def test_a_server_that_is_not_there_or_has_no_password_is_taken_for_what_its_kind_is(
    tmp_path, monkeypatch
):
    monkeypatch.delenv("SHOP_PASSWORD", raising=False)
    body = 'kind = "mysql"\nhost = "127.0.0.1"\nport = 1\nuser = "u"'
    own = BACKENDS["mysql"].strength
    assert strength_of(load(tmp_path, stores__pg=body).stores[0]) == own
    locked = load(tmp_path, stores__pg=f'{body}\npassword_env = "SHOP_PASSWORD"').stores[0]
    assert strength_of(locked) == own


@pytest.mark.parametrize("key", ["options", "prices", "strength"])
def test_a_value_in_place_of_a_section_of_a_store_is_refused(tmp_path, key):
    text = error(tmp_path, stores__pg=f'kind = "postgresql"\nembedded = true\n{key} = "x"')
    assert text == f"[stores.pg.{key}] in shop.toml: this is a section, not the value 'x'"


@pytest.mark.parametrize("capacity", ['"60"', "60", '"sixty %"', '"3 parsecs"', '"0%"'])
def test_a_capacity_without_a_unit_is_refused(tmp_path, capacity):
    body = f'kind = "postgresql"\nembedded = true\ncapacity = {capacity}'
    assert "[stores.pg].capacity" in error(tmp_path, stores__pg=body)


def test_a_password_in_the_file_is_refused_and_not_repeated(tmp_path):
    body = 'kind = "postgresql"\nhost = "db"\nuser = "u"\npassword = "hunter2"'
    text = error(tmp_path, stores__pg=body)
    assert "password_env" in text
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
        'kind = "objects"',
        'kind = "objects"\nembedded = true\nnodes = ["a:1"]\npassword_env = "P"',
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
        ('kind = "objects"\nhost = "db"', "[stores.pg].host"),
        ('kind = "postgresql"\nnodes = 2', "[stores.pg].nodes"),
        ('kind = "objects"\nnodes = ["a:1"]', "[stores.pg].password_env"),
        ('kind = "objects"\nnodes = ["a:1"]\nuser = "u"', "[stores.pg].user"),
        ('kind = "objects"\nnodes = ["a"]', "[stores.pg].nodes"),
        ('kind = "objects"\nembedded = true\nnodes = 0', "[stores.pg].nodes"),
        ('kind = "objects"\nembedded = true\nmemory = "5%"', "[stores.pg].memory"),
        ('kind = "postgresql"\nembedded = true\nmemory = "5 GiB"', "[stores.pg].memory"),
        ('kind = "mysql"\nhost = "db"\nuser = "u"\ndatabase = "d"', "[stores.pg].database"),
        ("embedded = true", "[stores.pg].kind"),
    ],
)
def test_an_address_that_does_not_fit_the_kind_is_refused(tmp_path, body, expected):
    assert expected in error(tmp_path, stores__pg=body)


def test_a_duckdb_without_a_path_is_embedded(tmp_path):
    assert load(tmp_path, stores__pg='kind = "duckdb"').stores[0].embedded


def test_embedded_nodes_are_counted_and_have_room_for_the_capacity(tmp_path):
    body = 'kind = "objects"\nembedded = true\nnodes = 3\ncapacity = "1 GiB"'
    (request,) = requested(load(tmp_path, stores__pg=body))
    assert (request.nodes, request.memory_bytes) == (3, 3 << 30)
    (request,) = requested(load(tmp_path, stores__pg=body + '\nmemory = "2 GiB"'))
    assert request.memory_bytes == 2 << 30


def test_nodes_of_the_users_own_are_named_with_the_variable_of_their_secret(tmp_path, monkeypatch):
    monkeypatch.setenv("SHOP_SECRET", "hunter2")
    body = 'kind = "objects"\nnodes = ["a:1", "b:2"]\npassword_env = "SHOP_SECRET"'
    project = load(tmp_path, stores__pg=body)
    connection = project.stores[0].connection()
    assert (connection.nodes, connection.password) == (("a:1", "b:2"), "hunter2")
    assert project.secrets() == {"hunter2"}
    assert requested(project) == ()


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


def test_a_rate_of_the_users_replaces_the_kinds_own_and_leaves_the_others(tmp_path):
    body = 'kind = "postgresql"\nembedded = true\n[stores.pg.strength]\nround_trip_s = 0.02'
    settings = load(tmp_path, stores__pg=body).stores[0]
    own = BACKENDS["postgresql"].strength
    known = settings.strength.instead_of(own)
    assert known == replace(own.with_round_trip(0.02), source="project file")
    assert load(tmp_path).stores[0].strength.instead_of(own) == own


def test_every_rate_of_a_store_can_be_said_and_none_else():
    # What its driver does is no matter of a project. Of a link the wait alone can be said, and not
    # that it was measured; how hash joins take memory and what several statements save are
    # measured alone. Indexes are chosen. That ranges of keys are read is our own scan's doing.
    rates = {each.name for each in fields(Strength)} - {
        "source",
        "portions",
        "most_driver_rows",
        "key_ranges",
        "link",
        "link_measured",
        "stream_times",
        "at_once",
        "memory",
        "indexes",
    }
    assert {each.name for each in fields(StrengthSettings)} == rates | {"round_trip_s"}


def test_no_wait_can_be_said_of_a_store_whose_driver_does_not_wait(tmp_path):
    body = 'kind = "mysql"\nembedded = true\n[stores.maria.strength]\nround_trip_s = '
    assert "the driver of kind 'mysql' does not wait between" in error(
        tmp_path, stores__maria=f"{body}0.01"
    )
    assert load(tmp_path, stores__maria=f"{body}0").stores


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("prices = { storage_gb = 1.0 }", "did you mean 'storage_gb_month'?"),
        ("prices = { transfer_gb = -1.0 }", "[stores.pg.prices].transfer_gb = -1.0"),
        ("prices = 3", "[stores.pg.prices] in shop.toml: this is a section"),
        ("strength = { scan_bytes = 1.0 }", "did you mean 'scan_bytes_per_s'?"),
        ("strength = { scan_bytes_per_s = 0 }", "[stores.pg.strength].scan_bytes_per_s = 0"),
        ("strength = { start_s = -0.1 }", "[stores.pg.strength].start_s = -0.1"),
        ("strength = { name = 1 }", "Unknown key 'name' in [stores.pg.strength]"),
    ],
)
def test_prices_and_rates_are_validated(tmp_path, body, expected):
    assert expected in error(tmp_path, stores__pg=f'kind = "postgresql"\nembedded = true\n{body}')


def test_a_silent_server_is_borne_as_long_as_the_project_says(tmp_path):
    stores = {
        "stores__a": 'kind = "postgresql"\nembedded = true',
        "stores__b": 'kind = "postgresql"\nembedded = true\nsilence_s = 5',
    }
    found = load(tmp_path, **stores, evaluate="silence_s = 600")
    assert {each.name: each.silence_s for each in found.stores if each.name != "pg"} == {
        "a": 600,
        "b": 5,
    }
    assert {each.silence_s for each in load(tmp_path).stores} == {60}


@pytest.mark.parametrize("host", ["a" * 64, "a..b", "x" * 5_000])
def test_a_host_that_no_network_has_is_refused(tmp_path, host):
    file = tmp_path / "shop.toml"
    store = f'kind = "mysql"\nhost = "{host}"\nport = 3306\nuser = "u"\n'
    data = '[workload]\nsource = "tpcds"\n[catalog]\nsource = "tpcds"\nscale_factor = 1\n'
    file.write_text(f"{data}[stores.m]\n{store}", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"\[stores\.m\]\.host"):
        load_project(file)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1", "größe.example", "a.b."])
def test_a_host_that_a_network_may_have_is_read(tmp_path, host):
    file = tmp_path / "shop.toml"
    store = f'kind = "mysql"\nhost = "{host}"\nport = 3306\nuser = "u"\n'
    data = '[workload]\nsource = "tpcds"\n[catalog]\nsource = "tpcds"\nscale_factor = 1\n'
    file.write_text(f"{data}[stores.m]\n{store}", encoding="utf-8")
    assert load_project(file).store("m").host == host
