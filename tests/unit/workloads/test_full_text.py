"""The FULLTEXT indexes that a statement of MySQL needs are told by its MATCH clauses."""

from dataclasses import replace

import pytest

from tests.unit.workloads.test_passing_through import with_data
from workloads.catalog import Column, View
from workloads.sql.full_text import full_text_columns
from workloads.workload import Query

NAME = ("customer", ("c_name",))
BOTH = ("customer", ("c_name", "c_word"))


@pytest.mark.parametrize(
    ("sql", "needed"),
    [
        ("SELECT 1 FROM customer WHERE MATCH (c_name) AGAINST ('a')", {NAME}),
        ("SELECT MATCH (c_word, C_NAME) AGAINST ('a' IN BOOLEAN MODE) FROM customer", {BOTH}),
        (
            (
                "SELECT 1 FROM orders o, customer AS o2 WHERE o.o_id IN (SELECT c_id FROM customer"
                " WHERE MATCH (customer.c_name) AGAINST ('a')) AND MATCH (o2.c_word, o2.c_name)"
                " AGAINST ('b')"
            ),
            {NAME, BOTH},
        ),
        ("SELECT 1 FROM named WHERE c_id > 1", {NAME}),
        ("SELECT MATCH (nothing) AGAINST ('a') FROM customer", set()),
        ("SELECT 'MATCH (c_name) AGAINST' FROM customer", set()),
    ],
)
def test_each_match_needs_an_index_on_its_columns(sql: str, needed: set[tuple[str, str]]):
    shop = with_data()
    word = Column(name="c_word", type="VARCHAR", width_bytes=4.0)
    table = shop.tables["customer"]
    tables = {**shop.tables, "customer": replace(table, columns=(*table.columns, word))}
    view = View(
        name="named",
        sql="SELECT c_id FROM customer WHERE MATCH (c_name) AGAINST ('a')",
        dialect="mysql",
    )
    catalog = replace(shop, tables=tables, views={"named": view})
    query = Query(name="q", sql=sql, origin="q.sql")
    assert full_text_columns(query, tables, catalog) == needed
