"""Estimates of one block from the catalog's samples: rows of joins, distinct values."""

from collections.abc import Mapping, Sequence

from workloads.catalog import Table
from workloads.duck import quoted
from workloads.estimation.distinct_values import Frequencies, duj1
from workloads.estimation.join_trees import Tree
from workloads.estimation.sample_database import SampleDatabase
from workloads.estimation.synopsis import (
    ENOUGH,
    Synopsis,
    aliases_of,
    can_be_counted,
    column,
)
from workloads.estimation.synopsis_joins import SynopsisJoins
from workloads.footprint import Block, ColumnRef, Filter


class Sampling:
    """Answers from samples for one block; None where they have none.

    `tables` are those of the block's sources, by alias; some may have no sample.
    """

    def __init__(self, block: Block, tables: Mapping[str, Table], database: SampleDatabase) -> None:
        self._database = database
        sampled = {alias: table for alias, table in tables.items() if database.has(table)}
        self._synopsis = Synopsis(block, sampled, database)
        self._joins = SynopsisJoins(self._synopsis)

    def foreign(self, aliases: frozenset[str]) -> tuple[Filter, ...]:
        """Return the filters on `aliases` that cannot be tried on samples: `rows` ignores them."""
        return tuple(f for f in self._synopsis.foreign if aliases_of(f) <= aliases)

    def rows(self, aliases: frozenset[str], expected: float) -> float | None:
        """Return the rows of the join of connected sources after their filters.

        `expected` is what formulas say.
        """
        if not self._synopsis.can_join(aliases):
            return None
        found = self._synopsis.rows(aliases)
        return found if found is not None else self._joins.rows(aliases, expected)

    def rows_alone(self, alias: str, conditions: Sequence[Filter]) -> float | None:
        """Return the rows of one source that meet these conditions alone."""
        table = self._synopsis.tables.get(alias)
        if table is None or not all(can_be_counted(condition) for condition in conditions):
            return None
        found = self._synopsis.count_alone(alias, [f"({c.sql})" for c in conditions])
        if found is None or (found < ENOUGH and not self._database.is_whole(table)):
            return None
        return found * self._database.scale(table)

    def groups(
        self, aliases: frozenset[str], sets: Sequence[Sequence[ColumnRef]]
    ) -> tuple[float, ...] | None:
        """Return how many distinct values each set of columns has in the join of `aliases`."""
        tree = None if self.foreign(aliases) else self._tree(aliases)
        if tree is None or any(ref[0] not in aliases for refs in sets for ref in refs):
            return None
        found = self._frequencies(tree, sets)
        if found is None:
            return None
        table = self._synopsis.tables[tree.root]
        if self._database.is_whole(table):
            return tuple(each.distinct for each in found)
        if not found or found[0].rows < ENOUGH:
            return None
        return tuple(duj1(each, self._database.scale(table)) for each in found)

    def is_tree(self, aliases: frozenset[str]) -> bool:
        """Whether samples hold the join of `aliases` itself, after all its filters."""
        return self._tree(aliases) is not None and not self.foreign(aliases)

    def combinations(self, alias: str, names: frozenset[str]) -> float | None:
        """Return the distinct values of columns of one source together, without its filters."""
        table = self._synopsis.tables.get(alias)
        if table is None:
            return None
        columns = ", ".join(quoted(name) for name in sorted(names))
        answer = self._database.ask(
            "SELECT coalesce(sum(n), 0), count(*), count(*) FILTER (n = 1) FROM"  # noqa: S608
            f" (SELECT count(*) AS n FROM {self._database.sample(table)} GROUP BY {columns})"
        )
        if answer is None:
            return None
        rows, distinct, once = answer[0]
        found = Frequencies(rows=rows, distinct=distinct, once=once)
        return duj1(found, self._database.scale(table))

    def _tree(self, aliases: frozenset[str]) -> Tree | None:
        if not self._synopsis.can_join(aliases):
            return None
        trees = self._synopsis.trees.of(aliases)
        return trees[0] if trees is not None and len(trees) == 1 else None

    def _frequencies(
        self, tree: Tree, sets: Sequence[Sequence[ColumnRef]]
    ) -> list[Frequencies] | None:
        columns = list(dict.fromkeys(ref for refs in sets for ref in refs))
        named = ", ".join(f"{column(ref)} AS c{i}" for i, ref in enumerate(columns))
        where = " AND ".join(bit.sql for bit in self._synopsis.bits(tree)) or "TRUE"
        rows = f"(SELECT {named} FROM {self._synopsis.relation(tree)} WHERE {where})"  # noqa: S608
        names = ", ".join(f"c{i}" for i in range(len(columns)))
        if len(sets) == 1 and columns:
            # By far the most are of one set, which takes half the time without GROUPING SETS.
            return self._frequencies_together(rows, names)
        wanted = ", ".join(
            f"({', '.join(f'c{columns.index(ref)}' for ref in dict.fromkeys(refs))})"
            for refs in sets
        )
        answer = self._database.ask(
            "SELECT g, sum(n), count(*), count(*) FILTER (n = 1) FROM"  # noqa: S608 - quoted
            f" (SELECT grouping_id({names}) AS g, count(*) AS n FROM {rows}"
            f" GROUP BY GROUPING SETS ({wanted})) GROUP BY g"
        )
        if answer is None:
            return None
        by_id = {int(g): Frequencies(rows=n, distinct=d, once=f1) for g, n, d, f1 in answer}
        nothing = Frequencies(rows=0, distinct=0, once=0)
        return [by_id.get(_grouping_id(columns, refs), nothing) for refs in sets]

    def _frequencies_together(self, rows: str, names: str) -> list[Frequencies] | None:
        """Return the frequencies of the values of columns of `rows`, all together."""
        answer = self._database.ask(
            "SELECT coalesce(sum(n), 0), count(*), count(*) FILTER (n = 1)"  # noqa: S608 - quoted
            f" FROM (SELECT count(*) AS n FROM {rows} GROUP BY {names})"
        )
        if answer is None:
            return None
        ((found, distinct, once),) = answer
        return [Frequencies(rows=found, distinct=distinct, once=once)]


def _grouping_id(columns: Sequence[ColumnRef], refs: Sequence[ColumnRef]) -> int:
    """Return GROUPING_ID of a set: a bit for each column that is not in it, the last one lowest."""
    bits = "".join("0" if ref in refs else "1" for ref in columns)
    return int(bits, 2)
