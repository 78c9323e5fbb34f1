"""Measure the main job and print its figures as Markdown.

python benchmarks/main_job.py [PROJECT] [--scale-factor SF] [--repeats N] [-o results.json]

Runs ``advisor run PROJECT --json`` as a user would, for the demo's project unless another is named,
on warm caches if an earlier run left them, and keeps its answer as JSON.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

CONF = Path(__file__).parents[1] / "conf"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("project", nargs="?", type=Path, default=CONF / "demo.toml")
    parser.add_argument("--scale-factor", type=float, default=0.1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("-o", "--output", type=Path, default=None)
    arguments = parser.parse_args()
    before, started = os.getloadavg()[0], time.perf_counter()
    done = subprocess.run(
        [
            *(sys.executable, "-m", "advisor", "run", str(arguments.project), "--json"),
            *("--scale-factor", f"{arguments.scale_factor:g}"),
            *("--repeats", str(arguments.repeats)),
        ],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    answer = json.loads(done.stdout)
    for ours in ("report", "tracking_run"):
        del answer[ours]
    answer["wall_s"] = time.perf_counter() - started
    answer["machine"] = {
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "load_average": [before, os.getloadavg()[0]],
    }
    name = f"main_job_{arguments.project.stem}_sf{arguments.scale_factor:g}.json"
    default = Path(__file__).parent / "results" / name
    output = arguments.output or default
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    print(markdown(answer))


def markdown(answer: dict) -> str:
    """The ranking and the timing split."""
    lines = [
        "| # | candidate | limits | predicted s | measured s | spread s | verified | rows moved |",
        "|---|---|---|---|---|---|---|---|",
    ]
    ranked = sorted(answer["candidates"], key=lambda each: each["measured_s"] or float("inf"))
    for rank, each in enumerate(ranked, start=1):
        right = sum(query["outcome"] == "verified" for query in each["queries"])
        moved = sum(query["rows_moved"] for query in each["queries"])
        measured, spread = each["measured_s"], each["spread_s"]
        lines.append(
            f"| {rank} | {each['strategy']} | {'kept' if each['feasible'] else 'broken'} "
            f"| {each['predicted_s']:.2f} | {'-' if measured is None else f'{measured:.2f}'} "
            f"| {'-' if spread is None else f'{spread:.2f}'} "
            f"| {right}/{len(each['queries'])} | {moved:,} |"
        )
    stages = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in answer["seconds"].items())
    machine = answer["machine"]
    before, after = machine["load_average"]
    lines += [
        "",
        f"{answer['recommendation']}",
        "",
        (
            f"Stages: {stages}; {answer['wall_s']:.0f} s in all. {machine['cores']} cores, "
            f"{machine['system']}; load average {before:.1f} before, {after:.1f} after."
        ),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
