"""A query and its routing as SQL texts: one for each fragment's store, one for the engine."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import partial

from sqlglot import ErrorLevel, exp
from sqlglot.errors import UnsupportedError

from evaluation.federation.canonical_forms import CanonicalForms
from evaluation.federation.compiled import CompiledFragment, CompiledQuery
from evaluation.federation.dialects import ENGINE_LACKS, ENGINE_RULES
from evaluation.federation.hash_joins import with_hash_joins
from evaluation.federation.join_order import ordered_joins, view_size
from evaluation.federation.keys import KeyFilter, key_filters
from evaluation.federation.look_ups import with_look_ups
from evaluation.federation.one_scan import own_scan, with_one_scan
from evaluation.federation.ordered_outputs import ordered_outputs
from evaluation.federation.own_tables import with_own_tables
from evaluation.federation.portions import by_key, ranged, read_rows
from evaluation.federation.preaggregation import cast_partials
from evaluation.federation.result_types import TypeOracle, cast_results
from evaluation.federation.rewrites.unique_outputs import unique_outputs
from evaluation.federation.row_look_ups import with_row_look_ups
from evaluation.federation.row_order import row_order, rows_again, with_hidden_outputs
from evaluation.federation.shared_reads import described_rows, shared_reads
from evaluation.federation.spell_names import spell_names
from evaluation.federation.split import Piece, split, view_reads
from evaluation.federation.store_dialect import StoreDialect
from evaluation.federation.unpriced_indexes import without_unpriced_indexes
from evaluation.federation.whole_tables import table_fragments
from evaluation.store_protocol.carried import is_carried
from placement.plan import RoutedFragment
from placement.stores import Capability
from workloads.catalog import Catalog
from workloads.errors import SqlError
from workloads.sql.features import lacked_by
from workloads.sql.meaning import FOREIGN
from workloads.sql.translate import over_tables
from workloads.sql.trees.copies import copied, last_written
from workloads.workload import Workload

UNEQUALLED_TYPE = "type_without_equal"
"""The feature of columns that Spark has no type for: an interval, a list, a time of day."""

WRITTEN_OTHERWISE = "written_otherwise"
"""The feature of a query that the SQL of its stores cannot say."""
OTHER_ORDER = "order_of_evaluation"
"""The feature of a query that ends in an error where DuckDB's own plan gives an answer."""

LOOKING_UP = "postgres"
"""The dialect in which look-ups are written out; MariaDB and MySQL loop over their keys untold."""


class Compiler:
    """Compiles the queries of one workload; keeps what does not depend on the routing."""

    def __init__(
        self, workload: Workload, catalog: Catalog, dialects: Mapping[str, StoreDialect]
    ) -> None:
        self._workload = workload
        # Canonical forms of these are in DuckDB's meaning.
        self._is_duckdb = workload.dialect == "duckdb" or workload.dialect in FOREIGN
        self._catalog = catalog
        self._write_for(dialects)
        self._types = TypeOracle(catalog)
        self._forms = CanonicalForms(workload, catalog, self._types)
        self._columns = {
            table.name.lower(): {column.name.lower(): column.type for column in table.columns}
            for table in catalog.tables.values()
        }
        self._distinct = {
            table.name.lower(): {
                column.name.lower(): float(column.statistics.distinct)
                for column in table.columns
                if column.statistics is not None
            }
            for table in catalog.tables.values()
        }

    def for_dialects(self, dialects: Mapping[str, StoreDialect]) -> "Compiler":
        """Return a compiler of the same queries that writes otherwise for the stores."""
        other = copy(self)
        other._write_for(dialects)
        return other

    def _write_for(self, dialects: Mapping[str, StoreDialect]) -> None:
        self._dialects = dialects
        self._lacks = {store: each.lacks for store, each in dialects.items()}

    def compile(self, query: str, routing: Sequence[RoutedFragment]) -> CompiledQuery:
        """Return the SQL of `query` routed as `routing`; of whole tables where there is no other.

        Raises:
            SqlError: The query cannot be understood.
        """
        second_try = partial(self._of_whole_tables, query, tuple(routing), OTHER_ORDER)
        try:
            return replace(self._of_fragments(query, routing), second_try=second_try)
        except SqlError as error:
            with suppress(SqlError):
                return self._of_whole_tables(query, routing, WRITTEN_OTHERWISE)
            raise error from error.__cause__

    def _of_whole_tables(
        self, query: str, routing: Sequence[RoutedFragment], reason: str
    ) -> CompiledQuery:
        """Return `query` over its whole tables; `reason` is the feature for which it is."""
        asked = self._workload.query(query)

        def spelled(tree: exp.Query, store: str) -> str:
            to = self._dialects[store]
            named = spell_names(tree.copy(), self._catalog, to.namespace, one_part=to.scanned)
            return with_own_tables(named, to).sql(to.dialect, identify=True)

        fragments = table_fragments(query, routing, self._catalog, self._types, spelled)
        return CompiledQuery(
            query=query,
            fragments=fragments,
            combine_sql=over_tables(asked, self._catalog, self._workload.dialect),
            combiner="duckdb",
            lacked=(reason,),
            tables={each.view: table for each in fragments for table in each.fragment.tables},
        )

    def _of_fragments(self, query: str, routing: Sequence[RoutedFragment]) -> CompiledQuery:
        tree = self.tree(query)
        if self._is_duckdb and (tree.is_star or tree.find(exp.Columns)):
            # Names are repeated in its relation, or something is made of each column.
            raise SqlError("the columns of its star are known to DuckDB alone", origin=query)
        routing = [self._decided(query, each) for each in routing]
        order = row_order(tree).by
        pieces, combining = split(tree, routing, self._lacks)
        reads = view_reads(combining) if combining is not None else {}
        stores = Counter(piece.routed.store for piece in pieces)
        written = [
            replace(
                self._fragment(each, reads.get(each.view, 1), alone=stores[each.routed.store] == 1),
                keys=self._keys(query, routing, each.routed),
            )
            for each in pieces
        ]
        fragments = with_one_scan(shared_reads(written))
        names, types = self._forms.answer(query)
        whole = CompiledQuery(
            query=query, fragments=fragments, combine_sql=None, names=names, types=types
        )
        if combining is None:
            if all(map(is_carried, fragments[0].types)):
                return replace(whole, order=order)
            again = rows_again(fragments[0].view, fragments[0].columns, names, order)
            sql = last_written(again, "duckdb")
            return replace(whole, combine_sql=sql, combiner="duckdb", lacked=(UNEQUALLED_TYPE,))
        known = self._is_duckdb and all(each.types for each in fragments)
        if known:
            views = {
                each.view: list(zip(each.columns, each.types, strict=True)) for each in fragments
            }
            self._types.check_combining(combining, views, types)
        missing = self._lacked(combining, fragments, whole.types)
        if missing:
            sql, lacked = last_written(combining, "duckdb"), tuple(sorted(missing))
            return replace(whole, combine_sql=sql, combiner="duckdb", lacked=lacked)
        return replace(
            whole,
            driver_sql=last_written(copied(combining), "duckdb") if known else "",
            combine_sql=self._spark_sql(combining, pieces),
        )

    def _lacked(
        self, combining: exp.Query, fragments: Sequence[CompiledFragment], answer: Sequence[str]
    ) -> frozenset[str]:
        """Return the features of the combining query that Spark runs otherwise than DuckDB.

        `answer` are the types of the query's own columns.
        """
        if not self._is_duckdb:
            return frozenset()
        schema = {each.view: dict(zip(each.columns, each.types, strict=True)) for each in fragments}
        types = [*answer, *(type_ for each in fragments for type_ in each.types)]
        unequalled = frozenset() if all(map(is_carried, types)) else frozenset({UNEQUALLED_TYPE})
        return lacked_by(combining, ENGINE_LACKS, schema) | unequalled

    def _spark_sql(self, tree: exp.Query, pieces: Sequence[Piece]) -> str:
        sizes = {
            each.view: view_size(
                each.expression, each.routed.fragment.work.rows_out, self._distinct
            )
            for each in pieces
        }
        tree = ordered_joins(tree, sizes)
        if self._is_duckdb:
            for rule in ENGINE_RULES:
                tree = rule(tree)
        # A limit of the engine, whatever the SQL of the workload means.
        return last_written(ordered_outputs(tree), "spark")

    def fragment_sql(self, query: str, routed: RoutedFragment) -> str:
        """Return the SQL of one fragment of `query` alone; SqlError as of `compile`."""
        (piece,) = self.pieces(query, [routed])
        return self._fragment(piece, 1, alone=True).sql

    def pieces(self, query: str, routing: Sequence[RoutedFragment]) -> Sequence[Piece]:
        """Return the fragments of `query` as they are cut; SqlError as of `compile`."""
        decided = [self._decided(query, each) for each in routing]
        return split(self.tree(query), decided, self._lacks)[0]

    def tree(self, query: str, *, as_asked: bool = False) -> exp.Query:
        """Return a copy of the canonical form of `query`, to be cut; or one as it was asked."""
        return self._forms.as_asked(query) if as_asked else self._forms.tree(query)

    def _decided(self, query: str, routed: RoutedFragment) -> RoutedFragment:
        return replace(routed, fragment=self._forms.decided(query, routed.fragment))

    def _keys(
        self, query: str, routing: Sequence[RoutedFragment], routed: RoutedFragment
    ) -> tuple[KeyFilter, ...]:
        if not routed.fragment.reduction.reducers:
            return ()
        return key_filters(
            self._forms.kept(query),
            routing,
            routed,
            dialects={store: each.dialect for store, each in self._dialects.items()},
            written=lambda piece: self._fragment(piece, 1, alone=True).sql,
            can_run=self._can_run,
        )

    def _can_run(self, piece: Piece) -> bool:
        """Whether the store of a piece, a block, runs SQL and lacks nothing that it needs."""
        store = piece.routed.store
        return not self._dialects[store].scanned and not lacked_by(
            piece.expression, self._lacks[store], self._columns
        )

    def _fragment(self, piece: Piece, reads: int, *, alone: bool) -> CompiledFragment:
        """Return `piece` as its store gets it; one that is `alone` there has no other's rows."""
        target = self._dialects[piece.routed.store]
        divided = ranged(piece, self._catalog, target.primary_keys)
        tree = piece.expression
        kind = piece.routed.fragment.kind
        if kind is Capability.QUERY:
            tree = with_hidden_outputs(tree)
        reduction = piece.routed.fragment.reduction
        cast = kind in (Capability.QUERY, Capability.BLOCK) or reduction.preaggregated
        # Where nothing is cast, another dialect may say what DuckDB does not understand.
        must_be_known = self._is_duckdb or cast
        types = self._types.types(tree) if must_be_known else self._types.known(tree)
        if kind in (Capability.QUERY, Capability.BLOCK):
            arriving = types if kind is Capability.QUERY else self._types.with_nulls(tree, types)
            tree = cast_results(tree, types, target.dialect)
            types = arriving
        if reduction.preaggregated:
            tree = cast_partials(tree, types, target.dialect)
        if kind is Capability.QUERY:
            tree = unique_outputs(tree)
        if self._is_duckdb:
            for rule in target.rules:
                tree = rule(tree)
        if target.dialect == LOOKING_UP:
            tree = with_look_ups(tree, reduction)
        if target.told_to_hash:
            tree = with_hash_joins(tree, piece.routed, self._catalog, own=target.own)
        tree = spell_names(tree, self._catalog, target.namespace, one_part=target.scanned)
        tree = without_unpriced_indexes(tree, piece.routed, self._catalog, target)
        if target.dialect == LOOKING_UP:
            tree = with_row_look_ups(
                tree,
                reduction,
                self._catalog,
                restricted=bool(reduction.reducers) or divided is not None,
            )
        return CompiledFragment(
            view=piece.view,
            store=piece.routed.store,
            fragment=piece.routed.fragment,
            one_scan=own_scan(piece.view, tree, target.dialect) if reduction.one_scan else None,
            sql=self._written(with_own_tables(copied(tree), target), target.dialect, piece.routed),
            rows=piece.view if alone else described_rows(tree, piece, target.dialect),
            columns=tuple(tree.named_selects),
            types=types,
            reads=reads,
            ranged=by_key(divided, tree, target.dialect),
            transfer=piece.routed.transfer,
            memory_bytes=piece.routed.memory_bytes,
            read_rows=read_rows(piece.routed.fragment, self._catalog),
        )

    def _written(self, tree: exp.Query, dialect: str, routed: RoutedFragment) -> str:
        """Write `tree`, refusing what the dialect cannot say rather than saying something else."""
        try:
            return last_written(tree, dialect, ErrorLevel.RAISE)
        except UnsupportedError as error:
            reason = str(error).splitlines()[0]
            raise SqlError(
                f"store '{routed.store}' cannot run it: {reason}", origin=routed.fragment.name
            ) from error
