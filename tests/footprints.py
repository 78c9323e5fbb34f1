"""Small footprints for tests, as short as what they say."""

from workloads.footprint import Block, Filter, Footprint, Join, Output, OutputColumn, Source


def source(alias: str, *columns: str, table: str | None = None, needs: str = "") -> Source:
    return Source(
        block="b0",
        alias=alias,
        table=table or alias,
        columns=columns,
        needs=frozenset(needs.split()),
    )


def join(left: str, right: str, kind: str = "inner") -> Join:
    return Join(left=_ref(left), right=_ref(right), kind=kind)


def condition(column: str, kind: str, *values, **more) -> Filter:
    return Filter(columns=(_ref(column),), kind=kind, values=values, **more)


def output(columns: int = 1, width_bytes: float = 8.0, group_by: str | None = None, **more):
    columns_of = None if group_by is None else tuple(_ref(name) for name in group_by.split())
    named = tuple(OutputColumn(name=f"c{index}") for index in range(columns))
    return Output(columns=named, width_bytes=width_bytes, group_by=columns_of, **more)


def block(*sources: Source, name: str = "b0", **more) -> Block:
    settings = {
        "kind": "select",
        "role": "root" if name == "b0" else "from",
        "children": (),
        "closed": True,
        "inputs": {},
        "filters": (),
        "joins": (),
        "output": output(),
    }
    renamed = tuple(
        Source(block=name, alias=s.alias, table=s.table, columns=s.columns, needs=s.needs)
        for s in sources
    )
    return Block(name=name, sources=renamed, **(settings | more))


def footprint(*blocks: Block) -> Footprint:
    return Footprint(query="q", executions=1.0, blocks=blocks)


def _ref(text: str) -> tuple[str, str]:
    alias, _, column = text.partition(".")
    return alias, column
