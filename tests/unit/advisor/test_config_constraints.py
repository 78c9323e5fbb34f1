"""The constraints of a project file, and the tables that a store cannot hold."""

import pytest

from advisor.project.constraints import constraints_of, unheld_of
from tests.unit.advisor.project_files import BYTES, PRICED, QUERIES, error, load
from workloads.catalog import Catalog, Column, Table
from workloads.errors import ConfigurationError, RefusalsError

MARIA = 'kind = "mysql"\nembedded = true'
DUCK = {"stores__duck": 'kind = "duckdb"'}
TAGS = 'pii = ["customer", "customer_address"]'


def constraints(folder, **sections):
    """Return the constraints of a project with the stores pg, maria and duck."""
    stores = {"stores__maria": MARIA, "stores__duck": 'kind = "duckdb"'}
    return constraints_of(load(folder, **{**stores, **sections}), BYTES, QUERIES)


def refused(folder, **sections):
    with pytest.raises(ConfigurationError) as raised:
        constraints(folder, **sections)
    return str(raised.value)


def test_constraints_name_known_stores_and_do_not_contradict(tmp_path):
    assert "did you mean 'pg'?" in error(tmp_path, constraints='pin = { item = ["pgg"] }')
    both = 'pin = { item = ["pg"] }\nexclude = { item = ["pg"] }'
    assert "both in pin and in exclude" in error(tmp_path, constraints=both)
    assert constraints(tmp_path, constraints='pin = { item = "pg" }').pin == {
        "item": frozenset({"pg"})
    }


def test_a_tag_stands_for_its_tables_wherever_a_table_may_stand(tmp_path):
    found = constraints(
        tmp_path,
        constraints='pin = { pii = ["pg"] }\nexclude = { pii = ["duck"], customer = ["maria"] }\n'
        'together = [["pii", "orders"]]',
        constraints__tags=TAGS,
    )
    assert found.pin == dict.fromkeys(("customer", "customer_address"), frozenset({"pg"}))
    assert found.exclude == {
        "customer": frozenset({"duck", "maria"}),
        "customer_address": frozenset({"duck"}),
    }
    assert found.together == (frozenset({"customer", "customer_address", "orders"}),)
    assert found.tags == {"pii": frozenset({"customer", "customer_address"})}


def test_what_may_only_be_in_a_store_is_excluded_from_all_others(tmp_path):
    found = constraints(tmp_path, constraints='only = { pii = "pg" }', constraints__tags=TAGS)
    assert found.exclude == dict.fromkeys(
        ("customer", "customer_address"), frozenset({"maria", "duck"})
    )
    assert found.pin == {}


def test_only_contradicts_a_pin_elsewhere_and_an_exclusion_of_all_that_it_leaves(tmp_path):
    stores = {"stores__maria": MARIA, "constraints__tags": TAGS}
    text = error(
        tmp_path, constraints='only = { pii = ["pg"] }\npin = { customer = ["maria"] }', **stores
    )
    assert "table 'customer' in shop.toml: it is pinned to store 'maria'" in text
    text = error(
        tmp_path, constraints='only = { pii = ["pg"] }\nexclude = { customer = "pg" }', **stores
    )
    assert "only and exclude leave it no store" in text


def test_a_tag_is_apart_from_what_stands_beside_it_and_not_from_itself(tmp_path):
    found = constraints(tmp_path, constraints='apart = [["pii", "orders"]]', constraints__tags=TAGS)
    assert set(found.apart) == {
        frozenset({"customer", "orders"}),
        frozenset({"customer_address", "orders"}),
    }


def test_tables_alone_and_a_tag_alone_are_all_apart(tmp_path):
    found = constraints(
        tmp_path,
        constraints='apart = [["orders", "item", "customer"], ["pii"]]',
        constraints__tags=TAGS,
    )
    assert found.apart == (
        frozenset({"orders", "item", "customer"}),
        frozenset({"customer", "customer_address"}),
    )


def test_limits_are_in_the_models_units(tmp_path):
    found = constraints(
        tmp_path,
        stores__pg=PRICED,
        constraints='balance = "20%"\nmax_copy_bytes = "5%"\nmax_moves = 3\n'
        'max_move_bytes = "2 kB"\nmax_money = 120.5\nlatency_s = { 9 = 2, q1 = 0.5 }',
        place='max_copies = 2\ncurrent = { orders = ["pg"] }',
    )
    assert (found.balance, found.max_copies, found.max_copy_bytes) == (0.2, 2, 50)
    assert (found.max_moves, found.max_move_bytes, found.max_money) == (3, 2000, 120.5)
    assert found.latency_s == {"q9": 2.0, "q1": 0.5}


@pytest.mark.parametrize("text", ["0.2", '"20%"'])
def test_a_balance_is_a_share_as_a_number_or_in_per_cent(tmp_path, text):
    assert constraints(tmp_path, constraints=f"balance = {text}").balance == 0.2


def test_no_bytes_for_copies_are_a_limit_and_not_the_lack_of_one(tmp_path):
    assert constraints(tmp_path, constraints='max_copy_bytes = "0%"').max_copy_bytes == 0


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('exclude = { pi = "duck" }', "Unknown table or tag 'pi' in [constraints].exclude of"),
        ('together = [["orders", "items"]]', "did you mean 'item'?"),
        ("latency_s = { q7 = 1.0 }", "[workload].queries leaves it out"),
        ("latency_s = { q100 = 1.0 }", "TPC-DS has the queries 1 to 99"),
        ("latency_s = { q9 = 1.0, 9 = 2.0 }", "query 'q9' has two ceilings"),
        ("latency_s = { q9 = 0 }", "[constraints].latency_s.q9 = 0 in shop.toml"),
        ("balance = -0.2", "[constraints].balance = -0.2 in shop.toml: write a share between"),
        ('balance = "120%"', "write a share between 0 and 1"),
        ("balance = true", "write a share between 0 and 1"),
        ("max_copy_bytes = 5", "write a share such as '60%' or a size such as '200 GiB'"),
        ("max_moves = 3", "name it as [place].current"),
        ('max_move_bytes = "5%"', "name it as [place].current"),
        ("max_money = 3.0", "no store has a price"),
        ("max_money = inf", "finite number"),
        ('together = ["orders", "item"]', "write a list of lists"),
        ('together = [["orders"]]', "this is one table: name two or more"),
        ('apart = [["pii", "customer"]]', "table 'customer' cannot be apart from itself"),
        ("only = { item = [] }", "[constraints].only.item = [] in shop.toml: write a name"),
        ("max_movs = 3", "did you mean 'max_moves'?"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_the_way_out(tmp_path, body, expected):
    assert expected in refused(tmp_path, constraints=body, constraints__tags=TAGS)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('orders = ["item"]', "[constraints.tags].orders in shop.toml: this is the name of a"),
        ('pii = ["custmer"]', "Unknown table 'custmer' in [constraints.tags].pii of shop.toml"),
        ("pii = []", "[constraints].tags.pii = [] in shop.toml: write a name"),
    ],
)
def test_a_tag_is_no_table_and_names_tables(tmp_path, body, expected):
    assert expected in refused(tmp_path, constraints__tags=body)


def test_the_queries_of_files_have_the_ceilings_of_their_own_names(tmp_path):
    (tmp_path / "a.sql").write_text("SELECT 1")
    files = {"workload": 'source = "a.sql"', "constraints": "latency_s = { revenu = 1 }"}
    project = load(tmp_path, **files)
    with pytest.raises(ConfigurationError, match="did you mean 'revenue'"):
        constraints_of(project, BYTES, ("revenue",))
    assert constraints_of(project, BYTES, ("revenu",)).latency_s == {"revenu": 1.0}


UNHELD = {"orders": {"maria": "column 'd' has a day after the year 9999"}}


def test_a_table_is_excluded_from_stores_that_cannot_hold_it(tmp_path):
    project = load(
        tmp_path, constraints='exclude = { orders = ["duck"] }', stores__maria=MARIA, **DUCK
    )
    found = constraints_of(project, BYTES, QUERIES, UNHELD)
    assert found.exclude == {"orders": frozenset({"duck", "maria"})}
    assert found.unheld == UNHELD


def test_a_pin_to_a_store_that_cannot_hold_the_table_is_refused(tmp_path):
    project = load(tmp_path, constraints='pin = { orders = ["maria"] }', stores__maria=MARIA)
    with pytest.raises(ConfigurationError) as raised:
        constraints_of(project, BYTES, QUERIES, UNHELD)
    assert "[constraints].pin" in str(raised.value)
    assert "'maria', which cannot hold it: column 'd' has a day after" in str(raised.value)


def test_a_table_that_no_store_can_hold_is_refused_with_the_reasons(tmp_path):
    why = {**UNHELD["orders"], "pg": "column 'i' has NaN or an infinity"}
    project = load(tmp_path, stores__maria=MARIA)
    with pytest.raises(ConfigurationError) as raised:
        constraints_of(project, BYTES, QUERIES, {"orders": why})
    assert "no store can hold table 'orders' (maria: column 'd' has" in str(raised.value)
    sizes = {f"t{number}": 1 for number in range(5)}
    with pytest.raises(RefusalsError) as several:
        constraints_of(project, sizes, QUERIES, dict.fromkeys(sizes, why))
    assert [
        f"hold table '{name}' (maria: " in line
        for name, line in zip(sizes, several.value.details, strict=True)
    ] == [True] * 5


def test_what_is_in_a_store_already_can_be_held_by_it(tmp_path):
    odd = Column(name="i", type="INTERVAL", width_bytes=16.0)
    parquet = tmp_path / "orders.parquet"
    table = Table(name="orders", columns=(odd,), rows=1, fingerprint="o", parquet=parquet)
    catalog = Catalog(name="odd", tables={"orders": table})
    project = load(tmp_path, stores__maria=MARIA, place='current = { orders = ["pg"] }', **DUCK)
    assert unheld_of(project, catalog) == {"orders": {"maria": "column 'i' has the type INTERVAL"}}


def test_nothing_is_said_of_tables_that_are_not_loaded_from_here(tmp_path):
    key = Column(name="id", type="UUID", width_bytes=16.0)
    table = Table(name="orders", columns=(key,), rows=1, fingerprint="o")
    project = load(tmp_path, stores__maria=MARIA)
    assert unheld_of(project, Catalog(name="ddl", tables={"orders": table})) == {}
