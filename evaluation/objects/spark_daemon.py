"""Spark's parent of Python workers, with what scans of objects import: each worker is its fork.

A scan starts three workers to be planned and one a task, which would each import Arrow, Flight
and this package anew.
"""

import evaluation.objects.spark_source  # noqa: F401 - so that forks have it

if __name__ == "__main__":
    from pyspark.daemon import manager

    manager()
