"""Rows that left each store, read off what Trino says of a finished query."""

import json
from pathlib import Path

import pytest

from evaluation.engines.trino_statistics import Exchanged, exchanged_of, moved_of
from evaluation.measuring.measurement import Moved

# The answer of a Trino 476 on TPC-DS q12, with web_sales, item and date_dim in three stores.
RECORDED = Path(__file__).parent / "trino_476_query.json"


def scan(source: str, rows: int, size: str) -> dict[str, object]:
    return {
        "planNodeId": "1",
        "sourceId": source,
        "operatorType": "ScanFilterAndProjectOperator",
        "physicalInputPositions": rows,
        "inputDataSize": size,
    }


# As Trino 476 answers GET /v1/query/{id}, without what is not read.
INFORMATION = {
    "inputs": [
        {"catalogName": "pg", "planNodeId": "89"},
        {"catalogName": "maria", "planNodeId": "7"},
        {"catalogName": "pg", "planNodeId": "11"},
    ],
    "queryStats": {
        "operatorSummaries": [
            scan("89", 100, "1.50kB"),
            scan("7", 20, "9B"),
            scan("11", 3, "2.00MB"),
            {"planNodeId": "12", "physicalInputPositions": 5, "inputDataSize": "5B"},
        ]
    },
}


def test_rows_are_added_up_by_the_catalog_of_their_scan():
    assert moved_of(INFORMATION) == {
        "pg": Moved(rows=103, bytes=1536 + (2 << 20)),
        "maria": Moved(rows=20, bytes=9),
    }


def test_a_scan_without_a_source_is_known_by_its_own_number():
    operator = {"planNodeId": "7", "physicalInputPositions": 4, "inputDataSize": "8B"}
    information = {**INFORMATION, "queryStats": {"operatorSummaries": [operator]}}
    assert moved_of(information) == {"maria": Moved(rows=4, bytes=8)}


def test_a_size_in_unknown_units_is_a_fault():
    operator = scan("7", 1, "1 parsec")
    with pytest.raises(ValueError, match="no size of Trino"):
        moved_of({**INFORMATION, "queryStats": {"operatorSummaries": [operator]}})


def received(kind: str, rows: int, size: str) -> dict[str, object]:
    return {
        "planNodeId": "20",
        "operatorType": kind,
        "inputPositions": rows,
        "inputDataSize": size,
    }


def test_what_stages_receive_from_each_other_is_exchanged_and_local_exchanges_are_not():
    operators = [
        received("ExchangeOperator", 70, "1.00kB"),
        received("MergeOperator", 5, "10B"),
        received("LocalExchangeSourceOperator", 1000, "9.00MB"),
    ]
    information = {"queryStats": {"operatorSummaries": operators}}
    assert exchanged_of(information) == Exchanged(exchanges=2, rows=75, bytes=1034)


def test_exchanges_are_absent_where_trino_tells_of_no_operator():
    assert exchanged_of({"queryStats": {"operatorSummaries": []}}) == Exchanged()


def test_a_recorded_join_of_three_stores_is_read_off_by_store_and_by_stage():
    information = json.loads(RECORDED.read_text(encoding="utf-8"))
    moved = moved_of(information)
    assert {name: each.rows for name, each in moved.items()} == {"pg": 43, "duck": 31, "mysql": 17}
    assert all(each.bytes > 0 for each in moved.values())
    exchanged = exchanged_of(information)
    # Each scan's rows go to another stage, and the 14 rows of the answer through three more.
    assert (exchanged.exchanges, exchanged.rows) == (6, 43 + 31 + 17 + 3 * 14)
