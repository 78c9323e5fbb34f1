"""A whole query for an engine that reaches every store by itself: each table with its store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import ErrorLevel, exp
from sqlglot.errors import UnsupportedError

from evaluation.federation.dialects import WHOLE_QUERY_LACKS, WHOLE_QUERY_RULES
from evaluation.federation.ordered_outputs import ordered_outputs
from evaluation.federation.spell_names import spell_names
from placement.plan import RoutedFragment
from workloads.catalog import Catalog
from workloads.errors import SqlError
from workloads.sql.features import lacked_by
from workloads.sql.trees.tree import QueryTree


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedQuery:
    """A query in an engine's own SQL. `stores` are those that it reads."""

    query: str
    sql: str
    stores: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """Spelling for an engine: sqlglot's name of its SQL, and what stores are called there.

    `namespaces` maps a store to the namespace of our tables in it. With `same_meaning` the
    rewrites are made by which DuckDB's SQL means the same in the engine.
    """

    dialect: str
    catalog: Catalog
    namespaces: Mapping[str, str]
    same_meaning: bool

    def located(
        self, query: str, tree: exp.Query, routing: Sequence[RoutedFragment]
    ) -> LocatedQuery:
        """Return the canonical query `tree`, consumed, with each source read where it is routed.

        Of the routing only the stores count: what is computed where is the engine's choice. A table
        that its store has by itself is read under its own name, any other as our copy.

        Raises:
            SqlError: The engine's SQL cannot say it, or means something else by it.
        """
        homes = {source: each.store for each in routing for source in each.fragment.sources}
        # Aggregations that are routed as one may be apart here: their tables are in its store.
        stores: dict[str, list[str]] = {}
        for each in routing:
            for table in each.fragment.tables:
                stores.setdefault(table, []).append(each.store)
        if self.same_meaning:
            lacked = lacked_by(
                tree, WHOLE_QUERY_LACKS.get(self.dialect, frozenset()), self.catalog.schema()
            )
            if lacked:
                words = ", ".join(sorted(each.replace("_", " ") for each in lacked))
                raise SqlError(
                    f"{self.dialect} does not run as DuckDB does: {words}. "
                    "[evaluate].engine = 'fragments' answers it.",
                    origin=query,
                )
            for rule in WHOLE_QUERY_RULES[self.dialect]:
                tree = rule(tree)
        tree = spell_names(ordered_outputs(tree), self.catalog, None)
        for block, node in QueryTree(tree).nodes.items():
            for alias in node.tables:
                relation = node.relations[alias]
                store = homes.get(f"{block}.{alias}")
                if store not in stores[relation.name]:
                    store = stores[relation.name][0]
                self._locate(relation, store)
        return LocatedQuery(
            query=query, sql=self._written(query, tree), stores=tuple(sorted(set(homes.values())))
        )

    def _locate(self, relation: exp.Expr, store: str) -> None:
        """Name the table of the catalog that `relation` reads as the engine knows it in `store`."""
        own = self.catalog.tables_of(store).get(relation.name)
        schema = self.namespaces[store] if own is None else own.schema
        if own is not None:
            relation.set("this", exp.to_identifier(own.own_name, quoted=True))
        relation.set("db", exp.to_identifier(schema, quoted=True))
        relation.set("catalog", exp.to_identifier(store, quoted=True))

    def _written(self, query: str, tree: exp.Query) -> str:
        """Write `tree`, refusing what the dialect cannot say rather than saying something else."""
        try:
            return tree.sql(self.dialect, identify=True, unsupported_level=ErrorLevel.RAISE)
        except UnsupportedError as error:
            reason = str(error).splitlines()[0]
            raise SqlError(f"{self.dialect} cannot run it: {reason}", origin=query) from error
