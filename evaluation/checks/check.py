"""Questions to a store before a run, and their answers."""

from collections.abc import Callable
from dataclasses import dataclass

from evaluation.store_protocol.connection import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Uses:
    """The uses that a project makes of a store.

    `copies` are loaded into its namespace, `tables` are read as they are there (those of `schemas`,
    or of all), `statements` are taken from its statistics.
    """

    copies: bool = False
    tables: bool = False
    statements: bool = False
    schemas: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Lack:
    """A need of a use that the store does not meet: in words, and as statements to paste there."""

    what: str
    remedy: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The facts that a store tells of itself.

    Of its `tables` that are read, `stale` are the statements that bring their statistics up to
    date where these are older than the data; both None where it does not say.
    """

    version: str
    lacks: tuple[Lack, ...] = ()
    tables: int | None = None
    stale: tuple[str, ...] | None = None


Check = Callable[[Connection, Uses], Checked]
"""Asks a store, within seconds, and changes nothing there; StoreError where it does not answer."""
