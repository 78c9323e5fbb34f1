"""The statements that stores are calibrated with: those of TPC-H, and probes of one kind of work.

Placements are judged on other statements than their rates are from: a workload's own never
calibrate its stores.
"""

from dataclasses import replace

from workloads.benchmarks.tpch import queries
from workloads.catalog import Catalog
from workloads.indexes import Index
from workloads.workload import Query, Workload

NAME = "calibration"

_QUANTITIES = ((1, 10), (11, 20), (21, 30), (31, 40), (41, 50))


def _tested(aggregate: str) -> str:
    """Return an aggregate for each range of quantities, whose condition stands for its braces."""
    kind = aggregate.partition("(")[0].lower()
    return ", ".join(
        f"{aggregate.format(f'l_quantity BETWEEN {low} AND {high}')} AS {kind}_{low}"
        for low, high in _QUANTITIES
    )


_FIFTEEN = ", ".join(
    (
        _tested("COUNT(CASE WHEN {} THEN l_tax END)"),
        _tested("SUM(CASE WHEN {} THEN l_extendedprice END)"),
        _tested("MIN(CASE WHEN {} THEN l_discount END)"),
    )
)
# Ranges of whole numbers, and decimals that are summed up: as most reports have them.
_OF_INTEGERS = ", ".join(
    f"{kind}(CASE WHEN l_linenumber BETWEEN {low} AND {high} THEN {of} END) AS {kind}_{of}_{low}"
    for kind, of in (
        ("COUNT", "l_tax"),
        ("COUNT", "l_discount"),
        ("SUM", "l_discount"),
        ("COUNT", "l_extendedprice"),
        ("SUM", "l_extendedprice"),
    )
    for low, high in ((1, 1), (2, 2), (3, 4), (5, 6), (7, 7))
)
_FIVE = _tested("SUM(CASE WHEN {} THEN l_quantity ELSE 0 END)")

PROBES = {
    # What a statement costs that does next to nothing.
    "start_one_row": "SELECT COUNT(*) AS n FROM region",
    "start_few_rows": "SELECT n_name, n_regionkey FROM nation",
    "start_joined": """
        SELECT r_name, COUNT(*) AS n FROM nation JOIN region ON n_regionkey = r_regionkey
        GROUP BY r_name""",
    # Tables read whole for one row, in narrow and wide columns.
    "scan_narrow": "SELECT SUM(l_quantity) AS s FROM lineitem",
    "scan_filtered": "SELECT COUNT(*) AS n FROM lineitem WHERE l_discount > 0.09 AND l_tax < 0.01",
    "scan_text": "SELECT COUNT(*) AS n FROM orders WHERE o_comment LIKE '%sleep%packages%'",
    "scan_partsupp": "SELECT MIN(ps_supplycost) AS low, MAX(ps_availqty) AS high FROM partsupp",
    "scan_wide": "SELECT COUNT(l_comment) AS n, MAX(l_shipinstruct) AS m FROM lineitem",
    "scan_small": "SELECT AVG(c_acctbal) AS a FROM customer WHERE c_mktsegment = 'BUILDING'",
    # Rows handed out: few and many, narrow and wide.
    "out_1k": "SELECT s_suppkey, s_acctbal FROM supplier WHERE s_suppkey <= 1000",
    "out_narrow": "SELECT c_custkey, c_nationkey FROM customer",
    "out_wide": "SELECT c_custkey, c_name, c_address, c_phone, c_comment FROM customer",
    "out_part": "SELECT p_partkey, p_size FROM part",
    "out_orders": "SELECT o_orderkey, o_custkey FROM orders WHERE o_orderdate < DATE '1993-07-01'",
    "out_partsupp": "SELECT ps_partkey, ps_suppkey, ps_availqty FROM partsupp",
    # By the values' types: those of one table, as many rows of each.
    "out_integers": """
        SELECT l_orderkey, l_partkey, l_suppkey FROM lineitem
        WHERE l_shipdate < DATE '1994-01-01'""",
    "out_decimals": """
        SELECT l_quantity, l_extendedprice, l_discount FROM lineitem
        WHERE l_shipdate < DATE '1994-01-01'""",
    "out_dates": """
        SELECT l_shipdate, l_commitdate FROM lineitem WHERE l_shipdate < DATE '1993-07-01'""",
    # So few that a store's own driver may fetch them.
    "few_narrow": "SELECT s_suppkey, s_nationkey FROM supplier",
    "few_wide": "SELECT s_suppkey, s_name, s_address, s_phone, s_comment FROM supplier",
    "more_narrow": "SELECT o_orderkey, o_custkey FROM orders WHERE o_orderkey <= 36000",
    "more_decimals": """
        SELECT l_quantity, l_extendedprice, l_discount, l_tax FROM lineitem
        WHERE l_orderkey <= 9000""",
    "more_wide": """
        SELECT c_custkey, c_name, c_address, c_phone, c_acctbal, c_comment FROM customer
        WHERE c_custkey <= 9000""",
    # Groups: few and many, of narrow and of wide keys; what is distinct; what is sorted.
    "group_few": """
        SELECT l_returnflag, l_linestatus, SUM(l_quantity) AS s, COUNT(*) AS n FROM lineitem
        GROUP BY l_returnflag, l_linestatus""",
    "group_many": """
        SELECT COUNT(*) AS n, MAX(s) AS high FROM
        (SELECT l_orderkey, SUM(l_quantity) AS s FROM lineitem GROUP BY l_orderkey) AS o""",
    "group_parts": """
        SELECT l_partkey, SUM(l_extendedprice) AS s FROM lineitem GROUP BY l_partkey
        ORDER BY s DESC, l_partkey LIMIT 10""",
    "group_two": """
        SELECT l_suppkey, l_shipmode, COUNT(*) AS n, SUM(l_quantity) AS s FROM lineitem
        GROUP BY l_suppkey, l_shipmode ORDER BY n DESC, l_suppkey, l_shipmode LIMIT 20""",
    "group_dates": """
        SELECT o_orderdate, COUNT(*) AS n, SUM(o_totalprice) AS s FROM orders
        GROUP BY o_orderdate ORDER BY s DESC, o_orderdate LIMIT 50""",
    # Aggregates that each test a condition of their own, of all rows and of those of some groups.
    "conditions_fifteen": f"SELECT {_FIFTEEN} FROM lineitem",  # noqa: S608 - of constants
    "conditions_integers": f"SELECT {_OF_INTEGERS} FROM lineitem",  # noqa: S608 - likewise
    "conditions_grouped": f"""
        SELECT l_returnflag, {_FIVE} FROM lineitem GROUP BY l_returnflag""",  # noqa: S608 - likewise
    "distinct_many": "SELECT COUNT(DISTINCT o_custkey) AS n FROM orders",
    "sort_orders": """
        SELECT o_orderkey, o_totalprice FROM orders ORDER BY o_totalprice DESC, o_orderkey
        LIMIT 100""",
    "window_orders": """
        SELECT o_custkey, o_orderkey, r FROM
        (SELECT o_custkey, o_orderkey,
            RANK() OVER (PARTITION BY o_custkey ORDER BY o_totalprice DESC, o_orderkey) AS r
        FROM orders) AS ranked
        WHERE r <= 2 ORDER BY o_custkey, o_orderkey LIMIT 100""",
    # Joins: a large table with a small one, with a large one, and chains; with filters and without.
    "join_small": """
        SELECT COUNT(*) AS n FROM lineitem JOIN supplier ON l_suppkey = s_suppkey
        WHERE s_nationkey = 3""",
    "join_part": """
        SELECT COUNT(*) AS n, SUM(l_quantity) AS s FROM lineitem JOIN part ON l_partkey = p_partkey
        WHERE p_size = 7""",
    "join_large": "SELECT COUNT(*) AS n FROM lineitem JOIN orders ON l_orderkey = o_orderkey",
    "join_large_filtered": """
        SELECT o_orderpriority, COUNT(*) AS n FROM lineitem JOIN orders ON l_orderkey = o_orderkey
        WHERE o_orderdate >= DATE '1995-01-01' AND o_orderdate < DATE '1996-01-01'
        GROUP BY o_orderpriority""",
    "join_chain": """
        SELECT n_name, COUNT(*) AS n, SUM(o_totalprice) AS s
        FROM orders JOIN customer ON o_custkey = c_custkey JOIN nation ON c_nationkey = n_nationkey
        GROUP BY n_name""",
    "join_four": """
        SELECT p_mfgr, s_nationkey, COUNT(*) AS n
        FROM partsupp JOIN part ON ps_partkey = p_partkey JOIN supplier ON ps_suppkey = s_suppkey
        GROUP BY p_mfgr, s_nationkey""",
    "join_grouped": """
        SELECT c_mktsegment, COUNT(*) AS n, MAX(t) AS high FROM customer
        JOIN (SELECT o_custkey, SUM(o_totalprice) AS t FROM orders GROUP BY o_custkey) AS o
        ON o_custkey = c_custkey GROUP BY c_mktsegment""",
    "join_star": """
        SELECT r_name, p_mfgr, SUM(l_extendedprice) AS s
        FROM lineitem JOIN part ON l_partkey = p_partkey JOIN supplier ON l_suppkey = s_suppkey
            JOIN nation ON s_nationkey = n_nationkey JOIN region ON n_regionkey = r_regionkey
        GROUP BY r_name, p_mfgr""",
    "join_and_hand_out": """
        SELECT o_orderkey, c_name, o_totalprice FROM orders JOIN customer ON o_custkey = c_custkey
        WHERE o_orderdate < DATE '1992-07-01'""",
    # Rows found by an index, few and many, in no order; by a list of keys, and by the primary key.
    # The last one's index does not pay.
    "index_key": "SELECT o_totalprice, o_comment FROM orders WHERE o_orderkey = 4102",
    "index_list": """
        SELECT COUNT(*) AS n, SUM(l_quantity) AS s FROM lineitem
        WHERE l_extendedprice IN (21168.23, 30005.12, 34850.16, 45983.16, 55010.01)""",
    "index_tens": """
        SELECT l_orderkey, l_quantity, l_shipdate FROM lineitem
        WHERE l_extendedprice BETWEEN 30000 AND 30005""",
    "index_thousands": """
        SELECT COUNT(*) AS n, SUM(l_quantity) AS s FROM lineitem
        WHERE l_extendedprice BETWEEN 30000 AND 30300""",
    "index_ten_thousands": """
        SELECT COUNT(*) AS n, SUM(l_tax) AS s FROM lineitem
        WHERE l_extendedprice BETWEEN 40000 AND 41000""",
    "index_hundredth": """
        SELECT l_returnflag, COUNT(*) AS n FROM lineitem
        WHERE l_extendedprice BETWEEN 20000 AND 22000 GROUP BY l_returnflag""",
    "index_too_wide": """
        SELECT COUNT(*) AS n, SUM(l_discount) AS s FROM lineitem
        WHERE l_extendedprice BETWEEN 10000 AND 70000""",
}
"""Name → statement over TPC-H's tables, in the dialect of TPC-H's own queries."""


INDEXED = {"lineitem": (Index(columns=("l_extendedprice",)),)}
"""Table of TPC-H → its indexes in a calibration: no other probe and no query would read by them."""


def with_indexes(catalog: Catalog) -> Catalog:
    """Return TPC-H's catalog with the indexes that copies get for the calibration."""
    tables = {
        name: replace(table, indexes=INDEXED.get(name, ()))
        for name, table in catalog.tables.items()
    }
    return replace(catalog, tables=tables)


def calibration_workload() -> Workload:
    """Return the probes and TPC-H's queries, each once.

    Raises:
        SetUpError: DuckDB's extension is missing.
    """
    published = queries()
    probes = tuple(
        Query(name=name, sql=text.strip(), origin=f"{NAME} {name}") for name, text in PROBES.items()
    )
    return replace(published, name=NAME, queries=(*probes, *published.queries))
