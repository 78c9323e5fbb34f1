"""Sources reduced by the keys of blocks above them give the answer of the whole query."""

import random
from dataclasses import replace
from functools import cache

import duckdb
import pytest

from evaluation.federation.compile import Compiler
from evaluation.federation.compiled import CompiledQuery
from evaluation.federation.split import split
from evaluation.federation.store_dialect import StoreDialect
from placement.fragments.enumeration import enumerate_fragments
from placement.plan import RoutedFragment
from placement.stores import Capability
from tests.answers import differ
from tests.catalogs import shop, table
from tests.data_fixtures import statement
from tests.unit.evaluation.keyed_fragments import fetch
from tests.unit.placement.problems import changed
from workloads.catalog import Catalog
from workloads.estimation.cardinality import Estimator
from workloads.semi_joins import inherited_semi_joins
from workloads.sql import footprint
from workloads.workload import Workload

BY_KEY = [
    "SELECT o_customer AS k, o_total AS v FROM orders",
    "SELECT DISTINCT o_customer AS k, o_total AS v FROM orders",
    "SELECT o_customer AS k, sum(o_total) AS v FROM orders GROUP BY o_customer",
    (
        "SELECT o_customer AS k, count(i_line) AS v FROM orders LEFT JOIN item ON i_order = o_id"
        " GROUP BY o_customer, o_day HAVING count(*) > 1"
    ),
    (
        "SELECT o_customer AS k, rank() OVER (PARTITION BY o_customer ORDER BY o_total) AS v"
        " FROM orders"
    ),
    (
        "SELECT o_customer AS k, o_id AS v FROM orders"
        " QUALIFY row_number() OVER (PARTITION BY o_customer ORDER BY o_id) = 1"
    ),
    *(
        f"SELECT o_customer AS k, 1 AS v FROM orders {operator} SELECT i_order, 1 FROM item"
        for operator in ("UNION ALL", "UNION", "INTERSECT", "EXCEPT", "EXCEPT ALL")
    ),
    (
        "SELECT k, sum(v) AS v FROM (SELECT o_customer AS k, 1 AS v FROM orders UNION ALL"
        " SELECT i_line, 2 FROM item LEFT JOIN orders ON i_order = o_id) e GROUP BY k"
    ),
    (
        "SELECT k, v FROM (SELECT o_customer AS k, o_id AS v FROM orders WHERE o_id IN"
        " (SELECT i_order FROM item)) e WHERE v > 2"
    ),
]
ABOVE = [
    "SELECT c_name, v FROM ({}) d JOIN customer ON d.k = c_id WHERE c_name LIKE 'a%'",
    (
        "SELECT c_name, sum(v) AS s FROM ({}) d, customer WHERE d.k = c_id AND c_id > 2"
        " GROUP BY ROLLUP (c_name)"
    ),
    (
        "SELECT c_name, v FROM item LEFT JOIN ({}) d ON i_line = d.v, customer"
        " WHERE d.k = c_id AND c_id < 5"
    ),
    (
        "WITH e AS (SELECT c_name, v FROM ({}) d JOIN customer ON d.k = c_id WHERE c_id > 1)"
        " SELECT e.c_name, f.v FROM e JOIN e AS f ON e.v = f.v"
    ),
    (
        "SELECT c_name, v FROM ({}) d, item, customer"
        " WHERE d.k = i_line AND i_line = c_id AND c_id < 5"
    ),
]


def database(seed: int) -> duckdb.DuckDBPyConnection:
    """Return a few rows of the shop with NULLs and repeated keys, with no temporary tables."""
    return _made(seed).cursor()


@cache
def _made(seed: int) -> duckdb.DuckDBPyConnection:
    choose = random.Random(seed)

    def key() -> int | None:
        return choose.choice([None, 1, 2, 3, 4, 5, 6])

    found = duckdb.connect()
    found.execute("CREATE TABLE customer (c_id BIGINT, c_name VARCHAR)")
    found.execute(
        "CREATE TABLE orders (o_id BIGINT, o_customer BIGINT, o_day DATE, o_total BIGINT)"
    )
    found.execute("CREATE TABLE item (i_order BIGINT, i_line BIGINT, i_price BIGINT)")
    names = [[key(), choose.choice(["a", "ab", "b", None])] for _ in range(8)]
    days = ["2020-01-01", "2020-01-02", None]
    orders = [[key(), key(), choose.choice(days), key()] for _ in range(14)]
    items = [[key(), key(), key()] for _ in range(14)]
    found.executemany("INSERT INTO customer VALUES (?, ?)", names)
    found.executemany("INSERT INTO orders VALUES (?, ?, ?, ?)", orders)
    found.executemany("INSERT INTO item VALUES (?, ?, ?)", items)
    return found


def reduced(sql: str, catalog: Catalog) -> tuple[CompiledQuery, str]:
    """Return a query of scans, each with all the reducers that it inherits, and the rest of it."""
    found = footprint(statement(sql), catalog, "duckdb")
    reducers: dict[str, list[str]] = {}
    for block, semi_joins in inherited_semi_joins(found).items():
        for each in semi_joins:
            reducers.setdefault(f"{block}.{each.column[0]}", []).append(each.key[0].name)
    every = enumerate_fragments(found, Estimator(catalog, found))
    routing = [
        RoutedFragment(
            fragment=changed(each, reducers=tuple(reducers.get(each.sources[0], ()))),
            store="duck",
            predicted_s=0.0,
        )
        for each in every
        if each.kind is Capability.SCAN
    ]
    workload = Workload(name="w", dialect="duckdb", queries=(statement(sql),))
    dialects = {"duck": StoreDialect(dialect="duckdb", namespace="main")}
    compiler = Compiler(workload, catalog, dialects)
    compiled = compiler.compile("q", routing)
    _, combining = split(compiler.tree("q"), routing)
    return compiled, combining.sql("duckdb", identify=True)


@pytest.mark.parametrize("above", ABOVE)
@pytest.mark.parametrize("derived", BY_KEY)
def test_reduced_sources_give_the_answer_of_the_whole_query(derived: str, above: str):
    sql = above.format(derived)
    compiled, combining = reduced(sql, shop())
    assert any(fragment.keys for fragment in compiled.fragments)
    for seed in range(5):
        rows = database(seed)
        fetch(rows, compiled.fragments)
        said = differ(rows, sql, combining)
        assert said is None, f"seed {seed}: {said}"


def test_keys_of_a_block_above_are_asked_with_its_filters():
    sql = ABOVE[0].format(BY_KEY[0])
    compiled, _ = reduced(sql, shop())
    (orders,) = (each for each in compiled.fragments if each.keys)
    (key,) = orders.keys
    assert key.quoted == '"orders__o_customer"'
    assert key.source.column == "customer__c_id"
    (customer,) = (each for each in compiled.fragments if each.view == key.source.view)
    assert "LIKE 'a%'" in customer.sql


def test_values_that_are_united_with_other_types_are_not_compared_with_keys():
    """A float may equal a key that its integer does not."""
    floats = table("reading", 100, {"r_key": "DOUBLE"})
    catalog = replace(shop(), tables={**shop().tables, "reading": floats})
    derived = "SELECT o_customer AS k FROM orders UNION ALL SELECT r_key FROM reading"
    sql = f"SELECT c_name FROM ({derived}) d JOIN customer ON d.k = c_id"
    compiled, _ = reduced(sql, catalog)
    assert any(each.fragment.reduction.reducers for each in compiled.fragments)
    assert not any(each.keys for each in compiled.fragments)
