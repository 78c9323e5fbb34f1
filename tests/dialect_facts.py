"""Statements whose answers depend on a system's dialect, over two small tables full of traps."""

from dataclasses import replace
from pathlib import Path

from tests.stores.parquet_tables import write
from workloads.catalog import Catalog, ColumnStatistics
from workloads.workload import Query

FACT = {
    "id": "INTEGER", "grp": "VARCHAR", "n": "INTEGER", "m": "BIGINT", "price": "DECIMAL(7,2)",
    "fine": "DECIMAL(15,4)", "ratio": "DOUBLE", "d": "DATE", "ts": "TIMESTAMP", "flag": "BOOLEAN",
    "u": "UINTEGER",
}  # fmt: skip
OTHER = {"k": "INTEGER", "name": "VARCHAR", "v": "INTEGER"}
_FACT_ROWS = """
(1, 'a', 7, 70, 1.25, 0.3333, 0.5, '2000-01-31', '2000-01-31 23:30:00', true, 3),
(2, 'A', -7, -70, -1.25, -0.3333, -0.5, '2000-02-29', '2000-02-29 00:00:00', false, 4000000000),
(3, 'a ', 3, 33, 2.50, 1.5, 2.5, '1999-12-31', '1999-12-31 12:34:56.789', NULL, 0),
(4, 'b', NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, NULL),
(5, NULL, 0, 0, 0, 0, 0, '2001-03-01', '2001-03-01 01:00:00', false, 1),
(6, 'ä', 10, 100, 99999.99, 12345.6789, 1e10, '2000-03-31', '2000-03-31 05:00:00', true, 7),
(7, 'B', 5, 50, 3.50, 3.5, 3.5, '2000-12-25', '2000-12-25 06:00:00', NULL, 8),
(8, '', -1, -10, -2.50, -2.5, -2.5, '2000-07-04', '2000-07-04 07:00:00', false, 9),
(9, 'z', 7, 71, 0.01, 0.0001, 0.1, '2000-01-31', '2000-01-31 08:00:00', true, 2),
(10, 'Z z', 2, 20, 4.50, 4.5, 4.5, '2000-10-10', '2000-10-10 09:10:11', true, 2)
"""
_OTHER_ROWS = "(1, 'a', 1), (2, 'b', NULL), (3, 'A', 3), (4, NULL, 4), (11, 'q', 11)"

_DAYS = ColumnStatistics(distinct=8, null_share=0.1, minimum=10956.0, maximum=11382.1)
"""Of the dates and times: from the end of 1999 to 2001, in days since 1970-01-01."""


def catalog(folder: Path) -> Catalog:
    """Write the two tables to Parquet."""
    fact = write(folder, "fact", FACT, _typed(FACT, _FACT_ROWS), key="id")
    columns = tuple(
        replace(each, statistics=_DAYS) if each.name in ("d", "ts") else each
        for each in fact.columns
    )
    tables = (
        replace(fact, columns=columns),
        write(folder, "other", OTHER, _typed(OTHER, _OTHER_ROWS), key="k"),
    )
    return Catalog(name="facts", tables={table.name: table for table in tables})


def _typed(columns: dict[str, str], rows: str) -> str:
    casts = ", ".join(f"CAST({name} AS {type_}) AS {name}" for name, type_ in columns.items())
    return f"SELECT {casts} FROM (VALUES {rows}) v({', '.join(columns)})"


def statements() -> tuple[Query, ...]:
    """Return the statements of ``dialect_facts.sql``, each named by its own text."""
    lines = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").splitlines()
    texts = [line for line in lines if line and not line.startswith("--")]
    return tuple(Query(name=text, sql=text, origin=text) for text in texts)
