"""Tables of a dump of PostgreSQL whose names differ only in case."""

from pathlib import Path

import pytest

from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.search_path import SearchPath
from workloads.sources.ddl.catalog import definitions
from workloads.sql.statements import Understood, understand
from workloads.workload import Query, Workload

DUMP = """
CREATE TABLE public."Order" (id integer, total numeric);
CREATE TABLE public."order" (id integer, what text);
CREATE TABLE public.item (id integer, order_id integer, old_id integer);
CREATE TABLE public."Item" (id integer);
CREATE VIEW public.v AS SELECT "order".id FROM public."order";
ALTER TABLE ONLY public."order" ADD COLUMN more integer;
ALTER TABLE ONLY public.item ADD FOREIGN KEY (order_id) REFERENCES public."Order"(id);
ALTER TABLE ONLY public.item ADD FOREIGN KEY (old_id) REFERENCES public."order"(id);
COPY public."order" (id, what) FROM stdin;
1	a
2	b
\\.
COPY public.item (id) FROM stdin;
1
\\.
"""


def read(folder: Path, text: str, dialect: str | None = "postgres") -> Catalog:
    file = folder / "schema.sql"
    file.write_text(text)
    return definitions([file], Silent(), dialect=dialect).catalog


def understood(
    catalog: Catalog, sql: str, dialect: str, path: SearchPath | None = None
) -> Understood:
    query = Query(name="q", sql=sql, origin="q.sql", path=path)
    return understand(Workload(name="w", dialect=dialect, queries=(query,)), catalog, Silent())


def test_both_of_two_names_are_tables_with_what_was_said_of_each(tmp_path):
    catalog = read(tmp_path, DUMP)
    assert {name: (table.own_name, table.rows) for name, table in catalog.tables.items()} == {
        "Order_1": ("Order", 1000),
        "order_2": ("order", 2),
        "item_2": ("item", 1),
        "Item_1": ("Item", 1000),
    }
    columns = {name: [c.name for c in table.columns] for name, table in catalog.tables.items()}
    assert columns["Order_1"] == ["id", "total"]
    assert columns["order_2"] == ["id", "what", "more"]
    keys = catalog.tables["item_2"].foreign_keys
    assert [(key.columns, key.table) for key in keys] == [
        (("order_id",), "Order_1"),
        (("old_id",), "order_2"),
    ]


def test_rows_may_be_said_by_the_exact_name_or_the_shown_one(tmp_path):
    (tmp_path / "rows.csv").write_text("table,rows\nOrder,70\norder,80\nItem_1,90\n")
    rows = {name: table.rows for name, table in read(tmp_path, DUMP).tables.items()}
    assert rows == {"Order_1": 70, "order_2": 80, "item_2": 1, "Item_1": 90}


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        ('SELECT count(*) FROM "Order"', {"Order_1"}),
        ('SELECT count(*) FROM public."Order"', {"Order_1"}),
        ("SELECT count(*) FROM ITEM", {"item_2"}),
        ("DELETE FROM Item", {"item_2"}),
        ('SELECT count(*) FROM "order"', {"order_2"}),
        ("SELECT count(*) FROM order_2", {"order_2"}),
        ('SELECT count(*) FROM "order" AS o JOIN item ON item.id = o.id', {"order_2", "item_2"}),
        (
            """SELECT "order".what, "Order".total, Item.order_id FROM "Order", "order", item
            WHERE "order".id = "Order".id AND Item.id = public."order".more""",
            {"Order_1", "order_2", "item_2"},
        ),
        ("DELETE FROM public.order", {"order_2"}),
        ('UPDATE "Item" SET id = 3', {"Item_1"}),
        ("SELECT count(*) FROM v", {"order_2"}),
        ("INSERT INTO v VALUES (3)", {"order_2"}),
        ('SELECT count(*) FROM "ORDER"', set()),
        ("SELECT total FROM public.order", set()),
    ],
)
def test_a_statement_counts_for_the_table_that_it_means(tmp_path, sql, tables):
    found = understood(read(tmp_path, DUMP), sql, "postgres")
    read_or_written = (*found.footprints, *found.writes)
    assert {name for each in read_or_written for name in each.tables | each.writes} == tables
    assert [each.kind for each in found.skipped] == ([] if tables else ["invalid"])


@pytest.mark.parametrize(
    ("dialect", "sql", "tables"),
    [
        ("duckdb", 'SELECT total FROM "Order"', {"Order_1"}),
        ("duckdb", 'SELECT what FROM "order"', {"order_2"}),
        ("duckdb", 'SELECT what FROM public."order"', {"order_2"}),
        ("duckdb", 'SELECT public."order".what FROM PUBLIC."order"', {"order_2"}),
        ("duckdb", "SELECT what FROM order_2", {"order_2"}),
        ("mysql", "SELECT what FROM `order`", {"order_2"}),
        ("mysql", "SELECT what FROM public.`order`", {"order_2"}),
        ("mysql", "SELECT id FROM item", set()),
        ("duckdb", "SELECT id FROM item", set()),
    ],
)
def test_a_name_without_quotes_is_understood_only_where_it_tells_its_case(
    tmp_path, dialect, sql, tables
):
    found = understood(read(tmp_path, DUMP), sql, dialect)
    assert {name for each in found.footprints for name in each.tables} == tables
    assert [
        "'Item_1' and 'item_2'" in each.reason or "'item_2' and 'Item_1'" in each.reason
        for each in found.skipped
    ] == ([] if tables else [True])


def test_a_name_whose_case_is_not_told_says_as_which_sql_it_is_read(tmp_path):
    (skipped,) = understood(read(tmp_path, DUMP), 'SELECT "id" FROM public.item', "duckdb").skipped
    assert skipped.reason.startswith("the case of 'item' is not told: quote it, or write '")
    assert skipped.reason.endswith("; it is read as SQL of 'duckdb', --dialect names another")


SCHEMAS = """
CREATE TABLE "Shop"."Order" (id integer);
CREATE TABLE shop."order" (id integer);
"""


def test_a_schema_has_to_be_quoted_only_where_its_own_case_tells_it_from_another(tmp_path):
    catalog = read(tmp_path, SCHEMAS)
    (skipped,) = understood(catalog, 'SELECT id FROM shop."order"', "duckdb").skipped
    assert skipped.reason.startswith("the case of 'shop' is not told: quote it, or write '")
    found = understood(catalog, 'SELECT id FROM "shop"."order"', "duckdb")
    (name,) = found.footprints[0].tables
    assert (catalog.tables[name].schema, catalog.tables[name].own_name) == ("shop", "order")


def test_statements_of_several_dialects_mean_the_same_tables_when_they_are_in_one(tmp_path):
    catalog = read(tmp_path, DUMP)
    queries = tuple(
        Query(
            name=f"{dialect} {name}",
            sql=f"SELECT id FROM {mark}{name}{mark}",
            origin="q.sql",
            dialect=dialect,
        )
        for dialect, mark in (("postgres", '"'), ("mysql", "`"))
        for name in ("Order", "order")
    )
    workload = Workload(name="w", dialect="duckdb", queries=queries)
    found = understand(workload, catalog, Silent())
    assert found.skipped == ()
    assert [each.tables for each in found.footprints] == 2 * [{"Order_1"}, {"order_2"}]


def test_a_text_that_does_not_parse_is_not_counted_for_either(tmp_path):
    catalog = read(tmp_path, DUMP)
    sql = "SELECT box '((0,0),(5,5))' FROM public.order"
    found = understood(catalog, sql, "postgres")
    assert (found.footprints, found.passed_through) == ((), ())
    assert [each.kind for each in found.skipped] == ["invalid"]


def test_schemas_that_only_case_tells_apart_have_tables_of_their_own(tmp_path):
    text = (
        'CREATE TABLE "Crm".a (x int); CREATE TABLE crm.a (y int); CREATE TABLE crm.b (z int);'
        'ALTER TABLE "Crm".a ADD COLUMN more int;'
    )
    catalog = read(tmp_path, text)
    names = {n: (t.schema, [c.name for c in t.columns]) for n, t in catalog.tables.items()}
    assert names == {"a_1": ("Crm", ["x", "more"]), "a_2": ("crm", ["y"]), "b": ("crm", ["z"])}
    for sql, table in (
        ('SELECT * FROM "Crm".a', "a_1"),
        ("SELECT * FROM Crm.a", "a_2"),
        ('SELECT a.y FROM crm.a JOIN "Crm".a AS o ON o.x = a.y', "a_2"),
    ):
        found = understood(catalog, sql, "postgres")
        assert (found.skipped, table in found.footprints[0].tables) == ((), True)
    path = SearchPath(schemas=("Crm",), is_whole=True)
    found = understood(catalog, "SELECT * FROM a", "postgres", path)
    assert found.footprints[0].tables == {"a_1"}


def test_a_mysql_that_tells_case_has_both(tmp_path):
    text = (
        "-- MySQL dump 10.13\n-- Host: localhost    Database: shop\n"
        "CREATE TABLE `Order` (id int);\nCREATE TABLE `order` (what text);\n"
    )
    catalog = read(tmp_path, text, None)
    assert {n: t.columns[0].name for n, t in catalog.tables.items()} == {
        "Order_1": "id",
        "order_2": "what",
    }


SHOP = """
-- MySQL dump 10.13
-- Host: localhost    Database: shop
DROP TABLE IF EXISTS `order`;
CREATE TABLE `order` (id int, PRIMARY KEY (id));
CREATE TABLE line (o int, CONSTRAINT f FOREIGN KEY (o) REFERENCES `order` (id));
INSERT INTO `order` VALUES (1),(2),(3);
"""


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_what_the_dump_of_another_server_says_is_of_its_own_tables(tmp_path, names):
    """MySQL's dump drops a table before it makes it: that is none of PostgreSQL's."""
    texts = dict(zip(names, ("-- PostgreSQL database dump\n" + DUMP, SHOP), strict=True))
    for name in ("a", "b"):
        (tmp_path / f"{name}.sql").write_text(texts[name])
    files = [tmp_path / "a.sql", tmp_path / "b.sql"]
    catalog = definitions(files, Silent()).catalog
    rows = {name: table.rows for name, table in catalog.tables.items() if "rder" in name}
    assert rows == {"public.Order_1": 1000, "public.order_2": 2, "shop.order": 3}
    assert catalog.table("line").foreign_keys[0].table == "shop.order"


def test_names_without_quotes_are_one_table_in_any_case(tmp_path):
    text = "CREATE TABLE Orders (id int); CREATE TABLE IF NOT EXISTS ORDERS (id int);"
    catalog = read(tmp_path, text)
    assert list(catalog.tables) == ["Orders"]


def test_a_name_is_free_again_after_its_table_is_dropped_or_renamed(tmp_path):
    text = (
        'CREATE TABLE "A" (id int); DROP TABLE "A"; CREATE TABLE a (id int);'
        'CREATE TABLE "B" (id int); CREATE TABLE b (id int); DROP TABLE b;'
        'CREATE TABLE "C" (id int); ALTER TABLE "C" RENAME TO d; CREATE TABLE c (id int);'
    )
    catalog = read(tmp_path, text)
    assert {name: table.own_name for name, table in catalog.tables.items()} == {
        name: name for name in ("a", "B", "d", "c")
    }
