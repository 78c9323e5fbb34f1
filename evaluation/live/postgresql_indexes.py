"""Indexes of PostgreSQL's tables, from its system catalog."""

from collections.abc import Mapping, Sequence

from evaluation.stores.postgresql.sessions import Session
from workloads.counting.own import MARK
from workloads.indexes import Index, distinct_indexes, index, unlike_text

# The key's attributes alone: those behind INCLUDE are no part of it. 0 is an expression.
_INDEXES = f"""
SELECT {MARK} i.indrelid, c.relname, m.amname, i.indisunique, i.indpred IS NOT NULL,
  (string_to_array(i.indkey::text, ' ')::int[])[1:i.indnkeyatts],
  ARRAY(
    SELECT coalesce(b.typname, t.typname)::text
    FROM unnest((string_to_array(i.indkey::text, ' ')::int[])[1:i.indnkeyatts])
      WITH ORDINALITY k(number, place)
    LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
    LEFT JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype ORDER BY k.place)
FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
JOIN pg_catalog.pg_am m ON m.oid = c.relam
WHERE i.indrelid = ANY(%s) AND NOT i.indisprimary AND i.indisvalid ORDER BY c.relname
"""  # noqa: S608 - constants
_UNLIKE_TEXT = frozenset(
    ("interval", "timetz", "json", "jsonb", "citext", "numrange", "nummultirange", "hstore")
)
"""Types of which equal values may differ as text, as have all arrays, whose names begin with _."""


def indexes(
    session: Session,
    columns: Mapping[int, Mapping[int, str]],
    primary: Mapping[int, tuple[str, ...]],
) -> Mapping[int, tuple[Index, ...]]:
    """Return oid → indexes beside the primary key; `columns` are names by oid and number."""
    found: dict[int, list[Index]] = {}
    rows = session.execute(_INDEXES.encode(), (list(columns),))
    for oid, name, method, unique, partial, numbers, types in rows:
        known = columns[oid]
        has_expression = any(number not in known for number in numbers)
        names = () if has_expression else tuple(known[number] for number in numbers)
        found.setdefault(oid, []).append(
            index(
                names,
                name=name,
                unique=unique,
                method=method,
                is_partial=partial,
                has_expression=has_expression,
                obstacle=_obstacle(names, types),
            )
        )
    return {oid: distinct_indexes(each, primary.get(oid, ())) for oid, each in found.items()}


def _obstacle(columns: Sequence[str], types: Sequence[str]) -> str:
    for column, type_ in zip(columns, types, strict=False):
        if type_ in _UNLIKE_TEXT or type_.startswith("_"):
            return unlike_text(column, type_)
    return ""
