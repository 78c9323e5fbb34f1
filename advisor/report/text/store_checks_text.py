"""The findings of `advisor stores check`, a row a store; below them SQL for what is lacking."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from advisor.figures import counted, size
from advisor.measuring.store_checks import StoreCheck
from advisor.report.parts.tables import table_of
from evaluation.checks.check import Uses

_MOST_STALE = 5


def store_checks_text(checks: Sequence[StoreCheck]) -> RenderableType:
    """Show a row a store."""
    table = table_of("store", "is", "at", "encrypted", "used for", ">free", "statistics", "")
    for each in checks:
        table.add_row(
            Text(each.store),
            Text(each.checked.version if each.checked is not None else each.kind),
            Text(each.address),
            "-" if each.encryption is None else each.encryption or "no: clear text",
            _used_for(each.uses),
            "" if each.free_bytes is None else size(each.free_bytes),
            _statistics(each),
            _verdict(each),
        )
    return table


def store_checks_lines(checks: Sequence[StoreCheck]) -> Iterator[str]:
    """Yield what each store lacks, with statements of SQL on lines of their own."""
    for each in checks:
        if each.error:
            yield each.error
        for lack in each.lacks:
            yield f"Store '{each.store}': {lack.what}{':' if lack.remedy else '.'}"
            yield from (f"  {statement}" for statement in lack.remedy)
        stale = () if each.checked is None else each.checked.stale or ()
        if stale:
            more = f", the first {_MOST_STALE}" if len(stale) > _MOST_STALE else ""
            yield f"Store '{each.store}': statistics are older than the data{more}:"
            yield from (f"  {statement}" for statement in stale[:_MOST_STALE])


def store_checks_document(checks: Sequence[StoreCheck]) -> Mapping[str, Any]:
    """Return it for programs."""
    return {
        "stores": [
            {
                "name": each.store,
                "kind": each.kind,
                "address": each.address,
                "version": None if each.checked is None else each.checked.version,
                "encryption": each.encryption,
                "uses": _used_for(each.uses).split(", ") if _used_for(each.uses) else [],
                "free_bytes": each.free_bytes,
                "tables": None if each.checked is None else each.checked.tables,
                "stale": None if each.checked is None else each.checked.stale,
                "lacks": [{"what": lack.what, "sql": list(lack.remedy)} for lack in each.lacks],
                "error": each.error or None,
                "serves": each.serves,
            }
            for each in checks
        ]
    }


def _used_for(uses: Uses) -> str:
    said = {"copies": uses.copies, "tables": uses.tables, "statements": uses.statements}
    return ", ".join(name for name, used in said.items() if used)


def _statistics(check: StoreCheck) -> str:
    if check.checked is None or check.checked.tables is None:
        return ""
    if check.checked.stale is None:
        return "not known"
    tables = counted(check.checked.tables, "table")
    stale = len(check.checked.stale)
    return f"{stale} of {tables} older" if stale else f"{tables}, up to date"


def _verdict(check: StoreCheck) -> Text:
    if check.error:
        return Text("not reached", style="red")
    if check.lacks:
        return Text(f"lacks {counted(len(check.lacks), 'thing')}", style="red")
    return Text("ready", style="green")
