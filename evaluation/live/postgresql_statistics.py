"""Column statistics from PostgreSQL's ANALYZE, or from a sample if it never ran."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import psycopg

from evaluation.live.sampling import LONGEST_TEXT, Sample, sample_rows, sampled
from evaluation.live.scale import is_number, value
from evaluation.store_protocol.columns import quoted
from evaluation.stores.postgresql.sessions import Session
from workloads.catalog import Column, ColumnStatistics, Value
from workloads.counting.own import MARK
from workloads.measuring.statistics import is_fixed, width_bytes

_SAMPLE_TIMEOUT_MS = 60_000
# Cancelled by a time limit, no privilege, no such object, no connection to another server.
_REFUSED = ("57014", "42501", "42704", "08001")
_SHORT_HEADER_BYTES, _SHORTEST_LONG_BYTES, _LONG_HEADER_BYTES = 1, 128, 4
# Those of a table with all that inherits from it come last, as it is read with them.
_STATISTICS = f"""
SELECT {MARK} c.oid, s.attname, s.null_frac, s.avg_width, s.n_distinct,
       s.most_common_vals::text::text[], s.most_common_freqs, s.histogram_bounds::text::text[],
       s.correlation
FROM pg_catalog.pg_stats s
JOIN pg_catalog.pg_namespace n ON n.nspname = s.schemaname
JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = s.tablename
WHERE c.oid = ANY(%s) ORDER BY s.inherited
"""  # noqa: S608 - constants


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A table as its statistics need it. `types` maps a column to DuckDB's name of its type.

    `row_bytes` is the mean width of a row on disk; `tablesample` whether it may be sampled by
    pages.
    """

    oid: int
    name: str
    types: Mapping[str, str]
    rows: int
    row_bytes: float
    tablesample: bool


def analysed(session: Session, shapes: Sequence[Shape]) -> dict[int, dict[str, Column]]:
    """Return oid → column → what ANALYZE found; nothing where ``pg_stats`` may not be read."""
    tables = {shape.oid: shape for shape in shapes}
    found: dict[int, dict[str, Column]] = {}
    try:
        rows = session.execute(_STATISTICS.encode(), (list(tables),)).fetchall()
    except psycopg.errors.InsufficientPrivilege:
        return {}
    for oid, name, null_share, *values in rows:
        shape = tables[oid]
        if name in shape.types:
            found.setdefault(oid, {})[name] = _column(shape, name, float(null_share), *values)
    return found


def _column(  # noqa: PLR0917 - a row of pg_stats
    shape: Shape,
    name: str,
    null_share: float,
    width: int,
    distinct: float,
    common: Sequence[str] | None,
    frequencies: Sequence[float] | None,
    bounds: Sequence[str] | None,
    correlation: float | None,
) -> Column:
    type_ = shape.types[name]
    frequent = tuple(
        (found, float(share))
        # An array of a type with a separator of its own is not taken apart.
        for text, share in zip(common or (), frequencies or (), strict=False)
        if (found := value(text, type_)) is not None
    )
    histogram = _values(bounds or (), type_)
    scale = [float(v) for v in (*(v for v, _ in frequent), *histogram)] if is_number(type_) else []
    return Column(
        name=name,
        type=type_,
        width_bytes=width_bytes(type_) if is_fixed(type_) else _width(width) * (1 - null_share),
        statistics=ColumnStatistics(
            distinct=round(-distinct * shape.rows if distinct < 0 else distinct),
            null_share=null_share,
            minimum=min(scale, default=None),
            maximum=max(scale, default=None),
            common=frequent,
            histogram=histogram,
            correlation=correlation,
        ),
    )


def _values(texts: Iterable[str], type_: str) -> tuple[Value, ...]:
    return tuple(found for text in texts if (found := value(text, type_)) is not None)


def _width(bytes_: int) -> int:
    """Return the width of a value without PostgreSQL's header of one."""
    header = _SHORT_HEADER_BYTES if bytes_ < _SHORTEST_LONG_BYTES else _LONG_HEADER_BYTES
    return max(0, bytes_ - header)


def never_analysed(session: Session, shapes: Sequence[Shape]) -> dict[int, dict[str, Column]]:
    """Return oid → column → what a sample of the table says.

    Raises:
        CatalogError: DuckDB cannot measure a sample.
    """
    samples = {shape.oid: _sample(session, shape) for shape in shapes if shape.types}
    found = sampled([sample for sample in samples.values() if sample is not None])
    return {oid: found[each.table] for oid, each in samples.items() if each is not None}


def is_refused(error: psycopg.Error) -> bool:
    """Tell whether a table may not be read, or not in time; a foreign one, where it really is."""
    code = error.sqlstate or ""
    # HV: foreign data wrappers. Where the account has no user mapping it is an undefined object.
    return code.startswith("HV") or code in _REFUSED


def _sample(session: Session, shape: Shape) -> Sample | None:
    """Return some rows; None where the table may not be read, or not in time."""
    wanted = sample_rows(shape.row_bytes)
    columns = ", ".join(_text(name, type_) for name, type_ in shape.types.items())
    share = 100.0 * min(1.0, 1.1 * wanted / max(1, shape.rows))
    by_page = shape.tablesample and wanted < shape.rows
    pages = f" TABLESAMPLE SYSTEM ({share:.6f})" if by_page else ""
    query = f"SELECT {MARK} {columns} FROM {shape.name}{pages} LIMIT {wanted}"  # noqa: S608
    try:
        with session.transaction():
            session.execute(f"SET LOCAL statement_timeout = {_SAMPLE_TIMEOUT_MS}".encode())
            rows = session.execute(query.encode()).fetchall()
    except psycopg.Error as error:
        if not is_refused(error):
            raise
        return None
    return Sample(table=shape.name, types=shape.types, rows=rows, total_rows=shape.rows)


def _text(name: str, type_: str) -> str:
    if type_ == "BLOB":
        return f"encode(substr({quoted(name)}, 1, {LONGEST_TEXT}), 'hex')"
    return f"left({quoted(name)}::text, {LONGEST_TEXT})"
