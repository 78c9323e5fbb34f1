"""Files of every kind that the advisor reads, with mistakes in them."""

import gzip
import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.attacks.environment import PASSWORD, PASSWORD_VARIABLE, environment
from tests.mutations import mutated as mutated_sql
from tests.unit.advisor.test_project_mutations import mutated as mutated_project

WRITTEN_PASSWORD = "pw7x-Lm-written"
SECRETS = (PASSWORD, WRITTEN_PASSWORD)
"""Passwords that no output may have: of the environment, and by mistake in a project file."""

_STATEMENTS = """\
-- name: sales
-- executions: 120
SELECT c.city, sum(o.total) AS total FROM orders o JOIN customer c ON o.customer_id = c.id
WHERE o.placed >= DATE '2024-01-01' AND c.name LIKE 'A%' GROUP BY c.city HAVING sum(o.total) > 10
ORDER BY total DESC LIMIT 10;
WITH recent AS (SELECT * FROM orders WHERE placed > DATE '2024-06-01')
SELECT i.name, count(*) FROM recent r LEFT JOIN line l ON l.order_id = r.id
JOIN item i ON i.id = l.item_id WHERE i.price BETWEEN 1 AND 20 GROUP BY i.name;
SELECT id FROM customer WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = customer.id)
UNION SELECT customer_id FROM orders WHERE total IN (1, 2, 3);
UPDATE item SET price = price * 1.1 WHERE id = 7;
CREATE VIEW rich AS SELECT id, name FROM customer WHERE balance > 1000.50;
SELECT CASE WHEN r.id > 3 THEN 'x' ELSE r.name END FROM rich r;
"""
_DDL = """\
CREATE TABLE customer (
  id INT PRIMARY KEY, name VARCHAR(40) NOT NULL, city TEXT, balance DECIMAL(12,2));
CREATE TABLE orders (
  id BIGINT PRIMARY KEY, customer_id INT REFERENCES customer (id), placed DATE, total DOUBLE);
-- rows: 50_000
CREATE TABLE item (id INT, name VARCHAR(60), price NUMERIC(8,2), CONSTRAINT pk PRIMARY KEY (id));
CREATE TABLE line (order_id BIGINT, item_id INT, number INT, PRIMARY KEY (order_id, number),
  FOREIGN KEY (item_id) REFERENCES item (id));
ALTER TABLE line ADD COLUMN note VARCHAR(10);
CREATE INDEX by_city ON customer (city);
INSERT INTO item VALUES (1, 'a', 2.5), (2, 'b;', 3);
"""
_PROJECT = f"""\
[workload]
source = "q.sql"
dialect = "duckdb"
[catalog]
source = "schema.sql"
[stores.pg]
kind = "postgresql"
embedded = true
capacity = "8 GB"
[stores.theirs]
kind = "mysql"
host = "127.0.0.1"
port = 3306
user = "advisor"
password_env = "{PASSWORD_VARIABLE}"
[stores.duck]
kind = "duckdb"
embedded = true
[constraints]
max_copy_bytes = "2 GB"
[place]
strategies = ["single_store", "greedy", "optimal"]
time_limit_s = 2
"""
_LOGGED = (
    "SELECT c.city FROM customer c WHERE c.id = {0}",
    "SELECT sum(total) FROM orders WHERE customer_id = {0} AND placed > DATE '2024-01-01'",
    "SELECT i.name FROM item i JOIN line l ON l.item_id = i.id WHERE l.order_id = {0}",
)
_JSON_VALUES = (
    *(None, True, -1, 0, 1e308, "", "x", [], {}, [[[]]], {"a": {"b": []}}, "\u202e", 10**30),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A damaged file in a folder, with the command that reads it."""

    kind: str
    folder: Path
    arguments: tuple[str, ...]


def good_files(folder: Path) -> None:
    """Write the files that are to be damaged, and check that the commands take them."""
    folder.mkdir()
    (folder / "q.sql").write_text(_STATEMENTS)
    (folder / "schema.sql").write_text(_DDL)
    (folder / "p.toml").write_text(_PROJECT)
    texts = [sql.format(number) for number in range(12) for sql in _LOGGED]
    rows = [f'"{text}",{place + 1},0.{place}\n' for place, text in enumerate(texts)]
    (folder / "log.csv").write_text("sql,executions,latency_s\n" + "".join(rows))
    lines = [json.dumps({"query": text, "calls": 3, "mean_exec_time": 1.5}) for text in texts]
    (folder / "log.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "log.csv.gz").write_bytes(gzip.compress((folder / "log.csv").read_bytes(), mtime=0))
    start = "2025-05-01 10:00:01.000 UTC [101] app@shop LOG:  duration: 1.5 ms  statement: "
    (folder / "postgresql.log").write_text("".join(f"{start}{text}\n" for text in texts))
    notes = "# Time: 2025-05-01T10:00:00.0Z\n# User@Host: a[a] @ h []\n# Query_time: 1.5  Lock: 0\n"
    (folder / "slow.log").write_text("".join(f"{notes}{text};\n" for text in texts))

    asked = [sys.executable, "-m", "advisor", "place", "p.toml", "-o", "plan.json"]
    subprocess.run(
        asked, cwd=folder, env=environment(folder.parent), check=True, capture_output=True
    )


def _project(good: Path, folder: Path, draw: random.Random) -> tuple[str, ...]:
    text = (good / "p.toml").read_text()
    has_password = draw.random() < 0.1
    text = mutated_project(text, draw)
    if has_password:
        # As people write it who have not read that the file takes none. Under another key nobody
        # can tell that it is one.
        text = text.replace("password_env =", f'password = "{WRITTEN_PASSWORD}"\npassword_env =')
    (folder / "p.toml").write_text(text, encoding="utf-8")
    return "place", "p.toml"


def _statements(good: Path, folder: Path, draw: random.Random) -> tuple[str, ...]:
    text = (good / "q.sql").read_text()
    if draw.random() < 0.3:
        (folder / "q.sql").write_bytes(_damaged(text.encode(), draw))
    else:
        (folder / "q.sql").write_bytes(mutated_sql(text, draw).encode(errors="surrogatepass"))
    skipped = ("--skip-invalid",) if draw.random() < 0.5 else ()
    return "analyze", "q.sql", "--catalog", "schema.sql", *skipped


def _ddl(good: Path, folder: Path, draw: random.Random) -> tuple[str, ...]:
    text = (good / "schema.sql").read_text()
    if draw.random() < 0.3:
        (folder / "schema.sql").write_bytes(_damaged(text.encode(), draw))
    else:
        data = mutated_sql(text, draw).encode(errors="surrogatepass")
        (folder / "schema.sql").write_bytes(data)
    return "analyze", "q.sql", "--catalog", "schema.sql", "--skip-invalid"


def _log(name: str) -> Callable[[Path, Path, random.Random], tuple[str, ...]]:
    def damage(good: Path, folder: Path, draw: random.Random) -> tuple[str, ...]:
        data = (good / name).read_bytes()
        if name.endswith(".gz") and draw.random() < 0.5:
            data = gzip.compress(_damaged(gzip.decompress(data), draw), mtime=0)
        else:
            data = _damaged(data, draw)
        (folder / name).write_bytes(data)
        skipped = ("--skip-invalid",) if draw.random() < 0.5 else ()
        return "analyze", name, "--catalog", "schema.sql", *skipped

    return damage


def _plan(good: Path, folder: Path, draw: random.Random) -> tuple[str, ...]:
    text = (good / "plan.json").read_text()
    if draw.random() < 0.4:
        data = _damaged(text.encode(), draw)
    else:
        data = json.dumps(_replaced(json.loads(text), draw)).encode()
    (folder / "other.json").write_bytes(data)
    return draw.choice(
        [
            ("diff", "plan.json", "other.json", "--project", "p.toml"),
            ("migrate", "plan.json", "other.json", "--project", "p.toml"),
            ("sensitivity", "other.json", "--project", "p.toml"),
        ]
    )


KINDS: Mapping[str, Callable[[Path, Path, random.Random], tuple[str, ...]]] = {
    "project": _project,
    "statements": _statements,
    "ddl": _ddl,
    "csv log": _log("log.csv"),
    "json log": _log("log.jsonl"),
    "packed log": _log("log.csv.gz"),
    "postgresql log": _log("postgresql.log"),
    "mysql log": _log("slow.log"),
    "plan": _plan,
}


def draw_input(seed: int, number: int, kinds: Sequence[str], root: Path) -> Input:
    """Return the input of a number: the same for a seed, whichever were drawn before."""
    draw = random.Random(f"{seed} {number}")
    kind = draw.choice(kinds)
    folder = root / str(number)
    shutil.copytree(root / "good", folder)
    return Input(kind=kind, folder=folder, arguments=KINDS[kind](root / "good", folder, draw))


def _damaged(data: bytes, draw: random.Random) -> bytes:
    """Return bytes with one to four places changed, taken out, doubled or cut off."""
    for _ in range(draw.choice((1, 1, 2, 4))):
        place = draw.randrange(len(data) + 1)
        size = draw.choice((1, 1, 2, 8, 40, 300))
        kind = draw.choice(("bit", "bytes", "out", "twice", "moved", "cut", "line"))
        if kind == "bit" and place < len(data):
            data = data[:place] + bytes([data[place] ^ 1 << draw.randrange(8)]) + data[place + 1 :]
        elif kind == "bytes":
            signs = draw.choice(
                (b'"', b"'", b"\0", b"\xff", b"\n", b"\r", b"{", b"\\", b",", b"(" * 600)
            )
            data = data[:place] + signs * draw.choice((1, 2, 3)) + data[place:]
        elif kind == "out":
            data = data[:place] + data[place + size :]
        elif kind == "twice":
            data = (
                data[:place] + data[place : place + size] * draw.choice((1, 2, 50)) + data[place:]
            )
        elif kind == "moved":
            data = data[place : place + size] + data[:place] + data[place + size :]
        elif kind == "cut":
            data = data[:place]
        elif kind == "line":
            lines = data.split(b"\n")
            lines[draw.randrange(len(lines))] = draw.randbytes(size)
            data = b"\n".join(lines)
    return data


def _replaced(document: object, draw: random.Random) -> object:
    """Return a document of JSON with one value in it, a key or an item changed."""
    if isinstance(document, dict) and document:
        changed = dict(document)
        key = draw.choice(list(changed))
        kind = draw.choice(("deeper", "deeper", "deeper", "value", "gone", "renamed"))
        value = changed.pop(key)
        if kind == "deeper":
            changed[key] = _replaced(value, draw)
        elif kind == "value":
            changed[key] = draw.choice(_JSON_VALUES)
        elif kind == "renamed":
            changed[f"{key}x"] = value
        return changed
    if isinstance(document, list) and document and draw.random() < 0.8:
        items = list(document)
        place = draw.randrange(len(items))
        items[place] = _replaced(items[place], draw)
        return items
    return draw.choice(_JSON_VALUES)
