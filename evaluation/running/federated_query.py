"""Frames over the stores: each fragment's, restricted to keys where it has any, and the whole."""

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Executor, wait
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evaluation.federation.compiled import CompiledFragment, CompiledQuery
from evaluation.federation.keys import KeySource
from evaluation.running.cancellation import GRACE_S
from evaluation.running.found_keys import distinct
from evaluation.running.key_order import views_of_keys, waves
from evaluation.running.relations import AS_IT_IS, NONE, Relations
from evaluation.running.restricting import Keys, LoadedKeys, restricted_to_few, with_keys
from evaluation.running.typed_frames import Shape, typed
from evaluation.spark.arrow import arrow_table
from evaluation.spark.joins import JoinStrategy, join_hints
from evaluation.store_protocol.columns import quoted
from placement.fetching import FEW_BYTES

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

KEYS = "keys_of"
"""The alias of keys that are fetched alone."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reading:
    """One query's reading: what is asked of the stores, and what the engine keeps until `left`.

    `relations` are those of the run. `as_predicted` tells that sizes are, as far as is known:
    then small results are not fetched a fetch size at a time, and hashed. Stores are asked at the
    same time, each for at most `patience_s`. `key_rows` counts the keys that were fetched on their
    own, by store. Many are loaded by `key_tables`, and dropped when the query has been `left`.
    """

    spark: "SparkSession"
    relations: Relations
    as_predicted: bool
    join_strategy: JoinStrategy
    pool: Executor
    patience_s: float
    left: ExitStack
    key_tables: LoadedKeys
    key_rows: Counter[str] = field(default_factory=Counter)

    def frame(self, query: CompiledQuery) -> "DataFrame":
        """Return the frame that computes the query; keys that fragments need are fetched now.

        Raises:
            TimeoutError: A store says nothing, not even after its statements were cancelled.
        """
        shape = Shape(names=query.names, types=query.types, order=query.order)
        if query.combine_sql is None:
            (whole,) = self._frames(query.fragments, shape)
            return whole
        again = {each.view for each in query.fragments if each.reads > 1}
        frames = self._views(query, again)
        hints = join_hints(query.fragments, self.join_strategy, as_predicted=self.as_predicted)
        for each in query.fragments:
            view, frame = each.view, frames[each.same_as or each.view]
            if each.same_as is not None:
                frame = frame.toDF(*each.columns)
            hinted = frame.hint(hints[view]) if view in hints else frame
            hinted.createOrReplaceTempView(view)
            self.left.callback(self.spark.catalog.dropTempView, view)
        return self.relations.combined(query.combine_sql, shape, query.fragments)

    def is_one_task(self, fragment: CompiledFragment) -> bool:
        """Whether one task reads all of a fragment: that of a statement without portions."""
        return not self.portions(fragment) and self.relations.runs_sql(fragment.store)

    def portions(self, fragment: CompiledFragment) -> Mapping[str, str]:
        """Return Spark's options to read a fragment by several tasks; none where one does."""
        ranged = fragment.ranged
        return ranged.options(self.parallelism) if ranged else NONE

    def _views(self, query: CompiledQuery, again: set[str]) -> dict[str, "DataFrame"]:
        """Return view → frame of the fragments that are read, those in `again` more than once.

        Keys that fragments need are fetched now.
        """
        read = [each for each in query.fragments if each.is_read]
        kept = again | views_of_keys(read) | _scans(query.fragments)
        frames = self._kept([each for each in read if not each.keys], kept)
        frames |= _parts_of_scans(query.fragments, frames)
        for ready in waves([each for each in read if each.keys], frames.keys()):
            keys = self._keys(_key_sources(ready), frames)
            frames |= self._kept(self._with_keys(ready, keys), kept)
        return frames

    def parts_of_scans(self, fragments: Sequence[CompiledFragment]) -> dict[str, "DataFrame"]:
        """Return view → frame of the fragments that have a part of a scan: each is read once."""
        kept = _scans(fragments)
        return _parts_of_scans(
            fragments, self._kept([each for each in fragments if each.view in kept], kept)
        )

    def _kept(
        self, fragments: Sequence[CompiledFragment], kept: set[str]
    ) -> dict[str, "DataFrame"]:
        """Return view → frame; those that are `kept` are read once."""
        frames = {}
        for fragment, frame in zip(fragments, self._frames(fragments), strict=True):
            if fragment.view in kept:
                frame.persist()
                self.left.callback(frame.unpersist)
            frames[fragment.view] = frame
        return frames

    def _frames(
        self, fragments: Sequence[CompiledFragment], shape: Shape = AS_IT_IS
    ) -> list["DataFrame"]:
        """Return the fragments' frames, whose columns the stores are asked for at the same time.

        One that is the whole query has its `shape`.
        """
        reads = [self.pool.submit(self.read, fragment, shape) for fragment in fragments]
        # One that has begun when the query is cancelled still asks its store for columns.
        self.left.callback(wait, reads, GRACE_S)
        try:
            done, unfinished = wait(reads, self.patience_s, FIRST_EXCEPTION)
            for each in done:
                each.result()
            if unfinished:
                raise TimeoutError
        finally:
            for each in reads:
                each.cancel()
        return [each.result() for each in reads]

    def read(self, fragment: CompiledFragment, shape: Shape = AS_IT_IS) -> "DataFrame":
        """Return a fragment's frame, for whose columns its store is asked."""
        if fragment.one_scan is not None:
            scan = fragment.one_scan
            return self.relations.frame(fragment.store, scan.sql, scan.view, few=False)
        few = self.as_predicted and fragment.fragment.work.bytes_out <= FEW_BYTES
        ranged = fragment.ranged
        portions = self.portions(fragment)
        types = dict(zip(fragment.columns, fragment.types, strict=True)) if fragment.types else NONE
        return self.relations.frame(
            fragment.store,
            ranged.sql if ranged and ranged.sql and portions else fragment.sql,
            fragment.view,
            few=few,
            portions=portions,
            hidden=ranged.column if ranged and ranged.hidden and portions else "",
            types=types,
            shape=shape,
            transfer=fragment.transfer,
            memory_bytes=fragment.memory_bytes,
            common=fragment.common,
        )

    def _with_keys(
        self, fragments: Sequence[CompiledFragment], keys: Keys
    ) -> list[CompiledFragment]:
        """Return fragments restricted to their keys, which several stores may load at once."""
        self.left.callback(self.key_tables.drop)
        return list(self.pool.map(lambda each: with_keys(each, keys, self.key_tables), fragments))

    @property
    def parallelism(self) -> int:
        """The number of tasks that Spark runs at the same time."""
        return self.spark.sparkContext.defaultParallelism

    def _keys(self, sources: Sequence[KeySource], frames: Mapping[str, "DataFrame"]) -> Keys:
        """Return the distinct keys of each source, without NULL."""
        within = list(dict.fromkeys(key.source for each in sources for key in each.keys))
        values = self._keys(within, frames) if within else {}

        def found(source: KeySource) -> "pa.Array":
            if source.sql is not None:
                return self.fetched_keys(source, source.sql, values)
            return distinct(arrow_table(frames[source.view].select(quoted(source.column, "`"))))

        return dict(zip(sources, self.pool.map(found, sources), strict=True))

    def fetched_keys(self, source: KeySource, sql: str, values: Keys) -> "pa.Array":
        """Return the distinct keys that `sql` of their own gives, restricted to other `values`."""
        few = self.as_predicted and not source.many
        sql = restricted_to_few(sql, source.keys, values)
        types = {source.column: "DATE"} if source.is_day else NONE
        rows = arrow_table(self.relations.frame(source.store, sql, KEYS, few=few, types=types))
        self.key_rows[source.store] += rows.num_rows
        return distinct(rows)


def _scans(fragments: Sequence[CompiledFragment]) -> set[str]:
    """Return the views whose scan has the rows of others too."""
    return {each.one_scan.view for each in fragments if each.one_scan is not None}


def _parts_of_scans(
    fragments: Sequence[CompiledFragment], frames: Mapping[str, "DataFrame"]
) -> dict[str, "DataFrame"]:
    """Return view → frame of the fragments that have a part of a scan, which `frames` has."""
    found = {}
    for each in fragments:
        if (scan := each.one_scan) is not None:
            rows = frames[scan.view]
            rows = rows.where(scan.condition) if scan.condition else rows
            rows = rows.selectExpr(*scan.outputs)
            found[each.view] = typed(rows, each.types) if each.types else rows
    return found


def _key_sources(fragments: Sequence[CompiledFragment]) -> list[KeySource]:
    return list(dict.fromkeys(key.source for each in fragments for key in each.keys))
