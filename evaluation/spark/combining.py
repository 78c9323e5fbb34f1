"""Who combines the fragments of a query: DuckDB in the driver where they are small, or Spark.

DuckDB begins at once what Spark plans, compiles and deals out to tasks first. Its rows have to
come to the driver, and one machine joins them: a cluster has more.
"""

from typing import Literal

from evaluation.federation.compiled import Combiner, CompiledQuery
from evaluation.spark.joins import JoinStrategy
from evaluation.spark.planned_once import MOST_BYTES
from evaluation.spark.settings import is_local

Combine = Literal["automatic", "spark"]
"""Whether small queries may be combined in the driver, or whatever Spark can combine is Spark's."""


def combiner_of_small(combine: Combine, joins: JoinStrategy, master: str) -> Combiner:
    """Return who combines the fragments of small queries.

    A strategy of joins is one of Spark's, and whoever has a cluster as `master` means to use it.
    """
    in_driver = combine == "automatic" and joins == "automatic" and is_local(master)
    return "duckdb" if in_driver else "spark"


def combined(query: CompiledQuery, of_small: Combiner) -> CompiledQuery:
    """Return a query as it is combined, where `of_small` combines small ones."""
    if of_small == "spark" or not query.driver_sql or query.bytes_in > MOST_BYTES:
        return query
    return query.in_driver()
