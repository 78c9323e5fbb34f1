"""A shop as awkward as real ones: no statement of its workload counts for a wrong table."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import pytest

from advisor.analysis.analysis import Analysis
from advisor.analysis.analyze import analyzed
from advisor.analysis.load_catalog import read_catalog
from advisor.analysis.load_workload import read_workload
from advisor.project.config import load_project
from benchmarks.web_shop import making
from benchmarks.web_shop.shape import table_rows
from benchmarks.web_shop.templates import Template, templates
from evaluation.store_protocol.connection import Connection
from workloads.folding.normalise import Normaliser
from workloads.progress import Silent
from workloads.sql.parsing.lexis import lexis

pytestmark = pytest.mark.stores

ROWS = table_rows(2_000)
SYSTEMS = {"postgresql": "postgres", "mysql": "mysql", "both": "duckdb"}
# What a folder of Parquet does not have.
ONLY_ON_SERVERS = frozenset(
    {
        *("foreign_rows", "of_the_day", "one_partition", "list_partition", "through_views"),
        *("default_partition", "hash_partition", "my_views"),
    }
)
STORES = """
[stores.pg]
kind = "postgresql"
host = "{pg.host}"
port = {pg.port}
user = "{pg.user}"
database = "{pg.database}"
password_env = "SHOP_PG"
[stores.my]
kind = "mysql"
host = "{my.host}"
port = {my.port}
user = "{my.user}"
password_env = "SHOP_MY"
"""


@dataclass(frozen=True)
class Shop:
    folder: Path
    pg: Connection
    my: Connection


@pytest.fixture(scope="module")
def shop(
    remembering: Mapping[str, Connection],
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Shop]:
    folder = tmp_path_factory.mktemp("web_shop")
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        server = remembering[request.param]
        pg, my = stack.enter_context(making.made(remembering["pg"], server, ROWS, seed=1))
        patch.setenv("SHOP_PG", pg.password or "")
        patch.setenv("SHOP_MY", my.password or "")
        making.written(pg, my, folder)
        patch.setenv("PLACEMENT_ADVISOR_CACHE", str(folder / "cache"))
        yield Shop(folder, pg, my)


def read(shop: Shop, sources: str) -> tuple[Analysis, Mapping[str, Template]]:
    """Return the analysis of a project, and the template of each query of its workload."""
    file = shop.folder / "shop.toml"
    file.write_text(sources + STORES.format(pg=shop.pg, my=shop.my))
    project = load_project(file)
    given = read_workload(project, Silent())
    catalog = read_catalog(project, Silent())
    return analyzed(project, given, catalog, Silent(), generate_s=0.0), {
        query.name: template
        for query in given.queries
        if (template := template_of(query.name, query.sql)) is not None
    }


def template_of(name: str, sql: str) -> Template | None:
    """Return the template of a query by its name, or by its text, which servers change a little.

    PostgreSQL remembers ``extract($1 FROM took)``.
    """
    for system, dialect in SYSTEMS.items():
        normalised = Normaliser(lexis(dialect)).text
        known = {normalised(next(each.texts())): each for each in templates(system)}
        near = get_close_matches(normalised(sql), known, n=1, cutoff=0.9)
        named = [each for each in known.values() if each.name == name]
        if named or near:
            return named[0] if named else known[near[0]]
    return None


def check(shop: Shop, sources: str, systems: set[str], left_out: frozenset[str]) -> Analysis:
    """Every statement that is not left out counts for the tables that it is of."""
    found, template_by_query = read(shop, sources)
    schemas = {
        name: f"{table.schema}.{name.removeprefix(f'{table.schema}.')}"
        for name, table in found.catalog.tables.items()
    }
    counted = {}
    for footprint in found.statements_read:
        template = template_by_query.get(footprint.query)
        if template is None:
            # Only the cursor by which the foreign table reads the table that it stands for.
            assert {schemas[table] for table in footprint.tables} <= {"crm.product"}, footprint
            continue
        tables = footprint.writes if template.is_write else footprint.tables
        assert {schemas[table] for table in tables} == set(template.tables), template
        assert footprint.executions == template.executions, template
        counted[template.name] = template
    ran = {each.name for system in systems for each in templates(system)}
    assert ran - counted.keys() == left_out
    return found


SEARCHED = 'search_path = ["sales", "crm"]\nskip_invalid = true\n'
LOGS = f'[workload]\nsource = ["pg.csv", "slow.log"]\n{SEARCHED}'


@pytest.mark.parametrize("shop", ["mysql8", "maria"], indirect=True)
def test_logs_of_both_servers_count_for_the_tables_in_their_dumps(shop: Shop) -> None:
    found = check(
        shop,
        f'{LOGS}[catalog]\nsource = "dumps"\n',
        {"postgresql", "mysql"},
        frozenset(),
    )
    catalog = found.catalog
    rows = {
        f"{table.schema}.{name.removeprefix(f'{table.schema}.')}": table.rows
        for name, table in catalog.tables.items()
        if name not in found.assumed_rows
    }
    # A materialised view, whose rows the dump does not have.
    assert 0 < rows.pop("sales.revenue_by_day") <= ROWS["sales.order"]
    # Employees inherit from persons: they are rows of both.
    assert rows == {**ROWS, "crm.person": ROWS["crm.person"] + ROWS["crm.employee"]}
    assert set(found.assumed_rows) == {"supplier"}
    assert len(catalog.tables) == len(ROWS) + 2


@pytest.mark.parametrize("shop", ["mysql8"], indirect=True)
def test_statements_that_both_servers_remember_count_for_their_tables(
    shop: Shop,
) -> None:
    stores = '["stores.pg", "stores.my"]'
    check(
        shop,
        f"[workload]\nsource = {stores}\n{SEARCHED}[catalog]\nsource = {stores}\n",
        {"postgresql", "mysql"},
        frozenset(),
    )


@pytest.mark.parametrize("shop", ["mysql8"], indirect=True)
def test_sql_files_of_each_server_and_of_both_count_for_tables_in_parquet(shop: Shop) -> None:
    check(
        shop,
        f'[workload]\nsource = ["postgresql", "mysql", "both"]\n{SEARCHED}'
        '[catalog]\nsource = "data"\n',
        set(SYSTEMS),
        ONLY_ON_SERVERS,
    )
