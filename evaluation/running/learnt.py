"""What executions find out of statements, for those that come after."""

from dataclasses import dataclass, field

from evaluation.federation.compiled import CompiledQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """What the executions of a run have found out, whoever runs them.

    Statements whose results were `large`r than predicted are not fetched at once again. `left` has
    what DuckDB was to combine and could not, with its statements, and what it said. `by_spark` has
    the statements, by store, that the store's own driver refused, and why. `second` has the
    statements that fail by an error in the data: the query of whole tables, and the error.
    """

    large: set[tuple[str, ...]] = field(default_factory=set)
    left: dict[tuple[str, ...], str] = field(default_factory=dict)
    by_spark: dict[tuple[str, str], str] = field(default_factory=dict)
    second: dict[tuple[str | None, ...], tuple[CompiledQuery, str]] = field(default_factory=dict)
