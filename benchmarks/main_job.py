"""Measure the main job and print its figures as Markdown.

python -m benchmarks.main_job [PROJECT] [--scale-factor SF] [--repeats N] [--calibrated-at SF]
    [--all-repeats] [--clients LIST] [--strategies LIST] [-o results.json]

Runs ``advisor run PROJECT --json`` as a user would, for the demo's project unless another is named,
on warm caches if an earlier run left them, and keeps its answer as JSON. With `--calibrated-at` the
project's stores are calibrated first, on TPC-H at that scale factor. Otherwise its rates are those
that are there: of its newest calibration, or the default ones. With `--all-repeats` the seconds of
every candidate are medians of N rounds, so that predictions are not compared with first runs.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.provenance import provenance
from benchmarks.tables.main_job import run

CONF = Path(__file__).parents[1] / "conf"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("project", nargs="?", type=Path, default=CONF / "demo.toml")
    parser.add_argument("--scale-factor", type=float, default=0.1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--calibrated-at", type=float, default=None)
    parser.add_argument("--all-repeats", action="store_true")
    parser.add_argument("--clients", default=None)
    parser.add_argument("--strategies", default=None)
    parser.add_argument("-o", "--output", type=Path, default=None)
    arguments = parser.parse_args()
    before = os.getloadavg()[0]
    advisor, project = (sys.executable, "-m", "advisor"), str(arguments.project)
    if arguments.calibrated_at is not None:
        at = f"{arguments.calibrated_at:g}"
        subprocess.run(
            [*advisor, "calibrate", project, "--scale-factor", at], stdout=sys.stderr, check=True
        )
    started = time.perf_counter()
    wanted = {"--clients": arguments.clients, "--strategies": arguments.strategies}
    done = subprocess.run(
        [
            *(*advisor, "run", project, "--json"),
            *("--scale-factor", f"{arguments.scale_factor:g}"),
            *("--repeats", str(arguments.repeats), "--no-quick-rates"),
            *(("--all-repeats",) if arguments.all_repeats else ()),
            *(word for name, given in wanted.items() if given for word in (name, given)),
        ],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    answer = json.loads(done.stdout)
    answer["calibrated_at_scale_factor"] = arguments.calibrated_at
    for ours in ("report", "tracking_run"):
        del answer[ours]
    answer["wall_s"] = time.perf_counter() - started
    answer |= provenance("benchmarks.main_job", before)
    name = f"main_job_{arguments.project.stem}_sf{arguments.scale_factor:g}.json"
    default = Path(__file__).parent / "results" / name
    output = arguments.output or default
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    print(run(answer))


if __name__ == "__main__":
    main()
