"""Validators of our types: building one takes pydantic milliseconds, so each is built once."""

from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter

T = TypeVar("T")


def adapter(kind: type[T]) -> TypeAdapter[T]:
    """Return what validates, and writes, values of a type."""
    return _built(kind)


@cache
def _built(kind: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
