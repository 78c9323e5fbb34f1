"""Results of experiments for tests, made up query by query."""

from advisor.experiments.cells import Cell, Setting
from advisor.experiments.results import Result
from evaluation.measuring.machine import Machine
from evaluation.measuring.measurement import Moved, QueryMeasurement, QueryOutcome

P1, P2 = "paper_partition_1", "paper_partition_2"


def cell(placement=P1, query="q1", engine="fragments", **setting):
    return Cell(setting=Setting(engine=engine, **setting), placement=placement, query=query)


def result(of, seconds=1.0, *, rows=10, message="", outcome=QueryOutcome.VERIFIED, **figures):
    """Return a result of a cell; without `seconds` its query failed."""
    return Result(
        cell=of,
        digest="d",
        measurement=QueryMeasurement(
            query=of.query,
            executions=1.0,
            outcome=outcome if seconds is not None else QueryOutcome.FAILED,
            seconds=() if seconds is None else (seconds,),
            moved={"pg": Moved(rows=rows, bytes=10 * rows)},
            message=message,
            **figures,
        ),
        predicted_s=0.5,
        machine=Machine(cores=2, memory_bytes=1 << 34, system="Linux", load_average=(0.5, 0.6)),
        versions={"pyspark": "4.3.0"},
        started_at="2026-01-01T00:00:00+00:00",
        command="advisor experiments shop.toml",
        commit="abc",
    )
