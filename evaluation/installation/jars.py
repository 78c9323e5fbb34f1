"""Jars by name: fetched artifacts, and those that are compiled here."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from evaluation.installation import accumulo_jars, artifacts, pool_jar
from workloads.progress import Progress

COMPILED: Mapping[str, Callable[[Progress], Path]] = {
    accumulo_jars.CONNECTOR: accumulo_jars.connector,
    pool_jar.POOL: pool_jar.pool,
}


def jars(names: Iterable[str], progress: Progress) -> list[Path]:
    """Return the jars with these names, each fetched or compiled if it is missing.

    Raises:
        SetUpError: One cannot be had.
    """
    return [
        COMPILED[name](progress) if name in COMPILED else artifacts.fetch(name, progress)
        for name in names
    ]
