"""Primary and foreign keys of PostgreSQL's tables, and their other indexes."""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.live.postgresql_indexes import indexes
from evaluation.stores.postgresql.sessions import Session
from workloads.catalog import ForeignKey
from workloads.counting.own import MARK
from workloads.indexes import Index

_KEYS = f"""
SELECT {MARK} conrelid, contype = 'p', conkey, confrelid, confkey FROM pg_catalog.pg_constraint
WHERE contype IN ('p', 'f') AND conrelid = ANY(%s) ORDER BY oid
"""  # noqa: S608 - constants


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """Keys and other indexes by the oid of their table."""

    primary: Mapping[int, tuple[str, ...]]
    indexes: Mapping[int, tuple[Index, ...]]
    foreign: Mapping[int, tuple[ForeignKey, ...]]


def keys(
    session: Session, columns: Mapping[int, Mapping[int, str]], names: Mapping[int, str]
) -> Keys:
    """Return the keys of tables; `columns` are names by oid and number, `names` the catalog's."""
    primary: dict[int, tuple[str, ...]] = {}
    foreign: dict[int, tuple[ForeignKey, ...]] = {}
    rows = session.execute(_KEYS.encode(), (list(columns),))
    for oid, is_primary, numbers, other, others in rows:
        own = tuple(columns[oid][number] for number in numbers)
        if is_primary:
            primary[oid] = own
        elif other in columns:
            references = tuple(columns[other][number] for number in others)
            key = ForeignKey(columns=own, table=names[other], references=references)
            foreign[oid] = (*foreign.get(oid, ()), key)
    return Keys(primary=primary, indexes=indexes(session, columns, primary), foreign=foreign)
