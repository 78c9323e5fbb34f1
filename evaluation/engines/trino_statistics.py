"""Trino's own counts for a query: rows that its connectors read from each store."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from evaluation.measuring.measurement import Moved
from evaluation.running.job import TrinoConnection

_TIMEOUT_S = 10.0
_SIZE = re.compile(r"([\d.]+)([kMGTP]?)B")
_UNITS = {"": 1, "k": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50}


def moved(trino: TrinoConnection, query_id: str) -> Mapping[str, Moved]:
    """Return catalog → what its scans handed to Trino, as Trino tells it of the finished query."""
    import requests

    login = None if trino.password is None else (trino.user, trino.password)
    answer = requests.get(
        f"{trino.url.rstrip('/')}/v1/query/{query_id}",
        headers={"X-Trino-User": trino.user},
        auth=login,
        timeout=min(_TIMEOUT_S, trino.silence_s),
        verify=trino.verify,
    )
    answer.raise_for_status()
    return moved_of(answer.json())


def moved_of(information: Mapping[str, Any]) -> Mapping[str, Moved]:
    """Return catalog → what its scans handed over, read off Trino's information on a query.

    Rows are physical input positions. Connectors of JDBC do not count bytes: these are of the
    rows as Trino holds them.
    """
    catalogs = {each["planNodeId"]: each["catalogName"] for each in information["inputs"]}
    rows: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for operator in information["queryStats"]["operatorSummaries"]:
        catalog = catalogs.get(operator.get("sourceId") or operator["planNodeId"])
        if catalog is not None:
            rows[catalog] += operator["physicalInputPositions"]
            sizes[catalog] += _bytes(operator["inputDataSize"])
    return {catalog: Moved(rows=rows[catalog], bytes=sizes[catalog]) for catalog in rows}


def _bytes(size: str) -> int:
    """Return the bytes of Trino's spelling of a size, such as ``1.50kB``."""
    found = _SIZE.fullmatch(size)
    if found is None:
        raise ValueError(f"'{size}' is no size of Trino")
    return round(float(found[1]) * _UNITS[found[2]])
