"""The catalog as a data set of MLflow: its name, digest, columns and sizes, and no address."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from workloads.catalog import Catalog

DIGEST_LENGTH = 12
SCHEMA_LIMIT = 1_048_575
"""MLflow's own limit, in characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """The data that a run was measured on.

    `digest` changes whenever the contents of a table may have changed. `columns` maps
    ``table.column`` to DuckDB's name of its type. `bytes` is rows times mean widths.
    """

    name: str
    digest: str
    columns: Mapping[str, str]
    tables: int
    rows: int
    bytes: int

    @property
    def schema(self) -> str | None:
        """Return the columns as MLflow's JSON; None where they are too many for it."""
        listed = [{"name": name, "type": kind} for name, kind in self.columns.items()]
        text = json.dumps({"mlflow_colspec": listed})
        return text if len(text) <= SCHEMA_LIMIT else None

    @property
    def source(self) -> str:
        """Return MLflow's JSON of where the data is from: the catalog's name, no address."""
        return json.dumps({"catalog": self.name})

    @property
    def profile(self) -> str:
        """Return the sizes as MLflow's JSON."""
        return json.dumps({"tables": self.tables, "num_rows": self.rows, "bytes": self.bytes})


def dataset_of(catalog: Catalog) -> Dataset:
    """Describe a catalog by its tables, their columns and their fingerprints."""
    tables = sorted(catalog.tables.values(), key=lambda table: table.name)
    prints = json.dumps([[table.name, table.fingerprint] for table in tables])
    return Dataset(
        name=catalog.name,
        digest=sha256(prints.encode()).hexdigest()[:DIGEST_LENGTH],
        columns={
            f"{table.name}.{each.name}": each.type for table in tables for each in table.columns
        },
        tables=len(tables),
        rows=sum(table.rows for table in tables),
        bytes=catalog.bytes,
    )
