"""The rows and bytes that an execution moved out of each store."""

from collections.abc import Mapping, Sequence

from evaluation.federation.compiled import CompiledFragment
from evaluation.measuring.measurement import Moved

KEY_BYTES = 8


def moved(
    fragments: Sequence[CompiledFragment], rows: Mapping[str, int], key_rows: Mapping[str, int]
) -> Mapping[str, Moved]:
    """Return store → what its fragments handed out, with the keys that were fetched on their own.

    `rows` are those of each view.
    """
    found = {s: Moved(rows=n, bytes=n * KEY_BYTES) for s, n in key_rows.items()}
    for fragment in fragments:
        count = rows.get(fragment.view, 0)
        size = round(count * fragment.fragment.work.row_bytes_out)
        before = found.get(fragment.store, Moved(rows=0, bytes=0))
        found[fragment.store] = Moved(rows=before.rows + count, bytes=before.bytes + size)
    return found
