"""TPC-H as DuckDB generates it."""

from workloads.benchmarks.benchmark import Benchmark
from workloads.benchmarks.generator import TPCH as GENERATOR
from workloads.catalog import ForeignKey

TPCH = Benchmark(
    generator=GENERATOR,
    last_query=22,
    keys={
        "customer": ("c_custkey",), "lineitem": ("l_orderkey", "l_linenumber"),
        "nation": ("n_nationkey",), "orders": ("o_orderkey",), "part": ("p_partkey",),
        "partsupp": ("ps_partkey", "ps_suppkey"), "region": ("r_regionkey",),
        "supplier": ("s_suppkey",),
    },
    references={
        "_custkey": ("customer", "c_custkey"), "_nationkey": ("nation", "n_nationkey"),
        "_orderkey": ("orders", "o_orderkey"), "_partkey": ("part", "p_partkey"),
        "_regionkey": ("region", "r_regionkey"), "_suppkey": ("supplier", "s_suppkey"),
    },
    composite_keys={
        "lineitem": ForeignKey(
            columns=("l_partkey", "l_suppkey"),
            table="partsupp",
            references=("ps_partkey", "ps_suppkey"),
        ),
    },
    rows={
        "customer": 150_000, "lineitem": 6_001_215, "nation": 25, "orders": 1_500_000,
        "part": 200_000, "partsupp": 800_000, "region": 5, "supplier": 10_000,
    },
    disk_bytes=650_000_000,
)  # fmt: skip
"""Keys as in the TPC-H specification 3.0.1 (section 1.4), rows at scale factor 1 (4.2.5)."""

queries = TPCH.queries
generate = TPCH.generate
