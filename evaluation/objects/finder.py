"""The finder of objects: mapped on this machine, or held by nodes elsewhere."""

from collections.abc import Sequence

import numpy as np

from evaluation.objects import wire
from evaluation.objects.cluster import Cluster
from evaluation.objects.errors import NodeLostError, NotThereError
from evaluation.objects.ids import Ids, as_array, joined, tag_of
from evaluation.objects.members import Member, by_tag
from evaluation.objects.retrieval import HeldPart, MappedPart, Part, Positions, Retrieval

_MOST_KNOWN = 1_000_000


class Finder:
    """Finds objects on the nodes of `cluster`, and remembers where those elsewhere were."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        # Sealed objects never move.
        self._known: dict[bytes, str] = {}

    def forget(self, ids: Sequence[bytes]) -> None:
        """Forget where objects were."""
        for each in ids:
            self._known.pop(each, None)

    def find(self, ids: Sequence[bytes]) -> Retrieval:
        """Find sealed objects; nothing of them is evicted while they are used.

        Raises:
            NotThereError: One is in no node.
            NodeLostError: A node has died that has, or may have, one of them.
        """
        array = as_array(ids)
        parts: list[Part] = []
        lost: list[NodeLostError] = []
        left: Positions = np.arange(len(array))
        for member in self._members:
            if len(left) and self._cluster.is_here(member):
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

    @property
    def _members(self) -> Sequence[Member]:
        return tuple(self._cluster.members.values())

    def _map(self, member: Member, ids: Ids, left: Positions, parts: list[Part]) -> Positions:
        """Map what `member` has of `left`; return the positions of the rest."""
        memory = self._cluster.memory(member)
        found = memory.find(ids if len(left) == len(ids) else ids[left])
        whole = {}
        for number in set(found.segment[found.there].tolist()):
            if (used := memory.segment(number)) is not None:
                whole[number] = used.buffer()
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
        far = [each.name for each in self._members if not self._cluster.is_here(each)]
        tags = {tag: each.name for tag, each in by_tag(self._members).items() if each.name in far}
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
            link = self._cluster.lasting_link(node)
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
        rest: list[int] = np.array(positions)[~there].tolist()
        return rest
