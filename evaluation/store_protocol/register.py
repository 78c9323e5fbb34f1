"""The register: which copies in a namespace are complete, kept beside them in the store itself."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.store_protocol.backend import LoadedTable

REGISTER = "_advisor_register"
STAGING = "_advisor_staging_"
"""Tables of a namespace whose names begin so are left from a load that did not end."""

LAYOUT = "layout 2"
"""The layout of copies in stores: one that was loaded in another way is loaded anew."""


_AS_OF = " as of "
_INDEXES = " indexes "


def registered(fingerprint: str, as_of: str = "", indexes: str = "") -> str:
    """Return what is kept of a fingerprint with a copy: how the copy lies, and of when it is.

    `as_of` is when its rows were read of a live table; "" for those that nobody changes. `indexes`
    tells its indexes from others; "" where it has none.
    """
    lying = f"{fingerprint} {LAYOUT}{_INDEXES if indexes else ''}{indexes}"
    return f"{lying}{_AS_OF if as_of else ''}{as_of}"


def fingerprint_of(kept: str) -> str:
    """Return the fingerprint that was kept; no table's, where the copy lies in another way."""
    lying = kept.partition(_AS_OF)[0].partition(_INDEXES)[0]
    known = lying.removesuffix(f" {LAYOUT}")
    return known if known != lying else f"{kept} of another layout"


def indexes_of(kept: str) -> str:
    """Return what tells the indexes of a copy from others; "" where it has none."""
    return kept.partition(_AS_OF)[0].partition(_INDEXES)[2]


def as_of_any(kept: str) -> str:
    """Return how all begins that is kept of the same copy of a live table, whenever it was read."""
    return f"{kept}{_AS_OF}"


def as_of(kept: str) -> str:
    """Return when the rows of a copy were read of a live table; "" for another's."""
    return kept.partition(_AS_OF)[2]


def staging_name(table: str) -> str:
    """Return the name under which a copy of `table` is built: short, whatever the table's is."""
    return STAGING + hashlib.sha256(table.encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True, kw_only=True)
class Register:
    """The register's statements, in SQL that every store understands.

    `name` is quoted and qualified, `mark` the driver's placeholder of a bound value.
    """

    name: str
    mark: str = "%s"

    @property
    def create(self) -> str:
        """Create it unless it is there."""
        return (
            f"CREATE TABLE IF NOT EXISTS {self.name} (table_name VARCHAR(255) PRIMARY KEY, "
            "fingerprint VARCHAR(255) NOT NULL, row_count BIGINT NOT NULL, "
            "load_s DOUBLE PRECISION NOT NULL, loaded_at TIMESTAMP NOT NULL)"
        )

    @property
    def read(self) -> str:
        """Read every entry: table, fingerprint, rows, seconds."""
        return f"SELECT table_name, fingerprint, row_count, load_s FROM {self.name}"  # noqa: S608

    @property
    def forget(self) -> str:
        """Remove the entry of one table."""
        return f"DELETE FROM {self.name} WHERE table_name = {self.mark}"  # noqa: S608

    @property
    def change(self) -> str:
        """Change the entry of a table: fingerprint, seconds, table."""
        return (
            f"UPDATE {self.name} SET fingerprint = {self.mark}, load_s = {self.mark} "  # noqa: S608
            f"WHERE table_name = {self.mark}"
        )

    @property
    def remember(self) -> str:
        """Add the entry of a table that has none: table, fingerprint, rows, seconds."""
        return (
            f"INSERT INTO {self.name} VALUES "  # noqa: S608
            f"({self.mark}, {self.mark}, {self.mark}, {self.mark}, CURRENT_TIMESTAMP)"
        )


def entry(copy: LoadedTable) -> tuple[str, str, int, float]:
    """Return the values that `Register.remember` binds."""
    kept = registered(copy.fingerprint, copy.as_of, copy.indexes)
    return copy.table, kept, copy.rows, copy.load_s


def found(
    store: str, entries: Iterable[tuple[Any, ...]], tables: Iterable[str]
) -> Mapping[str, LoadedTable]:
    """Return table → copy for the entries, as `Register.read` gives them, whose table is there."""
    there = set(tables)
    return {
        table: LoadedTable(
            store=store,
            table=table,
            fingerprint=fingerprint_of(fingerprint),
            as_of=as_of(fingerprint),
            indexes=indexes_of(fingerprint),
            rows=rows,
            load_s=load_s,
            found=True,
        )
        for table, fingerprint, rows, load_s in entries
        if table in there
    }
