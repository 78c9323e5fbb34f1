"""The table of tuned settings beside default ones."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from benchmarks.tables.tuned import readings


def _run(*seconds: float) -> Mapping[str, Any]:
    outcome = "verified" if seconds else "failed"
    return {"outcome": outcome, "seconds": seconds, "bytes_moved": 10, "peak_memory_bytes": None}


def _query(name: str, default: Sequence[float], tuned: Sequence[float], *, settings: bool):
    return {
        "name": name,
        "has_settings": settings,
        "default": _run(*default),
        "tuned": _run(*tuned),
    }


def _plan(*totals: float) -> Mapping[str, Any]:
    return {
        "verified": bool(totals),
        "predicted_s": 5.0,
        "totals_s": totals,
        "bytes_moved": 2_500_000,
        "peak_memory_bytes": 4_000_000,
    }


@pytest.fixture
def answer():
    setting = {"fetch_rows": None, "statements": None, "join_memory_bytes": None}
    return {
        "slow": {},
        "repeats": 3,
        "settings": [{**setting, "fetch_rows": 20_000}, {**setting, "join_memory_bytes": 1 << 20}],
        "plans": {"default": _plan(6.0, 5.0, 7.0), "tuned": _plan(4.0, 5.0, 4.5)},
        "queries": [
            _query("q1", (1.0, 2.0, 4.0), (1.0, 1.0, 1.0), settings=True),
            _query("q2", (1.0, 1.0, 1.0), (1.2, 1.2, 1.0), settings=True),
            _query("q3", (1.0, 1.0, 1.0), (9.0, 9.0, 9.0), settings=False),
        ],
    }


def test_a_plan_has_its_median_and_spread(answer):
    assert "| default | 3/3 | 6.00 | 33 % | 5.00 | 2.5 | 4.0 |" in readings(answer)
    assert "| tuned | 3/3 | 4.50 | 22 % | 5.00 | 2.5 | 4.0 |" in readings(answer)


def test_only_queries_with_settings_are_compared(answer):
    told = " ".join(readings(answer).split())
    assert "over 1.1 times their time with default ones: 1 of 2." in told
    assert "The slowest is q2 (1.20 times), the fastest q1 (0.50 times)" in told


def test_settings_are_counted_by_what_they_set(answer):
    told = " ".join(readings(answer).split())
    assert "All stores over loopback, 3 rounds: 1 fragments have a fetch size" in told
    assert "0 a number of statements, 1 a working memory" in told


def test_a_plan_that_was_not_verified_has_no_seconds(answer):
    answer["plans"]["tuned"] = _plan()
    answer["queries"] = [_query("q1", (1.0, 1.0, 1.0), (), settings=True)]
    text = readings(answer)
    assert "| tuned | 0/1 | - | - | 5.00 |" in text
    assert "No query has settings and is verified with both plans." in " ".join(text.split())
