"""The rows of Spark's frames as Arrow, whoever else connects to the ports of this machine."""

from contextlib import closing
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_TIMES = 3


def arrow_table(frame: "DataFrame") -> pa.Table:
    """Return the rows of `frame`.

    Java hands them out at a port of its own, to the first who connects. Where that was somebody
    else, PySpark's `toArrow` waits for Java without an end, and no cancelling reaches it. Nothing
    of the frame has been run by then, so that it is begun again here.
    """
    from pyspark.errors.exceptions.captured import unwrap_spark_exception
    from pyspark.sql.pandas.serializers import ArrowCollectSerializer
    from pyspark.sql.pandas.types import to_arrow_schema

    schema = to_arrow_schema(
        frame.schema, error_on_duplicated_field_names_in_struct=True, timezone="UTC"
    )
    (file, socket), served = _connected(frame)
    try:
        with closing(socket), closing(file):
            batches = list(ArrowCollectSerializer().load_stream(file))
    finally:
        with unwrap_spark_exception():
            # It raises what went wrong in Java.
            served.getResult()
    return pa.Table.from_batches(batches).cast(schema) if batches else schema.empty_table()


def _connected(frame: Any) -> tuple[tuple[Any, Any], Any]:  # noqa: ANN401 - PySpark's own
    """Return a connection to where the rows are handed out, and what Java says of the end."""
    from pyspark import util

    for _ in range(_TIMES - 1):
        port, secret, served = frame._jdf.collectAsArrowToPython()
        try:
            return util._create_local_socket((port, secret)), served
        except (EOFError, OSError, RuntimeError):
            continue
    port, secret, served = frame._jdf.collectAsArrowToPython()
    return util._create_local_socket((port, secret)), served
