"""Counting the rows of COPY and INSERT, of which nothing is held but what is looked at."""

import re
from collections.abc import Callable

from workloads.sources.dumps.rules import Rules
from workloads.sources.dumps.window import Window

_COPY_END = re.compile(rb"\\\.[ \t\r]*(?:\n|\Z)")
_END_BYTES = 64


def copied_rows(window: Window) -> int:
    r"""Return the lines before ``\.`` and pass over it; the window is at the first of them."""
    rows = 0
    while True:
        data, at = window.data, window.at
        # The line feed before the window's place is still in it.
        found = data.find(b"\n\\.", max(0, at - 1))
        if found < 0:
            end = max(at, window.limit(2))
            rows += data.count(b"\n", at, end)
            window.at = end
            if window.is_last:
                return rows + (end > at and not data.endswith(b"\n"))
            window.more()
        elif not window.is_last and len(data) - found < _END_BYTES:
            rows += data.count(b"\n", at, found + 1)
            window.at = found + 1
            window.more()
        else:
            rows += data.count(b"\n", at, found + 1)
            ended = _COPY_END.match(data, found + 1)
            window.at = found + 3 if ended is None else ended.end()
            if ended is not None:
                return rows


def inserted_rows(
    window: Window,
    rules: Rules,
    head: bytes,
    passed: Callable[[bytes], None],
    margin_bytes: int,
) -> int:
    """Return the rows from the first on up to the end of the INSERT, or of those that follow it.

    `head` is the text before the first row; INSERTs that follow with the same are counted too.
    `passed` passes over the quote or comment whose opening it is given. `margin_bytes` is more
    than any mark that counts has.
    """
    whole = rules.rows(head)
    rows = depth = 0
    is_row_next, is_tail = True, False
    while True:
        if depth == 0 and is_row_next:
            rows += _whole_rows(window, whole)
        found = (rules.deep if depth else rules.flat).search(window.data, window.at)
        limit = window.limit(margin_bytes)
        if found is None or found.start() >= limit:
            window.at = limit
            if window.is_last:
                return rows
            window.more()
            continue
        kind = found.lastgroup
        window.at = found.start() if kind in ("quote", "end", "batch", "next") else found.end()
        if kind in ("end", "batch", "next"):
            return rows
        if kind == "quote":
            passed(found[0])
        elif kind == "open":
            rows += depth == 0 and is_row_next
            is_row_next = False
            depth += 1
        elif kind == "shut":
            depth -= 1
        else:
            is_tail = is_tail or kind == "tail"
            is_row_next = not is_tail


def _whole_rows(window: Window, pattern: re.Pattern[bytes]) -> int:
    """Return the rows that `pattern` matches one after the other, and pass over them."""
    rows, end = 0, window.at
    for found in pattern.finditer(window.data, end):
        if found.lastindex is not None:
            break
        rows += 1
        end = found.end()
    window.at = end
    return rows
