"""Measure the main job and print its figures as Markdown.

python -m benchmarks.main_job [PROJECT] [--scale-factor SF] [--repeats N] [-o results.json]

Runs ``advisor run PROJECT --json`` as a user would, for the demo's project unless another is named,
on warm caches if an earlier run left them, and keeps its answer as JSON.
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
    parser.add_argument("-o", "--output", type=Path, default=None)
    arguments = parser.parse_args()
    before, started = os.getloadavg()[0], time.perf_counter()
    done = subprocess.run(
        [
            *(sys.executable, "-m", "advisor", "run", str(arguments.project), "--json"),
            *("--scale-factor", f"{arguments.scale_factor:g}"),
            *("--repeats", str(arguments.repeats), "--no-quick-rates"),
        ],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    answer = json.loads(done.stdout)
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
