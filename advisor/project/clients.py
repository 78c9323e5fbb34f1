"""The numbers of clients of ``[evaluate].clients``."""

from typing import Annotated

from pydantic import BeforeValidator

MOST_CLIENTS = 100
"""Each has an engine of its own, with its threads and its sessions in the stores."""


def _clients(value: object) -> tuple[int, ...]:
    if not isinstance(value, list | tuple) or not value:
        raise ValueError("write a list of numbers of clients such as [1, 2, 4], or no such key")
    for each in value:
        if not isinstance(each, int) or isinstance(each, bool) or not 1 <= each <= MOST_CLIENTS:
            raise ValueError(f"{each!r} is no number of clients from 1 to {MOST_CLIENTS}")
    if len(set(value)) < len(value):
        raise ValueError("a number of clients is in it twice: write each once")
    return tuple(sorted(value))


Clients = Annotated[tuple[int, ...], BeforeValidator(_clients)]
