"""The rounds of an improvement, for a terminal: what is proposed and why, and what was measured."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from advisor.figures import NONE, candidate_name, counted, listed, multiple, seconds, size
from advisor.improvement import LEAST_GAIN, End, Improvement, Proposal, Round
from advisor.report.parts.tables import heading, table_of
from evaluation.measuring.corrections import Misjudged
from evaluation.measuring.measurement import CandidateMeasurement

_MOST_TABLES = 12


def proposal_text(number: int, proposal: Proposal) -> RenderableType:
    """Show the plan that a round is going to measure: its tables, and the prices behind it."""
    return Group(
        heading(f"Round {number}: '{proposal.plan.strategy}' is measured next"),
        Text("\n".join((_predicted(proposal), *_tables(proposal), *_reasons(proposal)))),
    )


def improvement_text(found: Improvement) -> RenderableType:
    """Show all rounds, why there is no further one, and the plan to take."""
    table = table_of(
        *(">round", "plan", ">predicted\ns", ">took\ns"),
        *("beside", ">predicted\ns", ">took\ns", "best so far"),
    )
    for each in found.rounds:
        table.add_row(*_row(each))
    return Group(
        heading(counted(len(found.rounds), "round")),
        table,
        Text(end_sentence(found)),
        Text(),
        Text(improvement_sentence(found), style="bold"),
    )


def end_sentence(found: Improvement) -> str:
    """Say why there is no further round."""
    after = f"Ended after {counted(len(found.rounds), 'round')}"
    if found.end is End.NOT_VERIFIED:
        return f"{after}: no candidate that keeps all limits answered every query rightly."
    if found.end is End.MEASURED:
        return f"{after}: the best plan by the corrected prices was measured already."
    if found.end is End.NO_GAIN or found.last is None:
        return (
            f"{after}: by the corrected prices no plan was found that gains {LEAST_GAIN:.0%} or "
            "more over the best one measured."
        )
    return (
        f"{after}: --rounds allows no more. {_predicted(found.last)} It was not measured, and "
        "plans that were not are often slower than predicted."
    )


def improvement_sentence(found: Improvement) -> str:
    """Say which plan is the best of all that were measured."""
    best = found.recommended
    if best is None:
        return "No plan is recommended."
    lead = f"Place as '{candidate_name(best.plan.strategy)}': {seconds(best.measured_s)} s measured"
    for each in reversed(found.rounds):
        other = None if each.proposed is None else _other(each, best)
        if other is not None and other.measured_s and best.measured_s:
            name = candidate_name(other.plan.strategy)
            if not other.plan.feasible:
                return f"{lead}. By the corrected prices '{name}' beside it breaks a limit."
            ratio = multiple(other.measured_s / best.measured_s)
            return f"{lead}, {ratio} times faster than '{name}' in the same run."
    return f"{lead}; nothing that was measured is faster and keeps all limits."


def _other(found: Round, best: CandidateMeasurement) -> CandidateMeasurement | None:
    """Return what the best plan was measured beside in a round; None where it was not in it."""
    both = found.measurements.candidates
    names = [each.plan.strategy for each in both]
    if best.plan.strategy not in names or best is not found.best:
        return None
    return next((each for each in both if each.plan.strategy != best.plan.strategy), None)


def _row(found: Round) -> list[str | Text]:
    best = NONE if found.best is None else candidate_name(found.best.plan.strategy)
    new = found.proposed
    if found.proposal is None:
        first = found.best
        return [
            str(found.number),
            Text(best),
            seconds(None if first is None else first.predicted_s),
            seconds(None if first is None else first.measured_s),
            Text(counted(len(found.measurements.candidates), "candidate")),
            NONE,
            NONE,
            Text(best),
        ]
    names = {each.plan.strategy: each for each in found.measurements.candidates}
    old = names.get(found.proposal.best.strategy)
    return [
        str(found.number),
        Text(found.proposal.plan.strategy),
        seconds(found.proposal.plan.predicted_s),
        seconds(None if new is None else new.measured_s),
        Text(candidate_name(found.proposal.best.strategy)),
        seconds(found.proposal.best.predicted_s),
        seconds(None if old is None else old.measured_s),
        Text(best),
    ]


def _predicted(proposal: Proposal) -> str:
    return (
        f"By the prices that measurements have corrected, '{proposal.plan.strategy}' takes "
        f"{seconds(proposal.plan.predicted_s)} s, and the best plan measured, "
        f"'{candidate_name(proposal.best.strategy)}', {seconds(proposal.best.predicted_s)} s."
    )


def _tables(proposal: Proposal) -> Iterator[str]:
    """Yield the tables that are elsewhere, the largest first."""
    tables = proposal.changes.tables
    for each in tables[:_MOST_TABLES]:
        where = f"from {listed(each.before)} to {listed(each.after)}"
        yield f"- {each.table} ({size(each.bytes)}): {each.kind}, {where}"
    if len(tables) > _MOST_TABLES:
        yield f"- and {len(tables) - _MOST_TABLES} more"
    if not tables:
        number = len(proposal.changes.queries)
        queries = "1 query is" if number == 1 else f"{number} queries are"
        yield f"No table moves: {queries} run in other fragments on the same placement."


def _reasons(proposal: Proposal) -> Iterator[str]:
    if proposal.misjudged:
        off = "; ".join(map(_off, proposal.misjudged))
        yield f"Most off of what was measured: {off}."


def _off(found: Misjudged) -> str:
    return (
        f"{found.name} in {found.store} took {seconds(found.measured_s)} s, predicted "
        f"{seconds(found.predicted_s)} s"
    )
