"""The rows of a fragment model in which indexes may be chosen with the placement.

An index is a binary y beside the copies x. Fragments z in a store read each of their sources by one
of the indexes at most: shares u, which save seconds. The bound is the solver's, as without.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from placement.advising.gains import Gain, by_store, gains, worthwhile
from placement.pricing import Option
from placement.problem import PlacementProblem, QueryProblem
from placement.programs.solver import Variable
from placement.programs.variables import FragmentModel
from workloads.indexes import NamedIndex

Terms = list[tuple[Variable, float]]
Indexes = Mapping[str, frozenset[NamedIndex]]


class _Ways(NamedTuple):
    """Savings that the indexes of a store may bring where a source is read there."""

    store: str
    gains: tuple[Gain, ...]


class _Saving(NamedTuple):
    """The shares of a query's reads in a store, each with what it may save."""

    store: str
    shares: Sequence[tuple[Variable, Gain]]


@dataclass(slots=True)
class _Reads:
    """The shares of one query's reads: by source and index, and by store with what they save."""

    by_index: dict[tuple[str, NamedIndex, str], Terms] = field(
        default_factory=lambda: defaultdict(list)
    )
    saving: dict[str, list[tuple[Variable, Gain]]] = field(
        default_factory=lambda: defaultdict(list)
    )


def add_indexes(
    model: FragmentModel, problem: PlacementProblem, known: Sequence[Indexes] | None = ()
) -> None:
    """Let a store have the candidate indexes that may pay, where it has a copy of their table.

    `known` are choices of which the model is to know exactly what they save, as it does of all
    candidates together. With None it goes by gains alone.
    """
    if not problem.candidates:
        return
    program = model.program
    options = {name: [option for option, _ in run] for name, run in model.run.items()}
    for store, candidates in by_store(worthwhile(problem, options)).items():
        for index in sorted(candidates):
            chosen = program.binary()
            model.indexed[index, store] = chosen
            program.row([(chosen, 1.0), (model.held[index.table, store], -1.0)], at_most=0.0)
    offered: dict[str, set[NamedIndex]] = defaultdict(set)
    for index, store in model.indexed:
        offered[store].add(index)
    for query in problem.queries:
        reads = _add_reads(model, _alike(model, problem, query.name, offered))
        for store, saving in reads.saving.items():
            if known is None or problem.store(store).strength.kept_bytes is None:
                model.saved.extend((query.name, gain.seconds, read) for read, gain in saving)
                continue
            told = {each.get(store, frozenset()) for each in known}
            others = told - {frozenset(), frozenset(offered[store])}
            sets = [offered[store], *sorted(others, key=sorted)]
            _add_saved(model, problem, query, _Saving(store=store, shares=saving), sets)


def _add_reads(model: FragmentModel, alike: Mapping[_Ways, Sequence[Variable]]) -> _Reads:
    """Let each source be read by one index at most, which is there, where a fragment is run."""
    found, program = _Reads(), model.program
    for ways, run in alike.items():
        shares: Terms = []
        for gain in ways.gains:
            read = program.continuous()
            shares.append((read, 1.0))
            found.saving[ways.store].append((read, gain))
            found.by_index[ways.store, gain.index, gain.source].append((read, 1.0))
        program.row([*shares, *((runs, -1.0) for runs in run)], at_most=0.0)
    for (store, index, _), terms in found.by_index.items():
        program.row([*terms, (model.indexed[index, store], -1.0)], at_most=0.0)
    return found


def _add_saved(
    model: FragmentModel,
    problem: PlacementProblem,
    query: QueryProblem,
    saving: _Saving,
    sets: Sequence[Collection[NamedIndex]],
) -> None:
    """Let a query's fragments in a store save what its reads do, and no more than is known.

    Where less is read from its disk gains are bounds, and their sum is far more than what all save.
    One index more makes no fragment dearer, and saves its gain at most. So with any choice no more
    is saved than by one of the `sets`, together with the gains of the others.
    """
    run = [(option, runs) for option, runs in model.run[query.name] if option.store == saving.store]
    most = [_saved_s(problem, query, [option for option, _ in run], indexes) for indexes in sets]
    unit_s = max(*most[0], *(gain.seconds for _, gain in saving.shares))
    saved = model.program.continuous()
    model.saved.append((query.name, unit_s, saved))
    gained = [(read, -gain.seconds / unit_s) for read, gain in saving.shares]
    model.program.row([(saved, 1.0), *gained], at_most=0.0)
    for indexes, seconds in zip(sets, most, strict=True):
        others = [
            term
            for (_, gain), term in zip(saving.shares, gained, strict=True)
            if gain.index not in indexes
        ]
        limits = [(runs, -each / unit_s) for (_, runs), each in zip(run, seconds, strict=True)]
        model.program.row([(saved, 1.0), *others, *limits], at_most=0.0)


def _saved_s(
    problem: PlacementProblem,
    query: QueryProblem,
    run: Sequence[Option],
    indexes: Collection[NamedIndex],
) -> list[float]:
    """Return the seconds that a query's options in one store take less with more indexes in it."""
    store = problem.store(run[0].store)
    had = replace(store.strength, indexes=store.strength.indexes.union(indexes))
    with_them, sources = replace(store, strength=had), len(query.sources)
    costs = (problem.costs.fragment(each.fragment, with_them, sources) for each in run)
    return [max(0.0, each.cost_s - cost.total_s) for each, cost in zip(run, costs, strict=True)]


def _alike(
    model: FragmentModel,
    problem: PlacementProblem,
    query: str,
    offered: Mapping[str, Collection[NamedIndex]],
) -> Mapping[_Ways, Sequence[Variable]]:
    """Return the ways to read a source in a store → the fragments that have just these.

    One share stands for all of them: the program is a fraction of the size, and as tight. The
    indexes `offered` are those of each store that may be chosen.
    """
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
