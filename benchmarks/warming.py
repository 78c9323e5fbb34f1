"""Measure how much longer an engine's first statements take than those of a warm one.

python -m benchmarks.warming [conf/paper.toml] [--seconds 60] [-o results.json]

Calibrates the project's stores quickly, but for so many seconds of statements, and fits
`1 + cold * exp(-runs / by)` to what the runs of each statement took, relative to its last ones:
over all statements, over those that do next to nothing, and over those that join several stores.
The project has a folder of its own below the cache, which is removed. It needs an idle machine.
"""

import argparse
import json
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median

import numpy as np
from scipy.optimize import least_squares

from advisor.analysis.analyze import analyze
from advisor.measuring.open_stores import opening
from advisor.measuring.quick_calibration import quick_calibration
from advisor.project.config import load_project
from advisor.report.progress import progress_to
from benchmarks.provenance import provenance
from evaluation.calibration.quick_probes import START
from evaluation.calibration.warming import EngineRun, EngineRuns
from workloads.cache import remove

CONF = Path(__file__).parents[1] / "conf"
LAST = 3
"""Runs of a statement whose median is taken for what it takes in a warm engine."""
KINDS: Mapping[str, Callable[[EngineRun], bool]] = {
    "all": lambda _: True,
    "start": lambda run: run.query == START,
    "crossing": lambda run: run.candidate.startswith("crossing"),
}


def main() -> None:
    arguments = _arguments()
    before = os.getloadavg()[0]
    runs = _runs(arguments.project, arguments.seconds)
    answer = {
        **provenance("benchmarks.warming", before),
        "seconds": arguments.seconds,
        "statements": runs.count,
        "fits": {
            kind: _fit([each for each in runs.later if of(each)]) for kind, of in KINDS.items()
        },
        "runs": [[each.candidate, each.query, each.before, each.seconds] for each in runs.later],
    }
    arguments.output.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    print(json.dumps(answer["fits"], indent=1))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("project", nargs="?", type=Path, default=CONF / "paper.toml")
    parser.add_argument("--seconds", type=float, default=60.0)
    default = Path(__file__).parent / "results" / "warming.json"
    parser.add_argument("-o", "--output", type=Path, default=default)
    return parser.parse_args()


def _runs(project_file: Path, seconds: float) -> EngineRuns:
    runs = EngineRuns()
    with tempfile.TemporaryDirectory() as name, progress_to(None) as progress:
        project = load_project(Path(shutil.copy(project_file, name)))
        try:
            analysis = analyze(project, progress, needs_data=True)
            with opening(project, progress) as opened:
                quick_calibration(
                    project, analysis.catalog, opened, progress, seconds=seconds, runs=runs
                )
        finally:
            remove(project.folder)
    return runs


def _fit(runs: Sequence[EngineRun]) -> Mapping[str, float]:
    """Fit how much slower runs are than the last ones of their statements."""
    seconds = defaultdict[tuple[str, str], list[float]](list)
    for each in runs:
        seconds[each.candidate, each.query].append(each.seconds)
    warm = {name: median(every[-LAST:]) for name, every in seconds.items()}
    before = np.array([each.before for each in runs])
    slower = np.log([each.seconds / warm[each.candidate, each.query] for each in runs])

    def residuals(logarithms: np.ndarray) -> np.ndarray:
        cold, by = np.exp(logarithms)
        return np.log1p(cold * np.exp(-before / by)) - slower

    found = least_squares(residuals, np.log([1.0, 50.0]), loss="soft_l1")
    cold, by = np.exp(found.x)
    return {"cold": cold, "by": by, "spread": float(np.std(found.fun)), "runs": len(runs)}


if __name__ == "__main__":
    main()
