"""Java sources of ours as a jar, compiled when they or what they need have changed."""

import hashlib
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from evaluation.installation import artifacts
from evaluation.installation.artifacts import ARTIFACTS
from evaluation.installation.java import java_home
from evaluation.processes import process
from workloads.cache import cache_folder, disk_errors, locked, scratch_folder
from workloads.errors import SetUpError
from workloads.progress import Progress

COMPILER = "java-compiler"
_RELEASE = "17"
_LINES = 12


def compiled(name: str, sources: Path, class_path: Sequence[Path], progress: Progress) -> Path:
    """Return the jar of the Java files below `sources`, for whose classes `class_path` is needed.

    Files there that are no Java go into the jar as they are.
    The compiler is an artifact and runs on the Java that Spark runs on: no JDK is needed.

    Raises:
        SetUpError: It does not compile, the compiler cannot be fetched, or the disk is full.
    """
    every = sorted(each for each in sources.rglob("*") if each.is_file())
    files = [each for each in every if each.suffix == ".java"]
    others = [each for each in every if each.suffix != ".java"]
    target = cache_folder() / "java" / f"{name}-{_hash(every, class_path)}.jar"
    with locked(f"{name}-jar", progress):
        if target.is_file():
            return target
        with (
            progress.task(f"Compiling {name}"),
            scratch_folder(cache_folder() / "java" / f"{name}.unfinished") as scratch,
        ):
            classes = scratch / "classes"
            _compile(name, files, classes, class_path, progress)
            with disk_errors(target):
                jar = scratch / target.name
                _pack({classes: sorted(classes.rglob("*.class")), sources: others}, jar)
                jar.replace(target)
    return target


def _hash(files: Sequence[Path], class_path: Sequence[Path]) -> str:
    digest = hashlib.sha256(ARTIFACTS[COMPILER].sha256.encode())
    for file in files:
        digest.update(file.read_bytes())
    for jar in class_path:
        # A jar's name has its version.
        digest.update(jar.name.encode())
    return digest.hexdigest()[:16]


def _compile(
    name: str, files: Sequence[Path], classes: Path, class_path: Sequence[Path], progress: Progress
) -> None:
    scratch = classes.parent
    compiler = artifacts.fetch(COMPILER, progress)
    arguments = scratch / "arguments"
    words = (
        *("-source", _RELEASE, "-target", _RELEASE, "-encoding", "UTF-8"),
        *("-proc:none", "-nowarn", "-d", str(classes)),
        *("-classpath", ":".join(map(str, class_path))),
        *map(str, files),
    )
    arguments.write_text("\n".join(f'"{word}"' for word in words), encoding="utf-8")
    program = process.Program(
        arguments=(
            str(java_home(progress) / "bin" / "java"),
            *("-Xmx512m", "-jar", str(compiler), f"@{arguments}"),
        )
    )
    log = scratch / "compiler.log"
    with (
        log.open("wb") as output,
        process.started(program, folder=scratch, output=output) as running,
    ):
        failed = running.wait() != 0
    if failed:
        said = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        raise SetUpError(f"{name} does not compile:\n" + "\n".join(said[:_LINES]))


def _pack(files: Mapping[Path, Sequence[Path]], jar: Path) -> None:
    """Write the files of each folder, under their names in it."""
    with zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as archive:
        for folder, inside in files.items():
            for file in inside:
                archive.write(file, file.relative_to(folder))
