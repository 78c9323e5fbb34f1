from tests.footprints import block, condition, join, source
from workloads.catalog import Column, ColumnStatistics, Table
from workloads.estimation.join_trees import JoinTrees, unique_columns


def table(name, rows, key, **distinct):
    columns = tuple(
        Column(
            name=column,
            type="BIGINT",
            width_bytes=8,
            statistics=ColumnStatistics(distinct=values, null_share=0.0),
        )
        for column, values in distinct.items()
    )
    return Table(name=name, rows=rows, fingerprint="f", primary_key=key, columns=columns)


TABLES = {
    "sales": table("sales", 10_000, ("item", "ticket"), item=100, ticket=900),
    "returns": table("returns", 1_000, ("item", "ticket"), item=90, ticket=500),
    "item": table("item", 100, ("k",)),
    "day": table("day", 300, ("k",)),
    "week": table("week", 50, ("k",)),
}
SALES_ITEM, SALES_DAY = join("sales.item", "item.k"), join("sales.day", "day.k")
DAY_WEEK = join("day.item", "week.k")
RETURN_OF = (join("returns.item", "sales.item"), join("returns.ticket", "sales.ticket"))


def trees(*names, joins, filters=(), **needs):
    sources = tuple(source(name, needs=needs.get(name, "")) for name in names)
    found = block(*sources, joins=joins, filters=filters)
    return JoinTrees(found, {name: TABLES[name] for name in names})


def shapes(found, *aliases):
    made = found.of(frozenset(aliases))
    return None if made is None else {tree.root: tree.aliases - {tree.root} for tree in made}


def test_a_fact_and_what_its_foreign_keys_refer_to_is_one_tree():
    found = trees("sales", "item", "day", "week", joins=(SALES_ITEM, SALES_DAY, DAY_WEEK))
    assert shapes(found, "sales", "item", "day", "week") == {"sales": {"item", "day", "week"}}
    assert shapes(found, "day", "week") == {"day": {"week"}}
    assert shapes(found, "item") == {"item": frozenset()}


def test_a_key_of_two_columns_is_looked_up_by_both_and_from_the_smaller_side():
    found = trees("sales", "returns", "item", joins=(*RETURN_OF, SALES_ITEM))
    assert shapes(found, "sales", "returns", "item") == {"returns": {"sales", "item"}}
    half = trees("sales", "returns", joins=RETURN_OF[:1])
    assert shapes(half, "sales", "returns") == {"returns": frozenset(), "sales": frozenset()}


def test_facts_that_share_a_dimension_are_two_trees():
    joins = (SALES_ITEM, join("returns.item", "item.k"))
    found = trees("sales", "returns", "item", joins=joins)
    made = shapes(found, "sales", "returns", "item")
    assert made == {"returns": {"item"}, "sales": frozenset()}
    between = found.beside(found.of(frozenset({"sales", "returns", "item"})))
    assert [(join.left, join.right) for join in between] == [(("sales", "item"), ("item", "k"))]


def test_a_part_of_a_tree_stands_alone_with_its_parents():
    found = trees("sales", "day", "week", joins=(SALES_DAY, DAY_WEEK))
    whole = found.tree("sales", frozenset({"day", "week"}))
    assert whole.holds(frozenset({"sales"}))
    assert whole.holds(frozenset({"sales", "day"}))
    assert not whole.holds(frozenset({"sales", "week"}))
    assert not whole.holds(frozenset({"day", "week"}))


def test_a_left_join_is_looked_up_with_all_of_its_condition():
    joins = tuple(
        join(f"{j.left[0]}.{j.left[1]}", f"{j.right[0]}.{j.right[1]}", "left") for j in RETURN_OF
    )
    on = condition("returns.day", "eq", 3.0, outer=True)
    found = trees("sales", "returns", joins=joins, filters=(on,), returns="sales")
    (tree,) = found.of(frozenset({"sales", "returns"}))
    (lookup,) = tree.lookups
    assert (tree.root, lookup.alias, lookup.left) == ("sales", "returns", True)
    assert lookup.conditions == (on,)
    assert found.of(frozenset({"returns"})) is None


def test_a_left_join_that_multiplies_rows_is_no_look_up():
    joins = (join("returns.item", "sales.item", "left"),)
    found = trees("sales", "returns", joins=joins, returns="sales")
    assert found.of(frozenset({"sales", "returns"})) is None


def test_trees_are_equal_whatever_the_order_in_which_they_grew():
    found = trees("sales", "item", "day", joins=(SALES_ITEM, SALES_DAY))
    first = found.extended(found.tree("sales", frozenset({"day"})), frozenset({"item"}))
    second = found.extended(found.tree("sales", frozenset({"item"})), frozenset({"day"}))
    assert first != second
    assert first.in_order() == second.in_order()


def test_a_table_that_must_not_be_looked_up_is_a_root():
    made = block(source("sales"), source("item"), joins=(SALES_ITEM,))
    tables = {name: TABLES[name] for name in ("sales", "item")}
    found = JoinTrees(made, tables, lambda table: table.name != "item")
    assert shapes(found, "sales", "item") == {"sales": frozenset(), "item": frozenset()}


def test_a_column_with_as_many_values_as_rows_is_a_key_too():
    found = table("t", 100, ("a", "b"), a=10, b=20, Id=100, c=99)
    assert unique_columns(found) == (frozenset({"a", "b"}), frozenset({"id"}))
    assert unique_columns(table("t", 100, (), a=10)) == ()
