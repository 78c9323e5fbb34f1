"""PostgreSQL's `work_mem` on a fast and on a slow disk, measured and modelled."""

from statistics import median

from benchmarks.tables.markdown import UNKNOWN, Cells, table
from benchmarks.tables.results import Answer, each_alone, read
from placement.memory.choice import told_bytes

MEGABYTE = 1e6


def section() -> str:
    return each_alone(read("slow_disk_joins"), sweeps)


def sweeps(answer: Answer) -> str:
    """Return a row a setting and disk, and below it what the model recommends."""
    header: Cells = ("disk", "setting", "s", "CPU s", "model's CPU s", "model's I/O s")
    header = (*header, "spilled MB", "model's MB", "model's batches")
    rows = [
        (
            each["disk"],
            told_bytes(each["bytes"]),
            f"{median(each['undisturbed_s']):.2f}" if each["undisturbed_s"] else UNKNOWN,
            f"{median(each['cpu_s']):.2f}" if each["cpu_s"] else UNKNOWN,
            f"{each['modelled_cpu_s']:.2f}",
            f"{each['modelled_io_s']:.2f}",
            UNKNOWN if each["spilled_bytes"] is None else _megabytes(each["spilled_bytes"]),
            _megabytes(each["modelled_spilled_bytes"]),
            str(each["modelled_batches"]),
        )
        for each in answer["points"]
    ]
    told = "\n".join(
        f"- {each['disk']}: {told_bytes(each['recommended_bytes'])} is recommended, "
        f"{told_bytes(each['best_bytes'])} is best; the recommended one takes "
        f"{each['recommended_times_best']:.2f} times its seconds."
        for each in answer["recommended"]
    )
    return f"{table(header, rows)}\n\n{told}"


def _megabytes(size: float) -> str:
    return f"{size / MEGABYTE:,.0f}"
