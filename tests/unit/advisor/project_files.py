"""Project files written section by section, on top of one that is good."""

import pytest

from advisor.project.config import load_project
from workloads.errors import ConfigurationError

BASE = {
    "workload": 'source = "tpcds"\nqueries = [1, 9]',
    "catalog": 'source = "tpcds"',
    "stores.pg": 'kind = "postgresql"\nembedded = true\ncapacity = "60%"',
}
PRICED = 'kind = "postgresql"\nembedded = true\nprices = { storage_gb_month = 0.1 }'
BYTES = {"customer": 100, "customer_address": 60, "orders": 600, "item": 240}
QUERIES = ("q1", "q9")


def write(folder, sections):
    file = folder / "shop.toml"
    file.write_text("".join(f"[{name}]\n{body}\n" for name, body in sections.items()))
    return file


def load(folder, overrides=None, /, **sections):
    """Return the project of `BASE` with these sections; ``stores__pg`` is ``stores.pg``."""
    changed = {name.replace("__", "."): body for name, body in sections.items()}
    return load_project(write(folder, BASE | changed), overrides)


def error(folder, overrides=None, /, **sections):
    """Return why such a project is refused."""
    with pytest.raises(ConfigurationError) as raised:
        load(folder, overrides, **sections)
    return str(raised.value)
