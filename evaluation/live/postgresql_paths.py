"""The search paths of PostgreSQL's sessions, as far as the server keeps them."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from evaluation.stores.postgresql.sessions import Session
from workloads.counting.own import MARK
from workloads.search_path import RolePath, SearchPath, path_of
from workloads.sources.logs.path_changes import may_set_path

# What is set for a role in a database, for a role, and for a database, from the first that is set.
_SETTINGS = f"""
SELECT {MARK} coalesce(r.rolname::text, ''), s.setdatabase <> 0, split_part(c, '=', 2)
FROM pg_catalog.pg_db_role_setting s
LEFT JOIN pg_catalog.pg_roles r ON r.oid = s.setrole
CROSS JOIN LATERAL unnest(s.setconfig) c
WHERE c LIKE 'search\\_path=%'
  AND s.setdatabase IN (0, (SELECT oid FROM pg_catalog.pg_database
                            WHERE datname = current_database()))
"""  # noqa: S608 - constants
_USUAL = f"SELECT {MARK} reset_val, source FROM pg_catalog.pg_settings WHERE name = 'search_path'"  # noqa: S608
_SCHEMAS = f"SELECT {MARK} current_database(), nspname FROM pg_catalog.pg_namespace"  # noqa: S608
_OF_THE_SERVER = frozenset({"default", "configuration file", "command line"})
_NOT_SEEN = SearchPath(unknown="what holds for its user is not shown to the user of the store")
_SET = SearchPath(unknown="its user has set others, and statistics do not say for which statement")
_SEVERAL = SearchPath(unknown="the store remembers its text for several tables")


@dataclass(frozen=True, slots=True, kw_only=True)
class RolePaths:
    """The path that a session begins with, by its role; roles may set others later.

    `schemas` are those of the database, in small letters.
    """

    database: str
    schemas: frozenset[str]
    usual: SearchPath
    by_role: Mapping[str, SearchPath]
    setting: Collection[str]

    def of(self, role: str) -> SearchPath:
        """Return the path of a role's statements, not whole: a session may set its own."""
        if role in self.setting:
            return _SET
        found = self.by_role.get(role, self.usual).of(role)
        return found.within(self.schemas)._replace(is_whole=False)

    def kept(self) -> Mapping[RolePath, SearchPath]:
        """Return the paths of roles in the database, and of all others there."""
        of_roles = {(self.database, role): path for role, path in self.by_role.items()}
        return {(self.database, ""): self.usual} | of_roles


def role_paths(session: Session, statements: Iterable[tuple[str, str | None]] = ()) -> RolePaths:
    """Return the paths of the current database, and which roles set others (role, statement)."""
    settings: dict[tuple[str, bool], SearchPath] = {}
    for role, is_of_database, value in session.execute(_SETTINGS.encode()).fetchall():
        settings[role, is_of_database] = path_of(value)
    row = session.execute(_USUAL.encode()).fetchone()
    usual = path_of(row[0]) if row is not None and row[1] in _OF_THE_SERVER else _NOT_SEEN
    roles = {role for role, _ in settings if role}
    schemas = session.execute(_SCHEMAS.encode()).fetchall()
    return RolePaths(
        database=str(schemas[0][0]),
        schemas=frozenset(str(name).lower() for _, name in schemas),
        usual=settings.get(("", True), settings.get(("", False), usual)),
        by_role={
            role: settings.get((role, True), settings.get((role, False), usual)) for role in roles
        },
        setting={role for role, sql in statements if sql is not None and may_set_path(sql)},
    )


def of_one_text(path: SearchPath, tables: int) -> SearchPath:
    """Return a statement's path, of which the store remembers so many with its text and path."""
    return path if tables == 1 or path.unknown else _SEVERAL
