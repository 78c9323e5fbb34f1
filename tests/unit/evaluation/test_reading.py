"""The order in which fragments are read that need keys of others."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from evaluation.federation.compiled import CompiledFragment, CompiledQuery
from evaluation.federation.keys import KeyFilter, KeySource
from evaluation.running.federated_query import Reading
from evaluation.running.restricting import LoadedKeys
from placement.fragment import Coverage, EstimatedWork, Fragment
from placement.stores import Capability


def fragment(number, keys_of):
    source = KeySource(view=f"fragment_{keys_of}", column="k", store="pg")
    return CompiledFragment(
        view=f"fragment_{number}",
        store="pg",
        sql="SELECT 1",
        rows="SELECT 1",
        columns=("k",),
        keys=(KeyFilter(column="k", quoted='"k"', source=source),),
        fragment=Fragment(
            coverage=Coverage(
                query="q",
                kind=Capability.SCAN,
                block="b0",
                sources=(f"b0.t{number}",),
                tables=frozenset({"t"}),
            ),
            work=EstimatedWork(
                scan_bytes=1.0,
                column_bytes=1.0,
                join_rows=0.0,
                aggregate_rows=0.0,
                rows_out=1.0,
                row_bytes_out=8.0,
            ),
        ),
    )


def test_fragments_that_wait_for_one_another_are_an_error_and_no_wait():
    with ThreadPoolExecutor(1) as pool, ExitStack() as left:
        reading = Reading(
            spark=None,
            relations=None,
            as_predicted=True,
            join_strategy="automatic",
            pool=pool,
            patience_s=1.0,
            left=left,
            key_tables=LoadedKeys(connections={}, run="r"),
        )
        query = CompiledQuery(
            query="q", fragments=(fragment(0, 1), fragment(1, 0)), combine_sql="SELECT 1"
        )
        with pytest.raises(RuntimeError, match="fragment_0, fragment_1"):
            reading.frame(query)
