"""The bounds of partitions in DDL, as PostgreSQL itself keeps them."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from evaluation.store_protocol.connection import Connection
from tests.stores import test_embedded_servers
from tests.stores.live_servers import database
from workloads.progress import Silent
from workloads.sources.ddl.catalog import definitions

pytestmark = pytest.mark.stores

TABLES = """
CREATE TABLE ranged (a int, b int, c text) PARTITION BY RANGE (a, lower(c), b);
CREATE TABLE r_1 PARTITION OF ranged FOR VALUES FROM (MINVALUE, MINVALUE, MINVALUE) TO (3, 'b', 2);
CREATE TABLE r_2 PARTITION OF ranged FOR VALUES FROM (3, 'b', 2) TO (5, MINVALUE, MINVALUE);
CREATE TABLE r_3 PARTITION OF ranged FOR VALUES FROM (5, MINVALUE, MINVALUE) TO (6, 'c', MAXVALUE);
CREATE TABLE r_4 PARTITION OF ranged
  FOR VALUES FROM (6, 'c', MAXVALUE) TO (8, MAXVALUE, MAXVALUE);
CREATE TABLE r_5 PARTITION OF ranged DEFAULT;
CREATE TABLE listed (a int, b int, c text) PARTITION BY LIST (c COLLATE "C");
CREATE TABLE l_1 PARTITION OF listed FOR VALUES IN ('a', NULL);
CREATE TABLE l_2 PARTITION OF listed DEFAULT PARTITION BY HASH (a, b);
CREATE TABLE l_2_0 PARTITION OF l_2 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE l_2_1 PARTITION OF l_2 FOR VALUES WITH (MODULUS 4, REMAINDER 1);
CREATE TABLE l_2_3 PARTITION OF l_2 FOR VALUES WITH (MODULUS 4, REMAINDER 3);
CREATE TABLE day (a int, b int, c text) PARTITION BY RANGE ((a + b));
CREATE TABLE d_1 PARTITION OF day FOR VALUES FROM (0) TO (7);
CREATE TABLE d_2 PARTITION OF day DEFAULT;
"""
ROWS = """
INSERT INTO {} SELECT a, b, c FROM generate_series(0, 9) a, generate_series(0, 3) b,
  unnest(ARRAY['a', 'B', 'b', 'c', 'd', NULL]) c
UNION ALL SELECT NULL, 1, 'b' UNION ALL SELECT 3, NULL, 'b'
"""


def test_a_partition_has_the_rows_that_its_bounds_say(
    remembering: Mapping[str, Connection], tmp_path: Path
) -> None:
    (tmp_path / "schema.sql").write_text(TABLES)
    views = definitions([tmp_path], Silent(), dialect="postgres").catalog.views
    names = {"r_1", "r_2", "r_3", "r_4", "r_5", "l_1", "l_2", "l_2_0", "l_2_1", "l_2_3"}
    assert set(views) == names | {"d_1", "d_2"}
    with (
        database(remembering["pg"], "bounds") as connection,
        test_embedded_servers.postgres(connection) as session,
    ):
        session.execute(TABLES.encode())
        for table in ("ranged", "listed", "day"):
            session.execute(ROWS.format(table).encode())
        for name, view in views.items():
            kept = session.execute(f"SELECT * FROM {name} ORDER BY 1, 2, 3".encode()).fetchall()
            said = session.execute(f"{view.sql} ORDER BY 1, 2, 3".encode()).fetchall()
            assert kept == said, view.sql
            assert kept
