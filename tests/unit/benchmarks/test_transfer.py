"""The benchmark of transfer settings: its slow link, and its tables."""

import socket
import time
from threading import Thread

import pytest

from benchmarks.slow_link import slow_link
from benchmarks.tables.transfer import readings

SENT = bytes(range(256)) * 400
BITS_PER_S = 8e6
ROUND_TRIP_S = 0.05


def answering(listener):
    """Answer one client's request with all that is sent."""
    client, _ = listener.accept()
    with client:
        client.recv(16)
        client.sendall(SENT)


def test_a_slow_link_hands_over_every_byte_no_sooner_than_its_rate_and_delay_allow():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        Thread(target=answering, args=(listener,), daemon=True).start()
        port = listener.getsockname()[1]
        with (
            slow_link(port, bits_per_s=BITS_PER_S, round_trip_s=ROUND_TRIP_S) as behind,
            socket.create_connection(("127.0.0.1", behind)) as client,
        ):
            begun = time.perf_counter()
            client.sendall(b"send")
            first = client.recv(1)
            first_s = time.perf_counter() - begun
            rest = b"".join(iter(lambda: client.recv(65_536), b""))
            all_s = time.perf_counter() - begun
    assert first + rest == SENT
    assert first_s >= ROUND_TRIP_S
    assert all_s >= ROUND_TRIP_S + len(SENT) * 8 / BITS_PER_S


@pytest.fixture
def answer():
    fetched = {"fetch_rows": 30_000, "message_bytes": 32_768}
    compared = [
        {"name": "chosen", **fetched, "seconds": [1.02, 1.0, 1.1]},
        {"name": "best of the grid", **fetched, "seconds": [1.0, 1.0, 1.0]},
    ]
    late = {"name": "10 rows", **fetched, "seconds": [9.0]}
    result = {"width": 16, "rows": 31_250, "grid": [{**fetched, "seconds": 1.0}] * 40}
    link = {
        "link": "slow",
        "calibration": {"probes": 4, "error": 0.07},
        "fragments": [
            {**result, "compared": [*compared, late]},
            {**result, "rows": 375_000, "compared": compared},
        ],
    }
    held = {"width": 16, "rows": 375_000, "name": "chosen", **fetched, "bytes": 7_500_000}
    return {"links": [link], "memory": [held]}


def test_chosen_settings_stand_beside_the_best_and_what_was_not_read_is_unknown(answer):
    shown = readings(answer)
    assert "4 probes, 5.0 % of the grid's 80 reads" in " ".join(shown.split())
    assert "2 of 2 results are within 5 %" in " ".join(shown.split())
    few, many = (line for line in shown.splitlines() if "30,000" in line)
    assert "1.020 ±10 %" in few
    assert "9.000" in few
    assert many.endswith("| - |")
    assert "| 16 | 375,000 | 7.5 |" in shown
