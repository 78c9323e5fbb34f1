"""Analyses of small workloads, made by the real pipeline."""

from pathlib import Path

from advisor.analysis.analysis import Analysis
from advisor.analysis.analyze import analyze
from advisor.project.config import project_of_paths
from workloads.progress import Silent

DDL = """
-- rows: 1_000
CREATE TABLE customer (c_id int PRIMARY KEY, c_name varchar(40), c_region int);
-- rows: 10_000
CREATE TABLE orders (o_id int PRIMARY KEY, o_customer int REFERENCES customer, o_day date);
-- rows: 50_000
CREATE TABLE item (i_order int REFERENCES orders, i_product int, i_price decimal(9,2));
CREATE TABLE product (p_id int PRIMARY KEY, p_name text);
CREATE TABLE audit (a_id int, a_text text);
"""

SQL = """
-- name: revenue
-- executions: 40
SELECT c_name, sum(i_price) FROM customer JOIN orders ON o_customer = c_id
JOIN item ON i_order = o_id GROUP BY c_name;
-- name: idle
-- executions: 10
SELECT c_name FROM customer WHERE NOT EXISTS (SELECT 1 FROM orders WHERE o_customer = c_id);
-- name: products
-- executions: 3
SELECT p_name FROM item LEFT JOIN product ON p_id = i_product;
-- name: note
-- executions: 7
INSERT INTO audit VALUES (1, 'x');
CREATE INDEX by_day ON orders (o_day);
SET search_path = shop;
"""

INVALID = """
-- executions: 20
SELECT nothing FROM customer;
-- executions: 20
SELEC 1;
"""


def write(folder: Path, sql: str = SQL, ddl: str = DDL) -> tuple[Path, Path]:
    """Write statements and DDL, and return their files."""
    queries, schema = folder / "queries.sql", folder / "schema.sql"
    queries.write_text(sql)
    schema.write_text(ddl)
    return queries, schema


def analysed(folder: Path, sql: str = SQL, ddl: str = DDL, **settings) -> Analysis:
    """Return the analysis of statements over the tables of DDL."""
    queries, schema = write(folder, sql, ddl)
    overrides = {
        "catalog": {"source": [str(schema)]},
        "workload": {"dialect": "postgres", **settings},
    }
    return analyze(project_of_paths([str(queries)], overrides), Silent())
