"""Ranges of keys: a store that keeps rows in the order of their keys reads the blocks with some.

It reads a block of its files as a whole, whatever rows of it are asked for.
"""

BLOCK_BYTES = 60e3
"""Bytes of a table (the catalog's) in a block.

Accumulo's blocks are of 100 kB (`table.file.compress.blocksize`), and its rows take 1.7 times the
catalog's bytes: eight for each number, and the key.
"""
MOST_RANGES = 20_000
"""Keys beyond which our scan reads the whole table (`KeyRanges.MOST` in Java)."""


def spared_by_ranges(size: float, share: float, keys: float) -> float:
    """Return the bytes of a table's blocks in which no row has any of some keys.

    The keys, of the first column of its primary key, find a share (0..1] of its rows, and are taken
    to be any of that column's. A block holds the rows of several keys that follow one another, and
    is spared where none of them is asked for.
    """
    if keys > MOST_RANGES or size <= 0.0:
        return 0.0
    a_key_bytes = max(1.0, size * share / max(1.0, keys))
    in_a_block = 1.0 + BLOCK_BYTES / a_key_bytes
    return float(size * (1.0 - min(1.0, share)) ** in_a_block)
