"""Compare predicted with measured seconds of the main job's runs, as Markdown and as a plot.

python -m benchmarks.prediction results.json … [--without CANDIDATE …] [--fragments]
    [--plot plot.png]

Takes what `main_job.py` wrote: a row a run, over its candidates' queries that were verified, as
`benchmarks.tables.prediction` has it. `--fragments` prints the q-errors of the seconds of all
fragments that were read instead: from a millisecond on, and from the least that reports compare.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from benchmarks.tables.prediction import pairs, quality
from benchmarks.tables.results import Result
from evaluation.measuring.prediction_quality import LEAST_S, q_error, quantile

TICK_S = 0.001
MARKERS = "os^vDPX*<>hp"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", nargs="+", type=Path)
    parser.add_argument("--without", nargs="+", default=(), metavar="CANDIDATE")
    parser.add_argument("--fragments", action="store_true")
    parser.add_argument("--plot", type=Path, default=None)
    arguments = parser.parse_args()
    runs = [_without(path, arguments.without) for path in arguments.results]
    print(fragments(runs) if arguments.fragments else quality(runs))
    if arguments.plot is not None:
        plot(runs).savefig(arguments.plot, metadata={"Date": None})


def _without(path: Path, candidates: Sequence[str]) -> Result:
    """Return a run without some of its candidates."""
    answer = json.loads(path.read_text(encoding="utf-8"))
    kept = [each for each in answer["candidates"] if each["strategy"] not in candidates]
    return Result(name=path.stem, answer={**answer, "candidates": kept})


def fragments(runs: Sequence[Result]) -> str:
    """A row a run and least seconds: how many fragments reach them, and their q-errors."""
    lines = ["| run | least s | fragments | median | p90 | largest |", "|---|---|---|---|---|---|"]
    for run in runs:
        found = [
            (each["predicted_s"], each["seconds"])
            for candidate in run.answer["candidates"]
            for query in candidate["queries"]
            for each in query["fragments"]
            if each["partitions"] and each["predicted_s"] is not None
        ]
        for least in (TICK_S, LEAST_S):
            reach = [both for both in found if max(both) >= least]
            errors = sorted(q_error(p, m, least=least) for p, m in reach)
            lines.append(
                f"| {run.name} | {least:g} | {len(errors)} | {quantile(errors, 0.5):.2f} "
                f"| {quantile(errors, 0.9):.2f} | {errors[-1]:.1f} |"
            )
    return "\n".join(lines)


def plot(runs: Sequence[Result]) -> Figure:
    """Predicted over measured seconds of each query, a panel a run and a marker a candidate."""
    columns = 2
    rows = -(-len(runs) // columns)
    figure = Figure(figsize=(5.2 * columns, 4.6 * rows), layout="constrained")
    for place, run in enumerate(runs, start=1):
        axes = figure.add_subplot(rows, columns, place)
        for marker, (candidate, both) in zip(MARKERS, pairs(run.answer).items(), strict=False):
            axes.scatter(
                [m for _, m in both],
                [p for p, _ in both],
                s=22,
                marker=marker,
                alpha=0.75,
                label=candidate,
            )
        low, high = 0.02, 100.0
        axes.plot([low, high], [low, high], color="#222", linewidth=1)
        for share in (0.75, 1.25):
            axes.plot([low, high], [low * share, high * share], color="#bbb", linewidth=0.8)
        axes.set(
            xscale="log",
            yscale="log",
            xlim=(low, high),
            ylim=(low, high),
            title=run.name.removeprefix("main_job_"),
            xlabel="measured s",
            ylabel="predicted s",
        )
        axes.legend(fontsize=7, loc="upper left")
    return figure


if __name__ == "__main__":
    main()
