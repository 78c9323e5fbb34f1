"""Notes on an analysis, printed before its figures: assumptions and missing data."""

from collections.abc import Iterator, Mapping, Sequence

from advisor.analysis.analysis import Analysis
from advisor.analysis.index_notes import left_out_notes
from advisor.figures import counted, percent
from workloads.catalog import Catalog
from workloads.literals.filling import Filling, Source
from workloads.literals.sets import SETS
from workloads.pass_through import PassThrough
from workloads.sources.ddl.drafts import DEFAULT_ROWS
from workloads.sql.incomparable import changing
from workloads.sql.parsing.as_checked import NO_VALUES
from workloads.sql.unanswered import unanswered
from workloads.workload import Skipped, Workload

_SOURCES: Mapping[Source, str] = {
    "log": "from the log, of executions of the same template",
    "statistics": f"from statistics, drawn from what the columns hold, in up to {SETS} sets each",
}
_NAMED = 5
_EXPLAINED = 3


def _passed(passed: Sequence[PassThrough]) -> Iterator[str]:
    """Yield what only one kind of server can run."""
    for server in dict.fromkeys(each.server for each in passed):
        found = [each for each in passed if each.server == server]
        named = _some([f"{each.query.name}: {each.reason.rstrip('.!')}" for each in found])
        yield (
            f"{counted(len(found), 'statement')} can be run by {server} alone, and "
            f"{'is' if len(found) == 1 else 'are'} passed through to it whole ({named})."
        )


def _unknown_functions(passed: Sequence[PassThrough]) -> Iterator[str]:
    """Yield the statements that may have a misspelt function."""
    called = [
        f"{each.query.name} calls {' and '.join(map(str, each.unknown))}"
        for each in passed
        if each.unknown
    ]
    if called:
        yield (
            f"{counted(len(called), 'statement')} may have a misspelt function: {_some(called)}. "
            "If it is your own or an extension's, all is well."
        )


def _unanswered(analysis: Analysis) -> Iterator[str]:
    """Yield what `run` cannot run, where there are data to run statements on."""
    catalog, workload = analysis.catalog, analysis.workload
    if not all(table.is_judged for table in catalog.tables.values()):
        return
    reasons = {
        query.name: reason
        for query in workload.queries
        if (reason := unanswered(query, catalog, workload.dialect))
    }
    if analysis.filling is None:
        yield from _to_be_filled([name for name, why in reasons.items() if why == NO_VALUES])
        found = [f"{name}: {why}" for name, why in reasons.items() if why != NO_VALUES]
    else:
        unfilled = analysis.filling.unfilled
        yield from _filled(analysis.filling)
        found = [
            f"{name}: {why}" + (f" ({unfilled[name]})" if name in unfilled else "")
            for name, why in reasons.items()
            if name not in analysis.filling.filled
        ]
    if found:
        yield (
            f"No answer can be had of {counted(len(found), 'statement')} by `run`: no part in any "
            f"candidate's seconds ({_some(found)})."
        )


def _to_be_filled(names: Sequence[str]) -> Iterator[str]:
    """Yield what `run` does about statements whose parameters have no values."""
    if names:
        have = "has" if len(names) == 1 else "have"
        yield (
            f"{counted(len(names), 'statement')} {have} parameters whose values are not known "
            f"({_some(names)}). `run` gives them literals: those of logged executions of the same "
            "template, or values drawn from what the columns hold."
        )


def _filled(filling: Filling) -> Iterator[str]:
    """Yield the statements that are measured with literals, by where these are from."""
    for source, where in _SOURCES.items():
        names = [name for name, each in filling.filled.items() if each.source == source]
        if names:
            are = "is" if len(names) == 1 else "are"
            yield (
                f"{counted(len(names), 'statement')} with parameters {are} run with literals "
                f"{where} ({_some(names)})."
            )


def _is_given(passed: PassThrough) -> bool:
    """Whether a log has the values of the parameters of what is passed through."""
    return bool(passed.query.values) and not passed.incomparable


def _given(analysis: Analysis) -> Iterator[str]:
    """Yield the statements whose parameters have the values that the log has."""
    catalog, workload = analysis.catalog, analysis.workload
    found = [
        query.name
        for query in workload.queries
        if query.values and not unanswered(query, catalog, workload.dialect)
    ]
    found += [each.query.name for each in analysis.passed_through if _is_given(each)]
    if found:
        parameters = "its parameters" if len(found) == 1 else "their parameters"
        yield (
            f"{counted(len(found), 'statement')} {'has' if len(found) == 1 else 'have'} for "
            f"{parameters} the values of the first execution in the log ({_some(found)})."
        )


def _incomparable(passed: Sequence[PassThrough]) -> Iterator[str]:
    """Yield what is not run on copies, and what depends on the moment when it is run."""
    kept = [f"{each.query.name}: {each.incomparable}" for each in passed if each.incomparable]
    if kept:
        are = "is kept whole in its" if len(kept) == 1 else "are kept whole in their"
        yield (
            f"{counted(len(kept), 'statement')} {are} server and not run on copies: a copy's "
            f"answer could not be compared with the server's ({_some(kept)})."
        )
    dated = [
        f"{each.query.name}: {each.moment}"
        for each in passed
        if each.moment and not each.incomparable
    ]
    if dated:
        answers = "answer" if len(dated) == 1 else "answers"
        depend = "depends" if len(dated) == 1 else "depend"
        yield (
            f"The {answers} of {counted(len(dated), 'statement')} passed through {depend} on the "
            f"moment of the run ({_some(dated)}): undetermined is what its server answers "
            "otherwise the next time."
        )


def _temporary(analysis: Analysis) -> Iterator[str]:
    """Yield what is left out although it names a table of the catalog, or may do so."""
    known = {each.own_name.lower() for each in analysis.catalog.relations}
    found: dict[str, list[Skipped]] = {}
    for each in analysis.skipped:
        if each.temporary.lower() in known:
            found.setdefault(each.reason, []).append(each)
    for reason, skipped in found.items():
        statements = sum(each.statements for each in skipped)
        executions = sum(each.executions for each in skipped)
        are = "is" if statements == 1 else "are"
        yield (
            f"{counted(statements, 'statement')} with {counted(round(executions), 'execution')} "
            f"{are} left out: {reason}."
        )


def _changing(workload: Workload) -> Iterator[str]:
    """Yield the statements whose answer depends on chance, or on the moment when they are run."""
    found = [
        f"{query.name}: {why}"
        for query in workload.queries
        if (why := changing(query, workload.dialect))
    ]
    if found:
        answers = "answer" if len(found) == 1 else "answers"
        may = "another in each run" if len(found) == 1 else "others in each run"
        yield (
            f"The {answers} of {counted(len(found), 'statement')} may be {may} ({_some(found)}): "
            "undetermined is what an engine answers otherwise than DuckDB."
        )


def _too_large(catalog: Catalog) -> Iterator[str]:
    """Yield the live tables whose rows are more than are read here, by their stores."""
    by_store: dict[str, list[str]] = {}
    for table in catalog.tables.values():
        if table.origin is not None and table.origin.is_too_large:
            by_store.setdefault(table.origin.store, []).append(table.name)
    for store, names in by_store.items():
        named = ", ".join(names[:_NAMED])
        others = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        yield (
            f"{counted(len(names), 'live table')} of '{store}' would make what is read here larger "
            f"than [stores.{store}].snapshot: {named}{others}. No copy is made of them, and "
            "answers that need them are compared between candidates, with those of the placement "
            "that there is."
        )


def _twins(catalog: Catalog) -> Iterator[str]:
    """Yield the tables that only the case of their names tells from others."""
    told = [
        f"{each.name} is '{'.'.join(part for part in (each.schema, each.own_name) if part)}'"
        for each in catalog.relations
        if each.own
    ]
    if told:
        yield f"Only case tells some tables apart, so that their names are numbered: {_some(told)}."


def _some(told: Sequence[str]) -> str:
    more = f"; and {len(told) - _EXPLAINED} more" if len(told) > _EXPLAINED else ""
    return "; ".join(told[:_EXPLAINED]) + more


def notes(analysis: Analysis) -> Iterator[str]:
    """Yield a sentence for each."""
    assumed = analysis.assumed_rows
    if assumed:
        named = ", ".join(assumed[:_NAMED])
        others = f" and {len(assumed) - _NAMED} more" if len(assumed) > _NAMED else ""
        tables = "1 table are" if len(assumed) == 1 else f"{len(assumed)} tables are"
        yield (
            f"The rows of {tables} not known and taken as {DEFAULT_ROWS:,}: {named}{others}. "
            "Say them in a file rows.csv (table,rows) beside the DDL, or before a table as "
            "'-- rows: 1_500_000'; of a live table, `advisor stores check` says why it cannot be "
            "read."
        )
    left_out = [
        f"{table.name}.{column} ({type_})"
        for table in analysis.catalog.tables.values()
        for column, type_ in table.left_out.items()
    ]
    if left_out:
        named = ", ".join(left_out[:_NAMED])
        others = f" and {len(left_out) - _NAMED} more" if len(left_out) > _NAMED else ""
        yield (
            "Columns are left out of copies, as no store has their types or values: "
            f"{named}{others}. A statement that reads one can only run where the table is now."
        )
    yield from left_out_notes(analysis)
    yield from _too_large(analysis.catalog)
    yield from _twins(analysis.catalog)
    if analysis.workload.older_executions:
        yield (
            f"{counted(round(analysis.workload.older_executions), 'execution')} are of sessions "
            "that are older than their log. The search path and the temporary tables that they "
            "have from before are not known: what may mean another table by that is left out."
        )
    yield from _temporary(analysis)
    yield from _passed(analysis.passed_through)
    yield from _unanswered(analysis)
    yield from _given(analysis)
    yield from _unknown_functions(analysis.passed_through)
    yield from _incomparable(analysis.passed_through)
    yield from _changing(analysis.workload)
    for each in analysis.skipped:
        if each.kind == "untold":
            yield (
                f"{counted(each.statements, 'statement')} of {each.source} "
                f"{'is' if each.statements == 1 else 'are'} left out: {each.reason}."
            )
    if analysis.invalid:
        are = "is" if len(analysis.invalid) == 1 else "are"
        yield (
            f"{len(analysis.invalid)} of {analysis.statements} statements {are} not understood and "
            f"left out, {percent(analysis.invalid_share)} of the executions."
        )
