"""Compare predicted with measured seconds of the main job's runs, as Markdown and as a plot.

python benchmarks/prediction.py results.json … [--without CANDIDATE …] [--fragments]
    [--plot plot.png]

Takes what `main_job.py` wrote: a row a run, over its candidates' queries that were verified. The
relative error of a query of a candidate is the distance between its predicted and its measured
seconds, in measured seconds. `best` is how much longer than the fastest candidate the one took
that was predicted to be the fastest, of all and of those within the capacities.

`--fragments` prints the q-errors of the seconds of all fragments that were read instead: from a
millisecond on, and from the least seconds that reports compare.
"""

import argparse
import json
from pathlib import Path
from statistics import median, quantiles

from matplotlib.figure import Figure

from evaluation.measuring.prediction_quality import LEAST_S, kendall_tau_b, q_error, quantile

TICK_S = 0.001
MARKERS = "os^vDPX*<>hp"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", nargs="+", type=Path)
    parser.add_argument("--without", nargs="+", default=(), metavar="CANDIDATE")
    parser.add_argument("--fragments", action="store_true")
    parser.add_argument("--plot", type=Path, default=None)
    arguments = parser.parse_args()
    runs = {
        path.stem.removeprefix("main_job_"): json.loads(path.read_text(encoding="utf-8"))
        for path in arguments.results
    }
    for run in runs.values():
        run["candidates"] = [
            each for each in run["candidates"] if each["strategy"] not in arguments.without
        ]
    print(fragments_markdown(runs) if arguments.fragments else markdown(runs))
    if arguments.plot is not None:
        plot(runs).savefig(arguments.plot, metadata={"Date": None})


def pairs(run: dict) -> dict[str, list[tuple[float, float]]]:
    """Candidate → predicted and measured seconds of each verified query."""
    return {
        each["strategy"]: [
            (query["predicted_s"], query["measured_s"])
            for query in each["queries"]
            if query["outcome"] == "verified"
        ]
        for each in run["candidates"]
    }


def best(run: dict, *, feasible: bool) -> str:
    """How much longer the predicted best takes than the measured best, as a share."""
    known = [
        each
        for each in run["candidates"]
        if each["measured_s"] and (each["feasible"] or not feasible)
    ]
    chosen = min(known, key=lambda each: each["predicted_s"])
    fastest = min(known, key=lambda each: each["measured_s"])
    return f"{chosen['measured_s'] / fastest['measured_s'] - 1:.0%} ({chosen['strategy']})"


def markdown(runs: dict[str, dict]) -> str:
    """A row a run."""
    lines = [
        (
            "| run | queries of candidates | median relative error | quartiles | Kendall's tau-b "
            "| best of all | best that is feasible |"
        ),
        "|---|---|---|---|---|---|---|",
    ]
    for name, run in runs.items():
        errors = [abs(p - m) / m for both in pairs(run).values() for p, m in both]
        first, _, third = quantiles(errors)
        known = [each for each in run["candidates"] if each["measured_s"]]
        tau = kendall_tau_b(
            [each["predicted_s"] for each in known], [each["measured_s"] for each in known]
        )
        lines.append(
            f"| {name} | {len(errors)} | {median(errors):.0%} "
            f"| {first:.0%} to {third:.0%} | {'-' if tau is None else f'{tau:.2f}'} "
            f"| {best(run, feasible=False)} | {best(run, feasible=True)} |"
        )
    return "\n".join(lines)


def fragments_markdown(runs: dict[str, dict]) -> str:
    """A row a run and least seconds: how many fragments reach them, and their q-errors."""
    lines = ["| run | least s | fragments | median | p90 | largest |", "|---|---|---|---|---|---|"]
    for name, run in runs.items():
        found = [
            (each["predicted_s"], each["seconds"])
            for candidate in run["candidates"]
            for query in candidate["queries"]
            for each in query["fragments"]
            if each["partitions"] and each["predicted_s"] is not None
        ]
        for least in (TICK_S, LEAST_S):
            reach = [both for both in found if max(both) >= least]
            errors = sorted(q_error(p, m, least=least) for p, m in reach)
            lines.append(
                f"| {name} | {least:g} | {len(errors)} | {quantile(errors, 0.5):.2f} "
                f"| {quantile(errors, 0.9):.2f} | {errors[-1]:.1f} |"
            )
    return "\n".join(lines)


def plot(runs: dict[str, dict]) -> Figure:
    """Predicted over measured seconds of each query, a panel a run and a marker a candidate."""
    columns = 2
    rows = -(-len(runs) // columns)
    figure = Figure(figsize=(5.2 * columns, 4.6 * rows), layout="constrained")
    for place, (name, run) in enumerate(runs.items(), start=1):
        axes = figure.add_subplot(rows, columns, place)
        for marker, (candidate, both) in zip(MARKERS, pairs(run).items(), strict=False):
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
            title=name,
            xlabel="measured s",
            ylabel="predicted s",
        )
        axes.legend(fontsize=7, loc="upper left")
    return figure


if __name__ == "__main__":
    main()
