"""Tables with columns that copies carry as text, and statements on them."""

from pathlib import Path

import duckdb

TABLES = {
    "t": "SELECT i AS k, CAST(md5(CAST(i AS VARCHAR)) AS UUID) AS id, "
    "TIME '10:00:00' + INTERVAL (i) MINUTE AS tm, ['a' || i, 'b'] AS tags, "
    "CASE WHEN i % 2 = 0 THEN INTERVAL 1 DAY ELSE INTERVAL 24 HOUR END AS sp, "
    "CASE WHEN i % 3 > 0 THEN INTERVAL (i) HOUR END AS sp2 FROM range(40) r(i)",
    "u": "SELECT CAST(md5(CAST(i % 10 AS VARCHAR)) AS UUID) AS id, i AS n, "
    "TIME '10:00:00' + INTERVAL (i) MINUTE AS tm, INTERVAL (i) HOUR AS sp, "
    "'C4CA4238-A0B9-2382-0DCC-509A6F75849B' AS txt FROM range(50) r(i)",
    "p": "SELECT i AS k, "
    "CASE WHEN i % 7 > 0 THEN unhex(md5(CAST(i % 20 AS VARCHAR))) END AS digest, "
    r"CASE i % 4 WHEN 0 THEN '\x00\xFF\x5C\x09'::BLOB WHEN 1 THEN ''::BLOB "
    "WHEN 2 THEN encode('é') END AS photo, "
    "TIMESTAMPTZ '2024-03-31 00:30:00.25+00' + INTERVAL (i) HOUR AS z FROM range(40) r(i)",
    "q": "SELECT i AS n, unhex(md5(CAST(i AS VARCHAR))) AS digest, "
    "TIMESTAMPTZ '2024-03-31 05:30:00.25+00' + INTERVAL (i * 2) HOUR AS z FROM range(25) r(i)",
}
STATEMENTS = tuple(
    each.strip()
    for each in Path(__file__).with_suffix(".sql").read_text().split(";\n")
    if each.strip()
)


def write_tables(folder: Path) -> Path:
    """Write the tables as Parquet into `folder`, and return it."""
    with duckdb.connect() as connection:
        for name, sql in TABLES.items():
            connection.execute(f"COPY ({sql}) TO '{folder}/{name}.parquet'")
    return folder
