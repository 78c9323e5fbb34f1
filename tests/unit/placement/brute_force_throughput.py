"""The most throughput by trying every placement with every routing.

It shares no code with the strategy and with mean value analysis: throughput is the ratio of two
normalizing constants (Buzen 1973).
"""

import math
from collections import defaultdict
from itertools import product

from placement.machines import DISKS, ENGINE, Place
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
                copies[Place("store", name)] += problem.copy_s(table, problem.store(name))
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


def machine_of(problem, place):
    if place == DISKS:
        return "none"
    machines = problem.machines
    return machines.engine if place == ENGINE else machines.of_store[place.store]


def runs(problem, query, covers, ways):
    """Yield place → seconds of every way to run a query within its ceiling."""
    for cover in covers:
        in_store, engine_s, _ = ways.parts(cover)
        together = max if problem.objective == "latency" else sum
        took_s = engine_s + together((0.0, *in_store.values()))
        if took_s > problem.constraints.latency_s.get(query.name, math.inf) * TOLERANCE:
            continue
        found = defaultdict(float)
        found[ENGINE] += engine_s
        for store, seconds in in_store.items():
            found[Place("store", store)] += seconds
        # A session and a task are the engine's, before a store begins; disks are nobody's.
        starts, disks, rows = ways.beside(cover)
        for store in in_store:
            found[Place("store", store)] -= starts[store] + disks[store] + rows[store]
            found[ENGINE] += starts[store]
            found[DISKS] += disks[store]
            found[Place("rows", store)] += rows[store]
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
    for place, taken_s in seconds.items():
        machine = machine_of(problem, place)
        if machine in machines.cores:
            busy = machines.busy_cores.get(place.store, 1.0)
            if place.kind == "rows" and place.store in machines.handing_cores:
                busy = machines.handing_cores[place.store]
            busy = min(busy, machines.cores[machine])
            queued[machine] += taken_s * busy / machines.cores[machine]
    delay_s -= sum(queued.values())
    constants = [delay_s**number / math.factorial(number) for number in range(clients + 1)]
    for waited_s in queued.values():
        for number in range(1, clients + 1):
            constants[number] += waited_s * constants[number - 1]
    return constants[clients - 1] / constants[clients]
