"""The section ``[experiments]`` of a project file, with a subsection for each experiment."""

from typing import Any

from advisor.project.experiment_settings import ExperimentSettings, ExperimentsSettings
from advisor.project.project_file import ProjectFile

NUMBERS = ("1", "2", "3", "4", "5")
"""The experiments of Sideris, Papadopoulos and Paranomos, by the numbers that they have there."""


def read_experiments(file: ProjectFile, raw: dict[str, Any]) -> ExperimentsSettings:
    """Return the section; without it there are no experiments."""
    from placement.strategies import STRATEGIES

    numbered: dict[int, ExperimentSettings] = {}
    for key in [each for each in raw if each in NUMBERS]:
        where = f"experiments.{key}"
        with file.problems.gathering():
            found = file.read(
                ExperimentSettings, file.table(raw, key, "experiments"), where, needs_all=True
            )
            for strategy in found.placements:
                file.known("strategy", strategy, STRATEGIES, f"[{where}].placements", every=True)
            numbered[int(key)] = found
    general = {key: value for key, value in raw.items() if key not in NUMBERS}
    if "numbered" in general:
        file.known("key", "numbered", ("engines", "worker_memory", *NUMBERS), "[experiments]")
    return file.read(ExperimentsSettings, {**general, "numbered": numbered}, "experiments")
