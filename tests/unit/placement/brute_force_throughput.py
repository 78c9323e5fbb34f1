"""The most throughput by trying every placement with every routing.

It shares no code with the strategy and with mean value analysis: throughput is the ratio of two
normalizing constants (Buzen 1973).
"""

import math
from collections import defaultdict
from itertools import product

from placement.machines import DISKS, ENGINE
from tests.unit.placement.brute_force import TOLERANCE, Ways, placements


def most_throughput(problem):
    """Return the most queries a second of any plan that keeps its limits; None if there is none."""
    ways = [Ways(problem, query) for query in problem.queries]
    total = sum(query.executions for query in problem.queries)
    best = None
    for placement in placements(problem):
        copies = defaultdict(float)
        for table, held in placement.items():
            for name in held:
                copies[name] += problem.copy_s(table, problem.store(name))
        choices = [
            undominated(list(runs(problem, query, each.covers(placement), each)))
            for query, each in zip(problem.queries, ways, strict=True)
        ]
        for chosen in product(*choices):
            period = defaultdict(float, copies)
            for query, run in zip(problem.queries, chosen, strict=True):
                for store, seconds in run.items():
                    period[store] += query.executions * seconds
            found = by_convolution(problem, {name: s / total for name, s in period.items()})
            best = found if best is None else max(best, found)
    return best


def machine_of(problem, store):
    if store == DISKS:
        return "none"
    return problem.machines.engine if store == ENGINE else problem.machines.of_store[store]


def runs(problem, query, covers, ways):
    """Yield store → seconds of every way to run a query within its ceiling."""
    for cover in covers:
        in_store, engine_s, _ = ways.parts(cover)
        together = max if problem.objective == "latency" else sum
        took_s = engine_s + together((0.0, *in_store.values()))
        if took_s > problem.constraints.latency_s.get(query.name, math.inf) * TOLERANCE:
            continue
        found = defaultdict(float)
        found[ENGINE] += engine_s
        for store, seconds in in_store.items():
            found[store] += seconds
        # A session and a task are the engine's, before a store begins; disks are nobody's.
        for place, of_store in zip((ENGINE, DISKS), ways.beside(cover), strict=True):
            for store, seconds in of_store.items():
                found[store] -= seconds
                found[place] += seconds
        yield dict(found)


def undominated(found):
    """Leave out ways that take no store less than another does."""
    kept = []
    for each in sorted(found, key=lambda run: sum(run.values())):
        if not any(all(s <= each.get(m, 0.0) for m, s in other.items()) for other in kept):
            kept.append(each)
    return kept


def by_convolution(problem, seconds):
    """Return the queries a second; a machine of several cores is a queue and a delay."""
    clients, machines = problem.clients, problem.machines
    queued, delay_s = defaultdict(float), sum(seconds.values())
    for store, taken_s in seconds.items():
        machine = machine_of(problem, store)
        if machine in machines.cores:
            busy = min(machines.busy_cores.get(store, 1.0), machines.cores[machine])
            queued[machine] += taken_s * busy / machines.cores[machine]
    delay_s -= sum(queued.values())
    constants = [delay_s**number / math.factorial(number) for number in range(clients + 1)]
    for waited_s in queued.values():
        for number in range(1, clients + 1):
            constants[number] += waited_s * constants[number - 1]
    return constants[clients - 1] / constants[clients]
