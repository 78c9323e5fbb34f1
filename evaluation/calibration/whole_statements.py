"""A statement of a calibration as one store runs it whole, and nothing is known of its work."""

from evaluation.federation.compile import Compiler
from evaluation.federation.compiled import CompiledFragment
from placement.fragment import Coverage, EstimatedWork, Fragment
from placement.plan import RoutedFragment
from placement.stores import Capability


def whole_statement(
    compiler: Compiler, query: str, table: str, store: str, *, row_bytes: float
) -> CompiledFragment:
    """Return the fragment of `query`, which reads `table` alone; `row_bytes` has a row of it."""
    fragment = Fragment(
        coverage=Coverage(
            query=query,
            kind=Capability.QUERY,
            block="b0",
            sources=(table,),
            tables=frozenset({table}),
        ),
        work=EstimatedWork(
            scan_bytes=0.0,
            column_bytes=0.0,
            join_rows=0.0,
            aggregate_rows=0.0,
            rows_out=1.0,
            row_bytes_out=row_bytes,
        ),
    )
    routed = RoutedFragment(fragment=fragment, store=store, predicted_s=0.0)
    return compiler.compile(query, [routed]).fragments[0]
