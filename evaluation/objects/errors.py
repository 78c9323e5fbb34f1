"""Errors of the object store; each keeps its meaning on its way from a node to a client."""


class ObjectError(Exception):
    """Any failure of the object store."""


class NotThereError(ObjectError):
    """An object is in no node: it never was, was deleted, or was evicted."""


class ExistsError(ObjectError):
    """An id is taken, on this node or on another."""


class FullError(ObjectError):
    """A node has no room, and nothing that may be evicted."""


class RefusedError(ObjectError):
    """A request that makes no sense, or that lacks the store's secret."""


class NodeLostError(ObjectError):
    """A node does not answer: what it holds cannot be had."""

    def __init__(self, node: str, address: str, reason: str) -> None:
        super().__init__(
            f"node '{node}' ({address}) does not answer ({reason}): what it holds cannot be had "
            "until it is started again"
        )
        self.node = node


KINDS: dict[str, type[ObjectError]] = {
    kind.__name__: kind
    for kind in (ObjectError, NotThereError, ExistsError, FullError, RefusedError)
}
"""The kinds that a node tells its clients by name."""
