"""The statements that read a result, and their column: only for a gain beyond the error."""

from dataclasses import replace

import pytest

from placement.fetching import Budget, client_bytes
from placement.limits.check import check
from placement.plan_file import read_plan, write_plan
from placement.problem import QueryProblem
from placement.routing.repriced import repriced
from placement.routing.routing import plan_for
from placement.stores import Capability, waiting
from placement.streaming import Division, SplitColumn, alternatives, divided, usual_count
from placement.transfer.streams import StreamTimes, at_once
from placement.tuned import tuned
from tests.unit.placement.problems import changed, fragment, problem, store

HALF = StreamTimes(shares=((1, 1.0), (2, 0.5), (4, 0.4)), error=0.05)
NOTHING = StreamTimes(shares=((1, 1.0), (2, 0.98), (4, 0.97)), error=0.05)
PLAIN, INDEXED = SplitColumn(name="t.a", values=900), SplitColumn(name="t.k", values=300)
INDEXED = replace(INDEXED, computed_again=False)
BUDGET = Budget()


def of(times, *, portions=True, scan_bytes_per_s=1e12):
    plain = store("a")
    strength = replace(
        plain.strength,
        portions=portions,
        link=waiting(0.001),
        stream_times=times,
        scan_bytes_per_s=scan_bytes_per_s,
        transfer_rows_per_s=1e6,
        transfer_bytes_per_s=1e9,
        start_s=0.001,
    )
    return replace(plain, strength=strength)


def large(rows=400_000.0, row_bytes=100.0, **more):
    plain = fragment("q", ("t",), {"t": "t"}, rows=rows)
    work = replace(plain.work, scan_bytes=1e9, rows_out=rows, row_bytes_out=row_bytes)
    return changed(replace(plain, work=work), **more)


def scan(**more):
    found = large(**more)
    return replace(found, coverage=replace(found.coverage, kind=Capability.SCAN))


def asked(where, each=None):
    query = QueryProblem(name="q", executions=2.0, sources=("b.t",), fragments=(each or scan(),))
    return problem({"t": 10}, (where,), (query,))


def chosen(where, division, each=None, budget=BUDGET):
    costs = asked(where).costs
    return divided(costs, each or scan(), where, division, budget)


def by(*columns, usual=1):
    return Division(columns=columns or (PLAIN,), usual_count=usual)


def test_a_result_is_divided_where_that_saves_more_than_the_error():
    found = chosen(of(HALF), by())
    assert (found.transfer.streams.count, found.is_usual) == (4, False)
    assert chosen(of(NOTHING), by()).is_usual
    assert chosen(of(replace(HALF, error=0.7)), by()).is_usual
    assert chosen(of(None), by()) is None


def test_what_each_statement_scans_again_is_weighed_against_what_it_saves():
    """A scan of ten seconds is not repeated four times, unless an index finds the ranges."""
    slow = of(HALF, scan_bytes_per_s=1e8)
    assert chosen(slow, by()).transfer.streams.count < 4
    found = chosen(slow, by(PLAIN, INDEXED))
    assert (found.transfer.streams.count, found.transfer.streams.column) == (4, "t.k")


def test_a_computation_that_fills_the_cores_alone_is_not_repeated_at_once():
    """Half of the seconds is saved where rows are handed out, and none where they are computed.

    Of a scan of 0.3 s and a transfer of 0.44 s two statements save 0.22 s and add 0.3 s, unless
    the store computes two at once as fast as one.
    """
    slow, twice = of(replace(HALF, shares=HALF.shares[:2]), scan_bytes_per_s=1e9 / 0.3), by(PLAIN)
    full = replace(slow, strength=replace(slow.strength, at_once=((1, 1.0), (2, 2.0))))
    idle = replace(slow, strength=replace(slow.strength, at_once=((1, 1.0), (2, 1.0))))
    assert chosen(full, twice).is_usual
    assert chosen(idle, twice).transfer.streams.count == 2
    found = chosen(full, by(PLAIN, INDEXED)).transfer.streams
    assert (found.count, found.column) == (2, "t.k")


@pytest.mark.parametrize(
    ("measured", "count", "multiple"),
    [
        (((1, 1.0), (2, 1.6), (4, 3.0)), 2, 1.6),
        (((1, 1.0), (2, 1.6), (4, 3.0)), 3, 2.3),
        (((1, 1.0), (2, 1.6), (4, 3.0)), 8, 6.0),
        ((), 1, 1.0),
        ((), 4, 4.0),
    ],
)
def test_statements_of_which_nothing_was_measured_wait_for_one_another(measured, count, multiple):
    assert at_once(measured, count) == pytest.approx(multiple)


def test_fewer_statements_than_the_run_makes_are_taken_where_they_are_faster():
    crowded = StreamTimes(shares=((1, 1.0), (2, 1.1), (4, 1.3)), error=0.05)
    found = chosen(of(crowded), by(usual=4))
    assert (found.transfer.streams.count, found.is_usual) == (1, False)


@pytest.mark.parametrize("portions", [True, False])
@pytest.mark.parametrize("memory_bytes", [1 << 20, 16 << 20])
def test_all_statements_share_the_memory(portions, memory_bytes):
    budget, where = Budget(memory_bytes=memory_bytes), of(HALF, portions=portions)
    compared = alternatives(asked(where).costs, scan(), where, by(PLAIN, INDEXED), budget)
    assert {each.transfer.statements for each in compared} == {1, 2, 4}
    for each in compared:
        assert client_bytes(scan(), each.transfer) <= memory_bytes
        again = replace(each.transfer, streams=None)
        assert client_bytes(scan(), each.transfer) == pytest.approx(
            each.transfer.statements * client_bytes(scan(), again), rel=0.01
        )


def test_no_column_is_divided_into_more_statements_than_it_has_values():
    few = SplitColumn(name="t.f", values=2)
    assert chosen(of(HALF), by(few)).transfer.streams.count == 2


@pytest.mark.parametrize(
    "each",
    [
        replace(scan(), coverage=replace(scan().coverage, kind=Capability.QUERY)),
        scan(preaggregated=True),
        scan(one_scan=True),
        scan(repeats="q/b.v"),
        scan(rows=100.0),
    ],
    ids=["whole query", "grouped", "for several", "read already", "small"],
)
def test_what_one_statement_must_read_is_not_divided(each):
    assert chosen(of(HALF), by(), each) is None


def test_a_tuned_plan_states_its_statements_and_is_priced_with_their_work():
    made = asked(of(HALF))
    plan = plan_for(made, "x", {"t": ("a",)})
    found = tuned(made, plan, BUDGET, {scan().name: by()})
    (routed,) = found.routing["q"]
    assert routed.transfer.streams.count == 4
    once = made.costs.fetched(scan(), made.stores[0], 1, replace(routed.transfer, streams=None))
    four = made.costs.fetched(scan(), made.stores[0], 1, routed.transfer)
    assert four.start_s == pytest.approx(4 * once.start_s)
    assert four.scan_s == pytest.approx(4 * once.scan_s)
    assert routed.start_s == four.start_s
    assert check(made, found) == ()
    assert read_plan(write_plan(found)) == found


def test_a_tuned_plan_waits_for_the_disk_once_for_each_of_its_statements():
    made = asked(of(HALF))
    cold = replace(made.stores[0].strength, kept_bytes=1.0, missed_bytes_per_s=1e12)
    work = replace(scan().work, tables_bytes=scan().work.scan_bytes)
    (q,) = made.queries
    fragments = tuple(replace(each, work=work) for each in q.fragments)
    made = replace(
        made,
        stores=(replace(made.stores[0], strength=cold), *made.stores[1:]),
        queries=(replace(q, fragments=fragments),),
    )
    plan = plan_for(made, "x", {"t": ("a",)})
    found = tuned(made, plan, BUDGET, {scan().name: by()})
    (once,), (divided,) = plan.routing["q"], found.routing["q"]
    assert once.disk_s > 0
    assert divided.disk_s == pytest.approx(divided.transfer.streams.count * once.disk_s)
    assert check(made, found) == ()


def test_a_plan_at_other_prices_has_their_starts():
    made = asked(of(HALF))
    plan = plan_for(made, "x", {"t": ("a",)})
    strength = replace(made.stores[0].strength, start_s=0.3)
    dearer = replace(made, stores=(replace(made.stores[0], strength=strength), *made.stores[1:]))
    found = repriced(dearer, plan, "x")
    assert [each.start_s for each in found.routing["q"]] == [0.3]
    assert check(dearer, found) == ()


def test_a_plan_that_tells_no_starts_is_the_same_plan():
    made = asked(of(HALF))
    plan = replace(plan_for(made, "x", {"t": ("a",)}), bound_s=0.5)
    untold = tuple(replace(each, start_s=None) for each in plan.routing["q"])
    earlier = replace(plan, routing={"q": untold})
    assert earlier == plan
    # What is proven of it stays, as nothing is tuned.
    assert tuned(made, earlier, BUDGET, {}).bound_s == tuned(made, plan, BUDGET, {}).bound_s


def test_what_the_run_does_of_itself_is_not_stated():
    made = asked(of(NOTHING, portions=False))
    plan = plan_for(made, "x", {"t": ("a",)})
    assert tuned(made, plan, BUDGET, {scan().name: by(usual=2)}) is plan


def test_a_plan_of_an_earlier_version_states_no_statements():
    made = asked(of(None))
    plan = tuned(made, plan_for(made, "x", {"t": ("a",)}), BUDGET)
    text = write_plan(plan)
    assert '"streams": null' in text
    older = text.replace(',\n          "streams": null', "")
    assert "streams" not in older
    assert read_plan(older) == plan


def test_a_share_between_two_that_were_probed_is_on_a_line():
    assert [HALF.share(each) for each in (1, 2, 3, 4, 9)] == pytest.approx([1, 0.5, 0.45, 0.4, 0.4])


def test_the_run_divides_by_rows_and_cores():
    assert [usual_count(rows, 2) for rows in (1e5, 4.9e5, 5e5, 1e7)] == [1, 1, 2, 2]
    assert usual_count(1e7, None) == 40


def test_no_setting_breaks_the_ceiling_of_its_query():
    """Divided in two, a result takes as long here, and its scan is repeated."""
    made = asked(of(replace(HALF, shares=HALF.shares[:2]), scan_bytes_per_s=1e9 / 0.3))
    where = made.stores[0]
    where = replace(where, strength=replace(where.strength, at_once=((1, 1.0), (2, 1.0))))
    made = replace(made, stores=(where,))
    plan = plan_for(made, "x", {"t": ("a",)})
    free = tuned(made, plan, BUDGET, {"q/b.t": by()})
    (before,), (after,) = plan.routing["q"], free.routing["q"]
    assert after.predicted_s > before.predicted_s
    for ceiling_s, kept in ((before.predicted_s, before), (after.predicted_s, after)):
        limits = replace(made.constraints, latency_s={"q": ceiling_s})
        limited = replace(made, constraints=limits)
        found = tuned(limited, plan_for(limited, "x", {"t": ("a",)}), BUDGET, {"q/b.t": by()})
        assert found.routing["q"] == (kept,)
        assert check(limited, found) == ()


@pytest.mark.parametrize("memory_bytes", [1, 32 << 10])
def test_a_batch_has_a_row_whatever_memory_there_is(memory_bytes):
    found = chosen(of(HALF), by(), budget=Budget(memory_bytes=memory_bytes))
    assert found.transfer.fetch_rows >= 1
