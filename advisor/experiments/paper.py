"""The figures of Sideris, Papadopoulos and Paranomos: Distributed Execution of SQL Queries.

They measured Trino 422 on three machines at scale factor 10. Their figures are in ``paper.json``.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from advisor.experiments.series import COUNTERPARTS, Figure, QuantityName, Series, Variant
from advisor.project.store_settings import StoreSettings

DATA = "paper.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """The paper's figures of the experiments, and where it contradicts itself."""

    source: str
    figures: Mapping[tuple[int, QuantityName], Figure]
    contradictions: tuple[str, ...]


def paper(stores: Iterable[StoreSettings]) -> Paper:
    """Return it, with a store alone under the name of the project's first store of its kind.

    What a query that failed there took is not known.
    """
    document = _document()
    alone = {store.kind: f"single_store:{store.name}" for store in reversed(list(stores))}
    found: dict[tuple[int, QuantityName], list[Series]] = {}
    for each in document["series"]:
        placement = each.get("placement") or alone.get(each["kind"])
        if placement is None:
            continue
        variant = Variant(
            placement=placement,
            workers=each.get("workers"),
            joins=each.get("joins", "automatic"),
        )
        values = {query: value for query, value in each["values"].items() if value is not None}
        key = (each["experiment"], each["quantity"])
        found.setdefault(key, []).append(Series(variant=variant, values=values))
    return Paper(
        source=document["source"],
        figures={
            key: Figure(
                experiment=key[0],
                quantity=key[1],
                counterpart=COUNTERPARTS[key],
                engine=None,
                series=tuple(series),
            )
            for key, series in found.items()
        },
        contradictions=tuple(document["contradictions"]),
    )


@cache
def _document() -> Mapping[str, Any]:
    text = (files("advisor.experiments") / DATA).read_text(encoding="utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found
