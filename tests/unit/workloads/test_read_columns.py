from tests.footprints import block, condition, footprint, join, source
from workloads.estimation.read_columns import read_columns
from workloads.footprint import Output, OutputColumn


def handing_on(*refs):
    named = [ref.split(".") for ref in refs]
    columns = tuple(OutputColumn(name=c, origin=(a, c), reads=((a, c),)) for a, c in named)
    return Output(columns=columns, width_bytes=8.0)


def test_columns_that_are_filtered_joined_or_grouped_by_are_read():
    inner = block(
        source("t", "a", "b", "c", "d"), name="b1", output=handing_on("t.a", "t.b", "t.c", "t.d")
    )
    outer = block(
        source("u"),
        inputs={"x": "b1"},
        children=("b1",),
        joins=(join("u.k", "x.A"),),
        filters=(condition("x.b", "eq", 1.0),),
        output=Output(columns=(), width_bytes=0.0, group_by=(("x", "c"),)),
    )
    assert read_columns(footprint(outer, inner)) == {"b1": {"a", "b", "c"}}


def test_what_is_read_is_read_in_all_blocks_that_hand_it_on():
    first = block(source("t", "a"), name="b3", output=handing_on("t.a"))
    second = block(source("t", "z"), name="b4", output=handing_on("t.z"))
    union = block(
        kind="set",
        name="b2",
        children=("b3", "b4"),
        output=Output(
            columns=(OutputColumn(name="a", origin=("b3", "a"), reads=(("b3", "a"), ("b4", "z"))),),
            width_bytes=8.0,
        ),
    )
    middle = block(inputs={"u": "b2"}, name="b1", children=("b2",), output=handing_on("u.a"))
    outer = block(inputs={"m": "b1"}, children=("b1",), filters=(condition("m.a", "eq", 1.0),))
    found = read_columns(footprint(outer, middle, union, first, second))
    assert found == {"b1": {"a"}, "b2": {"a"}, "b3": {"a"}, "b4": {"z"}}


def test_columns_that_are_only_returned_are_not_read():
    inner = block(source("t", "a"), name="b1", output=handing_on("t.a"))
    outer = block(inputs={"x": "b1"}, children=("b1",), output=handing_on("x.a"))
    assert read_columns(footprint(outer, inner)) == {}
