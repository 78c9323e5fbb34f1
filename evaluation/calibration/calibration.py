"""The result of a calibration, and its file."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from evaluation.calibration.behaviour import Behaviour, Together
from evaluation.calibration.core_use import CoreUse
from evaluation.calibration.disk import DiskProfile
from evaluation.calibration.links import LinkCalibration
from evaluation.calibration.observation import Observation
from evaluation.calibration.rates import Errors, Rate, engine_with_rates, with_rates
from evaluation.calibration.scan_cache import ScanCache
from evaluation.federation.compiled import Combiner
from evaluation.measuring.machine import Machine
from placement.memory.store_memory import StoreMemory
from placement.stores import Engine, Strength
from placement.transfer.streams import StreamTimes
from workloads.adapters import adapter
from workloads.errors import ConfigurationError
from workloads.whole_files import write_whole

QUICK = "quick calibration"
"""The first words of the source of a rate that a quick calibration has measured."""
FOLLOWING = "default times the machine's factor"
"""The first words of the source of rates that it could not measure, of a store beside others."""
_NAMES: Mapping[Combiner, str] = {"spark": "Spark", "duckdb": "DuckDB in the driver"}
_QUICK_FILE = "-quick.json"
FORMAT = 8
"""Of the second a result's rows and what a store's memory lacks are no part of other rates.

Of the third conditions of aggregates are none either. Of the fourth the engine's plan and task are
no part of a store's start. Of the fifth decimals, rows of own drivers and scanned rows are no part
of other rates. Of the sixth the values that a scan unpacks are none either. Of the seventh a pool
of InnoDB's is no longer always of 512 MB, and cores are fitted to what queries do. Of the eighth
rows that Accumulo scans have a rate beside their bytes.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A query of the calibration that has no seconds on a placement, and why."""

    placement: str
    query: str
    outcome: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreCalibration:
    """The rates of one store. `target` says which it is, so that no other takes them.

    `errors` are None where too little was measured. `load_bytes_per_s` is of the catalog's bytes,
    None where nothing was loaded.
    `cache_bytes` is what it keeps of its data in memory at most, None where it does not say;
    `disk` is the name of the disk among the calibration's that its data are on, if it is local.
    `scan_cache` is None where what it finds in memory is not known, `behaviour` where it did not
    answer in time or an earlier version calibrated it, `link` then and where its driver does not
    wait for portions. `stream_times` is what reading by several statements saves, None where a
    driver reads no ranges or an earlier version calibrated it. `memory` is how its hash joins take
    memory, None where that was not measured. `core_use` are the cores of the calibrating machine
    that are busy while it answers queries, with what asks it and takes its rows; None where nobody
    counted them.
    """

    kind: str
    target: str
    rates: Mapping[str, Rate]
    errors: Errors | None
    load_bytes_per_s: float | None
    cache_bytes: int | None = None
    disk: str | None = None
    scan_cache: ScanCache | None = None
    behaviour: Behaviour | None = None
    link: LinkCalibration | None = None
    stream_times: StreamTimes | None = None
    memory: StoreMemory | None = None
    core_use: CoreUse | None = None

    @property
    def is_seen(self) -> bool:
        """Whether statements of the store told any of its rates; else they are the machine's."""
        return any(each.seen for each in self.rates.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The rates of all stores and of the engine, of one run. `started_at` is ISO 8601 in UTC.

    `engine_errors` are of the queries that several fragments answered. `scale_factor` is of the
    TPC-H data that was measured on, `seconds` what everything took. `disks` are named by the
    folder that they were measured in. `together` is of all stores at once, where there are several.
    `combiner` combined the fragments of its queries: Spark in earlier versions.
    `observations` are what the rates were fitted to; a quick one keeps none.
    One that is `quick` scales the default rates by few statements, and has no errors and no bounds.
    """

    started_at: str
    seconds: float
    scale_factor: float
    repeats: int
    seed: int
    fetch_size: int
    machine: Machine
    versions: Mapping[str, str]
    stores: Mapping[str, StoreCalibration]
    engine: Mapping[str, Rate]
    engine_errors: Errors | None
    observed: int
    observations: tuple[Observation, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    disks: Mapping[str, DiskProfile] = field(default_factory=dict)
    together: Together | None = None
    quick: bool = False
    combiner: Combiner = "spark"
    format: int = FORMAT

    def strength(self, store: str, target: str, default: Strength) -> Strength | None:
        """Return a store's calibrated strength, or None where it is another store or unknown.

        What was not measured is `default`'s.
        """
        found = self.stores.get(store)
        if found is None or found.target != target:
            return None
        if found.scan_cache is not None:
            default = found.scan_cache.strength(default)
        if found.link is not None:
            default = replace(default, link=found.link.link, link_measured=True)
        default = replace(default, stream_times=found.stream_times, memory=found.memory)
        if found.behaviour is not None:
            default = replace(default, at_once=found.behaviour.multiples)
        source = self.source(found.errors)
        if self.quick and not found.is_seen:
            source = f"{FOLLOWING}, {source}"
        return with_rates(default, found.rates, source, found.load_bytes_per_s)

    def calibrated_engine(self, default: Engine, combiner: Combiner) -> Engine:
        """Return the engine with its calibrated rates, or with `default` ones and why.

        What was calibrated with one `combiner` tells nothing of another.
        """
        if combiner != self.combiner:
            return replace(default, source=f"default, as {_NAMES[self.combiner]} was calibrated")
        return engine_with_rates(default, self.engine, self.source(self.engine_errors))

    def source(self, errors: Errors | None) -> str:
        """Return what a strength says of where it is from."""
        error = "" if errors is None else f", ±{100 * errors.median:.0f} %"
        kind = QUICK if self.quick else "calibrated"
        return f"{kind} {self.started_at[:16].replace('T', ' ')}{error}"


def write_calibration(calibration: Calibration, folder: Path) -> Path:
    """Write it beside the older ones; return its file. OSError where that cannot be done."""
    folder.mkdir(parents=True, exist_ok=True)
    moment = datetime.fromisoformat(calibration.started_at)
    ending = _QUICK_FILE if calibration.quick else ".json"
    file = folder / f"{moment:%Y%m%dT%H%M%S}{ending}"
    write_whole(file, adapter(Calibration).dump_json(calibration, indent=1))
    return file


def latest_calibration(folder: Path, *, quick: bool = False) -> Calibration | None:
    """Return the newest full one in `folder`, or the newest `quick` one.

    It is None where there is none, or the newest is of old rates: rates of an earlier format would
    be taken for what they are not.

    Raises:
        ConfigurationError: The newest one's file cannot be read.
    """
    files = [
        file for file in sorted(folder.glob("*.json")) if file.name.endswith(_QUICK_FILE) == quick
    ]
    if not files:
        return None
    try:
        found = adapter(Calibration).validate_json(files[-1].read_bytes())
    except (OSError, ValidationError) as error:
        raise ConfigurationError(
            f"The calibration {files[-1]} cannot be read: run 'advisor calibrate' again, or remove "
            "it."
        ) from error
    return found if found.format == FORMAT else None
