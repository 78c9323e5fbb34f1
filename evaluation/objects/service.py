"""A node's Arrow Flight service."""

import hmac
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import flight

from evaluation.objects import wire
from evaluation.objects.errors import ExistsError, NodeLostError, ObjectError, RefusedError
from evaluation.objects.holds import Holds
from evaluation.objects.ids import parted
from evaluation.objects.members import Member, Members, written
from evaluation.objects.memory import Memory
from evaluation.objects.names import Names
from evaluation.objects.segments import write_segment
from evaluation.objects.session_service import SessionService

Ask = Callable[[Member, str, bytes], bytes]
"""Asks another node to do an action."""


class NodeService(flight.FlightServerBase):  # type: ignore[misc]
    """Serves one node's memory at `location` to all who know the `secret`.

    `ask` is how it reaches the other nodes.
    """

    def __init__(
        self,
        location: str,
        *,
        memory: Memory,
        names: Names,
        members: Members,
        holds: Holds,
        secret: str,
        ask: Ask,
    ) -> None:
        super().__init__(location, middleware={"secret": _Secret(secret)})
        self._memory = memory
        self._names = names
        self._members = members
        self._holds = holds
        self._ask = ask
        self._actions: Mapping[str, Callable[[bytes], bytes]] = {
            wire.MEMBERS: lambda _: written(members.all()),
            wire.JOIN: self._join,
            wire.KNOWS: lambda ids: bytes(memory.knows(each) for each in parted(ids)),
            wire.OBJECTS: self._objects,
            wire.DELETE: lambda ids: wire.dumped(memory.delete(parted(ids))),
            wire.USAGE: lambda _: wire.dumped(asdict(memory.usage())),
            wire.BIND: lambda body: self._named(names.bind, body),
            wire.UNBIND: lambda body: self._named(names.unbind, body),
            wire.NAMED: lambda space: wire.dumped(dict(names.all_in(space.decode()))),
        }

    def do_action(
        self,
        context: flight.ServerCallContext,  # noqa: ARG002
        action: flight.Action,
    ) -> Iterator[bytes]:
        """Answer a rare request."""
        self._holds.expire()
        try:
            if action.type not in self._actions:
                raise RefusedError(f"no such action: {action.type}")
            yield self._actions[action.type](bytes(action.body or b""))
        except (ObjectError, ValueError, TypeError) as error:
            raise wire.as_flight(error) from None

    def do_exchange(
        self,
        context: flight.ServerCallContext,  # noqa: ARG002
        descriptor: flight.FlightDescriptor,  # noqa: ARG002
        reader: flight.MetadataRecordBatchReader,
        writer: flight.MetadataRecordBatchWriter,
    ) -> None:
        """Serve a session until its client ends it or dies."""
        session = SessionService(
            self._members.own.name, self._memory, self._holds, self._check_elsewhere
        )
        try:
            writer.begin(wire.SCHEMA)
            while True:
                request = reader.read_chunk().app_metadata
                data, answer = session.answer(bytes(request or b""))
                for chunk in data:
                    writer.write_batch(wire.message(chunk))
                if answer is not None:
                    writer.write_metadata(answer)
        except (StopIteration, flight.FlightError, pa.ArrowException):
            # It is over, in whichever way.
            return
        finally:
            session.end()

    def do_put(
        self,
        context: flight.ServerCallContext,  # noqa: ARG002
        descriptor: flight.FlightDescriptor,
        reader: flight.MetadataRecordBatchReader,
        writer: flight.FlightMetadataWriter,
    ) -> None:
        """Take one object from a client elsewhere, and seal it."""
        session = SessionService(
            self._members.own.name, self._memory, self._holds, self._check_elsewhere
        )
        try:
            (entry,) = session.create(bytes(descriptor.command))
            offset, end = entry.offset, entry.offset + entry.length
            for chunk in reader:
                data = wire.content(chunk.data)
                if offset + data.size > end:
                    raise RefusedError(f"more than the {entry.length:,} bytes that were announced")
                write_segment(self._memory.folder, entry.segment, offset, memoryview(data))
                offset += data.size
            if offset != end:
                raise RefusedError(f"{end - offset:,} of {entry.length:,} bytes are missing")
            session.seal(entry.object_id)
            writer.write(entry.object_id)
        except (ObjectError, ValueError) as error:
            raise wire.as_flight(error) from None
        finally:
            session.end()

    def _join(self, body: bytes) -> bytes:
        self._members.joined(Member(**json.loads(body)))
        return written(self._members.all())

    def _objects(self, body: bytes) -> bytes:
        entries = self._memory.entries(json.loads(body))
        found = np.array(
            [(each.object_id, each.length, each.group) for each in entries], dtype=wire.OBJECT
        )
        return found.tobytes()

    def _named(self, change: Callable[..., None], body: bytes) -> bytes:
        change(*json.loads(body))
        return b""

    def _check_elsewhere(self, ids: Sequence[bytes]) -> None:
        """Raise ExistsError where another node has one of these ids."""
        for member in self._members.others():
            try:
                known = self._ask(member, wire.KNOWS, b"".join(ids))
            except NodeLostError as error:
                raise ObjectError(f"nobody can tell whether an id is taken: {error}") from None
            for one, taken in zip(ids, known, strict=True):
                if taken:
                    raise ExistsError(f"object {one.hex()} is there already, on '{member.name}'")


class _Secret(flight.ServerMiddlewareFactory):  # type: ignore[misc]
    """Refuses calls without the secret."""

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def start_call(self, info: Any, headers: Mapping[str, Sequence[str]]) -> None:  # noqa: ANN401, ARG002
        """Look for the secret in a call's headers."""
        given = headers.get(wire.SECRET_HEADER, ("",))[0]
        if not hmac.compare_digest(given.encode(), self._secret.encode()):
            raise flight.FlightUnauthenticatedError("the secret is another one")
