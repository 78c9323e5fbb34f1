"""Metrics of an operator are read from their text, or one by one where it cannot be read."""

from types import SimpleNamespace
from typing import Any

import pytest

from evaluation.measuring.plan_metrics import _metrics


class Seq:
    def __init__(self, *items: Any) -> None:
        self._items = items

    def size(self) -> int:
        return len(self._items)

    def apply(self, index: int) -> Any:
        return self._items[index]


def node(text: str, **values: tuple[int, int]) -> Any:
    """An operator whose metrics have this text, and these numbers and values."""
    pairs = (
        SimpleNamespace(
            _1=lambda name=name: name,
            _2=lambda number=number, value=value: SimpleNamespace(
                id=lambda: number, value=lambda: value
            ),
        )
        for name, (number, value) in values.items()
    )
    metrics = SimpleNamespace(toString=lambda: text, toSeq=lambda: Seq(*pairs))
    return SimpleNamespace(metrics=lambda: metrics)


def metric(name: str, number: int, value: int, called: str = "Some(rows)") -> str:
    return f"{name} -> SQLMetric(id: {number}, name: {called}, value: {value})"


@pytest.mark.parametrize("called", ["None", "Some(time (ms), total)", "Some(value: 3)"])
def test_the_text_has_the_number_and_the_value_of_each(called: str) -> None:
    text = f"HashMap({metric('spillSize', 7, -1, called)}, {metric('peakMemory', 8, 40)})"
    assert _metrics(node(text)) == {"spillSize": (7, -1), "peakMemory": (8, 40)}
    assert _metrics(node(f"Map({metric('rows', 1, 2, called)})")) == {"rows": (1, 2)}
    assert _metrics(node("Map()")) == {}


@pytest.mark.parametrize("name", ["my.dataSize", "seen dataSize", "data-size"])
def test_metrics_with_other_names_are_asked_for_one_by_one(name: str) -> None:
    text = f"Map({metric(name, 7, 1)}, {metric('rows', 8, 2)})"
    found = _metrics(node(text, **{name: (7, 1), "rows": (8, 2)}))
    assert found == {name: (7, 1), "rows": (8, 2)}


def test_a_metric_that_is_not_registered_is_asked_for() -> None:
    text = "Map(rows -> Un-registered Accumulator: SQLMetric)"
    assert _metrics(node(text, rows=(8, 2))) == {"rows": (8, 2)}
