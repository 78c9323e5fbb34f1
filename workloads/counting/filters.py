"""Filters of a workload, by what the records of its executions say."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from workloads.counting.facts import Facts, moment_of
from workloads.counting.seen import MOST_NAMES, Seen

LeftKind = Literal["filtered", "untold", "own", "dump", "load", "catalog"]
Left = tuple[LeftKind, str]
"""Why an execution is left out: the kind, and the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which executions count: all that pass each filter that is set.

    `since` counts and `until` does not. One without an offset is a time of the log's own clock,
    whatever its zone; one with an offset is a point in time. A record that counts several
    executions has their mean duration.
    """

    user: Collection[str] = ()
    database: Collection[str] = ()
    application: Collection[str] = ()
    since: datetime | None = None
    until: datetime | None = None
    shortest_s: float | None = None
    longest_s: float | None = None

    def written(self) -> Iterator[str]:
        """Yield each filter that is set, as an error says it."""
        for _, each in self._set():
            yield each

    def left_out(
        self, facts: Facts, seconds: float | None, seen: Seen, source: str = "the record"
    ) -> Left | None:
        """Return why an execution does not count, None if it does; `seen` gets its values.

        A record that lacks what a filter asks for does not count; `source` is what lacks it.
        """
        verdicts = (
            *self._of_names(facts, seen),
            *self._of_time(facts, seen),
            *self._of_duration(seconds, seen),
        )
        seen.passed |= {key for key, reason in verdicts if reason is None}
        by_key = {key: reason for key, reason in verdicts if reason is not None}
        for key, reason in by_key.items():
            if not reason:
                return "filtered", f"the filter {key} leaves it out"
        for key, reason in by_key.items():
            return "untold", f"{source} has no {reason}, which the filter {key} asks for"
        return None

    def nothing_left(self, seen: Seen, name: str) -> str:
        """Return what to say of a workload of which the filters leave nothing."""
        said = [
            f"{each}; it has {_existing(key, seen)}"
            for key, each in self._set()
            if key not in seen.passed
        ]
        if not said:
            said = [f"none passes all of {', '.join(self.written())}"]
        return f"The filters leave no statement of '{name}': {'. And '.join(said)}."

    def _set(self) -> Iterator[tuple[str, str]]:
        """Yield the key of each filter that is set, and the filter as an error says it."""
        for key, names in self._names():
            if names:
                yield key, f"{key} {_listed(names)}"
        for key, time in (("since", self.since), ("until", self.until)):
            if time is not None:
                yield key, f"{key} {time}"
        for key, seconds in (("shortest_s", self.shortest_s), ("longest_s", self.longest_s)):
            if seconds is not None:
                yield key, f"{key} {seconds:g}"

    def _names(self) -> tuple[tuple[str, Collection[str]], ...]:
        return (
            ("user", self.user),
            ("database", self.database),
            ("application", self.application),
        )

    def _of_names(self, facts: Facts, seen: Seen) -> Iterator[tuple[str, str | None]]:
        """Yield each filter of names with what it says: None, "" or what the facts lack."""
        values = (facts.user, facts.database, facts.application)
        for (key, wanted), value in zip(self._names(), values, strict=True):
            if wanted and value is None:
                yield key, key
            elif wanted and value is not None:
                seen.name(key, value)
                yield key, None if value in wanted else ""

    def _of_time(self, facts: Facts, seen: Seen) -> Iterator[tuple[str, str | None]]:
        bounds = (("since", self.since), ("until", self.until))
        if self.since is None and self.until is None:
            return
        moment = None if facts.moment is None else moment_of(facts.moment)
        if moment is not None:
            seen.time(moment)
        for key, bound in bounds:
            if bound is None:
                continue
            if moment is None:
                yield key, "time"
            elif bound.tzinfo is not None and moment.tzinfo is None:
                yield key, "offset from UTC in its time"
            else:
                own = moment if bound.tzinfo is not None else moment.replace(tzinfo=None)
                yield key, None if (own >= bound) is (key == "since") else ""

    def _of_duration(self, seconds: float | None, seen: Seen) -> Iterator[tuple[str, str | None]]:
        if self.shortest_s is None and self.longest_s is None:
            return
        if seconds is not None:
            seen.duration(seconds)
        if self.shortest_s is not None:
            short = seconds is not None and seconds < self.shortest_s
            yield "shortest_s", "duration" if seconds is None else "" if short else None
        if self.longest_s is not None:
            long = seconds is not None and seconds > self.longest_s
            yield "longest_s", "duration" if seconds is None else "" if long else None


def _listed(names: Collection[str]) -> str:
    return ", ".join(f"'{name}'" for name in sorted(names))


def _existing(key: str, seen: Seen) -> str:
    """Return the values that a filter met."""
    if key in ("since", "until"):
        return "no time" if seen.times is None else f"{seen.times[0]} to {seen.times[1]}"
    if key in ("shortest_s", "longest_s"):
        spans = seen.durations_s
        return "no duration" if spans is None else f"{spans[0]:g} s to {spans[1]:g} s"
    names = seen.names.get(key, ())
    more = " and maybe more" if len(names) == MOST_NAMES else ""
    return f"{_listed(names)}{more}" if names else f"no {key}"
