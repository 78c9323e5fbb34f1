"""The columns of views that a workload defines: what reads a view is checked by these alone.

The query of a view was checked when the view was defined. To put it into every later definition
that reads the view, directly or through others, takes time that grows with the square of the views.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from workloads.catalog import Catalog, Column, Table, View
from workloads.sql.resolving.views import MOST_READ, view_of


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outline:
    """A view's columns as those of a table, and how many views it stands for, itself included."""

    table: Table
    views: int


@dataclass(slots=True)
class Outlines:
    """Views that were understood."""

    _known: dict[str, _Outline] = field(default_factory=dict)

    def catalog_for(self, tree: exp.Query, catalog: Catalog) -> Catalog:
        """Return the catalog to resolve `tree` by: known views that it reads are tables there.

        Where it reads too many, all of them stay views, so that the resolution tells the limit.
        """
        read = [
            self._known[each.name] for each in _views(tree, catalog) if each.name in self._known
        ]
        if not read or sum(each.views for each in read) > MOST_READ:
            return catalog
        outlined = {each.table.name: each.table for each in read}
        return replace(catalog, tables={**catalog.tables, **outlined})

    def note(self, view: View, body: exp.Query, resolved: exp.Query, catalog: Catalog) -> None:
        """Note the view of the query `body`, which was `resolved`.

        One whose columns have no names of their own, or that reads views which are not known, is
        left to be read where it is named.
        """
        read = _views(body, catalog)
        output = resolved.named_selects
        names = [*view.columns, *output[len(view.columns) :]]
        distinct = {name.lower() for name in names}
        if resolved.is_star or len(distinct) < len(names):
            return
        if any(each.name not in self._known for each in read):
            return
        columns = tuple(Column(name=name, type="UNKNOWN", width_bytes=0.0) for name in names)
        self._known[view.name] = _Outline(
            table=Table(name=view.name, columns=columns, rows=0, fingerprint=""),
            views=1 + sum(self._known[each.name].views for each in read),
        )


def _views(tree: exp.Query, catalog: Catalog) -> Sequence[View]:
    """Return the views that `tree` names, as often as it does."""
    found = (view_of(table, catalog) for table in tree.find_all(exp.Table))
    return [view for view in found if view is not None]
