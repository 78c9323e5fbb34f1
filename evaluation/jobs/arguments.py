"""Arguments and failures that the spark-submit entry points share."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from evaluation.running.job import Job, read_job
from placement.plan import PlacementPlan
from placement.plan_file import read_plan
from workloads.errors import AdvisorError, ConfigurationError


def parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser of ``job.json plan.json…``."""
    found = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    found.add_argument("job", type=Path, help="the job, from 'advisor export'")
    found.add_argument("plans", type=Path, nargs="+", help="plans, from 'advisor place -o'")
    return found


def read(arguments: argparse.Namespace) -> tuple[Job, Sequence[PlacementPlan]]:
    """Return the job and the plans that were named."""
    return read_job(arguments.job), [_plan(path) for path in arguments.plans]


def fail(error: AdvisorError) -> int:
    """Say a user's error in one line, or several, and return the exit code for it."""
    for line in (*error.details, str(error)):
        sys.stderr.write(f"{line}\n")
    return 2


def _plan(path: Path) -> PlacementPlan:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"Cannot read the plan '{path}': {error.strerror}.") from error
    return read_plan(text)
