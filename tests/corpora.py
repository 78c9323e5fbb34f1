"""Published benchmark queries, read as data: Spark's test queries, and an independent reader."""

import json
import re
import struct
import zipfile
from collections.abc import Iterator
from functools import cache

import duckdb
import sqlglot

from evaluation.installation import artifacts
from tests.catalogs import table
from workloads.catalog import Catalog
from workloads.progress import Silent
from workloads.workload import Query

_SIZES = {3: 5, 4: 5, 5: 9, 6: 9, 7: 3, 8: 3, 9: 5, 10: 5, 11: 5, 12: 5, 15: 4, 16: 3, 17: 5, 18: 5}
_TEXT = 1
_TPCDS_PREFIXES = {
    "cc_": "call_center", "cp_": "catalog_page", "cr_": "catalog_returns", "cs_": "catalog_sales",
    "c_": "customer", "ca_": "customer_address", "cd_": "customer_demographics", "d_": "date_dim",
    "hd_": "household_demographics", "ib_": "income_band", "inv_": "inventory", "i_": "item",
    "p_": "promotion", "r_": "reason", "sm_": "ship_mode", "s_": "store", "sr_": "store_returns",
    "ss_": "store_sales", "t_": "time_dim", "w_": "warehouse", "wp_": "web_page",
    "wr_": "web_returns", "ws_": "web_sales", "web_": "web_site",
}  # fmt: skip


def spark_queries(folder: str) -> tuple[Query, ...]:
    """The queries in a folder of Spark's test jar, such as ``tpcds-v2.7.0``."""
    with _jar() as jar:
        names = [n for n in jar.namelist() if re.fullmatch(rf"{re.escape(folder)}/.+\.sql", n)]
        texts = {name: jar.read(name).decode() for name in sorted(names)}
    return tuple(
        Query(name=name, sql=text.strip().removesuffix(";"), origin=name)
        for name, text in texts.items()
    )


@cache
def spark_catalog(benchmark: str) -> Catalog:
    """The tables that Spark's own tests create for 'tpcds', 'tpch' or 'ssb'.

    Their DDL is in the constants of the test classes. It has TPC-DS 1.4's names of columns, as
    the queries do: `c_last_review_date`, which later versions call `c_last_review_date_sk`.
    """
    owner = {"tpcds": "TPCDSSchema", "tpch": "TPCHBase", "ssb": "SSBQuerySuite"}[benchmark]
    with _jar() as jar:
        data = jar.read(f"org/apache/spark/sql/{owner}.class")
    texts = [re.sub(r"(?m)^\s*\|", "", text).strip() for text in _constants(data)]
    if benchmark == "tpcds":
        lists = [text for text in texts if text.startswith("`") and "\n" in text]
        texts = [f"CREATE TABLE {_tpcds_table(text)} ({text})" for text in lists]
    statements = [text for text in texts if text.startswith("CREATE TABLE ")]
    tables = {}
    for statement in statements:
        schema = sqlglot.parse_one(statement, dialect="spark").this
        columns = {each.name: each.args["kind"].sql("duckdb") for each in schema.expressions}
        tables[schema.this.name] = table(schema.this.name, 1_000, columns)
    return Catalog(name=benchmark, tables=tables)


def tables_by_duckdb(sql: str) -> set[str] | None:
    """The tables that DuckDB's own parser finds in a statement; None if it does not parse."""
    rows = _parser().execute("SELECT json_serialize_sql(?)", [sql]).fetchall()
    tree = json.loads(rows[0][0])
    if tree["error"]:
        return None
    nodes = list(_nodes(tree))
    ctes = {entry["key"].lower() for n in nodes for entry in n.get("cte_map", {}).get("map", ())}
    found = {n["table_name"].lower() for n in nodes if n.get("type") == "BASE_TABLE"}
    return found - ctes


@cache
def _parser() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


def tables_by_words(sql: str, catalog: Catalog) -> set[str]:
    """The catalog's tables whose names follow FROM, JOIN or a comma in FROM."""
    text = re.sub(r"--[^\n]*|'[^']*'", "", sql)
    words = "|".join(catalog.tables)
    listed = r"\b(?:from|join)\s+((?:[\w`]+(?:\s+(?:as\s+)?[\w`]+)?\s*,\s*)*[\w`]+)"
    names = re.findall(rf"(?i)\b(?:{words})\b", " ".join(re.findall(rf"(?i){listed}", text)))
    return {name.lower() for name in names}


def _jar() -> zipfile.ZipFile:
    return zipfile.ZipFile(artifacts.fetch("spark-test-queries", Silent()))


def _tpcds_table(columns: str) -> str:
    first = re.search(r"`([a-z]+_)", columns)
    assert first is not None
    return _TPCDS_PREFIXES[first[1]]


def _constants(data: bytes) -> Iterator[str]:
    """Yield the texts in the constant pool of a Java class (JVM specification, 4.4)."""
    (count,) = struct.unpack(">H", data[8:10])
    place, index = 10, 1
    while index < count:
        tag = data[place]
        if tag == _TEXT:
            (length,) = struct.unpack(">H", data[place + 1 : place + 3])
            yield data[place + 3 : place + 3 + length].decode("utf-8", "replace")
            place += 3 + length
        else:
            place += _SIZES.get(tag, 3)
        # Long and double constants count as two.
        index += 2 if tag in (5, 6) else 1


def _nodes(tree: object) -> Iterator[dict]:
    if isinstance(tree, dict):
        yield tree
        for value in tree.values():
            yield from _nodes(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _nodes(value)
