from placement.reasons.larger_fragments import LimitKind, size_limits
from placement.routing.routing import plan_for
from tests.unit.placement.problems import SCANS, problem, query, store


def limits(made, placement, *, of=0):
    """Return why a fragment of the plan of `placement` is no larger."""
    plan = plan_for(made, "p", placement)
    (asked,) = made.queries
    return size_limits(made, plan, asked, plan.routing[asked.name][of])


def test_a_feature_that_a_store_cannot_express_is_named_with_the_store():
    rollup = query("q", ("t", "u"), features=("rollup", "full_join"))
    made = problem(
        {"t": 1, "u": 1}, [store("m", kind="mysql", lacks=("rollup", "full_join"))], [rollup]
    )
    (found,) = limits(made, {"t": ("m",), "u": ("m",)})
    assert found.kind is LimitKind.FEATURE
    assert found.features == ("full_join", "rollup")
    assert found.sentence == (
        "Store 'm' (mysql) cannot express full join, rollup, which the whole query needs."
    )


def test_what_cannot_be_expressed_is_said_of_tables_that_are_elsewhere_too():
    made = problem(
        {"t": 1, "u": 1},
        [store("m", kind="mysql", lacks=("rollup",)), store("b")],
        [query("q", ("t", "u"), features=("rollup",))],
    )
    (found,) = limits(made, {"t": ("m",), "u": ("b",)})
    assert found.features == ("rollup",)


def test_a_store_that_only_scans_says_so_for_each_larger_kind():
    made = problem(
        {"t": 1, "u": 1},
        [store("s", capabilities=SCANS, kind="keyvalue")],
        [query("q", ("t", "u"), joins=[("t", "u")])],
    )
    found = limits(made, {"t": ("s",), "u": ("s",)})
    assert [each.kind for each in found] == [LimitKind.CAPABILITY] * 2
    assert [each.sentence for each in found] == [
        "Store 's' (keyvalue) runs no join of t, u.",
        "Store 's' (keyvalue) runs no whole query.",
    ]


def test_tables_that_are_elsewhere_are_named_for_the_nearest_larger_fragment():
    made = problem(
        {"t": 1, "u": 1, "v": 1},
        [store("a"), store("b")],
        [query("q", ("t", "u", "v"), joins=[("t", "u")])],
    )
    (found,) = limits(made, {"t": ("a",), "u": ("b",), "v": ("b",)})
    assert (found.kind, found.tables) == (LimitKind.ABSENT, ("u",))
    assert found.sentence == "u is not in store 'a', which the join of t, u needs."


def test_a_larger_fragment_that_is_dearer_is_shown_with_what_it_would_replace():
    slow = query("q", ("t", "u"), joins=[("t", "u")], whole=False, scan_rows=1.0)
    dear = problem({"t": 1, "u": 1}, [store("a", speed=0.001), store("b")], [slow], max_copies=2)
    plan = plan_for(dear, "p", {"t": ("a", "b"), "u": ("a",)})
    first = plan.routing["q"][0]
    assert first.store == "b"
    other = plan.routing["q"][1]
    (found,) = size_limits(dear, plan, dear.queries[0], other)
    assert found.kind is LimitKind.COST
    assert "against" in found.sentence
    assert found.sentence.startswith("Store 'a' could run the join of t, u, predicted to take ")


def test_a_whole_query_has_nothing_larger():
    made = problem({"t": 1}, [store("a")], [query("q", ("t",))])
    assert limits(made, {"t": ("a",)}) == ()
