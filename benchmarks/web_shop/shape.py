"""The rows of each table, and the SQL that makes them.

The SQL files say ``SERIES(table)`` for the numbers from 1 to the rows of a table, ``PICK(i, k, n)``
for a whole number below n that depends on the seed, on i and on k, and a table's name with its
schema, as the n of PICK or in arithmetic, for its rows.
"""

import re
from collections.abc import Mapping
from pathlib import Path

FOLDER = Path(__file__).parent
MYSQL_DATABASE = "web_shop"

# Parts in a thousand of all rows; those of countries and warehouses do not grow.
_PARTS = {
    "crm.customer": 30,
    "crm.address": 40,
    "crm.product": 10,
    "crm.Order": 30,
    "crm.visit": 150,
    "crm.ticket": 20,
    "crm.note": 50,
    "crm.person": 3,
    "crm.employee": 2,
    "crm.web_session": 20,
    "sales.product": 10,
    "sales.order": 60,
    "sales.order_line": 150,
    "sales.payment": 60,
    "sales.stock": 30,
    "sales.price_change": 10,
    "web_shop.product": 10,
    "web_shop.customer": 30,
    "web_shop.address": 10,
    "web_shop.order": 40,
    "web_shop.Order_Item": 80,
    "web_shop.page_view": 80,
    "web_shop.basket": 10,
    "web_shop.click": 40,
    "web_shop.basket-item": 10,
    "web_shop.review": 10,
    "web_shop.key": 5,
}
_FIXED = {
    "crm.country": 100,
    "crm.nobody": 0,
    "sales.address": 4,
    "web_shop.category": 63,
    "web_shop.empty_cart": 0,
}
_END = re.compile(r";\n(?=\n*(?:ALTER|COMMENT|CREATE|GRANT|INSERT|REFRESH|$))")
_SERIES = re.compile(r"SERIES\(([\w.-]+)\)")
_PICK = re.compile(r"PICK\((\w+), (\d+), ([\w.-]+)\)")


def table_rows(rows: int) -> Mapping[str, int]:
    """Return the rows inserted into each table, as ``schema.table``, of `rows` in all or nearly."""
    counted = {name: max(8, rows * parts // 1000) for name, parts in _PARTS.items()}
    return {**counted, **_FIXED}


def statements(file: str, rows: Mapping[str, int], seed: int) -> tuple[str, ...]:
    """Return the statements of a SQL file of this folder, with all that depends on `rows`."""
    text = (FOLDER / file).read_text(encoding="utf-8")
    is_mysql = file.startswith("mysql")
    text = _PICK.sub(lambda found: _pick(found, rows, seed, is_mysql=is_mysql), text)
    text = _SERIES.sub(lambda found: _series(rows[found[1]], is_mysql=is_mysql), text)
    for name, number in sorted(rows.items(), key=lambda each: -len(each[0])):
        text = re.sub(rf"(?<=[%V/] ){re.escape(name)}\b", str(number), text)
    return tuple(each for each in _END.split(text) if each.strip())


def _series(number: int, *, is_mysql: bool) -> str:
    if not is_mysql:
        return f"generate_series(1, {number}) AS i"
    counted = f"SELECT 1 AS i UNION ALL SELECT i + 1 FROM s WHERE i < {number}"
    return f"(WITH RECURSIVE s AS ({counted}) SELECT i FROM s) AS numbers"


def _pick(found: re.Match[str], rows: Mapping[str, int], seed: int, *, is_mysql: bool) -> str:
    number, which, limit = found.groups()
    below = rows.get(limit, limit)
    if is_mysql:
        return f"CAST(CRC32(CONCAT_WS(':', {number}, {which}, {seed})) % {below} AS SIGNED)"
    return f"((hashint8extended({number}, {1000 * seed + int(which)}) & 2147483647) % {below})::int"
