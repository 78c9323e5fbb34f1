"""Spark reads tables of the object store: a Python data source that hands Arrow batches over.

Its tasks map the objects on their machine and fetch the others. Spark pushes filters into it, and
applies them itself as well; it does not prune columns of Python sources, so that those to be read
are an option.
"""

import json
from collections.abc import Iterable, Iterator, MutableMapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, Filter, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from evaluation.objects.arrow_filters import arrow_filter
from evaluation.objects.client import ObjectClient
from evaluation.objects.silence import SILENCE_S
from evaluation.objects.tables import SpaceTables, StoredTable, batches

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FORMAT = "placement_objects"
COLUMNS = "columns"
"""The option with the names of columns to be read, as JSON; others may be among them."""
_told: "WeakSet[SparkSession]" = WeakSet()


def register(spark: "SparkSession") -> None:
    """Tell a session of the source, once."""
    if spark not in _told:
        spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
        spark.dataSource.register(ObjectsSource)
        _told.add(spark)


class ObjectsSource(DataSource):
    """A table by its options: ``nodes``, ``password``, ``space``, ``table``, ``mapped``."""

    def __init__(self, options: MutableMapping[str, str]) -> None:
        super().__init__(options)
        self._found: StoredTable | None = None

    @classmethod
    def name(cls) -> str:
        """Return the format's name."""
        return FORMAT

    def schema(self) -> StructType:
        """Return the columns that are read, with Spark's types."""
        return from_arrow_schema(self._schema(), prefer_timestamp_ntz=True)

    def reader(self, schema: StructType) -> "ObjectsReader":  # noqa: ARG002 - it is ours
        """Return what reads the table."""
        return ObjectsReader(dict(self.options), self._table(), self._schema())

    def _table(self) -> StoredTable:
        if self._found is None:
            name = self.options["table"]
            with client(self.options) as found:
                tables = SpaceTables(found, self.options["space"]).all()
            if name not in tables:
                raise ValueError(f"there is no table '{name}' in the object store")
            self._found = tables[name]
        return self._found

    def _schema(self) -> pa.Schema:
        whole = self._table().arrow_schema
        if COLUMNS not in self.options:
            return whole
        # Spark does not tell the case of letters in names.
        wanted = {each.casefold() for each in json.loads(self.options[COLUMNS])}
        kept = [field for field in whole if field.name.casefold() in wanted]
        # Rows are counted by a column: the smallest there is.
        return pa.schema(kept or [min(whole, key=_width)])


@dataclass
class Objects(InputPartition):
    """Some objects of a table, all of one node, by their ids in hexadecimal."""

    ids: tuple[str, ...]


class ObjectsReader(DataSourceReader):
    """Reads the columns of `schema`, of the rows that the filters let through."""

    def __init__(self, options: dict[str, str], table: StoredTable, schema: pa.Schema) -> None:
        self._options = options
        self._ids = [each.object_id for each in table.parts]
        self._schema = schema
        self._filters: list[Filter] = []

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802 - Spark's name
        """Keep those that Arrow understands as Spark does; Spark applies all of them again."""
        self._filters = [each for each in filters if arrow_filter([each], self._schema) is not None]
        return filters

    def partitions(self) -> list[InputPartition]:
        """Return a partition an object."""
        return [Objects((each,)) for each in self._ids]

    def read(self, partition: Any) -> Iterator[pa.RecordBatch]:  # noqa: ANN401 - an `Objects`
        """Yield the partition's rows; an object is used until its batches are."""
        if not isinstance(partition, Objects):
            return
        wanted = arrow_filter(self._filters, self._schema)
        with client(self._options) as found:
            ids = [bytes.fromhex(each) for each in partition.ids]
            for buffer in found.get(ids).buffers():
                for batch in batches(buffer):
                    rows = batch.select(self._schema.names)
                    kept = rows if wanted is None else rows.filter(wanted)
                    if kept.num_rows:
                        yield kept


def client(options: MutableMapping[str, str]) -> ObjectClient:
    """Return a client as the options say."""
    return ObjectClient(
        json.loads(options["nodes"]),
        options["password"],
        mapped=options.get("mapped", "true") == "true",
        silence_s=float(options.get("silence", SILENCE_S)),
    )


def _width(field: pa.Field) -> int:
    try:
        return int(field.type.bit_width)
    except ValueError:
        return 1 << 30
