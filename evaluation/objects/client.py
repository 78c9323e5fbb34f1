"""A client of the object store, wherever it runs."""

import json
from collections.abc import Mapping, Sequence
from threading import Event, Lock, Thread
from typing import Self

import numpy as np
import pyarrow as pa

from evaluation.objects import wire
from evaluation.objects.creation import Creation, create_here, create_there
from evaluation.objects.errors import NodeLostError, NotThereError, ObjectError
from evaluation.objects.holds import LEASE_S
from evaluation.objects.ids import Ids, as_array, joined, tag_of
from evaluation.objects.link import Link, ask
from evaluation.objects.local import LocalMemory, is_here
from evaluation.objects.members import Member, by_tag, read
from evaluation.objects.memory import Usage
from evaluation.objects.retrieval import HeldPart, MappedPart, Part, Positions, Retrieval

_MOST_KNOWN = 1_000_000
_MEMBERS_S = 5.0


class ObjectClient:
    """A client of the nodes that the one at any of `addresses` (``host:port``) knows.

    Objects on this machine are mapped, others are fetched. With `mapped` False all are fetched,
    as if it were elsewhere. It may be used by several threads; close it, or use it as a context.
    """

    def __init__(self, addresses: Sequence[str], secret: str, *, mapped: bool = True) -> None:
        self._addresses = tuple(addresses)
        self._secret = secret
        self._mapped = mapped
        self._guard = Lock()
        self._links: dict[str, Link] = {}
        self._memories: dict[str, LocalMemory] = {}
        # Where objects elsewhere are: sealed objects never move.
        self._known: dict[bytes, str] = {}
        self._closed = Event()
        self._alive: Thread | None = None
        self._members: Mapping[str, Member] = {}
        self.refresh()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End its sessions; buffers that were retrieved stay valid."""
        self._closed.set()
        with self._guard:
            for link in self._links.values():
                link.close()
            for memory in self._memories.values():
                memory.close()

    @property
    def members(self) -> tuple[Member, ...]:
        """The nodes, in the order of their names, as of the last `refresh`."""
        return tuple(self._members.values())

    def refresh(self) -> None:
        """Ask for the nodes again: those that joined are known from then on.

        Raises:
            NodeLostError: None of the addresses answers.
            RefusedError: The secret is another one.
        """
        lost: NodeLostError | None = None
        for address in self._addresses:
            first = Member(name=address, address=address, machine="", memory="")
            try:
                found = read(ask(first, self._secret, wire.MEMBERS, b"", _MEMBERS_S))
            except NodeLostError as error:
                lost = lost or error
            else:
                self._members = {each.name: each for each in found}
                return
        raise lost or ObjectError("no node is named")

    def get(self, ids: Sequence[bytes]) -> Retrieval:
        """Retrieve sealed objects; nothing of them is evicted while they are used.

        Raises:
            NotThereError: One is in no node.
            NodeLostError: A node has died that has, or may have, one of them.
        """
        array = as_array(ids)
        parts: list[Part] = []
        lost: list[NodeLostError] = []
        left: Positions = np.arange(len(array))
        for member in self.members:
            if len(left) and self._is_here(member):
                try:
                    left = self._map(member, array, left, parts)
                except NodeLostError as error:
                    lost.append(error)
        if len(left):
            left = self._hold(ids, left, parts, lost)
        if len(left):
            if lost:
                raise lost[0]
            raise NotThereError(
                f"object {ids[int(left[0])].hex()} is in no node"
                + (f", and {len(left) - 1} more" if len(left) > 1 else "")
            )
        return Retrieval(len(array), parts)

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
        member = self._members[node] if node else self._nearest()
        begin = create_here if self._is_here(member) else create_there
        chosen = object_id.hex() if object_id else ""
        return begin(self._link(member.name), chosen, length, group)

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
        """Delete objects on every node that lives; return how many were there."""
        answers = [self._act(name, wire.DELETE, joined(ids)) for name in self._members]
        for each in ids:
            self._known.pop(each, None)
        return sum(json.loads(each) for each in answers)

    def objects(self, group: int | None = None) -> Mapping[str, Mapping[bytes, int]]:
        """Return node → id → length of all sealed objects, or of those of a group."""
        found = {}
        for name in self._members:
            answer = np.frombuffer(self._act(name, wire.OBJECTS, wire.dumped(group)), wire.OBJECT)
            found[name] = {one["id"].tobytes(): int(one["length"]) for one in answer}
        return found

    def usage(self) -> Mapping[str, Usage]:
        """Return node → what its memory holds."""
        return {name: Usage(**json.loads(self._act(name, wire.USAGE))) for name in self._members}

    def bind(self, node: str, space: str, name: str, value: str) -> None:
        """Give a name in a space its value, atomically, on one node."""
        self._act(node, wire.BIND, wire.dumped([space, name, value]))

    def unbind(self, node: str, space: str, name: str) -> None:
        """Remove a name from one node."""
        self._act(node, wire.UNBIND, wire.dumped([space, name]))

    def named(self, space: str) -> Mapping[str, Mapping[str, str]]:
        """Return node → name → value of a space."""
        return {
            name: json.loads(self._act(name, wire.NAMED, space.encode())) for name in self._members
        }

    def lock(self, name: str) -> bool:
        """Take a lock that no other client has; tell whether we have it now."""
        link = self._held_open(min(self._members))
        return bool(link.request(wire.LOCK, name.encode())[0])

    def unlock(self, name: str) -> None:
        """Give a lock back."""
        self._link(min(self._members)).request(wire.UNLOCK, name.encode())

    def _act(self, node: str, action: str, body: bytes = b"") -> bytes:
        return self._link(node).act(action, body)

    def _nearest(self) -> Member:
        return next((each for each in self.members if self._is_here(each)), self.members[0])

    def _is_here(self, member: Member) -> bool:
        return self._mapped and (member.name in self._memories or is_here(member))

    def _map(self, member: Member, ids: Ids, left: Positions, parts: list[Part]) -> Positions:
        """Map what `member` has of `left`; return the positions of the rest."""
        memory = self._memory(member)
        found = memory.find(ids if len(left) == len(ids) else ids[left])
        whole = {}
        for number in set(found.segment[found.there].tolist()):
            if (mapped := memory.segment(number)) is not None:
                whole[number] = pa.py_buffer(mapped)
        there = found.there & np.isin(found.segment, list(whole)) if whole else found.there & False
        if there.any():
            parts.append(
                MappedPart(
                    left[there],
                    [whole[number] for number in found.segment[there].tolist()],
                    found.offset[there],
                    found.length[there],
                )
            )
        return left[~there]

    def _hold(
        self,
        ids: Sequence[bytes],
        left: Positions,
        parts: list[Part],
        lost: list[NodeLostError],
    ) -> Positions:
        """Hold what other nodes have of `left`, and return the positions of the rest.

        Each node is asked once for those it is known or supposed to have, then for the others.
        """
        far = [each.name for each in self.members if not self._is_here(each)]
        tags = {tag: each.name for tag, each in by_tag(self.members).items() if each.name in far}
        supposed: dict[str, list[int]] = {}
        rest = []
        for position in left.tolist():
            one = ids[position]
            if (node := self._known.get(one) or tags.get(tag_of(one))) is None:
                rest.append(position)
            else:
                supposed.setdefault(node, []).append(position)
        for node, positions in supposed.items():
            rest += self._held_by(node, ids, positions, parts, lost)
        for node in far:
            if rest:
                rest = self._held_by(node, ids, rest, parts, lost)
        return np.array(rest, np.int64)

    def _held_by(
        self,
        node: str,
        ids: Sequence[bytes],
        positions: list[int],
        parts: list[Part],
        lost: list[NodeLostError],
    ) -> list[int]:
        """Hold what `node` has of `positions`; return the rest."""
        asked = [ids[position] for position in positions]
        try:
            link = self._held_open(node)
            hold, lengths = wire.read_hold(link.request(wire.HOLD, joined(asked)))
        except NodeLostError as error:
            lost.append(error)
            return positions
        there = lengths >= 0
        at = np.flatnonzero(there)
        parts.append(HeldPart(link, hold, np.array(positions)[there], at, lengths[there]))
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        if len(at) == len(asked):
            self._known.update(dict.fromkeys(asked, node))
            return []
        self._known.update((asked[index], node) for index in at.tolist())
        for index in np.flatnonzero(~there).tolist():
            self._known.pop(asked[index], None)
        return np.array(positions)[~there].tolist()

    def _memory(self, member: Member) -> LocalMemory:
        with self._guard:
            if member.name not in self._memories:
                self._memories[member.name] = LocalMemory(member)
            return self._memories[member.name]

    def _link(self, node: str) -> Link:
        with self._guard:
            if node not in self._links:
                self._links[node] = Link(self._members[node], self._secret)
            return self._links[node]

    def _held_open(self, node: str) -> Link:
        """Return the link to a node, whose session is kept alive from now on."""
        link = self._link(node)
        with self._guard:
            if self._alive is None:
                self._alive = Thread(target=self._keep_alive, daemon=True)
                self._alive.start()
        return link

    def _keep_alive(self) -> None:
        while not self._closed.wait(LEASE_S / 3):
            for link in list(self._links.values()):
                try:
                    link.keep_alive()
                except ObjectError:
                    continue
