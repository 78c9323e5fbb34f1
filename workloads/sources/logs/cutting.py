"""Cutting a log into pieces that can be read side by side, in one pass over its bytes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from workloads.counting.counting import EVERYTHING, Counting
from workloads.folding.lexis import Lexis
from workloads.search_path import NO_RULES, SearchRules
from workloads.sources.logs import files, query_log
from workloads.sources.logs.formats import FORMATS, Task
from workloads.sources.logs.pieces import Piece
from workloads.sources.logs.runners import Runner

PIECE_BYTES = 16_000_000
"""About so large is a piece; what a worker holds of a log grows with it."""


def tasks(
    pieces: Sequence[Piece],
    sizes: Mapping[int, int],
    rules: Lexis,
    counting: Counting = EVERYTHING,
    searching: SearchRules = NO_RULES,
) -> list[Task]:
    """Put small pieces together, so that a task is worth its hand-over."""

    def task(pieces: Sequence[Piece]) -> Task:
        return Task(pieces=tuple(pieces), lexis=rules, counting=counting, searching=searching)

    whole: list[Task] = []
    some: list[Piece] = []
    size = 0
    for piece, after in zip(pieces, [*pieces[1:], None], strict=True):
        some.append(piece)
        size += sizes[piece.file] if piece.is_whole else PIECE_BYTES
        # The files of one log are read one after another.
        goes_on = piece.log != 0 and after is not None and after.log == piece.log
        if size >= PIECE_BYTES and not goes_on:
            whole.append(task(some))
            some, size = [], 0
    if some:
        whole.append(task(some))
    return whole


def cut(whole: Sequence[Piece], sizes: Mapping[int, int], runner: Runner) -> list[Piece]:
    """Return the pieces in which the files can be read side by side."""
    lined = {piece.file for piece in whole if _is_cut_at_lines(piece, sizes[piece.file])}
    ranges = [
        each
        for piece in whole
        if piece.file in lined
        for each in files.block_ranges(piece.path, PIECE_BYTES)
    ]
    by_path: dict[Path, list[files.Block]] = {}
    for path, block in runner.each(files.survey, ranges):
        by_path.setdefault(path, []).append(block)
    pieces: list[Piece] = []
    for piece in whole:
        if piece.file in lined:
            blocks = sorted(by_path[piece.path], key=lambda block: block.start)
            quoted = FORMATS[piece.format].cut == "quoted lines"
            pieces += _between(piece, list(files.cuts(blocks, quoted=quoted)))
        elif FORMATS[piece.format].cut == "row groups":
            pieces += _row_groups(piece)
        else:
            pieces.append(piece)
    return pieces


def _is_cut_at_lines(piece: Piece, size_bytes: int) -> bool:
    if FORMATS[piece.format].cut not in ("lines", "quoted lines") or size_bytes <= PIECE_BYTES:
        return False
    return not files.is_packed(piece.path) and files.is_utf8(piece.path)


def _between(piece: Piece, starts: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    ends: list[int | None] = [start for start, _ in starts[1:]]
    for (start, line), end in zip(starts, [*ends, None], strict=True):
        yield replace(piece, start=start, end=end, line=line)


def _row_groups(piece: Piece) -> Iterator[Piece]:
    start = row = first_row = size = 0
    groups = query_log.row_groups(piece.path)
    for place, (rows, size_bytes) in enumerate(groups):
        row += rows
        size += size_bytes
        if size >= PIECE_BYTES or place == len(groups) - 1:
            yield replace(piece, start=start, end=place + 1, line=first_row + 1)
            start, first_row, size = place + 1, row, 0
