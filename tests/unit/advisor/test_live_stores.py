"""Stores with live tables in a project file, and what they mean for where tables may be."""

from dataclasses import replace
from pathlib import Path

import pytest

from advisor.analysis.analyze import analyzed
from advisor.analysis.load_catalog import FoundCatalog
from advisor.measuring.calibrate import calibrating
from advisor.pipeline import place, prepare
from advisor.project.config import load_project
from advisor.project.project import Project
from evaluation.own_rows import with_too_large
from placement.problem import PlacementProblem
from tests.unit.advisor.project_files import write
from workloads.catalog import Catalog, Column, Origin, Table
from workloads.errors import ConfigurationError
from workloads.progress import Silent
from workloads.workload import Query, Workload

PG = 'kind = "postgresql"\nhost = "db"\nuser = "u"\ntables = "live"'
MARIA = 'kind = "mysql"\nhost = "db"\nuser = "u"\ntables = "live"'
DUCK = 'kind = "duckdb"\nembedded = true'
FILE = 'kind = "duckdb"\npath = "mine.duckdb"\ntables = "live"'
STATEMENTS = {
    "q1": "SELECT o.id FROM orders o JOIN product p ON p.id = o.product",
    "q2": "SELECT count(*) AS n FROM address",
}


def sections(**more: str) -> dict[str, str]:
    return {
        "workload": 'source = "queries.sql"',
        "stores.pg": PG,
        "stores.maria": MARIA,
        "stores.duck": DUCK,
        **{name.replace("__", "."): body for name, body in more.items()},
    }


def load(folder: Path, **more: str) -> Project:
    (folder / "queries.sql").write_text("SELECT 1;")
    return load_project(write(folder, sections(**more)))


def refused(folder: Path, **more: str) -> str:
    with pytest.raises(ConfigurationError) as raised:
        load(folder, **more)
    return str(raised.value)


def table(name: str, store: str | None, schema: str = "shop") -> Table:
    columns = tuple(
        Column(name=column, type="INTEGER", width_bytes=4) for column in ("id", "product")
    )
    origin = None if store is None else Origin(store=store)
    return Table(
        name=name, schema=schema, columns=columns, rows=100, fingerprint="f", origin=origin
    )


CATALOG = Catalog(
    name="c",
    tables={
        name: table(name, store)
        for name, store in {
            "orders": "pg", "address": "pg", "unread": "pg", "product": "maria",
        }.items()
    },
)  # fmt: skip


def problem(project: Project, catalog: Catalog = CATALOG) -> PlacementProblem:
    workload = Workload(
        name="w",
        dialect="duckdb",
        queries=tuple(Query(name=n, sql=sql, origin="q") for n, sql in STATEMENTS.items()),
    )
    found = analyzed(project, workload, FoundCatalog(catalog=catalog), Silent(), generate_s=0.0)
    return prepare(project, found).problem


def test_live_stores_are_sources_of_the_catalog_and_only_read(tmp_path: Path):
    project = load(tmp_path)
    assert project.catalog.stores == ("pg", "maria")
    assert [store.connection().read_only for store in project.stores[:2]] == [True, True]
    assert project.store("pg").snapshot == 20 << 30
    named = load(tmp_path, catalog='source = "stores.maria"')
    assert named.catalog.stores == ("maria", "pg")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"stores__pg": f"{PG}\nread_only = false"}, "a store with live tables is only read"),
        (
            {"stores__mem": 'kind = "objects"\nembedded = true\ntables = "live"'},
            "kind postgresql or mysql or duckdb can have live",
        ),
        (
            {"stores__mine": FILE, "stores__copies": 'kind = "duckdb"\npath = "x/../mine.duckdb"'},
            "is the file of [stores.mine], whose live tables are read there: name another file",
        ),
        (
            {"stores__pg": 'kind = "postgresql"\nembedded = true\ntables = "live"'},
            "an embedded store holds nothing but our copies",
        ),
        ({"stores__duck": f"{DUCK}\nmovable = true"}, 'only a store with tables = "live" has it'),
        ({"stores__duck": f'{DUCK}\nsnapshot = "1 GiB"'}, "[stores.duck].snapshot"),
        ({"stores__pg": f"{PG}\nmovable = 1"}, "write true, or a list of names of tables"),
        ({"catalog": 'source = "tpch"'}, "has no live tables: leave [catalog] out"),
        (
            {"stores__pg": DUCK, "stores__maria": DUCK, "catalog": 'source = "tpch"',
             "place": 'current = "live"'},
            "no store has its tables there",
        ),
    ],
)  # fmt: skip
def test_what_a_live_store_cannot_be_is_refused(tmp_path: Path, more: dict[str, str], said: str):
    assert said in refused(tmp_path, **more)


def test_the_present_placement_is_where_live_tables_are(tmp_path: Path):
    expected = {t: (s,) for t, s in {"orders": "pg", "address": "pg", "unread": "pg"}.items()}
    expected["product"] = ("maria",)
    assert problem(load(tmp_path)).current == expected
    # What is named beside it is there too.
    more = 'current = { orders = ["duck"] }\nmax_copies = 2'
    found = problem(load(tmp_path, place=more))
    assert found.current == {**expected, "orders": ("pg", "duck")}
    plans = place(problem(load(tmp_path, place='current = "live"')), ("optimal",), Silent()).plans
    current = next(plan for plan in plans if plan.strategy == "current")
    assert current.feasible
    assert current.placement == expected


def test_live_tables_stay_unless_they_are_movable_and_read(tmp_path: Path):
    found = problem(load(tmp_path, stores__pg=f'{PG}\nmovable = ["orders", "unread"]')).constraints
    assert found.pin == {
        "address": frozenset({"pg"}),
        "unread": frozenset({"pg"}),
        "product": frozenset({"maria"}),
    }
    assert found.staying["address"] == {"pg": "it is live there and not movable"}
    assert found.staying["unread"] == {"pg": "it is live there and no query reads it"}
    every = problem(load(tmp_path, stores__pg=f"{PG}\nmovable = true")).constraints
    assert set(every.pin) == {"unread", "product"}
    with pytest.raises(ConfigurationError, match=r"'order' in \[stores.pg].movable .*'orders'"):
        problem(load(tmp_path, stores__pg=f'{PG}\nmovable = ["order"]'))


def test_a_live_table_that_is_too_large_has_no_copy_anywhere(tmp_path: Path):
    large = with_too_large(CATALOG, {"orders"})
    found = problem(load(tmp_path, stores__pg=f"{PG}\nmovable = true"), large).constraints
    why = "it is live there, and its rows are more than its store's snapshot may have"
    assert found.pin["orders"] == frozenset({"pg"})
    assert found.staying["orders"] == {"pg": why}
    assert found.exclude["orders"] == frozenset({"maria", "duck"})
    assert found.unheld["orders"]["duck"] == why
    assert "address" not in found.pin


def test_a_live_store_takes_no_table_of_another(tmp_path: Path):
    found = problem(load(tmp_path, stores__pg=f"{PG}\nmovable = true"))
    assert found.constraints.exclude["orders"] == frozenset({"maria"})
    assert found.constraints.exclude["product"] == frozenset({"pg"})
    why = "its tables are live, so that it is only read"
    assert found.constraints.unheld["product"] == {"pg": why}
    ours = replace(CATALOG, tables={**CATALOG.tables, "address": table("address", None)})
    assert problem(load(tmp_path), ours).constraints.exclude["address"] == frozenset(
        {"pg", "maria"}
    )
    pinned = 'pin = { product = ["pg"] }'
    with pytest.raises(ConfigurationError, match="'product' is pinned to store 'pg'"):
        problem(load(tmp_path, constraints=pinned))


def test_a_plan_without_a_live_table_in_its_store_says_why_it_breaks_a_limit(tmp_path: Path):
    plans = place(problem(load(tmp_path)), ("single_store",), Silent()).plans
    duck = next(plan for plan in plans if plan.strategy == "single_store:duck")
    assert not duck.feasible
    assert (
        "Table 'address' is not in store 'pg', to which it is pinned, as it is live there and not "
        "movable: place it there, or name it in [stores.pg].movable."
    ) in duck.violations


def test_nothing_is_loaded_into_live_stores_to_calibrate(tmp_path: Path):
    asked = calibrating(load(tmp_path), scale_factor=0.1, repeats=1)
    assert [store.name for store in asked.stores] == ["duck"]
