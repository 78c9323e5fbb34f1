"""A client's link to one node: actions, and a session that holds what it reads."""

import contextlib
from collections import deque
from collections.abc import Iterator, Sequence
from threading import RLock
from typing import Any

import pyarrow as pa
from pyarrow import flight

from evaluation.objects import wire
from evaluation.objects.errors import NodeLostError, ObjectError, RefusedError
from evaluation.objects.members import Member
from evaluation.objects.silence import SILENCE_S, Watch, silent

_ACTION_S = 10.0
_LOST = (
    flight.FlightUnavailableError,
    flight.FlightTimedOutError,
    flight.FlightCancelledError,
    flight.FlightInternalError,
)
_ENDED = (pa.ArrowException, flight.FlightError, StopIteration)


def ask(member: Member, secret: str, action: str, body: bytes, timeout_s: float) -> bytes:
    """Ask a node one thing, by a connection of its own.

    Raises:
        NodeLostError: It does not answer.
        RefusedError: The secret is another one.
        ObjectError: What the action raised.
    """
    with contextlib.closing(Link(member, secret)) as link:
        return link.act(action, body, timeout_s=timeout_s)


class Link:
    """A connection to one node. Its session is opened when it is first needed.

    A node that owes the next message of an answer for `silence_s` is lost.
    """

    def __init__(self, member: Member, secret: str, silence_s: float = SILENCE_S) -> None:
        self.member = member
        self._silence_s = silence_s
        self._headers = [(wire.SECRET_HEADER.encode(), secret.encode())]
        self._client = flight.FlightClient(f"grpc+tcp://{member.address}")
        self._guard = RLock()
        self._session: tuple[Any, Any] | None = None
        self._watch: Watch | None = None
        self._sender: flight.FlightClient | None = None
        self._done: deque[int] = deque()
        self._closed = False

    def act(self, action: str, body: bytes = b"", *, timeout_s: float = _ACTION_S) -> bytes:
        """Do an action; return its answer."""
        options = flight.FlightCallOptions(timeout=timeout_s, headers=self._headers)
        with self._told():
            (answer,) = self._client.do_action(flight.Action(action, body), options)
            return bytes(answer.body)

    def request(self, letter: bytes, body: bytes = b"") -> memoryview:
        """Send a request of the session; return its answer."""
        with self._guard:
            self._let_go()
            return self._exchange(letter + body)[1]

    def fetch(self, hold: int, positions: Sequence[int]) -> list[pa.Buffer]:
        """Fetch objects of a hold, by their positions in it: their bytes, end to end."""
        with self._guard:
            return self._exchange(wire.FETCH + wire.numbers([hold, *positions]))[0]

    def done_with(self, hold: int) -> None:
        """Let go of a hold, at the next request. May be called by the garbage collector."""
        self._done.append(hold)

    def keep_alive(self) -> None:
        """Tell the node that its reader lives, where a session is open."""
        if self._session is not None and not self._closed:
            self.request(wire.ALIVE)

    def put(self, command: bytes, chunks: Iterator[pa.Buffer]) -> bytes:
        """Send one object; return its id."""
        descriptor = flight.FlightDescriptor.for_command(command)
        options = flight.FlightCallOptions(headers=self._headers)
        with self._told():
            writer, reader = self._sending().do_put(descriptor, wire.SCHEMA, options)
            with writer:
                for chunk in chunks:
                    writer.write_batch(wire.message(chunk))
                writer.done_writing()
                answer = reader.read()
            return bytes(answer)

    def close(self) -> None:
        """End the session and the connection."""
        self._closed = True
        with self._guard:
            if self._session is not None:
                writer, reader = self._session
                with (
                    contextlib.suppress(*_ENDED, NodeLostError),
                    self._waiting(),
                ):
                    writer.done_writing()
                    # The node answers by ending its side.
                    reader.read_chunk()
                self._session = None
                self._watched_no_longer()
                with contextlib.suppress(pa.ArrowException, flight.FlightError):
                    writer.close()
            if self._sender is not None:
                self._sender.close()
            self._client.close()

    def _exchange(self, request: bytes) -> tuple[list[pa.Buffer], memoryview]:
        with self._told():
            writer, reader = self._opened()
            data = []
            try:
                with self._waiting() as watch:
                    writer.write_metadata(request)
                    while True:
                        chunk = reader.read_chunk()
                        watch.moved()
                        if chunk.data is not None and chunk.data.num_rows:
                            data.append(wire.content(chunk.data))
                        if chunk.app_metadata is not None:
                            break
            except BaseException:
                # An answer may still be on its way: nobody can tell it from the next one.
                self._drop_session()
                raise
            answer = memoryview(chunk.app_metadata)
            if answer[:1] != wire.ANSWER:
                wire.raise_failure(bytes(answer[1:]))
            return data, answer[1:]

    def _opened(self) -> tuple[Any, Any]:
        if self._session is None:
            options = flight.FlightCallOptions(headers=self._headers)
            descriptor = flight.FlightDescriptor.for_command(b"session")
            writer, reader = self._client.do_exchange(descriptor, options)
            writer.begin(wire.SCHEMA)
            self._session = writer, reader
        return self._session

    def _drop_session(self) -> None:
        if self._session is not None:
            self._cancel()
            self._session = None
            self._watched_no_longer()

    def _cancel(self) -> None:
        session = self._session
        if session is not None:
            with contextlib.suppress(pa.ArrowException, flight.FlightError):
                session[1].cancel()

    @contextlib.contextmanager
    def _waiting(self) -> Iterator[Watch]:
        """End the session where the node owes what the block waits for and is silent."""
        if self._watch is None:
            self._watch = Watch(self._silence_s, self._cancel)
        watch = self._watch
        try:
            with watch.waiting():
                yield watch
        except _ENDED:
            if watch.is_over:
                raise self._lost(silent(self._silence_s)) from None
            raise

    def _watched_no_longer(self) -> None:
        if self._watch is not None:
            self._watch.close()
            self._watch = None

    def _sending(self) -> flight.FlightClient:
        """Return the client for what is put: nothing can cancel that, but a transport that is dead.

        It asks the node for a sign of life where none came for half the time. The session's own
        must not: a node ends a connection that asks too often while nothing is sent.
        """
        if self._sender is None:
            half_ms = round(500 * self._silence_s)
            options = [
                ("grpc.keepalive_time_ms", half_ms),
                ("grpc.keepalive_timeout_ms", half_ms),
                # Of the answer to that question; without it, a minute.
                ("grpc.http2.ping_timeout_ms", half_ms),
            ]
            address = f"grpc+tcp://{self.member.address}"
            self._sender = flight.FlightClient(address, generic_options=options)
        return self._sender

    def _let_go(self) -> None:
        """Let go of what is done with: nothing is answered, so nobody waits."""
        if not self._done or self._session is None:
            return
        numbers = [self._done.popleft() for _ in range(len(self._done))]
        with self._told(), self._waiting():
            self._session[0].write_metadata(wire.LET_GO + wire.numbers(numbers))

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Raise what the node raised, or that it is lost."""
        try:
            yield
        except flight.FlightUnauthenticatedError:
            raise RefusedError(
                f"node '{self.member.name}' ({self.member.address}) refuses the secret"
            ) from None
        except StopIteration:
            raise self._lost("it ended the session") from None
        except (flight.FlightError, pa.ArrowException) as error:
            if isinstance(error, flight.FlightError) and (told := wire.from_flight(error)):
                raise told from None
            if isinstance(error, _LOST):
                raise self._lost(_reason(error)) from None
            raise ObjectError(f"node '{self.member.name}': {_reason(error)}") from None

    def _lost(self, reason: str) -> NodeLostError:
        return NodeLostError(self.member.name, self.member.address, reason)


def _reason(error: Exception) -> str:
    lines = str(error).split(". Detail:")[0].splitlines()
    return (lines or [type(error).__name__])[0][:200]
