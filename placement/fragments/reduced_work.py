"""The work of a fragment that keys reduce."""

from collections.abc import Sequence
from dataclasses import replace

from placement.fragment import EstimatedWork, IndexRead, LookUp
from placement.fragments.index_findings import spared_once
from placement.fragments.look_ups import Spared


def reduced_work(
    work: EstimatedWork,
    rows: float,
    spared: Spared,
    looked_up: Sequence[LookUp],
    by_index: tuple[IndexRead, ...],
) -> EstimatedWork:
    """Return what is left of a fragment's work where only `rows` leave it.

    `by_index` are further reads by indexes, of sources whose rows no primary key finds.
    """
    clustered_bytes = work.clustered_bytes
    if clustered_bytes is not None:
        clustered_bytes -= spared.clustered_bytes
    found = {each.source for each in looked_up}
    reads = (
        each
        for each in (*work.index_reads, *by_index)
        if not (spared.clustered_bytes if each.clustered else spared.heap_bytes)
        and (each.clustered or each.source not in found)
    )
    return replace(
        work,
        rows_out=rows,
        join_rows=work.join_rows - sum(each.spared_rows for each in looked_up),
        scan_bytes=work.scan_bytes
        - spared.heap_bytes
        - sum(each.spared_bytes for each in looked_up),
        clustered_bytes=clustered_bytes,
        key_range_bytes=work.scan_bytes - spared.key_range_bytes,
        index_reads=spared_once(reads, looked_up),
    )
