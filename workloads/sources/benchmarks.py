"""The benchmarks that a workload and a catalog can be taken from, by name."""

from collections.abc import Mapping

from workloads.benchmark import Benchmark
from workloads.tpcds import TPCDS
from workloads.tpch import TPCH

BENCHMARKS: Mapping[str, Benchmark] = {benchmark.name: benchmark for benchmark in (TPCDS, TPCH)}
