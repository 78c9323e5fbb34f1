"""Copies are those that sqlglot makes, whatever is noted in them."""

import pytest
from sqlglot import exp

from tests.data_fixtures import ReadQueries
from workloads.sql.trees.copies import copied, written
from workloads.workload import Workload


@pytest.fixture(scope="module")
def trees(queries: Workload, tiny_queries: ReadQueries) -> list[exp.Query]:
    """Queries of TPC-DS in the form that is cut, with types and notes at their nodes."""
    return [tiny_queries.compiler.tree(query.name) for query in queries.queries[::5]]


def noted(tree: exp.Expr) -> list[tuple[object, ...]]:
    """Everything that a node has beside its arguments, node by node."""
    return [
        (type(node), node.arg_key, node.index, node.comments, repr(node._type), node._meta)
        for node in tree.walk()
    ]


def test_a_copy_has_all_that_a_copy_of_sqlglots_has(trees):
    assert any(node._type is not None for tree in trees for node in tree.walk())
    for tree in trees:
        ours, theirs = copied(tree), tree.copy()
        assert ours == theirs == tree
        assert noted(ours) == noted(theirs)


def test_nothing_of_a_copy_is_of_the_original(trees):
    for tree in trees:
        ours = copied(tree)
        nodes = {id(node) for node in tree.walk()}
        assert nodes.isdisjoint(id(node) for node in ours.walk())
        for node in ours.walk():
            assert all(child.parent is node for child in node.iter_expressions())
        before = tree.sql("duckdb")
        for column in list(ours.find_all(exp.Column)):
            column.meta["x"] = 1
            column.replace(exp.null())
        assert tree.sql("duckdb") == before
        assert not any("x" in node.meta for node in tree.find_all(exp.Column))


def test_a_part_that_is_copied_stands_alone():
    whole = exp.select("a").from_("t").where("a > 1")
    part = copied(whole.args["where"])
    assert (part.parent, part.arg_key, part.index) == (None, None, None)


def test_an_expression_that_is_noted_is_copied_too():
    tree, quotient = exp.column("a"), exp.column("b")
    tree.meta["whole"] = quotient
    found = copied(tree).meta["whole"]
    assert found == quotient
    assert found is not quotient


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "mysql", "spark"])
def test_a_text_is_that_of_sqlglot_and_leaves_the_tree_alone(trees, dialect):
    for tree in trees:
        before = noted(tree)
        assert written(tree, dialect) == tree.sql(dialect, identify=True)
        assert noted(tree) == before
