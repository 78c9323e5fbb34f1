"""The object store's table I: retrieval and reading, beside the paper's figures and our limits."""

from collections.abc import Mapping, Sequence

from benchmarks.tables.markdown import table, wrapped
from benchmarks.tables.results import Answer, each_alone, read

LOCAL_GIB_S, REMOTE_SHARE = 6.5, 0.885
LOCAL_1000_MS, REMOTE_1000_MS = 1.9, 5.1
LOCAL_10_MS = 0.075
HEADER = ("objects", "local: retrieve", "local: read", "remote: retrieve", "remote: read")
TARGETS = {
    "local_read": f"local read at least {LOCAL_GIB_S:g} GiB/s, or a copy's rate, in every row",
    "remote_read": f"remote read at least {REMOTE_SHARE:g} of local in every row",
    "remote_read_of_the_link": f"remote read at least {REMOTE_SHARE:g} of loopback in every row",
    "local_1000": f"the first row retrieved locally in {LOCAL_1000_MS:g} ms",
    "remote_1000": f"the first row retrieved remotely in {REMOTE_1000_MS:g} ms",
    "local_10": f"the last row retrieved locally in {LOCAL_10_MS:g} ms",
}
"""Figure of the paper → what it asks for."""


def section() -> str:
    return each_alone(read("object_store"), table_i)


def table_i(answer: Answer) -> str:
    """Return a row a size, this machine's limits, and the paper's figures as targets."""
    limits = answer["limits"]
    about = (
        f"Repetitions: {answer['repetitions']}. This machine's limits, of the same run: a copy in "
        f"one thread {limits['memcpy_gib_s']:.1f} GiB/s, the same sum over private memory "
        f"{limits['sum_gib_s']:.1f} GiB/s, a plain socket on loopback "
        f"{limits['loopback_gib_s']:.1f} GiB/s."
    )
    rows = [cells(row) for row in answer["rows"]]
    targets = [
        (target, "met" if answer["met"][name] else "**missed**") for name, target in TARGETS.items()
    ]
    return "\n\n".join(
        [
            table((*HEADER, "remote/local"), rows),
            wrapped(about),
            table(("the paper's figure as a target", "found"), targets, texts=2),
        ]
    )


def cells(row: Answer) -> list[str]:
    """Return the cells of one size."""
    found = [f"{row['objects']:,} x {row['bytes']:,} B"]
    for where in ("local", "remote"):
        found.append(f"{row[where]['retrieve_ms']['median']:.2f} ms")
        found.append(f"{row[where]['read_gib_s']['median']:.2f} GiB/s")
    share = row["remote"]["read_gib_s"]["median"] / row["local"]["read_gib_s"]["median"]
    return [*found, f"{share:.2f}"]


def verdicts(rows: Sequence[Answer], limits: Mapping[str, float]) -> dict[str, bool]:
    """Tell which of the paper's figures are met: of reading, in every row.

    `remote_read_of_the_link` is against what the link allows.
    """
    small, large = rows[0], rows[-1]
    reads = [
        (row["local"]["read_gib_s"]["median"], row["remote"]["read_gib_s"]["median"])
        for row in rows
    ]
    wanted = min(LOCAL_GIB_S, limits["memcpy_gib_s"])
    link = limits["loopback_gib_s"]
    return {
        "local_read": all(local >= wanted for local, _ in reads),
        "remote_read": all(remote >= REMOTE_SHARE * local for local, remote in reads),
        "remote_read_of_the_link": all(remote >= REMOTE_SHARE * link for _, remote in reads),
        "local_1000": small["local"]["retrieve_ms"]["median"] <= LOCAL_1000_MS,
        "remote_1000": small["remote"]["retrieve_ms"]["median"] <= REMOTE_1000_MS,
        "local_10": large["local"]["retrieve_ms"]["median"] <= LOCAL_10_MS,
    }


def conclusion() -> str:
    (result,) = read("object_store")
    met = [result.answer["met"][name] for name in TARGETS]
    return f"The object store meets {sum(met)} of the {len(met)} figures of the paper's table I."
