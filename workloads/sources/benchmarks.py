"""The benchmarks that a workload and a catalog can be taken from, by name."""

from collections.abc import Mapping

from workloads.benchmarks.benchmark import Benchmark
from workloads.benchmarks.tpcds import TPCDS
from workloads.benchmarks.tpch import TPCH

BENCHMARKS: Mapping[str, Benchmark] = {benchmark.name: benchmark for benchmark in (TPCDS, TPCH)}
