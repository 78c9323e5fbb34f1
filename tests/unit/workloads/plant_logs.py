"""A plant of three tables, logs of its sessions, and how often each table is read and written."""

from collections import Counter
from pathlib import Path

from workloads.catalog import Catalog, Column, Table
from workloads.progress import Silent
from workloads.sources.logs.recorded import workload
from workloads.sql.statements import understand

READ = "SELECT max(id) FROM machine"
MADE = "CREATE TEMP TABLE machine AS SELECT id FROM job"


def catalog(schema: str = "public") -> Catalog:
    columns = {
        "machine": ("id", "model"),
        "job": ("id", "machine_id"),
        "part": ("id", "machine_id"),
    }
    return Catalog(
        name="plant",
        tables={
            name: Table(
                name=name,
                columns=tuple(Column(name=each, type="BIGINT", width_bytes=8.0) for each in own),
                rows=100,
                fingerprint="",
                parquet="",
                schema=schema,
            )
            for name, own in columns.items()
        },
    )


def counted(path: Path, schema: str = "public") -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Return the executions by tables read and tables written, and by kind of what is left out."""
    found = understand(workload(path), catalog(schema), Silent())
    reads, writes, left = Counter[str](), Counter[str](), Counter[str]()
    for each in (*found.footprints, *found.writes):
        for counts, tables in ((reads, each.tables), (writes, each.writes)):
            for table in tables:
                counts[table] += round(each.executions)
    for skipped in found.skipped:
        left[skipped.kind] += round(skipped.executions)
    return reads, writes, left


def log(path: Path, *lines: tuple[int, str]) -> Path:
    """Write PostgreSQL's text log: each a session and its statement, or 'ERROR: …'."""
    with path.open("w") as file:
        for second, (session, sql) in enumerate(lines):
            prefix = f"2025-05-01 08:00:{second:02}.000 UTC [{session}] ann@acme/psql "
            if sql.startswith("ERROR: "):
                text = sql.removeprefix("ERROR: ")
                file.write(f"{prefix}ERROR:  it failed\n{prefix}STATEMENT:  {text}\n")
            else:
                file.write(f"{prefix}LOG:  statement: {sql}\n")
    return path
