"""Tables of a dump of PostgreSQL whose names differ only in case."""

from pathlib import Path

import pytest

from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.sources.ddl.catalog import definitions
from workloads.sql.statements import understand
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


def read(folder: Path, text: str, dialect: str = "postgres") -> Catalog:
    file = folder / "schema.sql"
    file.write_text(text)
    return definitions([file], Silent(), dialect=dialect).catalog


def test_the_second_of_two_names_is_left_out_and_changes_nothing_of_the_first(tmp_path):
    catalog = read(tmp_path, DUMP)
    assert [(each.full_name, each.kept) for each in catalog.twins] == [
        ("public.order", "public.Order"),
        ("public.Item", "public.item"),
    ]
    assert {name: table.rows for name, table in catalog.tables.items()} == {
        "Order": 1000,
        "item": 1,
    }
    assert [column.name for column in catalog.tables["Order"].columns] == ["id", "total"]
    keys = catalog.tables["item"].foreign_keys
    assert [(key.columns, key.table) for key in keys] == [(("order_id",), "Order")]


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        ('SELECT count(*) FROM "Order"', {"Order"}),
        ('SELECT count(*) FROM public."Order"', {"Order"}),
        ("SELECT count(*) FROM ITEM", {"item"}),
        ("DELETE FROM Item", {"item"}),
        ('SELECT count(*) FROM "order"', set()),
        ('SELECT count(*) FROM "order" AS o JOIN item ON item.id = o.id', set()),
        ("DELETE FROM public.order", set()),
        ('UPDATE "Item" SET id = 3', set()),
        ("SELECT count(*) FROM v", set()),
        ("INSERT INTO v VALUES (3)", set()),
    ],
)
def test_a_statement_counts_for_the_table_that_it_means(tmp_path, sql, tables):
    query = Query(name="q", sql=sql, origin="q.sql")
    workload = Workload(name="w", dialect="postgres", queries=(query,))
    found = understand(workload, read(tmp_path, DUMP), Silent())
    read_or_written = (*found.footprints, *found.writes)
    assert {name for each in read_or_written for name in each.tables | each.writes} == tables
    assert [each.kind for each in found.skipped] == ([] if tables else ["invalid"])


def test_names_without_quotes_are_one_table_in_any_case(tmp_path):
    text = "CREATE TABLE Orders (id int); CREATE TABLE IF NOT EXISTS ORDERS (id int);"
    catalog = read(tmp_path, text)
    assert (list(catalog.tables), catalog.twins) == (["Orders"], ())


def test_a_name_is_free_again_after_its_table_is_dropped_or_renamed(tmp_path):
    text = (
        'CREATE TABLE "A" (id int); DROP TABLE "A"; CREATE TABLE a (id int);'
        'CREATE TABLE "B" (id int); CREATE TABLE b (id int); DROP TABLE b;'
        'CREATE TABLE "C" (id int); ALTER TABLE "C" RENAME TO d; CREATE TABLE c (id int);'
    )
    catalog = read(tmp_path, text)
    assert (list(catalog.tables), catalog.twins) == (["a", "B", "d", "c"], ())
