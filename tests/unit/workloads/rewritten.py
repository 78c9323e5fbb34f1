"""Statements of `rewrites.sql` with the canonical forms that stand below them.

python -m tests.unit.workloads.rewritten

writes the forms anew, as the rewrites make them now: look at the difference before it is kept.
"""

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from tests.catalogs import shop
from tests.data_fixtures import statement
from workloads.sql.canonical.rules import canonical
from workloads.sql.parsing.split import split_statements

FILE = Path(__file__).with_name("rewrites.sql")
_BEGIN, _MORE = "-- = ", "--   "
_FORM = re.compile(rf"(?m)^{_BEGIN}.*\n(?:{_MORE}.*\n)*")
_WIDTH = 96


def rewritten(sql: str) -> str:
    """Return the canonical form of a statement."""
    return canonical(statement(sql), shop(), "duckdb").sql("duckdb")


def kept() -> Iterator[tuple[str, str]]:
    """Yield each statement with the form below it, in one line; "" where none is there."""
    text = FILE.read_text()
    for sql, _, end in _statements(text):
        found = _FORM.match(text, end + 1)
        lines = found[0].splitlines() if found else ()
        yield sql, " ".join(line[len(_BEGIN) :] for line in lines)


def one_line(form: str) -> str:
    """Return a form as lines have it that are broken at spaces."""
    return " ".join(form.split())


def _statements(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each statement, where it begins, and the end of its semicolon."""
    at = 0
    for each in split_statements(text, "duckdb", FILE.name):
        begin = text.index(each.sql, at)
        at = text.index(";", begin + len(each.sql)) + 1
        yield each.sql, begin, at


def main() -> None:
    bare = _FORM.sub("", FILE.read_text())
    parts, at = [], 0
    for sql, _, end in _statements(bare):
        lines = textwrap.wrap(
            rewritten(sql),
            _WIDTH,
            initial_indent=_BEGIN,
            subsequent_indent=_MORE,
            break_long_words=False,
            break_on_hyphens=False,
        )
        parts += [bare[at:end], "\n", "\n".join(lines)]
        at = end
    FILE.write_text("".join([*parts, bare[at:]]))


if __name__ == "__main__":
    main()
