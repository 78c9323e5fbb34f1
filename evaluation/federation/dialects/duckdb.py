"""DuckDB: what all others are compared with. Nothing has to be rewritten."""

from collections.abc import Callable

from sqlglot import exp

RULES: tuple[Callable[[exp.Query], exp.Query], ...] = ()
