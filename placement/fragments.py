"""Fragments: what one store can run alone and hand to the engine."""

from dataclasses import dataclass

from placement.stores import Capability


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragment:
    """A part of one query that one store runs alone.

    `kind` is QUERY (the outermost block with all below it), BLOCK (a closed inner block with all
    below it), JOIN (a connected set of sources of one block) or SCAN (one source).
    `sources` are the names of the sources it covers, sorted. Rows and widths are estimates:
    `scan_bytes` and `column_bytes` are what a row store and a column store read, `join_rows` the
    rows that enter joins, `aggregate_rows` those that enter aggregations, sorts and set operations.
    `features` are the SQL features of all blocks it runs (`Block.features`); none for JOIN and SCAN.
    """

    query: str
    kind: Capability
    block: str
    sources: tuple[str, ...]
    tables: frozenset[str]
    scan_bytes: float
    column_bytes: float
    join_rows: float
    aggregate_rows: float
    rows_out: float
    row_bytes_out: float
    features: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """Return a name that is unique in the workload."""
        if self.kind in (Capability.QUERY, Capability.BLOCK):
            return f"{self.query}/{self.block}"
        return f"{self.query}/{'+'.join(self.sources)}"

    @property
    def bytes_out(self) -> float:
        """Estimated bytes handed to the engine."""
        return self.rows_out * self.row_bytes_out
