"""The experiments that a project names: their placements, workers, join strategies and engines."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, TypeVar

from pydantic import AfterValidator, Field, StringConstraints

from evaluation.running.job import OURS, EngineName
from evaluation.spark.joins import JoinStrategy

Memory = Annotated[str, StringConstraints(pattern=r"^[1-9]\d*[mg]$")]
"""A size in Java's spelling."""
Some = TypeVar("Some", bound=tuple[object, ...])


def _refuse_none(names: Some) -> Some:
    if not names:
        raise ValueError("name at least one")
    return names


Workers = Annotated[int, Field(ge=1, le=100, strict=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentSettings:
    """One experiment: the strategies that make its placements, and what else it varies.

    Without `workers` an engine runs as ``[evaluate]`` says; with them, once with each number.
    """

    placements: Annotated[tuple[str, ...], AfterValidator(_refuse_none)]
    workers: tuple[Workers, ...] = ()
    join_strategies: Annotated[tuple[JoinStrategy, ...], AfterValidator(_refuse_none)] = (
        "automatic",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentsSettings:
    """All experiments by their numbers, and the engines that run each of them.

    A worker of Spark has a core and `worker_memory`, in Spark's spelling.
    """

    engines: Annotated[tuple[EngineName, ...], AfterValidator(_refuse_none)] = (OURS,)
    worker_memory: Memory = "1g"
    numbered: Mapping[int, ExperimentSettings] = field(default_factory=dict)
