"""The workload: templates of statements, and the tables that each reads or writes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from benchmarks.web_shop.shape import FOLDER, MYSQL_DATABASE

_HEAD = re.compile(
    r"-- name: (?P<name>\w+)\n-- (?P<kind>tables|writes): (?P<tables>[^\n]+)\n"
    r"-- executions: (?P<executions>\d+)\n(?P<sql>.+?);\n",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A statement with a place for a number, and what is true of it.

    `tables` are those that it reads or, if `is_write`, the one that it writes. Each name has its
    schema. Partitions and views stand for the tables behind them.
    """

    name: str
    tables: frozenset[str]
    is_write: bool
    executions: int
    sql: str

    def texts(self) -> Iterator[str]:
        """Yield the statement of each execution."""
        for number in range(1, self.executions + 1):
            yield self.sql.format(n=number)


@cache
def templates(system: str) -> tuple[Template, ...]:
    """Return the templates for ``postgresql``, ``mysql``, or for tables of ``both``."""
    text = (FOLDER / f"templates_{system}.sql").read_text(encoding="utf-8")
    return tuple(
        Template(
            name=found["name"],
            tables=frozenset(found["tables"].split(", ")),
            is_write=found["kind"] == "writes",
            executions=int(found["executions"]),
            sql=found["sql"],
        )
        for found in _HEAD.finditer(text)
    )


def as_files(system: str) -> Iterator[tuple[str, str]]:
    """Yield a file's name and text for each template: its executions are in a comment."""
    use = f"USE {MYSQL_DATABASE};\n" if system == "mysql" else ""
    for each in templates(system):
        (first, *_) = each.texts()
        yield (
            f"{each.name}.sql",
            f"{use}-- name: {each.name}\n-- executions: {each.executions}\n{first};\n",
        )
