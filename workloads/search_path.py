"""Where a session looks for tables that a statement writes without a schema."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

_DATABASES = frozenset({"mysql", "singlestore", "doris", "starrocks"})
_ITEM = re.compile(r"(?s)\s*(?:\"(?P<quoted>(?:[^\"]|\"\")*)\"|'(?P<text>(?:[^']|'')*)'|"
                   r"(?P<bare>[^\W\d][\w$]*))\s*(?P<comma>,|\Z)")  # fmt: skip
OWN_SCHEMA = "$user"
"""In PostgreSQL's paths: the schema that is called as the user is."""
OLDER = "sessions of the log set their search paths, and it does not have all that this one ran"


class SearchPath(NamedTuple):
    """The schemas in which a session looks, in their order.

    With `is_whole` it looks nowhere else: the session set them. `unknown` says why they are not
    known, if so.
    """

    schemas: tuple[str, ...] = ()
    is_whole: bool = False
    unknown: str = ""

    @property
    def is_told(self) -> bool:
        """Whether the session set it, and be it to what is not known."""
        return self.is_whole or self.unknown not in ("", OLDER)

    @property
    def presumed(self) -> "SearchPath | None":
        """The path of a session that the log does not have all of, if no session sets one."""
        return SearchPath(self.schemas) if self.schemas else None

    def of(self, user: str | None) -> "SearchPath":
        """Return the path with the schema of `user` for ``$user``."""
        if OWN_SCHEMA not in self.schemas:
            return self
        if user is None and self.is_whole:
            return SearchPath(unknown=f"it has {OWN_SCHEMA}, and nothing says who the user is")
        named = (user if each == OWN_SCHEMA else each for each in self.schemas)
        return self._replace(schemas=tuple(each for each in named if each))

    def within(self, schemas: Collection[str] | None) -> "SearchPath":
        """Return the path without what is none of `schemas`, which are in small letters."""
        if schemas is None:
            return self
        return self._replace(schemas=tuple(s for s in self.schemas if s.lower() in schemas))


def path_of(value: str) -> SearchPath:
    """Return the path that a list of names is, as PostgreSQL writes it."""
    return listed(value) if value.strip() else SearchPath(is_whole=True)


def listed(value: str, *, is_one: bool = False) -> SearchPath:
    """Return the path of a list of at least one name, with `is_one` of one alone."""
    schemas: list[str] = []
    place = 0
    while found := _ITEM.match(value, place):
        schemas.append(_item(found))
        place = found.end()
        if not found["comma"]:
            break
    if not schemas or found is None or place < len(value) or (is_one and len(schemas) > 1):
        return SearchPath(unknown=f"it was set to {value[:40] or 'nothing'}, which is no name")
    return SearchPath(tuple(each for each in schemas if each), is_whole=True)


def _item(found: re.Match[str]) -> str:
    if found["quoted"] is not None:
        return found["quoted"].replace('""', '"')
    return found["bare"] or found["text"].replace("''", "'")


USUAL = SearchPath((OWN_SCHEMA,))
"""The path of a session of PostgreSQL that says nothing: ``"$user", public``."""


RolePath = tuple[str, str]
"""A database and a role, "" for any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRules:
    """The rule for sessions that say nothing of their paths.

    `source` is the path that the project names for their source, `is_given` whether it names one
    for all sources, and `recorded` are those that servers keep for roles and databases. `schemas`
    are those of the catalog in small letters, None where none is known.
    With `has_databases`, as in MySQL, a session has a database and no path.
    """

    source: tuple[str, ...] = ()
    is_given: bool = False
    schemas: frozenset[str] | None = None
    recorded: Mapping[RolePath, SearchPath] = field(default_factory=dict)
    has_databases: bool = False

    def path(
        self, told: SearchPath | None, user: str | None, database: str | None
    ) -> SearchPath | None:
        """Return what names are looked up by, of what a session of `user` in `database` told.

        None is the path that the project names for all sources, or else the usual schemas.
        """
        if told is None or not (told.is_whole or told.unknown):
            return self._usual(told, user, database)
        if told.unknown == OLDER:
            usual = self._usual(USUAL, user, database)
            return told._replace(schemas=() if usual is None else usual.schemas)
        return told.of(user).within(self.schemas)

    def _usual(
        self, told: SearchPath | None, user: str | None, database: str | None
    ) -> SearchPath | None:
        if self.source:
            return SearchPath(self.source)
        if told is None or self.is_given or self.schemas is None:
            return None
        role, where = user or "", database or ""
        keys = ((where, role), ("", role), (where, ""), ("", ""))
        kept = (self.recorded[key] for key in keys if key in self.recorded)
        # A session may have another from its client, which no log says: it is not whole.
        found = next(kept, told).of(user).within(self.schemas)._replace(is_whole=False)
        return found if found.schemas or found.unknown else None


NO_RULES = SearchRules()


@dataclass(frozen=True, slots=True, kw_only=True)
class Searching:
    """A project's words on search paths, and what it knows of schemas (see `SearchRules`).

    `by_source` has the sources with a path of their own.
    """

    by_source: Mapping[Path, tuple[str, ...]] = field(default_factory=dict)
    is_given: bool = False
    schemas: frozenset[str] | None = None
    recorded: Mapping[RolePath, SearchPath] = field(default_factory=dict)

    def rules(self, dialect: str) -> SearchRules:
        """Return what holds for sessions in a dialect."""
        return SearchRules(
            is_given=self.is_given,
            schemas=self.schemas,
            recorded=self.recorded,
            has_databases=dialect in _DATABASES,
        )


NOWHERE = Searching()
