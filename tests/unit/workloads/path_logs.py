"""Logs whose sessions have search paths of their own, and what is read of them."""

import csv
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tests.unit.workloads.test_schemas import catalog
from workloads.progress import Silent
from workloads.search_path import Searching
from workloads.sources.logs.recorded import workload
from workloads.sql.statements import Understood, understand

READ = "SELECT city FROM address WHERE id = {}"

SALES, CRM = "sales.address", "crm.address"

DAY = "2025-05-01"

Line = tuple[str, str]

"""A session, and what it ran: its level instead of LOG stands before it, as in ``ERROR: …``."""


class Log:
    """PostgreSQL's log of statements, one a second, in each of its forms."""

    def __init__(self, lines: Iterable[Line], *, first_second: int = 0, user: str = "shop") -> None:
        self._user = user
        self._records: list[tuple[str, str, str, str]] = []
        self._begun: dict[str, int] = {}
        for second, (session, sql) in enumerate(lines, start=first_second):
            self._begun.setdefault(session, second)
            level, _, text = sql.rpartition(": ") if sql.startswith("ERROR: ") else ("LOG", "", sql)
            self._records.append((self._time(second), session, level, text))

    def _time(self, second: int) -> str:
        return f"{DAY} 08:{second // 60:02}:{second % 60:02}"

    def csv(self, path: Path, skipped: int = 0) -> Path:
        with path.open("w") as file:
            writer = csv.writer(file)
            counts: Counter[str] = Counter()
            for place, (time, session, level, text) in enumerate(self._records):
                counts[session] += 1
                if place < skipped:
                    continue
                record = [""] * 26
                record[0], record[1], record[2], record[5] = (
                    f"{time}.000 CEST", self._user, "shop", session,
                )  # fmt: skip
                record[6] = str(counts[session])
                record[8] = f"{self._time(self._begun[session])} CEST"
                record[11] = level
                sql, _, detail = text.partition(" -- ")
                record[13] = "it failed" if level == "ERROR" else f"execute <unnamed>: {sql}"
                record[14], record[19] = detail, text if level == "ERROR" else ""
                writer.writerow(record)
        return path

    def json(self, path: Path) -> Path:
        with path.open("w") as file:
            counts: Counter[str] = Counter()
            for time, session, level, text in self._records:
                counts[session] += 1
                sql, _, detail = text.partition(" -- ")
                record = {
                    "timestamp": f"{time}.000 CEST",
                    "session_id": session,
                    "line_num": counts[session],
                    "session_start": f"{self._time(self._begun[session])} CEST",
                    "user": self._user,
                    "error_severity": level,
                    "message": "it failed" if level == "ERROR" else f"statement: {sql}",
                    **({"detail": detail} if detail else {}),
                    **({"statement": text} if level == "ERROR" else {}),
                }
                file.write(json.dumps(record) + "\n")
        return path

    def text(self, path: Path) -> Path:
        with path.open("w") as file:
            for time, session, level, text in self._records:
                prefix = f"{time}.000 CEST [{session}] "
                sql, _, detail = text.partition(" -- ")
                if level == "ERROR":
                    file.write(f"{prefix}ERROR:  it failed\n{prefix}STATEMENT:  {text}\n")
                else:
                    file.write(f"{prefix}LOG:  statement: {sql}\n")
                    if detail:
                        file.write(f"{prefix}DETAIL:  {detail}\n")
        return path


def counted(path: Path, **searching: object) -> tuple[Counter[str], list[str]]:
    """Return the executions of each table, and why the others do not count."""
    found = read(path, Searching(**searching))  # type: ignore[arg-type]
    tables: Counter[str] = Counter()
    for footprint in found.footprints:
        for table in footprint.tables:
            tables[table] += round(footprint.executions)
    return tables, [each.reason for each in found.skipped if each.kind == "invalid"]


def read(path: Path, searching: Searching) -> Understood:
    return understand(workload(path, searching=searching), catalog(), Silent())


def expected(sessions: dict[str, list[tuple[str, str]]]) -> Counter[str]:
    return Counter(table for lines in sessions.values() for _, table in lines if table)


INTERLEAVED: dict[str, list[tuple[str, str]]] = {
    "11": [
        ("SET search_path TO sales, crm", ""),
        *[(READ.format(n), SALES) for n in range(5)],
        ("SET SESSION search_path = 'crm'", ""),
        *[(READ.format(n), CRM) for n in range(3)],
    ],
    "12": [
        ("SET search_path = crm", ""),
        (READ.format(7), CRM),
        ("BEGIN", ""),
        ("SET LOCAL search_path = sales", ""),
        (READ.format(8), SALES),
        ("COMMIT", ""),
        (READ.format(9), CRM),
        ("BEGIN", ""),
        ('SET search_path TO "sales"', ""),
        (READ.format(10), SALES),
        ("ROLLBACK", ""),
        (READ.format(11), CRM),
    ],
    "13": [
        ("SELECT set_config('search_path', 'sales, public', false)", ""),
        (READ.format(1), SALES),
        ("START TRANSACTION", ""),
        ("SELECT pg_catalog.set_config('search_path', 'crm', true)", ""),
        (READ.format(2), CRM),
        ("SAVEPOINT here", ""),
        ("SET LOCAL search_path = sales", ""),
        (READ.format(3), SALES),
        ("ROLLBACK TO SAVEPOINT here", ""),
        (READ.format(4), CRM),
        ("END", ""),
        (READ.format(5), SALES),
    ],
    "14": [
        ("BEGIN; SET LOCAL search_path = crm; SELECT city FROM address; COMMIT", CRM),
        ("SET search_path = sales; SELECT id, city FROM address", SALES),
        ("SELECT id, city FROM address", SALES),
    ],
    "15": [
        ("SELECT set_config('search_path', $1, false) -- parameters: $1 = 'crm'", ""),
        (READ.format(1), CRM),
        ("SET SCHEMA 'sales'", ""),
        (READ.format(2), SALES),
    ],
}  # fmt: skip


def interleaved(sessions: dict[str, list[tuple[str, str]]]) -> list[Line]:
    """Return the statements of all sessions in turn."""
    longest = max(map(len, sessions.values()))
    return [
        (session, lines[place][0])
        for place in range(longest)
        for session, lines in sessions.items()
        if place < len(lines)
    ]
