"""Parquet in object storage that speaks S3, fetched once into the cache as a folder.

PyArrow reads it: DuckDB would need one more extension, and PyArrow is here.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pyarrow import fs

from workloads.cache import cache_folder, disk_errors, locked
from workloads.errors import CatalogError, ConfigurationError, SetUpError
from workloads.measuring.table_files import is_hidden, is_parquet
from workloads.progress import Progress, Task
from workloads.whole_files import whole_file

BUCKET_PREFIX = "s3://"
SILENCE_S = 10
"""So long may a connection take, or a server that answers say nothing; each is tried twice."""

_TRIES = 2
_BLOCK_BYTES = 4 << 20
_CODE = re.compile(r"AWS Error ([A-Z_]+)")
_DETAIL = re.compile(r"operation: (?:curlCode: \d+, )?([^;(]*)")
_KEYS_REFUSED = frozenset(
    {
        *("INVALID_ACCESS_KEY_ID", "SIGNATURE_DOES_NOT_MATCH", "ACCESS_DENIED", "UNKNOWN_KEY"),
        *("INVALID_CLIENT_TOKEN_ID", "MISSING_AUTHENTICATION_TOKEN", "EXPIRED_TOKEN"),
        *("UNRECOGNIZED_CLIENT", "INVALID_SIGNATURE", "REQUEST_EXPIRED"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketAccess:
    """Where object storage is and who asks; without keys, anybody.

    `endpoint` is ``http://host:port``; without one it is Amazon's of `region`.
    """

    region: str
    endpoint: str = ""
    access_key: str = ""
    secret_key: str = field(default="", repr=False)
    session_token: str = field(default="", repr=False)

    @property
    def place(self) -> str:
        """Return what the storage is called in messages."""
        return self.endpoint or f"Amazon S3 in {self.region}"

    def files(self) -> fs.S3FileSystem:
        """Return its files. Nothing is asked yet."""
        scheme, _, host = self.endpoint.partition("://")
        return fs.S3FileSystem(
            access_key=self.access_key or None,
            secret_key=self.secret_key or None,
            session_token=self.session_token or None,
            anonymous=not self.access_key,
            region=self.region,
            scheme=scheme or "https",
            endpoint_override=host or None,
            connect_timeout=SILENCE_S,
            request_timeout=SILENCE_S,
            retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=_TRIES),
        )


def fetched(url: str, access: BucketAccess, progress: Progress) -> Path:
    """Return a folder of the cache with the Parquet below `url`, ``s3://bucket/prefix``.

    An object is fetched when its size or its time of change is another than the file's.

    Raises:
        ConfigurationError: `url` names no bucket.
        CatalogError: The storage cannot be read, or has no Parquet there.
        SetUpError: The disk is full.
    """
    root = url.removeprefix(BUCKET_PREFIX).strip("/")
    bucket = root.partition("/")[0]
    if _is_no_file(root):
        raise ConfigurationError(f"'{url}' names no folder of a bucket: write s3://bucket/folder.")
    key = hashlib.sha256(f"{access.endpoint}\n{root}".encode()).hexdigest()[:16]
    folder = cache_folder() / "buckets" / key / root.rpartition("/")[2]
    with locked(f"bucket-{key}", progress), _told(url, bucket, access), disk_errors(folder):
        files = access.files()
        found = _objects(files, root, url)
        new = {path: each for path, each in found.items() if not _is_there(folder / path, each)}
        _refuse_small_disk(url, folder, sum(each.size for each in new.values()))
        with progress.task(f"Fetching {url}", sum(each.size for each in new.values())) as task:
            for path, each in new.items():
                _fetch(files, each, folder / path, task)
        _drop_others(folder, found)
    return folder


def _objects(files: fs.S3FileSystem, root: str, url: str) -> dict[str, fs.FileInfo]:
    """Return path below `root` → object, of all that are data."""
    listed = files.get_file_info(fs.FileSelector(root, recursive=True))
    found = {
        each.path.removeprefix(f"{root}/"): each
        for each in listed
        if each.type == fs.FileType.File and is_parquet(each.path)
    }
    for path in found:
        if _is_no_file(path):
            raise CatalogError(f"{url} has an object that no file can be called: '{path}'.")
    found = {path: each for path, each in found.items() if not any(map(is_hidden, path.split("/")))}
    if not found:
        raise CatalogError(f"{url} has no Parquet: a table is an object such as t.parquet.")
    return found


def _is_no_file(path: str) -> bool:
    """Whether a path would be no file of its own, or one in another folder."""
    return bool({"", "..", "."} & set(path.split("/"))) or "\0" in path


def _is_there(file: Path, info: fs.FileInfo) -> bool:
    if not file.is_file():
        return False
    status = file.stat()
    return (status.st_size, status.st_mtime_ns) == (info.size, info.mtime_ns)


def _refuse_small_disk(url: str, folder: Path, needed: int) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise SetUpError(
            f"{url} has {needed / 1e9:.1f} GB to fetch into {folder}, which has {free / 1e9:.1f} GB"
            " free: free space or choose another cache folder."
        )


def _fetch(files: fs.S3FileSystem, info: fs.FileInfo, file: Path, task: Task) -> None:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    count = 0
    with files.open_input_stream(info.path) as source, whole_file(file) as target:
        while block := source.read(_BLOCK_BYTES):
            target.write(block)
            count += len(block)
            task.advance(len(block))
        if count != info.size:
            raise CatalogError(
                f"{BUCKET_PREFIX}{info.path} changed while it was fetched: run again."
            )
    os.utime(file, ns=(info.mtime_ns, info.mtime_ns))


def _drop_others(folder: Path, found: Mapping[str, fs.FileInfo]) -> None:
    kept = {folder / path for path in found}
    for file in folder.rglob("*"):
        if is_parquet(file.name) and file.is_file() and file not in kept:
            file.unlink()


@contextmanager
def _told(url: str, bucket: str, access: BucketAccess) -> Iterator[None]:
    """Say in one line, without keys, why the storage cannot be read."""
    try:
        yield
    except FileNotFoundError as error:
        if error.filename is not None:
            raise
        raise CatalogError(
            f"There is nothing at {url} in {access.place}: name a folder of Parquet."
        ) from None
    except OSError as error:
        code = _CODE.search(str(error))
        if code is None:
            raise
        raise CatalogError(_reason(code[1], str(error), url, bucket, access)) from None


def _reason(code: str, text: str, url: str, bucket: str, access: BucketAccess) -> str:
    if code == "NO_SUCH_BUCKET":
        return f"There is no bucket '{bucket}' in {access.place} ({url}): correct its name."
    if code in _KEYS_REFUSED:
        keys = "the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        asked = keys if access.access_key else "a reader without keys (AWS_ACCESS_KEY_ID is unset)"
        return f"{access.place} refuses {asked} for {url} ({code}): set keys that may read it."
    found = _DETAIL.search(text)
    detail = found[1].strip() if found else code
    if code == "NETWORK_CONNECTION":
        return (
            f"{access.place} does not answer for {url} ({detail}): correct AWS_ENDPOINT_URL, or"
            " see to the network."
        )
    return (
        f"{access.place} does not give {url} ({code}: {detail}): AWS_REGION and AWS_ENDPOINT_URL"
        " say where it is."
    )
