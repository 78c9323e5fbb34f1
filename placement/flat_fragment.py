"""A fragment in a file: one flat object of JSON, whatever parts it has here.

Plans and measurements hold fragments so.
"""

from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

from placement.fragment import Coverage, EstimatedWork, Fragment, Reduction

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

KEYS = (
    *("query", "kind", "block", "sources", "tables"),
    *("scan_bytes", "column_bytes", "join_rows", "aggregate_rows", "rows_out", "row_bytes_out"),
    *("combine_rows", "features", "readings", "reducers", "keys", "preaggregated", "look_ups"),
    *("tables_bytes", "delivered_rows", "clustered_bytes", "repeats", "index_reads"),
    *("key_tables", "one_scan", "conditions", "key_range_bytes", "decimals_out"),
    *("read_row_bytes", "read_row_values"),
)
"""The keys of a fragment in a file, in their order. Some are added, none is renamed."""

Part = TypeVar("Part", Coverage, EstimatedWork, Reduction)


@dataclass(frozen=True, slots=True)
class FlatFragment:
    """Says to pydantic that a fragment is written flat; older files lack what has a default."""

    def __get_pydantic_core_schema__(
        self, source: object, handler: "GetCoreSchemaHandler"
    ) -> "CoreSchema":
        from pydantic_core import core_schema

        known = {
            each.name: each
            for part in (Coverage, EstimatedWork, Reduction)
            for each in fields(part)
        }
        flat = core_schema.typed_dict_schema(
            {
                key: core_schema.typed_dict_field(
                    handler.generate_schema(known[key].type),
                    required=known[key].default is MISSING,
                )
                for key in KEYS
            }
        )
        written = core_schema.plain_serializer_function_ser_schema(_written, return_schema=flat)
        return core_schema.no_info_after_validator_function(_read, flat, serialization=written)


def _written(fragment: Fragment) -> dict[str, Any]:
    values = {
        each.name: getattr(part, each.name)
        for part in (fragment.coverage, fragment.work, fragment.reduction)
        for each in fields(part)
    }
    return {key: values[key] for key in KEYS}


def _read(written: dict[str, Any]) -> Fragment:
    def part(kind: type[Part]) -> Part:
        names = [each.name for each in fields(kind) if each.name in written]
        return kind(**{name: written[name] for name in names})

    return Fragment(coverage=part(Coverage), work=part(EstimatedWork), reduction=part(Reduction))
