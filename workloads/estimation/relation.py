"""A relation in a join: a table or the result of a block, with its filters."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from workloads.catalog import Column
from workloads.estimation.selectivity import Combine, independent

JoinKind = Literal["inner", "left", "full", "semi", "anti"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A source or an input of a block, before it is joined.

    `rows` are those before its filters, `shares` what each filter keeps and `combine` makes of
    them. `columns` are by lower-case name. `key` holds the primary key, and `key_width` says how
    many columns make a row unique where their names are not known. `combined` tells the distinct
    values of several columns together, where that is known. `derived` is set for the result of a
    block: its columns depend on each other, as it was made for this join. `kind` says how it is
    joined to the relations in `after`, which then come before it. `matching_share` is the share of
    its rows that the condition of a left join which preserves them lets match.
    """

    alias: str
    rows: float
    columns: Mapping[str, Column]
    shares: tuple[float, ...] = ()
    combine: Combine = independent
    key: frozenset[str] = frozenset()
    key_width: int | None = None
    derived: bool = False
    combined: Callable[[frozenset[str]], float | None] | None = None
    kind: JoinKind = "inner"
    after: frozenset[str] = frozenset()
    matching_share: float = 1.0

    @property
    def filtered_rows(self) -> float:
        """Rows after its filters."""
        return self.rows * self.combine(self.shares)

    def is_key(self, columns: frozenset[str]) -> bool:
        """Whether these columns make a row unique."""
        if self.key_width is not None:
            return len(columns) >= self.key_width
        return bool(self.key) and self.key <= columns

    def together(
        self, columns: frozenset[str], distinct: Sequence[float], *, refers: bool
    ) -> float:
        """Return the distinct values of columns together, given those of each.

        `refers` says that a key is on one side of their join: they are then at most the rows.
        """
        if self.is_key(columns):
            return self.rows
        known = None
        if self.combined is not None and len(columns) > 1:
            known = self.combined(columns)
        if known is not None:
            return min(known, self.rows)
        return min(math.prod(distinct), self.rows) if refers else math.prod(distinct)

    def share_within(self, part: float) -> float:
        """Share that the filters keep of the `part` (0..1) of the rows that is referred to.

        A filter that keeps fewer rows than that part is taken to select inside of it: sales refer
        to five of date_dim's two hundred years, and a query asks for one of the five. One that
        keeps more, such as one month of every year, keeps its share.
        """
        return self.combine([s / part if s <= part else s for s in self.shares])
