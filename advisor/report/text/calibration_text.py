"""A calibration, for a terminal and as JSON."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from advisor.figures import NONE, candidate_name, count, counted, percent, seconds, size
from advisor.report.parts.tables import heading, table_of
from evaluation.calibration.calibration import Calibration
from evaluation.calibration.rates import Errors, Rate
from evaluation.calibration.uncached_file import PageCache
from placement.memory.choice import told_bytes
from placement.transfer.bounds import MOST_MESSAGE

MEGABYTE = 1e6
MILLISECONDS, NANOSECONDS = 1e3, 1e9
_MOST_LEFT_OUT = 5
# A rate that explains less of the measured seconds is told by nothing.
_SEEN = 0.002


WHAT_QUICK_IS = (
    "A quick calibration scales the default rates of a store by three factors: of its start, its "
    "work and its transfer. So few statements tell no bounds. `advisor calibrate` measures each "
    "rate of stores that take copies, and its errors."
)
FOLLOWING_ARE = (
    "{} could not be measured: the rates there are defaults, times how much slower or faster than "
    "these the machine is."
)


def calibration_text(found: Calibration, before: Calibration | None = None) -> RenderableType:
    """Show every rate with its bounds, how well each store is predicted, and what was left out.

    `before` is an earlier calibration: rates that have left its bounds are named.
    """
    parts: list[RenderableType] = [heading("Calibrated rates"), _rates(found)]
    if found.quick:
        parts.append(Text(WHAT_QUICK_IS))
        if following := [name for name, each in found.stores.items() if not each.is_seen]:
            parts.append(Text(FOLLOWING_ARE.format(", ".join(following))))
    else:
        parts += [heading("Queries predicted without their own measurements"), _errors(found)]
    if any(store.behaviour for store in found.stores.values()):
        parts += [heading("Statements at the same time"), _at_once(found)]
    parts.extend(Text(each) for each in _busy_cores(found))
    if found.together is not None:
        share = percent(found.together.all_at_once_s / found.together.one_by_one_s)
        parts.append(
            Text(
                f"Running one statement in all stores at once takes {share} of running them one "
                "after another."
            )
        )
    if any(store.link for store in found.stores.values()):
        parts += [heading("Links whose portions are waited for"), _links(found)]
    if any(store.stream_times for store in found.stores.values()):
        parts += [heading("One result by several statements"), _streams(found)]
    if any(store.memory for store in found.stores.values()):
        parts += [heading("Memory of hash joins"), _memories(found)]
    if found.disks:
        parts += [heading("Disks"), _disks(found)]
    parts += [Text(line) for line in _left_out(found)]
    parts += [Text(line) for line in _changed(found, before)]
    parts.append(Text(_setting(found), style="dim"))
    return Group(*parts)


def _setting(found: Calibration) -> str:
    first, last = found.machine.load_average
    runs = (
        f"the least of at most {found.repeats} runs, or their median where Spark has no part"
        if found.quick
        else f"medians of {counted(found.repeats, 'run')}"
    )
    return (
        f"{found.observed} queries measured, TPC-H at scale factor {found.scale_factor:g}, "
        f"{runs}, in {seconds(found.seconds)} s; load average {first:.1f} before, {last:.1f} after."
    )


def calibration_document(found: Calibration, file: Path) -> Mapping[str, Any]:
    """Return what `calibrate` prints with ``--json``."""
    return {"file": str(file), **asdict(found)}


def _rates(found: Calibration) -> RenderableType:
    table = table_of("of", "rate", ">value", ">from", ">to", ">explains")
    for name, rates in (
        *((name, store.rates) for name, store in found.stores.items()),
        ("the engine", found.engine),
    ):
        for rate_name, rate in rates.items():
            told = rate.seen >= _SEEN
            table.add_row(
                name,
                rate_name,
                _written(rate_name, rate.value),
                *(_bound(rate_name, each if told else None) for each in (rate.low, rate.high)),
                percent(rate.seen) if told else "nothing",
            )
        if name in found.stores:
            store = found.stores[name]
            if store.load_bytes_per_s is not None:
                loaded = size(store.load_bytes_per_s)
                table.add_row(name, "load_bytes_per_s", loaded, NONE, NONE, NONE)
            if store.cache_bytes is not None:
                table.add_row(name, "cache_bytes", size(store.cache_bytes), NONE, NONE, NONE)
            if store.scan_cache is not None:
                cache = store.scan_cache
                kept = size(cache.kept_bytes)
                table.add_row(name, "kept_bytes", kept, NONE, NONE, NONE)
                missed = size(cache.missed_bytes_per_s)
                table.add_row(name, "missed_bytes_per_s", missed, NONE, NONE, NONE)
                if cache.pool_bytes is not None and cache.missed_pages_per_s is not None:
                    pool, pages = size(cache.pool_bytes), count(cache.missed_pages_per_s)
                    table.add_row(name, "pool_bytes", pool, NONE, NONE, NONE)
                    table.add_row(name, "missed_pages_per_s", pages, NONE, NONE, NONE)
        table.add_section()
    return table


def _bound(name: str, value: float | None) -> str:
    return NONE if value is None else _written(name, value)


def _written(name: str, value: float) -> str:
    if "bytes_per_s" in name:
        return size(value)
    return count(value) if "_per_s" in name else f"{seconds(value)} s"


def _disks(found: Calibration) -> RenderableType:
    table = table_of("of", ">MB/s read in order", ">MB/s by single pages", "folder")
    for folder, disk in found.disks.items():
        names = [name for name, store in found.stores.items() if store.disk == folder]
        rates = (disk.sequential_read, disk.single_read)
        in_memory = any(rate and rate.page_cache is PageCache.KEPT for rate in rates)
        table.add_row(
            ", ".join(names),
            *(
                NONE if rate is None or in_memory else f"{rate.bytes_per_s / MEGABYTE:,.0f}"
                for rate in rates
            ),
            f"{folder} (in memory)" if in_memory else folder,
        )
    return table


def _links(found: Calibration) -> RenderableType:
    table = table_of("of", ">a portion", ">a message", ">probes", ">mean error")
    for name, store in found.stores.items():
        if store.link is not None:
            link = store.link.link
            table.add_row(
                name,
                f"{MILLISECONDS * link.trip_s(MOST_MESSAGE):.3f} ms",
                f"{MILLISECONDS * link.further.start_s:.3f} ms",
                str(store.link.probes),
                percent(store.link.error),
            )
    return table


def _streams(found: Calibration) -> RenderableType:
    """Show the share of the seconds of one statement that each number of them takes."""
    measured = {name: store.stream_times for name, store in found.stores.items()}
    counts = sorted({count for each in measured.values() if each for count, _ in each.shares})
    table = table_of("of", *(f">{count} at once" for count in counts), ">error")
    for name, times in measured.items():
        if times is not None:
            shares = dict(times.shares)
            told = (percent(shares[each]) if each in shares else NONE for each in counts)
            table.add_row(name, *told, percent(times.error))
    return table


def _memories(found: Calibration) -> RenderableType:
    table = table_of(
        "of", ">a session has", ">a row", ">spilled", ">a batch", ">a miss waits", ">error"
    )
    for name, store in found.stores.items():
        if store.memory is not None:
            joins = store.memory.joins
            table.add_row(
                name,
                told_bytes(store.memory.set_bytes),
                f"{NANOSECONDS * joins.row_s:.0f} ns",
                f"{NANOSECONDS * joins.spilled_row_s:.0f} ns",
                f"{MILLISECONDS * joins.batch_s:.3f} ms",
                f"{joins.misses:.2f} of it",
                percent(store.memory.error),
            )
    return table


def _busy_cores(found: Calibration) -> Iterator[str]:
    """Say how many cores are busy while each store answers alone; nothing if none was counted."""
    used = {name: each.core_use for name, each in found.stores.items() if each.core_use is not None}
    if used:
        cores = counted(found.machine.cores, "core")
        told = ", ".join(f"{each.computing:.1f} in {name}" for name, each in used.items())
        yield f"Busy, of {cores}, until the rows of a store are there: {told}."
    handing = {name: each.handing for name, each in used.items() if each.handing is not None}
    if handing:
        told = ", ".join(f"{cores:.1f} of {name}" for name, cores in handing.items())
        yield f"Busy while rows are handed over to the engine: {told}."


def _at_once(found: Calibration) -> RenderableType:
    table = table_of("of", ">statements of equal work", ">answered in", "which is")
    for name, store in found.stores.items():
        if store.behaviour is not None:
            (_, alone_s), *others = sorted(store.behaviour.at_once_s.items())
            table.add_row(name, "1", f"{seconds(alone_s)} s", "")
            for number, all_s in others:
                times = f"{all_s / alone_s:.1f} times one"
                table.add_row(name, str(number), f"{seconds(all_s)} s", times)
            table.add_section()
    return table


def _errors(found: Calibration) -> RenderableType:
    table = table_of("of", ">queries", ">median error", ">90 %", ">median of signed")
    for name, errors in (
        *((name, store.errors) for name, store in found.stores.items()),
        ("several fragments", found.engine_errors),
    ):
        if errors is not None:
            table.add_row(name, *_errors_row(errors))
    return table


def _errors_row(errors: Errors) -> tuple[str, str, str, str]:
    return (
        str(errors.number),
        percent(errors.median),
        percent(errors.p90),
        f"{100 * errors.bias:+.0f} %",
    )


def _left_out(found: Calibration) -> Iterator[str]:
    for each in found.left_out[:_MOST_LEFT_OUT]:
        yield (
            f"Left out: {each.query} on {candidate_name(each.placement)}, {each.outcome}: "
            f"{each.message}"
        )
    more = len(found.left_out) - _MOST_LEFT_OUT
    if more > 0:
        yield f"{more} more are left out; --json names them."


def _changed(found: Calibration, before: Calibration | None) -> Iterator[str]:
    """Say which rates contradict those of an earlier calibration."""
    if before is None:
        return
    named: list[tuple[str, Mapping[str, Rate], Mapping[str, Rate]]] = [
        (name, store.rates, before.stores[name].rates)
        for name, store in found.stores.items()
        if name in before.stores and before.stores[name].target == store.target
    ]
    named.append(("the engine", found.engine, before.engine))
    for name, rates, earlier in named:
        for rate_name, rate in rates.items():
            old = earlier.get(rate_name)
            if old is None or min(rate.seen, old.seen) < _SEEN:
                continue
            if rate.is_apart_from(old):
                yield (
                    f"{name}: {rate_name} is {_written(rate_name, rate.value)}, and was "
                    f"{_written(rate_name, old.value)} on {before.started_at[:10]}: their bounds "
                    "do not meet."
                )
