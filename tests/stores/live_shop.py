"""A shop whose tables are live on a PostgreSQL, a MariaDB and a MySQL, and accounts that read."""

from collections.abc import Mapping
from pathlib import Path

from evaluation.store_protocol.connection import Connection
from tests.stores.live_servers import maria, postgres

# Letters that Latin-1 lacks: drivers send them as UTF-8.
READER, PASSWORD = "live_reader", "lesen für 0 €"
POSTGRESQL = """
DROP SCHEMA IF EXISTS live_sales CASCADE; DROP SCHEMA IF EXISTS live_crm CASCADE;
CREATE SCHEMA live_sales; CREATE SCHEMA live_crm;
CREATE TYPE live_crm.mood AS ENUM ('sad', 'ok');
CREATE TABLE live_crm.customer (id int PRIMARY KEY, name text COLLATE "pg_c_utf8", key uuid,
  born date, mood live_crm.mood, facts jsonb, photo bytea);
CREATE TABLE live_crm.address (id int PRIMARY KEY, city varchar(20) COLLATE "pg_c_utf8");
CREATE TABLE live_sales.address (id int PRIMARY KEY, city text);
CREATE TABLE live_sales."Order ""x"" y" (id bigint PRIMARY KEY, customer int, total numeric(12, 2),
  placed timestamptz, code char(6));
CREATE TABLE live_sales.unread (id int);
CREATE TABLE live_crm.place (id int PRIMARY KEY, name text);
CREATE TABLE live_crm.capital (state text) INHERITS (live_crm.place);
CREATE TABLE live_crm."Place" (id int PRIMARY KEY, old text);
INSERT INTO live_crm.place SELECT i, 'p' || i FROM generate_series(1, 30) i;
INSERT INTO live_crm.capital SELECT i, 'c' || i, 's' || i % 3 FROM generate_series(20, 60) i;
INSERT INTO live_crm."Place" SELECT i, 'o' || i % 4 FROM generate_series(1, 40) i;
INSERT INTO live_crm.customer SELECT i, 'n' || i % 50,
  CAST('00000000-0000-0000-0000-' || lpad(CAST(i AS text), 12, '0') AS uuid),
  DATE '1980-01-01' + i, CASE WHEN i % 2 = 0 THEN 'ok' END::live_crm.mood,
  jsonb_build_object('a', i % 3), decode(md5(CAST(i AS text)), 'hex')
  FROM generate_series(1, 300) i;
INSERT INTO live_crm.address SELECT i, 'c' || i % 7 FROM generate_series(1, 300) i;
INSERT INTO live_sales.address SELECT i, 'd' || i % 5 FROM generate_series(1, 100) i;
INSERT INTO live_sales."Order ""x"" y" SELECT i, 1 + i % 300, i * 1.25,
  TIMESTAMPTZ '2024-01-01 00:00+00' + i * INTERVAL '1 minute', 'k' || i % 4
  FROM generate_series(1, 3000) i;
ANALYZE;
"""
MYSQL = (
    "DROP DATABASE IF EXISTS live_shop",
    # Its text compares without case: 'P1' = 'p1'.
    "CREATE DATABASE live_shop CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
    (
        "CREATE TABLE live_shop.product (id int unsigned PRIMARY KEY, name varchar(30), "
        "active tinyint(1), price decimal(10, 2), changed timestamp NULL, rate float, opens time, "
        "icon blob)"
    ),
    (
        "CREATE TABLE live_shop.line (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, "
        "`order` bigint, product int unsigned, amount int unsigned, KEY (product))"
    ),
    "INSERT INTO live_shop.product VALUES " + ", ".join(
        f"({i}, '{'pP'[i % 2]}{i % 20}', {i % 2}, {i}.10, '2024-01-01 00:{i % 60:02}:00', 0.1, "
        f"'0{i % 10}:30', x'00ff{i % 10}{i % 10}')" for i in range(1, 201)
    ),
    "INSERT INTO live_shop.line (`order`, product, amount) VALUES " + ", ".join(
        f"({1 + i % 3000}, {1 + i % 200}, {i % 9})" for i in range(4000)
    ),
    f"CREATE USER IF NOT EXISTS {READER}@'%' IDENTIFIED BY '{PASSWORD}'",
    f"GRANT SELECT, SHOW VIEW ON live_shop.* TO {READER}@'%'",
)  # fmt: skip
QUERIES = {
    "names": "SELECT name, count(*) AS n FROM customer WHERE name < 'n3' GROUP BY name",
    "totals": (
        "SELECT c.name, sum(o.total) AS t FROM live_crm.customer c "
        'JOIN live_sales."Order ""x"" y" o ON o.customer = c.id WHERE c.mood = \'ok\' GROUP BY 1'
    ),
    "products": (
        "SELECT p.name, sum(l.amount - 5) AS n, min(p.changed) AS first FROM product p "
        "JOIN line l ON l.product = p.id WHERE p.active = 1 GROUP BY p.name"
    ),
    "across": (
        "SELECT p.name, c.name AS customer, sum(l.amount) AS n FROM line l "
        'JOIN product p ON p.id = l.product JOIN "Order ""x"" y" o ON o.id = l."order" '
        "JOIN customer c ON c.id = o.customer WHERE p.name = 'p4' GROUP BY 1, 2"
    ),
    "crm": "SELECT city, count(*) AS n FROM live_crm.address GROUP BY city",
    "sales": "SELECT city, count(*) AS n FROM live_sales.address GROUP BY city",
    "one": "SELECT * FROM customer WHERE key = '00000000-0000-0000-0000-000000000003'",
    "thing": "SELECT * FROM product WHERE id < 4",
    "late": (
        'SELECT max(placed) AS m, min(code) AS c FROM "Order ""x"" y" '
        "WHERE placed < TIMESTAMPTZ '2024-01-02 00:00:00+00'"
    ),
    "opening": "SELECT opens, max(rate) AS r FROM product WHERE opens > TIME '03:00' GROUP BY 1",
}


def fill(servers: Mapping[str, Connection], *mysqls: str) -> None:
    """Make the tables and the account on `pg` and on some servers of kind mysql."""
    role = f"{READER}"
    postgres(
        servers["pg"],
        POSTGRESQL,
        f"DO $$ BEGIN CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'; "
        "EXCEPTION WHEN duplicate_object THEN NULL; END $$",
        f"GRANT USAGE ON SCHEMA live_sales, live_crm TO {role}",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA live_sales, live_crm TO {role}",
    )
    for name in mysqls:
        maria(servers[name], *MYSQL)


def write_project(
    folder: Path,
    servers: Mapping[str, Connection],
    mysql: str,
    more: str,
    *,
    statements: Mapping[str, str] = QUERIES,
    dialect: str = "duckdb",
) -> Path:
    """Write a project with `pg` and a server of kind mysql, both live, and a DuckDB for copies."""
    queries = folder / "queries"
    queries.mkdir(exist_ok=True)
    for name, sql in statements.items():
        (queries / f"{name}.sql").write_text(sql)
    file = folder / "live.toml"
    file.write_text(
        f'[workload]\nsource = "queries/"\ndialect = "{dialect}"\n'
        + _section("pg", "postgresql", servers["pg"], 'schemas = ["live_sales", "live_crm"]')
        + _section("shop", "mysql", servers[mysql], 'schemas = ["live_shop"]\nmovable = true')
        + f'[stores.duck]\nkind = "duckdb"\npath = "{folder / "copies.duckdb"}"\n'
        + more
    )
    return file


def _section(name: str, kind: str, server: Connection, more: str) -> str:
    database = f'database = "{server.database}"\n' if kind == "postgresql" else ""
    return (
        f'[stores.{name}]\nkind = "{kind}"\ntables = "live"\nhost = "{server.host}"\n'
        f'port = {server.port}\n{database}user = "{READER}"\n'
        f'password_env = "LIVE_READER_PASSWORD"\n{more}\n'
    )
