"""Where PySpark keeps Spark."""

from importlib.util import find_spec
from pathlib import Path

from workloads.errors import SetUpError


def spark_home() -> Path:
    """Return the folder with Spark's programs and jars, without importing PySpark.

    Raises:
        SetUpError: It is not installed.
    """
    found = find_spec("pyspark")
    if found is None or found.origin is None:
        raise SetUpError("PySpark is not installed: run `make setup`.")
    return Path(found.origin).parent
