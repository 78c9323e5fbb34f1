"""Fragments that take keys, run in DuckDB one after another."""

from collections.abc import Sequence

from evaluation.federation.compiled import CompiledFragment
from evaluation.federation.keys import KeyFilter
from evaluation.federation.sent_keys import restricted


def fetch(database, fragments: Sequence[CompiledFragment]) -> None:
    """Make a temporary table of each fragment's rows, restricted by the keys of others."""
    for fragment in in_turn(fragments):
        rows = in_duckdb(database, fragment)
        database.execute(f"CREATE OR REPLACE TEMP TABLE {fragment.view} AS {rows}")


def in_turn(fragments: Sequence[CompiledFragment]) -> list[CompiledFragment]:
    """Return the fragments in an order in which each comes after those that its keys are in."""
    keyed = {each.view for each in fragments if each.keys}
    return sorted(
        fragments,
        key=lambda each: (
            bool(each.keys)
            + any(k.source.sql is None and k.source.view in keyed for k in each.keys)
        ),
    )


def in_duckdb(database, fragment: CompiledFragment) -> str:
    """Return the SQL that is run for a fragment once its keys are fetched."""
    return with_values(database, fragment.sql, fragment.keys)


def with_values(database, sql: str, keys: Sequence[KeyFilter]) -> str:
    filters, bounds = [], []
    for key in keys:
        source = key.source
        rows = source.sql or f"SELECT {source.column} FROM {source.view}"
        rows = with_values(database, rows, source.keys)
        found = sorted({row[0] for row in database.execute(rows).fetchall()} - {None})
        if key.operator == "IN":
            filters.append((key.quoted, found))
        else:
            bounds.append((key.quoted, key.operator, found))
    return restricted(sql, filters, bounds) if keys else sql
