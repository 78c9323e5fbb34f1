import pytest

from advisor.project.query_names import query_name
from workloads.errors import ConfigurationError

KNOWN = ("q8", "q14a", "q80", "q81", "revenue")


@pytest.mark.parametrize(
    ("text", "name"),
    [("q80", "q80"), ("80", "q80"), ("14a", "q14a"), ("revenue", "revenue"), ("Q8", "q8")],
)
def test_a_query_is_named_with_or_without_its_letter(text, name):
    assert query_name(text, KNOWN) == name


def test_a_query_that_is_called_by_a_number_is_not_taken_for_another():
    assert query_name("80", ("80", "q80")) == "80"


def test_an_unknown_query_is_an_error_that_names_the_nearest():
    with pytest.raises(ConfigurationError, match="There is no query 'revenu': did you mean 'reve"):
        query_name("revenu", KNOWN)
    with pytest.raises(ConfigurationError, match="no query '88': did you mean 'q8"):
        query_name("88", KNOWN)


def test_without_a_near_name_the_error_lists_some_and_counts_the_rest():
    many = [f"q{number}" for number in range(20)]
    with pytest.raises(ConfigurationError, match=r"--executions: there is no .* q7 and 12 more\."):
        query_name("zzz", many, "--executions")
