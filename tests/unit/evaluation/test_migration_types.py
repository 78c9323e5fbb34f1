"""Commands of a migration of tables that only DDL knows."""

from pathlib import Path

import pytest

from evaluation.migration_sql import MigrationCommands
from evaluation.store_protocol.connection import Connection
from placement.movement.migration_steps import Step
from workloads.progress import Silent
from workloads.sources.ddl.catalog import definitions

DDL = """
CREATE TABLE a (
    id int PRIMARY KEY, bits bit(8), note tsvector, u uuid, j jsonb, t time, tz timetz, i interval,
    h numeric(30, 2), list int[], x xml, moment timestamp(0), place point, span int4range, b bytea
);
"""
CONNECTIONS = {
    kind: Connection(store=kind, kind=kind, host="127.0.0.1", port=1, database="d", user="u")
    for kind in ("postgresql", "mysql")
} | {"duckdb": Connection(store="duckdb", kind="duckdb", path=Path("d.duckdb"))}

AS_TEXT = {
    "postgresql": '"{}" TEXT COLLATE "C"',
    "mysql": "`{}` LONGTEXT",
    "duckdb": 'CAST("{0}" AS VARCHAR) AS "{0}"',
}


@pytest.mark.parametrize("target", sorted(CONNECTIONS))
def test_copies_hold_the_types_that_values_are_carried_as(tmp_path, target):
    file = tmp_path / "schema.sql"
    file.write_text(DDL)
    catalog = definitions([file], Silent(), dialect="postgres").catalog
    assert catalog.tables["a"].type_of("bits") == "BIT"
    writer = MigrationCommands(catalog=catalog, connections=CONNECTIONS, exchange=tmp_path)
    source = next(kind for kind in CONNECTIONS if kind != target)
    steps = [
        Step(
            kind=kind, table="a", source=source, target=target, bytes=1, held_bytes={},
            estimated_s=0.0,
        )
        for kind in ("copy", "verify", "switch")
    ]  # fmt: skip
    written = [command for commands in writer.of(steps) for command in commands]
    made = " ".join(line for each in written if each.store == target for line in each.text)
    for name in ("bits", "u", "j", "t", "tz", "i", "list"):
        assert AS_TEXT[target].format(name) in made
