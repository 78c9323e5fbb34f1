"""The cases that are known to have been answered wrongly or not at all, and tables that show it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.stores.parquet_tables import write
from workloads.catalog import Catalog

ROWS = 36
NUMS = {
    "id": "INTEGER", "k": "INTEGER", "b": "BIGINT", "sm": "SMALLINT", "x": "DOUBLE", "f": "DOUBLE",
    "r": "REAL", "p": "DECIMAL(9,2)", "fine": "DECIMAL(38,10)", "huge": "DECIMAL(38,0)",
    "d": "DATE", "ts": "TIMESTAMP", "s": "VARCHAR", "g": "VARCHAR", "t": "VARCHAR",
    "flag": "BOOLEAN",
}  # fmt: skip
DUP = {"k": "INTEGER", "v": "INTEGER", "b": "BIGINT", "s": "VARCHAR"}
EMPTY = {"k": "INTEGER", "v": "INTEGER", "s": "VARCHAR"}
YEARS = {"year": "INTEGER", "month": "INTEGER", "count": "BIGINT"}
_VALUES: Mapping[str, Sequence[str]] = {
    "k": ("0", "1", "2", "3", "7", "NULL", "-7"),
    "b": ("0", "9007199254740993", "1", "2", "NULL", "3", "-5", "4000000000"),
    "sm": ("1", "2", "NULL", "3", "7"),
    "x": ("2.5", "-2.5", "0.5", "3.5", "1e10", "0", "NULL", "0.1", "-0.5", "1.5"),
    "f": ("0", "0.1", "-1.5", "1e-10", "NULL", "16777216"),
    "r": ("0.1", "0.5", "16777216", "NULL", "1e-10", "0.1", "3.3"),
    "p": ("0.5", "2.5", "-2.5", "9999999.99", "NULL", "3.49", "0"),
    "fine": ("1.0123456789", "-0.0000000002", "NULL", "12345678901234567890.0000000001"),
    # They add up to 39 digits, which DuckDB still counts in.
    "huge": ("50000000000000000000000000000000000000", "NULL", "-1", "7"),
    "d": ("1582-10-10", "9999-12-31", "2000-02-29", "1970-01-01", "1582-10-04", "1582-10-15",
          "2000-01-01", "1500-02-28", "2021-01-03", "2020-12-31", "NULL"),
    "ts": ("2000-02-29 12:30:15.123456", "1969-12-31 23:59:59.999999", "1969-12-31 23:59:59.5",
           "1969-12-31 23:59:59.4", "2000-01-01 00:00:59.999999", "1900-01-01 00:00:00.000001",
           "1582-10-10 01:02:03.4", "NULL", "9999-12-31 23:59:59.999999"),
    "s": ("a", "É", "é", r"a\b", r"a\%b", "a%b", "%s", "{a}", "as", "", "A", "ß", "a_b", "", "ä",
          r"\\", "Ä2", "zz", r"x\\", "12", "a "),
    "g": ("%s", "{a}", "?", "%", "", "b", "%(a)s", ":a", "é"),
    "t": ("1", "2", "3", "10", "7", "0", "-7"),
    "flag": ("true", "false", "NULL"),
}  # fmt: skip
_DUP = (
    "(0, 1, 0, 'a'), (1, 5, 1, 'É'), (1, 2, 1, 'a_b'), (1, 2, 2, NULL), (2, 9, 3, 'a'), "
    "(2, NULL, 3, 'zz'), (3, 3, 9007199254740993, NULL), (NULL, 4, NULL, 'as'), (7, 0, 7, '%s'), "
    "(2, 7, 4000000000, 'as'), (3, 3, NULL, 'a'), (0, 8, 5, NULL), (-7, 6, 6, 'b')"
)
_YEARS = "(2001, 3, 7), (1999, 12, 1), (2001, 1, 1000002), (2000, 2, 5), (1999, 2, 1000001)"


def _cell(name: str, row: int) -> str:
    values = _VALUES[name]
    value = values[row % len(values)]
    # Every other empty text is none.
    is_none = value == "NULL" or (value == "" and row % 2 == 0)
    return "NULL" if is_none else f"'{value}'"


def _selected(columns: Mapping[str, str], rows: str) -> str:
    casts = ", ".join(f"CAST({name} AS {type_}) AS {name}" for name, type_ in columns.items())
    return f"SELECT {casts} FROM (VALUES {rows}) v({', '.join(columns)})"


def catalog(folder: Path) -> Catalog:
    """Write the tables to Parquet."""
    cells = [[str(row), *(_cell(name, row) for name in _VALUES)] for row in range(ROWS)]
    nums = ", ".join(f"({', '.join(each)})" for each in cells)
    tables = (
        write(folder, "nums", NUMS, _selected(NUMS, nums), key="id"),
        write(folder, "dup", DUP, _selected(DUP, _DUP)),
        write(folder, "empty_t", EMPTY, _selected(EMPTY, "(1, 2, 'a')") + " WHERE k > 1"),
        write(folder, "years", YEARS, _selected(YEARS, _YEARS)),
    )
    return Catalog(name="known", tables={table.name: table for table in tables})


def cases() -> Mapping[str, Sequence[str]]:
    """Return the statements of ``known_kinds.sql`` by the name of their case."""
    found: dict[str, list[str]] = {}
    for line in Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").splitlines():
        if line.startswith("-- ") and ": " in line:
            name = line.removeprefix("-- ").split(": ")[0]
            found[name] = []
        elif line and not line.startswith("--"):
            found[name].append(line)
    return found
