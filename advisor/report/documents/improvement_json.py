"""The object that `improve` prints. Its keys are an interface: add, never rename."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from advisor.improvement import Improvement, Proposal, Round
from advisor.report.text.improvement_text import end_sentence, improvement_sentence

Document = Mapping[str, Any]


def improvement_document(
    found: Improvement, runs: Sequence[Document], plan: Path | None
) -> Document:
    """Return what `improve` prints; `runs` are the objects of the rounds' own runs.

    `plan` is the file of the recommended plan.
    """
    best = found.recommended
    return {
        "rounds": [_round(each, run) for each, run in zip(found.rounds, runs, strict=True)],
        "end": str(found.end),
        "ended": end_sentence(found),
        "last": None if found.last is None else _proposal(found.last),
        "recommended": None if best is None else best.plan.strategy,
        "measured_s": None if best is None else best.measured_s,
        "placement": None
        if best is None
        else {table: list(stores) for table, stores in best.plan.placement.items()},
        "recommendation": improvement_sentence(found),
        "plan": None if plan is None else str(plan),
    }


def _round(found: Round, run: Document) -> Document:
    return {
        "number": found.number,
        "proposal": None if found.proposal is None else _proposal(found.proposal),
        "best": None if found.best is None else found.best.plan.strategy,
        "run": run,
    }


def _proposal(found: Proposal) -> Document:
    return {
        "strategy": found.plan.strategy,
        "predicted_s": found.plan.predicted_s,
        "best": found.best.strategy,
        "best_predicted_s": found.best.predicted_s,
        "tables": [
            {
                "table": each.table,
                "before": list(each.before),
                "after": list(each.after),
                "bytes": each.bytes,
            }
            for each in found.changes.tables
        ],
        "misjudged": [asdict(each) for each in found.misjudged],
    }
