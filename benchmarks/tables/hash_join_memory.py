"""The memory of a large hash join and of TPC-H's query 8 in three stores: recommended and best."""

from benchmarks.tables.markdown import table
from benchmarks.tables.results import Answer, each_alone, read
from placement.memory.choice import told_bytes


def section() -> str:
    return each_alone(read("hash_join_memory"), recommended)


def recommended(answer: Answer) -> str:
    """Return a row a store and join; a setting's seconds are CPU seconds."""
    header = ("store", "setting", "join", "recommended", "best", "times best", "times 64 MB")
    rows = [
        (
            each["store"],
            each["setting"],
            each["join"],
            told_bytes(each["recommended_bytes"]),
            told_bytes(each["best_bytes"]),
            f"{each['recommended_times_best']:.2f}",
            f"{each['of_64_mib']:.2f}",
        )
        for each in answer["recommended"]
    ]
    return table(header, rows, texts=3)
