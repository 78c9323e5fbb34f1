"""Folding recorded statements into templates: what differs only in its literals is one query.

Sums are exact, and the example is the first in the order of the log, so that pieces of a log that
are folded apart and then together, in any order, give what folding the log at once gives.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from workloads.counting.counting import EVERYTHING, Counting
from workloads.counting.seen import Seen
from workloads.errors import ConfigurationError
from workloads.folding.conditional import conditional
from workloads.folding.entries import NS_PER_S, Entry, Rejected
from workloads.folding.logged_values import logged_values
from workloads.folding.normalise import Normaliser
from workloads.folding.sums import LISTED, Left, Sum
from workloads.folding.template_keys import NAME_DIGITS, digits_of, looked_up, named
from workloads.temporary_tables import made
from workloads.workload import NOT_THE_USERS, Query, Skipped, SkippedKind

_TEMPLATE_OVERHEAD_BYTES = 600
_MOST_BYTES = 1_200_000_000


@dataclass(slots=True)
class Folding:
    """Statements folded so far; it grows with the templates, not with the statements."""

    records: int = 0
    templates: dict[bytes, Sum] = field(default_factory=dict)
    left: dict[tuple[int, str, SkippedKind], Left] = field(default_factory=dict)
    examples_bytes: int = 0
    # Files that were cut inside a value, so that they have to be folded whole.
    unsound: set[int] = field(default_factory=set)
    seen: Seen = field(default_factory=Seen)
    # Whether a session set its search path.
    sets_paths: bool = False
    # The names of the temporary tables that sessions made, in small letters.
    made: set[str] = field(default_factory=set)
    older_executions: int | Fraction = 0

    def add(
        self,
        entries: Iterable[Entry | Rejected],
        file: int,
        normaliser: Normaliser,
        counting: Counting = EVERYTHING,
    ) -> "Folding":
        """Fold in the records of a file (counted from 0), in the order of their lines; return self.

        `counting` says which of them count.

        Raises:
            ClashError: Two statements have one name.
            ConfigurationError: There are too many templates.
        """
        templates = self.templates
        for entry in entries:
            self.records += 1
            if isinstance(entry, Rejected):
                self._reject(file, entry)
                continue
            line, sql, executions, total_ns, name, column, schema, facts, path = entry[:9]
            is_older = self._told_of_session(entry)
            seconds = entry.seconds if counting.filters is not None else None
            left = counting.left_out(sql, facts, seconds, self.seen)
            if left is not None:
                kind, reason = left
                self._reject(file, Rejected(line, reason, "", kind, executions))
                continue
            key = normaliser.digest(sql) if name is None else named(name)
            if not key and (inner := conditional(sql)):
                sql, key = inner, normaliser.digest(inner)
            if not key:
                self._reject(file, Rejected(line, "there is no statement", "", "session"))
                continue
            self.sets_paths |= path is not None and path.is_told
            base = key
            self.older_executions += executions if is_older else 0
            if name is None:
                key = looked_up(base, schema, path, entry.temporary, is_older=is_older)
            found = templates.get(key)
            if found is None:
                values = logged_values(entry.session.detail) if entry.session is not None else ()
                place = (file, line, column)
                told = entry.temporary
                found = Sum(place, sql, name, schema, base, path, values, told, is_older)
                self._admit(key, found)
            elif name is not None:
                raise ClashError(name, found.place, (file, line, column))
            found.executions += executions
            if total_ns is not None:
                found.timed += executions
                found.total_ns += total_ns
        return self

    def _told_of_session(self, entry: Entry) -> bool:
        """Note the temporary table that a session makes; return if it is older than its log."""
        if entry.temporary is not None and (new := made(entry.sql)) is not None:
            self.made.add(new.name)
        return entry.session is not None and entry.session.is_older

    def absorb(self, other: "Folding") -> None:
        """Fold in another piece of the log.

        Raises:
            ClashError: Two statements have one name.
            ConfigurationError: There are too many templates.
        """
        self.records += other.records
        self.unsound |= other.unsound
        self.sets_paths |= other.sets_paths
        self.made |= other.made
        self.older_executions += other.older_executions
        self.seen.absorb(other.seen)
        for key, theirs in other.templates.items():
            ours = self.templates.get(key)
            if ours is None:
                self._admit(key, theirs)
            elif ours.name is not None:
                raise ClashError(ours.name, ours.place, theirs.place)
            else:
                ours.absorb(theirs)
        for reason, rejected in other.left.items():
            self.left.setdefault(reason, Left()).absorb(rejected)

    def parts(self, number: int) -> "dict[int, Folding]":
        """Return the folding in so many parts that share no template, by number of the part."""
        rest = Folding(
            records=self.records,
            left=self.left,
            unsound=self.unsound,
            seen=self.seen,
            sets_paths=self.sets_paths,
            made=self.made,
            older_executions=self.older_executions,
        )
        parts = {0: rest}
        for key, found in self.templates.items():
            parts.setdefault(key[0] % number, Folding())._admit(key, found)
        return parts

    def _admit(self, key: bytes, found: Sum) -> None:
        self.templates[key] = found
        self.examples_bytes += len(found.sql) + _TEMPLATE_OVERHEAD_BYTES
        if self.examples_bytes > _MOST_BYTES:
            raise ConfigurationError(
                f"The log has more than {len(self.templates):,} different statements, whose"
                f" examples take more than {_MOST_BYTES / 1e9:.1f} GB: check that its dialect is"
                " named rightly, so that literals are told from names, or take less of it."
            )

    def _reject(self, file: int, entry: Rejected) -> None:
        left = self.left.setdefault((file, entry.reason, entry.kind), Left())
        left.records += 1
        left.executions += entry.executions
        if len(left.first) < LISTED:
            left.first.append((entry.line, entry.value, entry.executions))

    def queries(self, files: Sequence[str]) -> tuple[Query, ...]:
        """Return a query for each template, in the order of their examples.

        `files` are the names of the log's files.
        """
        settled = self._settled()
        order = sorted(settled.items(), key=lambda item: item[1].place)
        digits = digits_of(settled)
        queries = []
        for key, found in order:
            name = found.name or f"t_{key.hex()[: digits.get(key, NAME_DIGITS)]}"
            seconds = (
                float(Fraction(found.total_ns) / found.timed) / NS_PER_S if found.timed else None
            )
            queries.append(
                Query(
                    name=name,
                    sql=found.sql,
                    origin=files[found.place[0]],
                    line=found.place[1],
                    column=found.place[2],
                    executions=float(found.executions),
                    latency_s=seconds,
                    schema=found.schema,
                    path=found.path,
                    values=found.values,
                    temporary=found.temporary,
                    maybe_temporary=self._maybe_temporary(found),
                )
            )
        return tuple(queries)

    @property
    def leaves_untold(self) -> bool:
        """Whether sessions that are older than their log may have what its others set or made."""
        return bool(self.older_executions and (self.sets_paths or self.made))

    def _maybe_temporary(self, found: Sum) -> tuple[str, ...]:
        """Return the temporary tables of other sessions that one of an older session may mean."""
        if not found.is_older or not self.made:
            return ()
        small = found.sql.lower()
        return tuple(sorted(n for n in self.made - {*(found.temporary or ())} if n in small))

    def _settled(self) -> dict[bytes, Sum]:
        """Return the templates, where age is no matter without it.

        It is none if no session sets a path, or makes a temporary table that a statement may mean.
        """
        paths = not self.sets_paths and any(
            each.path is not None and each.path.unknown for each in self.templates.values()
        )
        if not paths and not any(each.is_older for each in self.templates.values()):
            return self.templates
        found: dict[bytes, Sum] = {}
        for each in self.templates.values():
            path = each.path.presumed if paths and each.path is not None else each.path
            is_older = bool(self._maybe_temporary(each))
            key = each.base
            if not each.name:
                key = looked_up(key, each.schema, path, each.temporary, is_older=is_older)
            empty = replace(each, path=path, is_older=is_older, executions=0, timed=0, total_ns=0)
            found.setdefault(key, empty).absorb(each)
        return found

    def skipped(self, files: Sequence[str]) -> tuple[Skipped, ...]:
        """Return what was left out, in the order of the log; many of one reason end as a count."""
        found = [
            (file, each)
            for (file, reason, kind), left in self.left.items()
            for each in _skipped(files[file], reason, kind, left)
        ]
        found.sort(key=lambda pair: (pair[0], pair[1].line, pair[1].reason))
        return tuple(skipped for _, skipped in found)


def _skipped(file: str, reason: str, kind: SkippedKind, left: Left) -> Iterator[Skipped]:
    """Yield what was left out of a file for one reason: record by record, and the rest as one."""
    listed = left.first[: len(left.first) - (left.records > len(left.first))]
    if kind in NOT_THE_USERS:  # each would say the same
        listed = []
    for line, value, executions in listed:
        text = f"{reason}: {value}" if value else reason
        yield Skipped(source=file, line=line, reason=text, kind=kind, executions=float(executions))
    more = left.records - len(listed)
    if more:
        which = f"the first of {more:,} {'more ' if listed else ''}such records"
        yield Skipped(
            source=file,
            line=left.first[len(listed)][0],
            reason=f"{reason} ({which})" if more > 1 or listed else reason,
            kind=kind,
            executions=float(left.executions - sum(executions for *_, executions in listed)),
            statements=more,
        )


class ClashError(Exception):
    """Two statements of one name, at two places (file, line, column)."""

    def __init__(
        self, name: str, first: tuple[int, int, int], second: tuple[int, int, int]
    ) -> None:
        super().__init__(name, first, second)

    def said(self, files: Sequence[str]) -> ConfigurationError:
        """Return what to tell the user, with the names of the files."""
        name, *places = self.args
        first, second = (f"{files[file]}:{line}" for file, line, _ in sorted(places))
        return ConfigurationError(
            f"Two statements are called '{name}' ({first} and {second}): put '-- name: …' before"
            " one of them."
        )
