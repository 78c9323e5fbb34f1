"""Facts of statements that executions find out, for those that come after."""

from dataclasses import dataclass, field

from evaluation.federation.compiled import CompiledQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """Facts that the executions of a run have found out, shared by its clients.

    `large` has the statements of queries some of whose results were larger than predicted: they are
    not fetched at once again. `left` maps what DuckDB was to combine and could not, with its
    statements, to its error. `by_spark` maps a store and a statement that its own driver refused to
    the reason. `second` maps the statements of a query that fails by an error in the data to the
    query of whole tables, and the error.
    """

    large: set[tuple[str, ...]] = field(default_factory=set)
    left: dict[tuple[str, ...], str] = field(default_factory=dict)
    by_spark: dict[tuple[str, str], str] = field(default_factory=dict)
    second: dict[tuple[str | None, ...], tuple[CompiledQuery, str]] = field(default_factory=dict)
