"""A Trino that falls silent fails a query in a stated time, however it has answered before."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from time import monotonic

import pytest

from evaluation.engines import trino
from evaluation.federation.located import LocatedQuery
from evaluation.running.bounded_frames import QueryFailedError
from evaluation.running.job import TrinoConnection

SILENCE_S = 0.9
QUERY = LocatedQuery(query="q", sql="SELECT 1 AS n", stores=("pg",))


@contextmanager
def silent_trino(answers: int) -> Iterator[str]:
    """Answer so many requests that the query is queued, and then none; yield the address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        queued = {
            "id": "q",
            "infoUri": url,
            "nextUri": f"{url}/v1/statement/queued/q/1",
            "stats": {"state": "QUEUED"},
        }
        body = json.dumps(queued).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
        left, opened = [answers], []

        def serve(client: socket.socket) -> None:
            with suppress(OSError):
                while client.recv(65_536):
                    if left[0] > 0:
                        left[0] -= 1
                        client.sendall(f"{head}\r\n\r\n".encode() + body)

        def accept() -> None:
            with suppress(OSError):
                while True:
                    client, _ = listener.accept()
                    opened.append(client)
                    Thread(target=serve, args=(client,), daemon=True).start()

        Thread(target=accept, daemon=True).start()
        try:
            yield url
        finally:
            for client in opened:
                with suppress(OSError):
                    client.shutdown(socket.SHUT_RDWR)
                client.close()


@pytest.mark.parametrize("answers", [0, 1, 2])
def test_a_query_of_a_trino_that_falls_silent_fails_in_time(answers: int):
    with silent_trino(answers) as url:
        there = TrinoConnection(url=url, user="u", silence_s=SILENCE_S)
        started = monotonic()
        with pytest.raises(QueryFailedError, match=r"has said nothing for 0\.9 s") as failed:
            trino._Located(query=QUERY, trino=there, timeout_s=600).run()
        # What was asked, and the cancellation of what it may still run.
        assert monotonic() - started < 60
    assert not failed.value.timeout
    assert "silence_s" in str(failed.value)


def test_a_query_that_is_late_ends_though_trino_does_not_hear_its_cancellation():
    with silent_trino(1) as url:
        there = TrinoConnection(url=url, user="u", silence_s=SILENCE_S)
        with pytest.raises(QueryFailedError, match=r"not done after 0\.2 s") as failed:
            trino._Located(query=QUERY, trino=there, timeout_s=0.2).run()
    assert failed.value.timeout
