"""The project file of a user who has TPC-DS on two servers."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from advisor.project.config import load_project
from advisor.project.project import Project
from benchmarks.live_tpcds.making import POSTGRESQL, READER, SCHEMAS
from evaluation.store_protocol.connection import Connection

COPIES = "duck"
_PASSWORD = "LIVE_TPCDS_PASSWORD"


def written(
    folder: Path,
    connections: Mapping[str, Connection],
    password: str,
    *,
    queries: Sequence[int],
    capacity: str,
    evaluate: Mapping[str, str],
) -> Project:
    """Write the file into `folder` and read it; all tables are live, and may have copies.

    `capacity` is that of a DuckDB for the copies, `evaluate` more keys of the section, as TOML.
    """
    os.environ[_PASSWORD] = password
    numbers = ", ".join(map(str, queries))
    file = folder / "live.toml"
    file.write_text(
        '[workload]\nsource = "tpcds"\n'
        + (f"queries = [{numbers}]\n" if numbers else "")
        + "".join(map(_section, connections.values()))
        + f'\n[stores.{COPIES}]\nkind = "duckdb"\npath = "copies.duckdb"\n'
        f'capacity = "{capacity}"\n\n[place]\nmax_copies = 2\n\n[evaluate]\n'
        + "".join(f"{key} = {value}\n" for key, value in evaluate.items()),
        encoding="utf-8",
    )
    return load_project(file)


def as_reader(connections: Mapping[str, Connection], password: str) -> dict[str, Connection]:
    """Return how the account that only reads logs in."""
    return {
        name: replace(
            each,
            user=READER,
            password=password,
            password_env=_PASSWORD,
            password_file=None,
            read_only=True,
        )
        for name, each in connections.items()
    }


def _section(connection: Connection) -> str:
    name = connection.store
    database = f'database = "{connection.database}"\n' if name == POSTGRESQL else ""
    # An embedded server has no TLS.
    return (
        f'\n[stores.{name}]\nkind = "{connection.kind}"\ntables = "live"\n'
        f'host = "{connection.host}"\nport = {connection.port}\n{database}'
        f'user = "{READER}"\npassword_env = "{_PASSWORD}"\ntls = "disable"\n'
        f'schemas = ["{SCHEMAS[name]}"]\nmovable = true\n'
    )
