"""Statements that a server remembers have the same names in every command."""

from collections.abc import Sequence

from evaluation.live.statements import Remembered, gathered
from evaluation.store_protocol.connection import Connection
from workloads.counting.counting import EVERYTHING

SHOP = Connection(store="shop", kind="mysql", namespace="copies")


def remembered(number: int, *, schema: str = "", executions: float = 1.0) -> Remembered:
    return Remembered(
        origin=f"shop:digest/{number}",
        sql=f"SELECT {number} FROM orders",
        executions=executions,
        latency_s=1.0,
        schema=schema,
    )


def names(statements: Sequence[Remembered]) -> dict[str, str]:
    """Return text and schema → name."""
    found = gathered(SHOP, "mysql", statements, EVERYTHING, "shop")
    return {f"{each.sql} {each.schema}": each.name for each in found.queries}


def test_a_name_does_not_tell_a_statements_rank():
    statements = [remembered(number) for number in range(20)]
    found = names(statements)
    assert len(set(found.values())) == 20
    assert names([*reversed(statements[3:]), remembered(99)]).items() >= {
        (text, name) for text, name in found.items() if int(text.split()[1]) >= 3
    }


def test_statements_that_are_numbered_alike_have_names_of_their_own():
    alike = [remembered(1, schema="a"), remembered(1, schema="b"), remembered(1, schema="b")]
    found = gathered(SHOP, "mysql", alike, EVERYTHING, "shop").queries
    assert len({each.name for each in found}) == 3
    assert found[2].name == f"{found[1].name}_2"
