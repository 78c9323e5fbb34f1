"""The metrics, parameters and data set that a candidate is recorded with."""

import dataclasses

from evaluation.tracking.dataset import dataset_of
from evaluation.tracking.records import candidate_record, parent_record
from evaluation.tracking.track import Description
from placement.transfer.link import TransferSettings
from tests.catalogs import shop
from tests.unit.advisor import measurements as made
from workloads.indexes import NamedIndex


def test_other_contents_have_another_digest():
    catalog = shop()
    name, table = next(iter(catalog.tables.items()))
    changed = dataclasses.replace(table, fingerprint="another")
    other = dataclasses.replace(catalog, tables={**catalog.tables, name: changed})
    assert dataset_of(other).digest != dataset_of(catalog).digest


def test_what_the_engine_does_not_tell_is_no_metric_and_zero_is_one():
    silent, counting = made.candidate("naive", (3.0,)), made.candidate("optimal", (3.0,))
    query = dataclasses.replace(
        silent.queries[0],
        exchanges=None,
        shuffle_bytes=None,
        shuffle_records=None,
        spilled_bytes=None,
        peak_memory_bytes=None,
        engine_s=None,
    )
    silent = dataclasses.replace(silent, queries=(query,))
    counting = dataclasses.replace(
        counting, queries=(query, *(dataclasses.replace(counting.queries[1], exchanges=0),))
    )
    measured = made.measurements([silent, counting])
    told = {
        "exchanges", "shuffle_bytes", "shuffle_records", "spilled_bytes", "peak_memory_bytes",
        "engine_s",
    }  # fmt: skip
    assert told.isdisjoint(candidate_record(silent, measured, Description()).metrics)
    metrics = candidate_record(counting, measured, Description()).metrics
    assert metrics["exchanges"] == 0
    assert metrics["shuffle_records"] == 12_000
    assert "spilled_bytes" not in metrics


def test_the_fetch_size_is_a_parameter_unless_the_engine_has_its_own():
    candidate = made.candidate("naive", (3.0,))
    spark = dataclasses.replace(made.measurements([candidate]), fetch_size=10_000)
    trino = dataclasses.replace(spark, engine="trino", fetch_size=None)
    assert parent_record(spark, Description()).params["fetch_size"] == "10000"
    assert "fetch_size" not in parent_record(trino, Description()).params
    assert candidate_record(candidate, spark, Description()).params["fetch_size"] == "10000"


def test_chosen_indexes_are_a_parameter():
    plain = made.candidate("naive", (3.0,))
    measured = made.measurements([plain])
    assert "indexes" not in candidate_record(plain, measured, Description()).params
    indexes = {"maria": (NamedIndex("t", ("c",)), NamedIndex("t", ("d", "e")))}
    chosen = dataclasses.replace(plain, plan=dataclasses.replace(plain.plan, indexes=indexes))
    params = candidate_record(chosen, measured, Description()).params
    assert params["indexes"] == "maria: t (c), t (d, e)"


def test_settings_that_results_have_of_their_own_are_a_parameter_as_tune_reads_them():
    plain = made.candidate("naive", (3.0,))
    measured = made.measurements([plain])
    assert "transfers" not in candidate_record(plain, measured, Description()).params
    query, (first, *others) = next(iter(plain.plan.routing.items()))
    transfer = TransferSettings(fetch_rows=77, message_bytes=4_096)
    routing = {
        **plain.plan.routing,
        query: (dataclasses.replace(first, transfer=transfer), *others),
    }
    tuned = dataclasses.replace(plain, plan=dataclasses.replace(plain.plan, routing=routing))
    params = candidate_record(tuned, measured, Description()).params
    assert params["transfers"] == f"{first.fragment.name}=77:4096"
