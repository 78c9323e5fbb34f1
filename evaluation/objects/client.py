"""A client of the object store, wherever it runs."""

import json
from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
import pyarrow as pa

from evaluation.objects import wire
from evaluation.objects.cluster import Cluster
from evaluation.objects.creation import Creation, create_here, create_there
from evaluation.objects.finder import Finder
from evaluation.objects.ids import joined
from evaluation.objects.members import Member
from evaluation.objects.memory import Usage
from evaluation.objects.retrieval import Retrieval
from evaluation.objects.silence import SILENCE_S


class ObjectClient:
    """A client of the nodes that the one at any of `addresses` (``host:port``) knows.

    Objects on this machine are mapped, others are fetched. With `mapped` False all are fetched,
    as if it were elsewhere. It may be used by several threads; close it, or use it as a context.
    A node that owes an answer and is silent for `silence_s` is lost.
    """

    def __init__(
        self,
        addresses: Sequence[str],
        secret: str,
        *,
        mapped: bool = True,
        silence_s: float = SILENCE_S,
    ) -> None:
        self._cluster = Cluster(addresses, secret, mapped=mapped, silence_s=silence_s)
        self._finder = Finder(self._cluster)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End its sessions; buffers that were retrieved stay valid."""
        self._cluster.close()

    @property
    def members(self) -> tuple[Member, ...]:
        """The nodes, in the order of their names, as of the last `refresh`."""
        return tuple(self._cluster.members.values())

    def refresh(self) -> None:
        """Ask for the nodes again: those that joined are known from then on."""
        self._cluster.refresh()

    def get(self, ids: Sequence[bytes]) -> Retrieval:
        """Retrieve sealed objects; nothing of them is evicted while they are used.

        Raises:
            NotThereError: One is in no node.
            NodeLostError: A node has died that has, or may have, one of them.
        """
        return self._finder.find(ids)

    def create(
        self,
        length: int,
        *,
        node: str | None = None,
        object_id: bytes | None = None,
        group: int = 0,
    ) -> Creation:
        """Begin an object of `length` bytes: write it, then seal it.

        It is made on `node`, else on one of this machine, else on the first. An object of a
        `group` other than 0 is not evicted.

        Raises:
            ExistsError: The chosen id is taken on some node.
            FullError: The node has no room.
        """
        member = self._cluster.members[node] if node else self._nearest()
        begin = create_here if self._cluster.is_here(member) else create_there
        chosen = object_id.hex() if object_id else ""
        return begin(self._cluster.link(member.name), chosen, length, group)

    def put(
        self,
        data: "pa.Buffer | bytes",
        *,
        node: str | None = None,
        object_id: bytes | None = None,
        group: int = 0,
    ) -> bytes:
        """Create, write and seal an object; return its id. See `create`."""
        length = data.size if isinstance(data, pa.Buffer) else len(data)
        creation = self.create(length, node=node, object_id=object_id, group=group)
        try:
            creation.write(data)
            return creation.seal()
        except BaseException:
            creation.abort()
            raise

    def delete(self, ids: Sequence[bytes]) -> int:
        """Delete objects, wherever they are; return how many were there."""
        answers = [self._act(name, wire.DELETE, joined(ids)) for name in self._cluster.members]
        self._finder.forget(ids)
        return sum(json.loads(each) for each in answers)

    def objects(self, group: int | None = None) -> Mapping[str, Mapping[bytes, int]]:
        """Return node → id → length of all sealed objects, or of those of a group."""
        found = {}
        for name in self._cluster.members:
            answer = np.frombuffer(self._act(name, wire.OBJECTS, wire.dumped(group)), wire.OBJECT)
            found[name] = {one["id"].tobytes(): int(one["length"]) for one in answer}
        return found

    def usage(self) -> Mapping[str, Usage]:
        """Return node → what its memory holds."""
        return {
            name: Usage(**json.loads(self._act(name, wire.USAGE))) for name in self._cluster.members
        }

    def bind(self, node: str, space: str, name: str, value: str) -> None:
        """Give a name in a space its value, atomically, on one node."""
        self._act(node, wire.BIND, wire.dumped([space, name, value]))

    def unbind(self, node: str, space: str, name: str) -> None:
        """Remove a name from one node."""
        self._act(node, wire.UNBIND, wire.dumped([space, name]))

    def named(self, space: str) -> Mapping[str, Mapping[str, str]]:
        """Return node → name → value of a space."""
        return {
            name: json.loads(self._act(name, wire.NAMED, space.encode()))
            for name in self._cluster.members
        }

    def lock(self, name: str) -> bool:
        """Take a lock that no other client has; tell whether we have it now."""
        link = self._cluster.lasting_link(min(self._cluster.members))
        return bool(link.request(wire.LOCK, name.encode())[0])

    def unlock(self, name: str) -> None:
        """Give a lock back."""
        self._cluster.link(min(self._cluster.members)).request(wire.UNLOCK, name.encode())

    def _act(self, node: str, action: str, body: bytes = b"") -> bytes:
        return self._cluster.link(node).act(action, body)

    def _nearest(self) -> Member:
        return next((each for each in self.members if self._cluster.is_here(each)), self.members[0])
