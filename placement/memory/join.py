"""A hash join, and how a store joins."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HashJoin:
    """A join of the rows that a hash table is made of with those that are looked up in it.

    table_bytes: size of the hash table of all build rows at once, its pointers included.
    build_bytes and probe_bytes: what the rows of each side take when they are spilled.
    scanned_bytes: what both sides read in order from the disk before they are joined; 0 where
        nothing comes from there.
    references: places in the hash table that a probe looks at: the bucket, and each row in it
        (the study counts these rows as the length of the bucket).
    joined_rows: rows that leave the join.
    successive: probes that look into the same bucket one after another, as rows of one order in a
        table that lies in their order; 1 where they are spread at random. Only the first of them
        misses the caches (the study, section 6).
    """

    build_rows: float
    table_bytes: float
    build_bytes: float
    probe_rows: float
    probe_bytes: float
    scanned_bytes: float = 0.0
    references: float = 2.0
    joined_rows: float = 0.0
    successive: float = 1.0

    @property
    def spillable_bytes(self) -> float:
        """Bytes that are spilled if every row is."""
        return self.build_bytes + self.probe_bytes

    @property
    def looked_up(self) -> float:
        """References that probes make, but for those that have just been made."""
        return self.probe_rows * self.references / self.successive

    @property
    def rows(self) -> float:
        """Rows of both sides."""
        return self.build_rows + self.probe_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreJoins:
    """Costs of a store's joins: CPU seconds of the steps, which a short sweep finds, and memory.

    row_s: a row of either side, where all that it needs is in the first cache.
    joined_row_s: a row that leaves the join.
    spilled_row_s: writing a row to a partition and reading it again.
    batch_s: opening, reading and closing the files of a batch.
    misses: how much of a reference's wait it really waits. 1 where it looks up a row at a time;
        less where it has several look-ups under way.
    buffer_bytes: memory of the buffer of a batch's file that the store weighs against the hash
        table; 0 where it makes as many batches as the working memory asks for.
    table_share: part of the setting that the hash table of a join may take. It is above 1 where
        the store multiplies it (PostgreSQL's `hash_mem_multiplier`), or where its rows take less
        than `HashJoin.table_bytes` says (MariaDB's join buffer).
    cache_share: part of each cache that hash tables keep. Rows that stream by take the rest.
    """

    row_s: float
    joined_row_s: float = 0.0
    spilled_row_s: float = 0.0
    batch_s: float = 0.0
    misses: float = 1.0
    buffer_bytes: float = 0.0
    table_share: float = 1.0
    cache_share: float = 1.0
