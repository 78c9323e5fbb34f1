"""Trino's own counts for a query: rows read from each store, and what its stages exchanged."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.measuring.measurement import Moved
from evaluation.running.job import TrinoConnection

_TIMEOUT_S = 10.0
_SIZE = re.compile(r"([\d.]+)([kMGTP]?)B")
_UNITS = {"": 1, "k": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50}
# What reads the rows of another stage; local exchanges stay within a stage, and are none.
_RECEIVERS = frozenset({"ExchangeOperator", "MergeOperator"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchanged:
    """Figures of what a query's stages handed to each other; None where Trino does not tell."""

    exchanges: int | None = None
    rows: int | None = None
    bytes: int | None = None


def information_on(trino: TrinoConnection, query_id: str) -> Mapping[str, Any]:
    """Return what Trino tells of a finished query."""
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
    found: Mapping[str, Any] = answer.json()
    return found


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


def exchanged_of(information: Mapping[str, Any]) -> Exchanged:
    """Return what the stages exchanged, read off the operators that received it.

    Nothing is known where Trino tells of no operator at all. The way of the answer to the
    coordinator is an exchange as well.
    """
    operators = information["queryStats"].get("operatorSummaries")
    if not operators:
        return Exchanged()
    received = [each for each in operators if each.get("operatorType") in _RECEIVERS]
    return Exchanged(
        exchanges=len(received),
        rows=sum(each["inputPositions"] for each in received),
        bytes=sum(_bytes(each["inputDataSize"]) for each in received),
    )


def _bytes(size: str) -> int:
    """Return the bytes of Trino's spelling of a size, such as ``1.50kB``."""
    found = _SIZE.fullmatch(size)
    if found is None:
        raise ValueError(f"'{size}' is no size of Trino")
    return round(float(found[1]) * _UNITS[found[2]])
