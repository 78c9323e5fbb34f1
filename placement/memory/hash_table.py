"""The bytes of hash tables and of spilled rows, as PostgreSQL has them."""

import math

# HJTUPLE_OVERHEAD and the header of a minimal tuple, both aligned; a bucket is a pointer.
_ROW_BYTES = 16 + 16
_BUCKET_BYTES = 8
_ALIGNMENT = 8
# In a batch's file: the hash, and the tuple with its header.
_SPILLED_ROW_BYTES = 4 + 16


def table_bytes(rows: float, width: float) -> float:
    """Return the size of PostgreSQL's hash table: each row with its headers, a bucket for each.

    Buckets are a power of two, as many as there are rows at least.
    """
    row = _ROW_BYTES + math.ceil(width / _ALIGNMENT) * _ALIGNMENT
    buckets = 1 << max(10, math.ceil(math.log2(max(1.0, rows))))
    return rows * row + buckets * _BUCKET_BYTES


def spilled_bytes(rows: float, width: float) -> float:
    """Return what rows take in the files of a hash join's batches."""
    return rows * (width + _SPILLED_ROW_BYTES)
