"""Validators of our types: building one takes pydantic milliseconds, so each is built once."""

from typing import Any, TypeVar

from pydantic import TypeAdapter

T = TypeVar("T")

_built: dict[type[Any], TypeAdapter[Any]] = {}


def adapter(kind: type[T]) -> TypeAdapter[T]:
    """Return what validates, and writes, values of a type."""
    if kind not in _built:
        _built[kind] = TypeAdapter(kind)
    return _built[kind]
