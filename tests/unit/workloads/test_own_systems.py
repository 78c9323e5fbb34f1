"""Tables of PostgreSQL and of MySQL in one catalog: a server's statements read its own alone."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.sources.ddl.catalog import definitions
from workloads.sources.logs.recorded import workload
from workloads.sql.statements import Understood, understand

POSTGRESQL = """-- PostgreSQL database dump
CREATE TABLE hr.address (id integer, city text);
CREATE TABLE hr.invoice (id integer);
"""
MYSQL = """-- MariaDB dump 10.19-11.4.5-MariaDB, for linux-systemd (x86_64)
-- Host: 127.0.0.1    Database: shop
USE `shop`;
CREATE TABLE `address` (`id` int, `zip` int);
CREATE TABLE `stock` (`qty` int);
"""
PG = "2025-05-01 08:00:01.000 UTC [7] ann@acme/psql LOG:  duration: 1.000 ms  statement: {}\n"
MY = """# Time: 250501  8:00:00
# User@Host: ann[ann] @ localhost []
# Thread_id: 7  Schema: {}  QC_hit: No
# Query_time: 0.1  Lock_time: 0.0  Rows_sent: 1  Rows_examined: 1
{};
"""


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return catalog_of(tmp_path, {"pg.sql": POSTGRESQL, "my.sql": MYSQL})


def catalog_of(folder: Path, files: Mapping[str, str]) -> Catalog:
    paths = [folder / name for name in files]
    for path in paths:
        path.write_text(files[path.name])
    return definitions(paths, Silent()).catalog


def found(folder: Path, catalog: Catalog, pg: Sequence[str] = (), my: str = "") -> Understood:
    logs = []
    for name, text in (("pg.log", "".join(map(PG.format, pg))), ("slow.log", my)):
        if text:
            logs.append(folder / name)
            logs[-1].write_text(text)
    return understand(workload(logs), catalog, Silent())


def tables(understood: Understood) -> set[frozenset[str]]:
    return {each.tables for each in understood.footprints}


def test_a_name_of_both_systems_is_the_own_ones(tmp_path, catalog):
    mine = MY.format("", "SELECT max(id) FROM address")
    both = found(tmp_path, catalog, ["SELECT min(id) FROM address"], mine)
    assert tables(both) == {frozenset({"hr.address"}), frozenset({"shop.address"})}
    assert not both.skipped


@pytest.mark.parametrize("name", ["stock", "shop.stock", "shop.address"])
def test_a_table_of_the_other_system_is_unknown(tmp_path, catalog, name):
    read = found(tmp_path, catalog, [f"SELECT count(*) FROM {name}", "SELECT id FROM invoice"])
    assert tables(read) == {frozenset({"invoice"})}
    assert [each.kind for each in read.skipped] == ["invalid"]


def test_a_table_of_the_other_system_is_unknown_to_mysql(tmp_path, catalog):
    mine = MY.format("shop", "SELECT count(*) FROM invoice") + MY.format(
        "", "SELECT qty FROM stock"
    )
    read = found(tmp_path, catalog, my=mine)
    assert tables(read) == {frozenset({"stock"})}
    assert [each.kind for each in read.skipped] == ["invalid"]


def test_a_query_of_a_file_joins_both(tmp_path, catalog):
    path = tmp_path / "both.sql"
    path.write_text("SELECT s.qty FROM stock s JOIN invoice i ON i.id = s.qty")
    read = understand(workload(path), catalog, Silent())
    assert tables(read) == {frozenset({"stock", "invoice"})}


@pytest.mark.parametrize("dump", [MYSQL, MYSQL.partition("USE")[2].partition(";")[2]])
def test_a_catalog_without_tables_of_the_system_stands_for_it(tmp_path, dump):
    of_mysql = catalog_of(tmp_path, {"schema.sql": dump})
    assert tables(found(tmp_path, of_mysql, ["SELECT qty FROM stock"])) == {frozenset({"stock"})}
