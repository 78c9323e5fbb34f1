"""The nodes of a store, as each of them and every client knows them."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock

from evaluation.objects.errors import RefusedError
from evaluation.objects.ids import node_tag


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A node: `machine` is the kernel's name for one start of one machine, `memory` a folder.

    A client on that machine that can read the folder maps the node's objects.
    """

    name: str
    address: str
    machine: str
    memory: str


def machine() -> str:
    """Return what tells this machine, since it was started, from all others."""
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def written(members: Iterable[Member]) -> bytes:
    """Return members as JSON."""
    return json.dumps([asdict(each) for each in members]).encode()


def read(text: bytes) -> tuple[Member, ...]:
    """Return members that `written` wrote."""
    return tuple(Member(**each) for each in json.loads(text))


class Members:
    """All nodes that one of them, `own`, has heard of; a dead one stays, with its name."""

    def __init__(self, own: Member) -> None:
        self._guard = Lock()
        self._own = own
        self._known = {own.name: own}

    @property
    def own(self) -> Member:
        """The node itself."""
        return self._own

    def moved(self, own: Member) -> None:
        """Note the address that the node itself has got."""
        with self._guard:
            self._own = own
            self._known[own.name] = own

    def others(self) -> tuple[Member, ...]:
        """All but itself."""
        return tuple(each for each in self.all() if each.name != self._own.name)

    def all(self) -> tuple[Member, ...]:
        """All, in the order of their names."""
        with self._guard:
            return tuple(self._known[name] for name in sorted(self._known))

    def joined(self, member: Member) -> None:
        """Take in a node that has come, or has come back.

        Raises:
            RefusedError: It cannot be told from another.
        """
        with self._guard:
            for other in self._known.values():
                if other.name != member.name and node_tag(other.name) == node_tag(member.name):
                    raise RefusedError(f"'{member.name}' is too like '{other.name}': rename it")
            if member.name == self._own.name and member != self._own:
                raise RefusedError(
                    f"there is a node '{member.name}' already, at {self._own.address}"
                )
            self._known[member.name] = member

    def heard_of(self, members: Iterable[Member]) -> None:
        """Take in nodes that another knows and this one does not."""
        with self._guard:
            for each in members:
                self._known.setdefault(each.name, each)


def by_tag(members: Iterable[Member]) -> Mapping[bytes, Member]:
    """Return the tag of each node's ids → the node."""
    return {node_tag(each.name): each for each in members}
