"""The check's own prices of fragments, queries and copies.

It is the cost formula of `placement.costs` written a second time by intent, as one sum, from the
rates of stores and engine alone: nothing here calls `CostModel`'s methods or `placement.pricing`.
"""

from collections import defaultdict
from collections.abc import Mapping
from math import inf

from placement.fragment import EstimatedWork, Fragment, IndexRead, KeyTable
from placement.plan import RoutedFragment
from placement.problem import PlacementProblem, QueryProblem
from placement.stores import Capability, Store, Strength
from placement.transfer.link import TransferSettings
from workloads.indexes import NamedIndex

GB = 10**9
MONTH_DAYS = 30
AT_ONCE_BYTES = 4 * 1024**2
"""Results up to this size are fetched without round trips."""
LARGEST_MESSAGE = 32 * 1024
KEY_ROW = 64
"""Bytes of other tables that are loaded in the time of a key."""


def fragment_s(
    problem: PlacementProblem,
    fragment: Fragment,
    store: Store,
    sources: int,
    transfer: TransferSettings | None = None,
) -> tuple[float, float]:
    """Return the seconds of one execution in the store, and those in the engine.

    `sources` is the number of the query's sources, `transfer` how its rows are fetched, if stated.
    """
    engine, work, reduction = problem.costs.engine, fragment.work, fragment.reduction
    of_work, of_rest = _factors(problem, fragment, store)
    is_whole = fragment.kind is Capability.QUERY
    combined_s = 0.0
    if not (is_whole and engine.own_drivers and reduction.repeats is None):
        combined_s = work.delivered_rows / engine.delivered_rows_per_s
    if reduction.repeats is not None or not is_whole:
        combined_s += (work.rows_out + work.combine_rows) / engine.rows_per_s
        combined_s += engine.start_s * len(fragment.sources) / sources
    if reduction.repeats is not None:
        return 0.0, of_rest * combined_s
    combined_s += engine.fragment_s if _by_task(problem, fragment, store) else 0.0
    keys_s = len(reduction.reducers) * engine.keys_s + reduction.keys / engine.keys_per_s
    keys_s += _loaded_keys_s(reduction.key_tables, store.strength)
    computed_s = _computed_s(work, store.strength)
    if transfer is not None and transfer.streams is not None:
        computed_s *= transfer.streams.count if transfer.streams.computed_again else 1
    begun_s, handed_s = begun_and_handed_s(problem, fragment, store, transfer)
    return begun_s + of_work * computed_s + handed_s + of_rest * keys_s, of_rest * combined_s


def begun_and_handed_s(
    problem: PlacementProblem,
    fragment: Fragment,
    store: Store,
    transfer: TransferSettings | None = None,
) -> tuple[float, float]:
    """Return two parts of the seconds in the store: before it begins, and handing over rows."""
    if fragment.reduction.repeats is not None:
        return 0.0, 0.0
    of_work, of_rest = _factors(problem, fragment, store)
    statements = 1 if transfer is None or transfer.streams is None else transfer.streams.count
    handed_s = _rows_s(fragment.work, store.strength, by_task=_by_task(problem, fragment, store))
    handed_s += _fetched_s(fragment.work, store.strength, problem.costs.fetch_size, transfer)
    return of_rest * statements * store.strength.start_s, of_work * handed_s


def _by_task(problem: PlacementProblem, fragment: Fragment, store: Store) -> bool:
    """Whether a task of the engine fetches what the store hands out, and not its own driver."""
    is_whole = fragment.kind is Capability.QUERY
    own = is_whole or problem.costs.engine.own_drivers
    return not own or not _by_own_driver(fragment, store)


def _by_own_driver(fragment: Fragment, store: Store) -> bool:
    """Whether the store's own driver fetches what it hands out: few rows."""
    rows = fragment.work.rows_out
    most = store.strength.most_driver_rows
    return most > 0 and rows <= most and rows * fragment.work.row_bytes_out <= AT_ONCE_BYTES


def _factors(problem: PlacementProblem, fragment: Fragment, store: Store) -> tuple[float, float]:
    """Return by what the seconds of a fragment are corrected: those of its work, and the rest."""
    known = problem.costs.corrections
    if known is None:
        return 1.0, 1.0
    name = fragment.reduction.repeats or fragment.name
    if store.name in known.measured and name in known.measured[store.name]:
        own = known.measured[store.name][name]
        return own.work, own.rest
    if store.name in known.queries and fragment.query in known.queries[store.name]:
        return known.queries[store.name][fragment.query], known.rest
    return known.stores.get(store.name, 1.0), known.rest


def _loaded_keys_s(tables: tuple[KeyTable, ...], rates: Strength) -> float:
    """Return the seconds until tables of keys are in a store: asked for, fetched and loaded."""
    seconds = 0.0
    for each in tables:
        seconds += rates.start_s + rates.write_start_s + each.rows / rates.aggregate_rows_per_s
        load_rows_per_s = rates.load_bytes_per_s / KEY_ROW
        seconds += each.keys * (1 / rates.transfer_rows_per_s + 1 / load_rows_per_s)
    return seconds


def _computed_s(work: EstimatedWork, rates: Strength) -> float:
    """Return the seconds until a store that has begun has a fragment's rows."""
    read = work.scan_bytes
    if rates.columnar:
        read = work.column_bytes
    elif rates.clustered and work.clustered_bytes is not None:
        read = work.clustered_bytes
    elif rates.key_ranges and work.key_range_bytes is not None:
        read = work.key_range_bytes
    in_memory = rates.kept_bytes is None or min(read, work.tables_bytes) <= rates.kept_bytes
    spared = _spared(work, rates, alone=in_memory)
    computed_s = (
        read * _byte_s(work, rates)
        + work.join_rows / rates.join_rows_per_s
        + work.aggregate_rows / rates.aggregate_rows_per_s
        + (work.conditions / rates.conditions_per_s if rates.conditions_per_s else 0.0)
        + min(_missed_s(read - size, work, rates) - less_s for less_s, size in spared)
    )
    return computed_s * (work.readings if rates.repeats_ctes else 1)


def _byte_s(work: EstimatedWork, rates: Strength) -> float:
    """Return the seconds of scanning a byte: its own, and its part of those of a row."""
    row_s = 1 / rates.scan_rows_per_s if rates.scan_rows_per_s else 0.0
    row_s += work.read_row_values / rates.scan_values_per_s if rates.scan_values_per_s else 0.0
    return 1 / rates.scan_bytes_per_s + (
        row_s / work.read_row_bytes if work.read_row_bytes else 0.0
    )


def _missed_s(read: float, work: EstimatedWork, rates: Strength) -> float:
    working_set = min(read, work.tables_bytes)
    if rates.kept_bytes is None or working_set <= rates.kept_bytes:
        return 0.0
    hit_rate = (rates.kept_bytes / working_set) ** 2
    return (1 - hit_rate) * read / rates.missed_bytes_per_s


def _spared(work: EstimatedWork, rates: Strength, *, alone: bool) -> list[tuple[float, float]]:
    """Return the seconds and bytes that reads by indexes spare together, one a source.

    The seconds are those of scans in memory; a scan spares none. With `alone` each source has its
    own best way, else all combinations are there but those that spare less than another in both.
    """
    ways: dict[str, list[tuple[float, float]]] = defaultdict(list)
    there = {None, *rates.indexes}
    for each in work.index_reads if rates.index_rows_per_s is not None else ():
        if each.index in there and each.clustered == rates.clustered and rates.index_rows_per_s:
            scan_s = each.spared_bytes * _byte_s(work, rates)
            join_s = each.spared_rows / rates.join_rows_per_s
            less_s = scan_s + join_s - each.rows / rates.index_rows_per_s
            less_s -= _paged(each, work, rates) / rates.missed_pages_per_s
            ways[each.source].append((less_s, each.spared_bytes))
    found = [(0.0, 0.0)]
    for of_source in ways.values():
        taken = [max((0.0, 0.0), *of_source)] if alone else [(0.0, 0.0), *of_source]
        summed = {(a + less_s, b + size) for a, b in found for less_s, size in taken}
        found, most = [], -inf
        for less_s, size in sorted(summed, reverse=True):
            if size > most:
                found.append((less_s, size))
                most = size
    return found


def _paged(read: IndexRead, work: EstimatedWork, rates: Strength) -> float:
    """Return the pages beyond the table's share of the memory that an index asks for."""
    known = [each for each in (rates.pool_bytes, rates.kept_bytes) if each is not None]
    if not known:
        return 0.0
    share = known[0]
    if read.table_bytes and work.tables_bytes > read.table_bytes:
        share *= read.table_bytes / work.tables_bytes
    beyond = read.touched_bytes - share
    return read.fetched_pages * beyond / read.touched_bytes if beyond > 0 else 0.0


def _rows_s(work: EstimatedWork, rates: Strength, *, by_task: bool) -> float:
    """Return the seconds of the rows themselves, which an own driver fetches one by one."""
    if not by_task:
        return work.rows_out / (rates.driver_rows_per_s or rates.transfer_rows_per_s)
    decimals = rates.transfer_decimals_per_s
    decimals_s = work.decimals_out / decimals if decimals else 0.0
    return work.rows_out * (1 / rates.transfer_rows_per_s + decimals_s)


def _fetched_s(
    work: EstimatedWork, rates: Strength, fetch_size: int, transfer: TransferSettings | None
) -> float:
    """Return the seconds of handing the bytes of a fragment's rows to the engine.

    A portion's first message waits, and others follow it without: a portion adds what the first
    takes more. Those of what is streamed follow one another from the start.
    """
    size = work.rows_out * work.row_bytes_out
    first, other = rates.link.first, rates.link.further
    waits, portion_bytes, message_bytes = 0.0, 0.0, LARGEST_MESSAGE
    at_once, statements = size <= AT_ONCE_BYTES, 1
    if transfer is not None:
        fetch_size, message_bytes = transfer.fetch_rows, transfer.message_bytes
        statements = 1 if transfer.streams is None else transfer.streams.count
        at_once = work.rows_out / statements <= fetch_size
    if rates.portions:
        portion_bytes = size / statements
        if not at_once:
            waits = work.rows_out / fetch_size
            portion_bytes = min(size, fetch_size * work.row_bytes_out)
    first_s = first.start_s + first.s_per_message_byte * message_bytes
    other_s = other.start_s + other.s_per_message_byte * message_bytes
    follow_s = other.start_s + other.s_per_batch_byte * portion_bytes
    return (
        size / rates.transfer_bytes_per_s
        + waits * (first_s - other_s)
        + size / message_bytes * follow_s
    )


def run_s(
    problem: PlacementProblem, query: QueryProblem, routed: tuple[RoutedFragment, ...]
) -> float:
    """Return the seconds of one execution of what runs in known stores, by the objective."""
    stores = {store.name: store for store in problem.stores}
    in_stores_s: dict[str, float] = defaultdict(float)
    in_engine_s = 0.0
    for each in routed:
        if each.store in stores:
            store_s, engine_s = fragment_s(
                problem, each.fragment, stores[each.store], len(query.sources), each.transfer
            )
            in_stores_s[each.store] += store_s
            in_engine_s += engine_s
    combined = max if problem.objective == "latency" else sum
    return in_engine_s + (combined(in_stores_s.values()) if in_stores_s else 0.0)


def copy_s(problem: PlacementProblem, table: str, store: Store) -> float:
    """Return the seconds a period of a copy: upkeep, writes, and its load where it is new."""
    size, rates, costs = problem.table_bytes[table], store.strength, problem.costs
    write_s = rates.write_start_s + costs.rows_per_write / rates.write_rows_per_s
    seconds = costs.upkeep_s_per_byte * size + write_s * problem.graph.writes.get(table, 0.0)
    if problem.current and store.name not in problem.current.get(table, ()):
        seconds += size / rates.load_bytes_per_s / problem.horizon
    for index in chosen(problem, table, store):
        entries, had = (
            problem.index_bytes[index],
            problem.current_indexes.get(store.name, frozenset()),
        )
        is_there = index in had or not problem.current
        written = problem.graph.writes.get(table, 0.0) * costs.rows_per_write
        seconds += written / rates.write_rows_per_s + costs.upkeep_s_per_byte * entries
        seconds += 0.0 if is_there else entries / (rates.load_bytes_per_s * problem.horizon)
    return seconds


def chosen(problem: PlacementProblem, table: str, store: Store) -> list[NamedIndex]:
    """Return the indexes of a table's copy that are the problem's to choose."""
    known = problem.index_bytes.keys()
    return [each for each in known & store.strength.indexes if each.table == table]


def month_money(
    problem: PlacementProblem,
    placement: Mapping[str, tuple[str, ...]],
    routing: Mapping[str, tuple[RoutedFragment, ...]],
) -> float:
    """Return what known copies in known stores, and transfer out of these, cost a month."""
    stores = {store.name: store for store in problem.stores}
    prices = {name: store.prices for name, store in stores.items()}
    money = 0.0
    for table, size in problem.table_bytes.items():
        for store in placement.get(table, ()):
            if store in prices:
                indexes = chosen(problem, table, stores[store])
                stored = size + sum(problem.index_bytes[each] for each in indexes)
                money += prices[store].storage_gb_month * stored / GB
    for query in problem.queries:
        times = query.executions * MONTH_DAYS / problem.costs.period_days
        for each in routing.get(query.name, ()):
            if each.store in prices and each.fragment.reduction.repeats is None:
                work = each.fragment.work
                moved = work.rows_out * work.row_bytes_out
                money += times * prices[each.store].transfer_gb * moved / GB
    return money
