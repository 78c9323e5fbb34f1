"""The section [workload] of a new project file, with every source of statements found."""

from collections.abc import Iterator, Sequence

from advisor.figures import count, counted, lasting
from advisor.project.source_settings import STORE_PREFIX
from advisor.starting.found import Found, FoundLog, FoundStore
from advisor.starting.toml import array, commented, line, remark, text

QUERIES = "queries/"
"""The folder for statements where none were found; it is made beside the project file."""
_DAY_S = 86400.0
_LONGEST = 80


def workload_section(found: Found) -> Sequence[str]:
    """Return the section: the sources that are used, and those that could be, as comments."""
    used = workload_sources(found)
    return (
        "[workload]",
        *_source(used),
        *(each for store in found.stores for each in _told(store)),
        *(() if any(map(has_statements, found.stores)) or found.workload else _nothing()),
        *_period(found),
        line("skip_invalid = true", "what is not understood is left out, and is counted"),
    )


def workload_sources(found: Found) -> tuple[str, ...]:
    """Return the sources of [workload]: of each server one, so that nothing counts twice.

    That is a log which has every statement, as it has literals, else the server's statistics, else
    a log of slow statements. The user's own files come first.
    """
    sources = [str(each) for each in found.workload]
    for store in found.stores:
        log = used_log(store)
        if log is not None:
            sources += map(str, log.files)
        elif store.statistics.statements:
            sources.append(f"{STORE_PREFIX}{store.login.store}")
    return tuple(sources) or (QUERIES,)


def used_log(store: FoundStore) -> FoundLog | None:
    """Return the log of a server that is a source of the workload, if one is."""
    if store.complete_log is not None:
        return store.complete_log
    if store.statistics.statements:
        return None
    return next((each for each in store.logs if each.files), None)


def has_statements(store: FoundStore) -> bool:
    """Whether a server tells any statement."""
    return bool(store.statistics.statements or used_log(store))


def _source(used: Sequence[str]) -> Iterator[str]:
    written = f"source = {array(used)}"
    if len(written) <= _LONGEST:
        yield written
        return
    yield "source = ["
    yield from (f"  {text(each)}," for each in used)
    yield "]"


def _nothing() -> Sequence[str]:
    return remark(
        f"No server tells its statements: put files of SQL or logs into {QUERIES} beside this "
        "file. docs/workload-and-catalog.md has the formats."
    )


def _told(store: FoundStore) -> Iterator[str]:
    name, log = store.login.store, used_log(store)
    statistics = store.statistics
    if statistics.obstacle:
        yield from remark(f"{name}: {statistics.obstacle}")
    else:
        other = "" if log is None else f' "{STORE_PREFIX}{name}" in place of its log names them.'
        hidden = f", {statistics.hidden} more are hidden" if statistics.hidden else ""
        yield from remark(
            f"{name} remembers {counted(statistics.statements, 'statement')} with "
            f"{count(statistics.executions)} executions{hidden}{_since(store)}.{other}"
        )
    for each in store.logs:
        yield from _told_log(name, each, is_used=each is log)


def _since(store: FoundStore) -> str:
    counted_s = store.survey.counted_s
    return "" if counted_s is None else f", counted for {lasting(counted_s)}"


def _told_log(name: str, found: FoundLog, *, is_used: bool) -> Iterator[str]:
    log = found.log
    what = {"all": "all statements", "slow": "slow statements", "none": "no statements"}
    described = f"{name}: its {log.name} has {what[log.recorded]} ({log.settings})"
    if found.obstacle:
        copied = "" if log.recorded == "none" else "; copy files here, and name them as source"
        yield from remark(f"{described}, and {found.obstacle}{copied}.")
        return
    older = f" {counted(found.older, 'older file')} are beside." if found.older else ""
    if is_used:
        yield from remark(
            f"{described}, of all its databases; database, user and since choose what counts."
            f"{older}"
        )
        return
    yield from remark(f"{described}. To take it in place of what the server remembers:{older}")
    yield from commented([f"source = {array(found.files)}"])


def _period(found: Found) -> Iterator[str]:
    """Yield the period that executions are counted in, where the sources tell it."""
    known = {
        each.login.store: each.survey.counted_s
        for each in found.stores
        if each.statistics.statements and used_log(each) is None and each.survey.counted_s
    }
    days = max((seconds / _DAY_S for seconds in known.values() if seconds), default=None)
    if days is None:
        yield from remark("period_days = 30: the days that the executions are of; 30 unless given.")
        return
    others = "; the longest of them" if len(known) > 1 else ""
    yield line(f"period_days = {days:.3g}", f"for so long executions are counted{others}")
