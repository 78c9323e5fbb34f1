"""Tables as objects: sealed streams of Arrow batches, spread over nodes, and what registers them.

An entry of the register is a named value (`evaluation.objects.names`) that lists a table's
objects. It is bound when all of them are sealed, at once for every reader. Every object of a
table is in the group of its space, by which what an unfinished load left is found.
"""

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import cycle

import pyarrow as pa

from evaluation.objects.client import ObjectClient

MOST_BYTES = 64 << 20
"""The most bytes of an object of a table, but for one of a single batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePart:
    """One object of a table: its id in hexadecimal, the node that holds it, its size."""

    object_id: str
    node: str
    rows: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTable:
    """A complete table: `schema` is Arrow's, serialised, in base 64."""

    fingerprint: str
    rows: int
    load_s: float
    schema: str
    parts: tuple[TablePart, ...]

    @property
    def arrow_schema(self) -> pa.Schema:
        """The columns with their types."""
        return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(self.schema)))

    @property
    def ids(self) -> list[bytes]:
        """The ids of its objects."""
        return [bytes.fromhex(each.object_id) for each in self.parts]


def schema_text(schema: pa.Schema) -> str:
    """Return a schema as `StoredTable` keeps it."""
    return base64.b64encode(memoryview(schema.serialize())).decode()


def group_of(space: str) -> int:
    """Return the group of a space's objects, which is never 0."""
    return int.from_bytes(hashlib.sha256(space.encode()).digest()[:7], "little") + 1


class SpaceTables:
    """The tables of one space, as `client` sees them."""

    def __init__(self, client: ObjectClient, space: str) -> None:
        self._client = client
        self._space = space
        self._group = group_of(space)

    def all(self) -> Mapping[str, StoredTable]:
        """Return name → table of the register. NodeLostError names a node that has died."""
        return {name: table for name, (_, table) in self._entries().items()}

    def add_parts(
        self, batches: Iterable[pa.RecordBatch], schema: pa.Schema, node: str
    ) -> Iterator[TablePart]:
        """Seal batches as objects on `node`, of `MOST_BYTES` at most; they are of no table yet."""
        pending: list[pa.RecordBatch] = []
        size = 0
        for batch in batches:
            if pending and size + batch.nbytes > MOST_BYTES:
                yield self._sealed(pending, schema, node)
                pending, size = [], 0
            pending.append(batch)
            size += batch.nbytes
        if pending:
            yield self._sealed(pending, schema, node)

    def _sealed(self, batches: Sequence[pa.RecordBatch], schema: pa.Schema, node: str) -> TablePart:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
        data = sink.getvalue()
        made = self._client.put(data, node=node, group=self._group)
        rows = sum(batch.num_rows for batch in batches)
        return TablePart(object_id=made.hex(), node=node, rows=rows, size=data.size)

    def nodes(self) -> "cycle[str]":
        """Return the nodes in turn, for the parts of a table: the emptiest first."""
        usage = self._client.usage()
        free = {name: each.capacity_bytes - each.used_bytes for name, each in usage.items()}
        return cycle(sorted(free, key=lambda name: (-free[name], name)))

    def register(self, name: str, table: StoredTable) -> tuple[TablePart, ...]:
        """Let everybody see a table; return the objects of the one it replaces."""
        before = self._entries().get(name)
        home = before[0] if before else self._home(name)
        value = json.dumps(asdict(table))
        self._client.bind(home, self._space, name, value)
        return before[1].parts if before else ()

    def drop(self, name: str) -> None:
        """Remove a table from the register, and then its objects."""
        if found := self._entries().get(name):
            self._client.unbind(found[0], self._space, name)
            self.drop_parts(found[1].parts)

    def drop_parts(self, parts: Iterable[TablePart]) -> None:
        """Delete objects; who reads them can finish."""
        if ids := [bytes.fromhex(each.object_id) for each in parts]:
            self._client.delete(ids)

    def clean(self) -> int:
        """Delete the space's objects that are of no table; return how many there were."""
        known = {one for table in self.all().values() for one in table.ids}
        left = [
            one
            for objects in self._client.objects(self._group).values()
            for one in objects
            if one not in known
        ]
        if left:
            self._client.delete(left)
        return len(left)

    def _home(self, name: str) -> str:
        """Return the node for a new table's entry: always the same among the same nodes."""
        nodes = [each.name for each in self._client.members]
        return max(nodes, key=lambda node: hashlib.sha256(f"{node}/{name}".encode()).digest())

    def _entries(self) -> dict[str, tuple[str, StoredTable]]:
        """Return name → the node of its entry, and the table."""
        found = {}
        for node, names in self._client.named(self._space).items():
            for name, value in names.items():
                raw = json.loads(value)
                parts = tuple(TablePart(**each) for each in raw.pop("parts"))
                found[name] = (node, StoredTable(**raw, parts=parts))
        return found


def batches(buffer: pa.Buffer) -> list[pa.RecordBatch]:
    """Return the batches of one object, without copying them."""
    with pa.ipc.open_stream(buffer) as reader:
        return list(reader)
