"""Ids of objects: 16 bytes, unique across the nodes of a store."""

import hashlib
import secrets
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

ID_BYTES = 16
_TAG_BYTES = 4

Ids = npt.NDArray[np.uint64]
"""Ids as an array of shape (n, 2): the two halves of each."""


def node_tag(node: str) -> bytes:
    """Return what the ids begin with that the node called `node` makes up."""
    return hashlib.sha256(node.encode()).digest()[:_TAG_BYTES]


def new_id(tag: bytes) -> bytes:
    """Return an id that no other node can make up, as no other has the `tag`."""
    return tag + secrets.token_bytes(ID_BYTES - _TAG_BYTES)


def tag_of(object_id: bytes) -> bytes:
    """Return the tag of the node that made up `object_id`, if one did and not a client."""
    return object_id[:_TAG_BYTES]


def as_array(ids: Sequence[bytes] | bytes) -> Ids:
    """Return ids, given one by one or end to end, as an array of shape (n, 2).

    Raises:
        ValueError: One is not of 16 bytes.
    """
    if not isinstance(ids, bytes):
        joined = b"".join(ids)
        if len(joined) != ID_BYTES * len(ids):
            raise ValueError(f"an object's id has {ID_BYTES} bytes")
        ids = joined
    return np.frombuffer(ids, np.uint64).reshape(-1, 2)


def joined(ids: Iterable[bytes]) -> bytes:
    """Return ids end to end."""
    return b"".join(ids)


def parted(ids: bytes) -> list[bytes]:
    """Return ids that were given end to end."""
    return [ids[start : start + ID_BYTES] for start in range(0, len(ids), ID_BYTES)]


def valid(object_id: bytes) -> bool:
    """Tell whether a client may choose this id: zero stands for none."""
    return len(object_id) == ID_BYTES and any(object_id[ID_BYTES // 2 :])
