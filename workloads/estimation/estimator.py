"""The protocol of a cardinality estimator."""

from collections.abc import Iterable
from typing import Protocol

from workloads.catalog import Column, Table
from workloads.footprint import ColumnRef, Source


class CardinalityEstimator(Protocol):
    """Estimates for one query: rows are at least one, widths are in bytes."""

    def table(self, source: Source) -> Table:
        """Return the table of `source`."""

    def rows_of_sources(self, block: str, aliases: Iterable[str]) -> float:
        """Return the rows of the join of some relations of a block after their own filters.

        Sources of blocks above may be among them (`workloads.semi_joins.with_sources_above`).
        """

    def groups_of_sources(
        self, block: str, aliases: Iterable[str], columns: Iterable[ColumnRef]
    ) -> float:
        """Return the groups by `columns` of the join of some sources of a block.

        Those of blocks above may be among them, as in `rows_of_sources`.
        """

    def joined_rows(self, block: str) -> float:
        """Return the rows that a block has before grouping, DISTINCT and LIMIT."""

    def rows_of_block(self, name: str) -> float:
        """Return the rows that a block returns."""

    def rows_before_limit(self, name: str) -> float:
        """Return the rows that a block has before LIMIT: those that it sorts."""

    def width(self, block: str, aliases: Iterable[str]) -> float:
        """Return the bytes of a row of the columns that a block needs of some of its sources."""

    def needed_bytes(self, source: Source) -> float:
        """Return the bytes of a row of the columns that are needed of `source`."""

    def columns(self, block: str, aliases: Iterable[str]) -> tuple[Column, ...]:
        """Return the columns that a block needs of some of its sources."""

    def width_of_block(self, name: str) -> float:
        """Return the bytes of a row that a block returns."""

    def columns_of_block(self, name: str) -> tuple[Column, ...]:
        """Return the columns that a block returns; the type of a computed one is not known."""
