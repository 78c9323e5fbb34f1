"""Which unions are aggregated operand by operand, where the types of tables decide it."""

import pytest

from tests.catalogs import table
from tests.data_fixtures import statement
from workloads.catalog import Catalog
from workloads.sql.canonical.rules import canonical


def is_pushed(select: str, dialect: str = "duckdb") -> bool:
    """Whether the operands of a union of a signed and an unsigned column are aggregated."""
    tables = (
        table("t", 1_000, {"i": "INTEGER", "d": "DECIMAL(7,2)"}),
        table("u", 1_000, {"i": "UINTEGER", "d": "DECIMAL(7,2)"}),
    )
    catalog = Catalog(name="c", tables={each.name: each for each in tables})
    sql = f"SELECT {select} AS s FROM (SELECT i, d FROM t UNION ALL SELECT i, d FROM u) x"
    return "partial_0" in canonical(statement(sql), catalog, dialect).sql("duckdb")


@pytest.mark.parametrize(
    ("select", "pushed"),
    [
        ("sum(i)", True),
        # The union is a BIGINT, and doubles what an INTEGER cannot.
        ("sum(i * 2)", False),
        ("sum(d) FILTER (WHERE i * 2 > 5)", False),
        ("sum(d * 2)", True),
        ("count(*)", True),
    ],
)
def test_what_is_computed_of_whole_numbers_has_one_type(select: str, pushed: bool):
    assert is_pushed(select) is pushed


@pytest.mark.parametrize(("dialect", "pushed"), [("postgres", True), ("tsql", False)])
def test_averages_of_systems_whose_rules_are_not_known_stay(dialect: str, pushed: bool):
    assert is_pushed("avg(d)", dialect) is pushed
