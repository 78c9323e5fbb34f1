"""Tables, queries and capacities that look like TPC-DS at scale factor 0.1."""

import random
from itertools import combinations

from advisor.report.parts.setting import Setting
from workloads.access_graph import AccessGraph, JoinEdge

# rows at scale factor 0.1 and mean width in bytes
TABLES = {
    "call_center": (6, 305),
    "catalog_page": (11_718, 139),
    "catalog_returns": (14_279, 166),
    "catalog_sales": (144_067, 226),
    "customer": (10_000, 132),
    "customer_address": (5_000, 110),
    "customer_demographics": (192_080, 42),
    "date_dim": (73_049, 141),
    "household_demographics": (7_200, 21),
    "income_band": (20, 16),
    "inventory": (1_053_000, 16),
    "item": (2_000, 281),
    "promotion": (30, 124),
    "reason": (3, 38),
    "ship_mode": (20, 56),
    "store": (12, 263),
    "store_returns": (28_795, 134),
    "store_sales": (288_040, 164),
    "time_dim": (86_400, 59),
    "warehouse": (5, 117),
    "web_page": (6, 96),
    "web_returns": (7_163, 162),
    "web_sales": (72_016, 226),
    "web_site": (3, 292),
}
QUERIES = {
    "q1": "store_returns date_dim store customer",
    "q9": "store_sales reason",
    "q12": "web_sales item date_dim",
    "q15": "catalog_sales customer customer_address date_dim",
    "q62": "web_sales warehouse ship_mode web_site date_dim",
    "q80": "store_sales store_returns date_dim store item promotion catalog_sales catalog_returns "
    "catalog_page web_sales web_returns web_site",
    "q84": "customer customer_address customer_demographics household_demographics income_band "
    "store_returns",
    "q86": "web_sales date_dim item",
    "q90": "web_sales household_demographics time_dim web_page",
    "q91": "call_center catalog_returns date_dim customer customer_address customer_demographics "
    "household_demographics",
}
BYTES = {name: rows * width for name, (rows, width) in TABLES.items()}
TOTAL = sum(BYTES.values())
CAPACITIES = {"pg": int(TOTAL * 0.6), "maria": int(TOTAL * 0.6), "duck": int(TOTAL * 0.2)}
WEB = ("web_sales", "web_returns", "web_page", "web_site", "inventory", "warehouse", "item")


def queries(number=10):
    """Return query → its tables; beyond the paper's ten, drawn with a fixed seed."""
    known = {name: frozenset(tables.split()) for name, tables in QUERIES.items()}
    draw = random.Random(1)
    for extra in range(number - len(known)):
        known[f"q{100 + extra}"] = frozenset(draw.sample(sorted(TABLES), draw.randint(2, 7)))
    return known


def graph(number=10):
    """Return the access graph of `number` queries."""
    tables, pairs, joins = {}, {}, {}
    of_query = queries(number)
    for used in of_query.values():
        for table in used:
            tables[table] = tables.get(table, 0) + 1.0
        for pair in combinations(sorted(used), 2):
            pairs[pair] = pairs.get(pair, 0) + 1.0
        for sales in used & {"store_sales", "catalog_sales", "web_sales"}:
            near = {"date_dim", "item", "customer", sales.replace("sales", "returns")}
            for other in used & near:
                edge = JoinEdge(left=f"{other}.sk", right=f"{sales}.sk", kind="inner")
                joins[edge] = joins.get(edge, 0) + 1.0
    return AccessGraph(queries=of_query, tables=tables, co_access=pairs, joins=joins)


def setting(number=10):
    """Return the setting of the demo: three stores of 60, 60 and 20 %."""
    return Setting(
        project="demo",
        table_bytes=BYTES,
        table_rows={name: rows for name, (rows, _) in TABLES.items()},
        capacities_bytes=CAPACITIES,
        kinds={"pg": "postgresql", "maria": "mysql", "duck": "duckdb"},
        graph=graph(number),
        executions=dict.fromkeys(queries(number), 1.0),
        command="advisor run conf/demo.toml",
    )
