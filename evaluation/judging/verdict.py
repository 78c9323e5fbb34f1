"""The verdict on an engine's answer to a query."""

from dataclasses import dataclass

from evaluation.judging.answer import Answer
from evaluation.judging.comparison import columns_difference
from evaluation.judging.oracle import Oracle, UnsettledError
from evaluation.judging.types import TypeRule
from evaluation.measuring.measurement import QueryOutcome
from workloads.errors import SqlError
from workloads.workload import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """VERIFIED, WRONG, UNDETERMINED, or FAILED where there is nothing to compare with, and why."""

    outcome: QueryOutcome
    message: str = ""


def verdict(
    oracle: Oracle, query: Query, actual: Answer, types: TypeRule = TypeRule.EXACT
) -> Verdict:
    """Compare an engine's answer with DuckDB's. It raises nothing."""
    try:
        return _verdict(oracle, query, actual, types)
    except UnsettledError as error:
        return Verdict(outcome=QueryOutcome.UNDETERMINED, message=f"not determined: {error}")
    except SqlError as error:
        return Verdict(outcome=QueryOutcome.FAILED, message=str(error))
    except Exception as error:  # noqa: BLE001 - the comparison must not end the command
        said = " ".join(str(error).split())[:200]
        message = f"its answer cannot be compared ({type(error).__name__}: {said})"
        return Verdict(outcome=QueryOutcome.FAILED, message=message)


def _verdict(oracle: Oracle, query: Query, actual: Answer, types: TypeRule) -> Verdict:
    expected = oracle.answer(query)
    if wrong := columns_difference(expected.columns, actual.columns, types):
        return Verdict(outcome=QueryOutcome.WRONG, message=wrong)
    wrong = oracle.difference(query, actual)
    if wrong is None:
        return Verdict(outcome=QueryOutcome.VERIFIED)
    if reason := oracle.undetermined(query):
        return Verdict(outcome=QueryOutcome.UNDETERMINED, message=f"not determined: {reason}")
    return Verdict(outcome=QueryOutcome.WRONG, message=wrong)
