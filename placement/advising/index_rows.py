"""The rows of a fragment model in which indexes may be chosen with the placement.

An index is a binary y beside the copies x. Fragments z in a store read each of their sources by one
of the indexes at most: shares u, which save seconds. The bound is the solver's, as without.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from placement.advising.gains import Gain, gains, worthwhile
from placement.problem import PlacementProblem
from placement.programs.solver import Variable
from placement.programs.variables import FragmentModel
from workloads.indexes import NamedIndex

Terms = list[tuple[Variable, float]]


class _Ways(NamedTuple):
    """What the indexes of a store may save where a source is read there."""

    store: str
    gains: tuple[Gain, ...]


def add_indexes(model: FragmentModel, problem: PlacementProblem) -> None:
    """Let a store have the candidate indexes that may pay, where it has a copy of their table."""
    if not problem.candidates:
        return
    program = model.program
    options = {name: [option for option, _ in run] for name, run in model.run.items()}
    for store, candidates in worthwhile(problem, options).items():
        for index in sorted(candidates):
            chosen = program.binary()
            model.indexed[index, store] = chosen
            program.row([(chosen, 1.0), (model.held[index.table, store], -1.0)], at_most=0.0)
    for query in problem.queries:
        read: dict[tuple[str, NamedIndex, str], Terms] = defaultdict(list)
        for ways, run in _alike(model, problem, query.name).items():
            shares: Terms = []
            for gain in ways.gains:
                reads = program.continuous()
                model.saved.append((query.name, gain.seconds, reads))
                shares.append((reads, 1.0))
                read[ways.store, gain.index, gain.source].append((reads, 1.0))
            program.row([*shares, *((runs, -1.0) for runs in run)], at_most=0.0)
        for (store, index, _), terms in read.items():
            program.row([*terms, (model.indexed[index, store], -1.0)], at_most=0.0)


def _alike(
    model: FragmentModel, problem: PlacementProblem, query: str
) -> Mapping[_Ways, Sequence[Variable]]:
    """Return the ways to read a source in a store → the fragments that have just these.

    One share stands for all of them: the program is a fraction of the size, and as tight.
    """
    offered: dict[str, set[NamedIndex]] = defaultdict(set)
    for index, store in model.indexed:
        offered[store].add(index)
    found: dict[_Ways, list[Variable]] = defaultdict(list)
    for option, runs in model.run[query]:
        by_source: dict[str, list[Gain]] = defaultdict(list)
        for gain in gains(problem, option, offered[option.store]):
            by_source[gain.source].append(gain)
        for of_source in by_source.values():
            of_source.sort(key=lambda gain: gain.index)
            found[_Ways(option.store, tuple(of_source))].append(runs)
    return found


def price_indexes(model: FragmentModel, problem: PlacementProblem, *, unit_s: float) -> None:
    """Price the indexes that are chosen, and what they save queries by their executions."""
    executions = {query.name: query.executions for query in problem.queries}
    for (index, store), chosen in model.indexed.items():
        model.program.price(chosen, problem.index_s(index, problem.store(store)) / unit_s)
    for query, saved_s, reads in model.saved:
        model.program.price(reads, -executions[query] * saved_s / unit_s)
