"""Keys of templates: they tell one template of a log from another."""

import hashlib
from collections.abc import Iterable

from workloads.search_path import SearchPath

NAME_DIGITS = 8


def named(name: str) -> bytes:
    """Return the key of a statement with a name of its own, which no template's text has."""
    return hashlib.blake2b(name.encode(), digest_size=16, person=b"name").digest()


def looked_up(
    key: bytes,
    schema: str,
    path: SearchPath | None,
    temporary: tuple[str, ...] | None,
    *,
    is_older: bool = False,
) -> bytes:
    """Return the key of a template whose tables without a schema are in `schema`, or on `path`.

    Those that are called as `temporary` ones are these. That there are none is another template
    than that nothing tells of them. Those of sessions that are older than their log may have more.
    """
    if schema:
        key = hashlib.blake2b(
            key, digest_size=16, key=schema.encode()[:64], person=b"schema"
        ).digest()
    if path is not None:
        told = repr(tuple(path)).encode()
        key = hashlib.blake2b(key + told, digest_size=16, person=b"path").digest()
    if temporary is not None:
        told = repr(temporary).encode()
        key = hashlib.blake2b(key + told, digest_size=16, person=b"temporary").digest()
    if is_older:
        key = hashlib.blake2b(key, digest_size=16, person=b"older").digest()
    return key


def digits_of(keys: Iterable[bytes]) -> dict[bytes, int]:
    """Return the digits that tell keys apart whose first ones are alike."""
    alike: dict[str, list[bytes]] = {}
    for key in keys:
        alike.setdefault(key.hex()[:NAME_DIGITS], []).append(key)
    return {key: 2 * len(key) for several in alike.values() if len(several) > 1 for key in several}
