"""A seeded query log of known templates: the input of benchmarks/fold_log.py.

The 500 templates are TPC-DS's queries of at most 2,000 characters, and statements on a shop's
tables. Each line has literals, lengths of IN lists, comments, case and white space of its own.
"""

import csv
import random
import re
from collections.abc import Iterator
from pathlib import Path

from workloads.benchmarks import tpcds

TEMPLATES = 500
HEADER = ["timestamp", "sql", "executions", "latency_s"]
_LITERAL = re.compile(r"""(?P<name>"[^"]*")|'[^']*'|(?<![\w.'])\d+(?:\.\d+)?(?![\w.'])""")
_COMMENT = re.compile(r"--[^\n]*")
_TABLES = {
    "orders": ("o_id", "customer_id", "store_id", "status", "total", "placed_at"),
    "customers": ("c_id", "name", "city", "segment", "since", "credit"),
    "order_lines": ("order_id", "line_no", "product_id", "quantity", "price", "discount"),
    "products": ("p_id", "title", "brand", "category", "weight_kg", "list_price"),
    "stores2": ("s_id", "region", "opened_at", "floor_m2", "manager", "kind"),
    "stock": ("product_ref", "store_ref", "on_hand", "reserved", "min_level", "counted_at"),
}
_WORDS = ("new", "paid", "O''Brien", "north-east", "a;b", "-- no comment", "(x)", "Zürich", "")


def templates() -> list[list[str]]:
    """Texts of templates, cut where a literal goes: every second part is one's kind."""
    queries = tpcds.queries("all").queries
    texts = [_COMMENT.sub("", query.sql) for query in queries if len(query.sql) <= 2000]
    draw = random.Random(7)
    found = {text: _cut(text) for text in texts}
    while len(found) < TEMPLATES:
        text = _shop(draw)
        found.setdefault(text, _cut(text))
    return list(found.values())


def _cut(text: str) -> list[str]:
    parts, last = [], 0
    for match in _LITERAL.finditer(text):
        if match["name"]:
            continue
        kind = "text" if match[0].startswith("'") else "number"
        parts += [text[last : match.start()], "list" if match[0] == "'list'" else kind]
        last = match.end()
    return [*parts, text[last:]]


def _shop(draw: random.Random) -> str:
    """One statement on the shop: the first join, filters, groups and order at random."""
    names = draw.sample(sorted(_TABLES), draw.randint(1, 4))
    columns = [(f"t{i}", column) for i, name in enumerate(names) for column in _TABLES[name]]

    def pick() -> str:
        alias, column = draw.choice(columns)
        return f"{alias}.{column}"

    shown = ", ".join(pick() for _ in range(draw.randint(2, 8)))
    text = f"SELECT {shown}, sum({pick()}) AS total_1\nFROM {names[0]} t0"
    for i, name in enumerate(names[1:], start=1):
        text += f"\n  JOIN {name} t{i} ON t{i}.{_TABLES[name][0]} = t{i - 1}."
        text += draw.choice(_TABLES[names[i - 1]])
    filters = ("{} = 1", "{} > 1.5", "{} = 'x'", "{} LIKE 'x'", "{} IN ('list')", "{} IS NULL",
               "{} BETWEEN 1 AND 2", "{} >= DATE 'x'", "coalesce({}, 0) <> -1")  # fmt: skip
    chosen = [draw.choice(filters).format(pick()) for _ in range(draw.randint(1, 9))]
    text += "\nWHERE " + "\n  AND ".join(chosen)
    text += f"\nGROUP BY {shown}\nORDER BY {pick()} LIMIT 10"
    return text


def write(path: Path, lines: int, seed: int = 0) -> dict[str, int]:
    """Stream a log of so many lines to `path`; return its bytes, executions and templates used."""
    draw = random.Random(seed)
    used: set[int] = set()
    total = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        for number, (template, sql) in enumerate(statements(draw, lines)):
            used.add(template)
            executions = 1 + int(draw.random() ** 3 * 20)
            total += executions
            stamp = f"2025-01-{1 + number * 28 // lines:02}T00:00:00Z"
            writer.writerow((stamp, sql, executions, f"{draw.lognormvariate(-2, 1.5):.6f}"))
    return {"bytes": path.stat().st_size, "executions": total, "templates": len(used)}


def statements(draw: random.Random, lines: int) -> Iterator[tuple[int, str]]:
    known = templates()
    weights = [1 / (rank + 5) for rank in range(len(known))]
    order = list(range(len(known)))
    draw.shuffle(order)
    done = 0
    while done < lines:
        some = min(10_000, lines - done)
        for rank in draw.choices(range(len(known)), weights, k=some):
            yield order[rank], _filled(known[order[rank]], draw)
        done += some


def _filled(parts: list[str], draw: random.Random) -> str:
    out = []
    for place, part in enumerate(parts):
        out.append(_literal(part, draw) if place % 2 else part)
    sql = "".join(out)
    style = draw.random()
    if style < 0.1:
        return sql.replace("\n", " ").replace("SELECT", "select")
    if style < 0.15:
        return f"/* app=shop, trace={draw.getrandbits(48):x} */ {sql}"
    return f"{sql};" if style < 0.3 else sql


def _literal(kind: str, draw: random.Random) -> str:
    if kind == "number":
        return str(draw.randrange(100_000)) if draw.random() < 0.7 else f"{draw.random() * 1e3:.2f}"
    if kind == "list":
        return ", ".join(f"'{draw.getrandbits(24):x}'" for _ in range(draw.randint(1, 12)))
    return f"'{draw.choice(_WORDS)}{draw.getrandbits(20)}'"
