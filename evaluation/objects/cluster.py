"""The nodes of a store as one client reaches them: links, and memories on its machine."""

from collections.abc import Mapping, Sequence
from threading import Event, Lock, Thread

from evaluation.objects import wire
from evaluation.objects.errors import NodeLostError, ObjectError
from evaluation.objects.holds import LEASE_S
from evaluation.objects.link import Link, ask
from evaluation.objects.local import LocalMemory, is_here
from evaluation.objects.members import Member, read

_MEMBERS_S = 5.0


class Cluster:
    """The nodes that the one at any of `addresses` (``host:port``) knows.

    With `mapped` False none is taken to be on this machine. One that owes an answer and is silent
    for `silence_s` is lost.
    """

    def __init__(
        self, addresses: Sequence[str], secret: str, *, mapped: bool, silence_s: float
    ) -> None:
        self._addresses = tuple(addresses)
        self._silence_s = silence_s
        self._secret = secret
        self._mapped = mapped
        self._guard = Lock()
        self._links: dict[str, Link] = {}
        self._memories: dict[str, LocalMemory] = {}
        self._closed = Event()
        self._alive: Thread | None = None
        self.members: Mapping[str, Member] = {}
        self.refresh()

    def refresh(self) -> None:
        """Ask for the nodes again.

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
                self.members = {each.name: each for each in found}
                return
        raise lost or ObjectError("no node is named")

    def close(self) -> None:
        """End all sessions."""
        self._closed.set()
        with self._guard:
            for link in self._links.values():
                link.close()
            for memory in self._memories.values():
                memory.close()

    def is_here(self, member: Member) -> bool:
        """Tell whether a node's objects are mapped."""
        return self._mapped and (member.name in self._memories or is_here(member))

    def memory(self, member: Member) -> LocalMemory:
        """Return the memory of a node that is here."""
        with self._guard:
            if member.name not in self._memories:
                self._memories[member.name] = LocalMemory(member)
                self._start()
            return self._memories[member.name]

    def link(self, node: str) -> Link:
        """Return the link to a node."""
        with self._guard:
            if node not in self._links:
                self._links[node] = Link(self.members[node], self._secret, self._silence_s)
            return self._links[node]

    def lasting_link(self, node: str) -> Link:
        """Return the link to a node, whose session is kept alive from now on."""
        link = self.link(node)
        with self._guard:
            self._start()
        return link

    def _start(self) -> None:
        if self._alive is None:
            self._alive = Thread(target=self._keep_alive, daemon=True)
            self._alive.start()

    def _keep_alive(self) -> None:
        while not self._closed.wait(LEASE_S / 3):
            for link in list(self._links.values()):
                try:
                    link.keep_alive()
                except ObjectError:
                    continue
            for memory in list(self._memories.values()):
                memory.sweep()
