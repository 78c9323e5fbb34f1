"""Calibrations made without measuring, and their text."""

import io
from dataclasses import replace

from rich.console import Console

from advisor.problem.calibrations import calibration_of, calibrations_folder, target
from advisor.report.text.calibration_text import calibration_text
from evaluation.calibration.calibration import (
    Calibration,
    LeftOut,
    StoreCalibration,
    write_calibration,
)
from evaluation.calibration.rates import Errors, Rate
from evaluation.measuring.machine import Machine

ERRORS = Errors(number=40, median=0.18, p90=0.5, bias=0.02)


def rate(value, seen=0.2):
    return Rate(value=value, low=0.9 * value, high=1.1 * value, seen=seen)


def of_stores(stores, **changes):
    """Return a calibration of `stores` by name, in which nothing else was measured."""
    found = Calibration(
        started_at="2026-01-02T03:04:05+00:00",
        seconds=200.0,
        scale_factor=0.2,
        repeats=2,
        seed=0,
        fetch_size=10_000,
        machine=Machine(cores=2, memory_bytes=8, system="Linux", load_average=(0.1, 2.0)),
        versions={},
        stores=stores,
        engine={},
        engine_errors=None,
        observed=50,
        combiner="duckdb",
    )
    return replace(found, **changes)


def calibration(project, **changes):
    """Return a calibration of the first store and of the engine, with one query left out."""
    store = project.stores[0]
    stores = {
        store.name: StoreCalibration(
            kind=store.kind,
            target=target(store),
            rates={"start_s": rate(0.011), "scan_bytes_per_s": rate(2e9)},
            errors=ERRORS,
            load_bytes_per_s=33e6,
        )
    }
    found = of_stores(
        stores,
        versions={"pyspark": "4"},
        engine={"start_s": rate(0.4), "rows_per_s": rate(1e6, seen=0.0)},
        engine_errors=replace(ERRORS, median=0.3),
        observed=120,
        left_out=(
            LeftOut(placement="single_store:pg", query="q9", outcome="timeout", message="late"),
        ),
    )
    return replace(found, **changes)


def quick(project, **changes):
    """Return a quick calibration of the first store: no errors, and no bounds."""
    found = calibration(project, quick=True, engine_errors=None, left_out=())
    bare = {
        name: replace(
            each,
            errors=None,
            load_bytes_per_s=None,
            rates={n: replace(r, low=None, high=None) for n, r in each.rates.items()},
        )
        for name, each in found.stores.items()
    }
    return replace(found, stores=bare, **changes)


def kept(project, *calibrations):
    """Write calibrations into a project's folder; return the one that counts."""
    for each in calibrations:
        write_calibration(each, calibrations_folder(project))
    return calibration_of(project)


def shown(found, before=None):
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(calibration_text(found, before))
    return console.export_text()
