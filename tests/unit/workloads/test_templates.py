import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workloads.errors import ConfigurationError
from workloads.folding import templates
from workloads.folding.entries import Entry, Rejected, executions
from workloads.folding.normalise import Normaliser
from workloads.folding.templates import ClashError, Folding
from workloads.sql.parsing.lexis import lexis

NORMALISER = Normaliser(lexis("duckdb"))


def fold(entries, file=0):
    return Folding().add(entries, file, NORMALISER)


def together(foldings):
    whole = Folding()
    for each in foldings:
        whole.absorb(each)
    return whole


def result(folding, files=("a", "b", "c")):
    return folding.queries(files), folding.skipped(files)


def test_executions_add_up_and_latency_is_the_mean_by_executions():
    (query,) = fold(
        [
            Entry(2, "select 1", 1, 3_000_000_000),
            Entry(3, "select 2", 3, 3_000_000_000),
            Entry(4, "select 3", 6),
        ]
    ).queries(["log.csv"])
    assert query.executions == 10
    assert query.latency_s == 1.5
    assert (query.sql, query.origin, query.line) == ("select 1", "log.csv", 2)


def test_the_name_of_a_template_does_not_change_when_the_log_grows():
    names = [query.name for query in fold([Entry(1, "select a from t")]).queries(["x"])]
    more = fold([Entry(1, "select b from t where c = 1"), Entry(2, "SELECT a FROM t")])
    assert set(names) < {query.name for query in more.queries(["x"])}
    assert len(names[0]) == len("t_1a2b3c4d")


def test_templates_whose_digests_begin_alike_have_longer_names():
    folding = fold([Entry(1, "select a")])
    ((key, found),) = folding.templates.items()
    folding.templates[key[:8] + bytes(8)] = found
    names = [query.name for query in folding.queries(["x"])]
    assert len(set(names)) == 2


_STATEMENTS = st.sampled_from(
    ["select 1", "select a from t where b = {}", "select a, b from t", "-- nothing", ""]
)
_ENTRIES = st.lists(
    st.one_of(
        st.builds(
            Entry,
            st.integers(1, 50),
            st.builds(lambda sql, n: sql.format(n), _STATEMENTS, st.integers(0, 99)),
            st.one_of(st.integers(1, 9), st.floats(0.1, 5).map(Fraction)),
            st.one_of(st.none(), st.integers(0, 10**12)),
            st.none(),
            st.just(1),
            st.sampled_from(["", "shop", "archive"]),
        ),
        st.builds(
            Rejected,
            st.integers(1, 50),
            st.sampled_from(["bad", "worse"]),
            st.just("x"),
            st.just("invalid"),
        ),
    ),
    max_size=30,
)


@given(st.lists(_ENTRIES, min_size=3, max_size=3), st.randoms(use_true_random=False))
def test_pieces_folded_apart_are_folded_together_in_any_order(logs, draw):
    lined = [[entry._replace(line=line) for line, entry in enumerate(log, start=1)] for log in logs]
    whole = together(fold(log, file) for file, log in enumerate(lined))
    pieces = []
    for file, log in enumerate(lined):
        cut = draw.randint(0, len(log))
        pieces += [fold(log[:cut], file), fold(log[cut:], file)]
    draw.shuffle(pieces)
    middle = draw.randint(0, len(pieces))
    halves = [together(pieces[:middle]), together(pieces[middle:])]
    draw.shuffle(halves)
    assert result(together(halves)) == result(whole)


@given(_ENTRIES, st.integers(1, 5))
def test_parts_share_no_template_and_are_the_whole(entries, number):
    folding = fold(entry._replace(line=line) for line, entry in enumerate(entries, start=1))
    parts = folding.parts(number)
    assert sum(len(part.templates) for part in parts.values()) == len(folding.templates)
    assert result(together(parts.values())) == result(folding)


def test_sums_of_odd_numbers_do_not_depend_on_their_order():
    entries = [Entry(n, "select 1", Fraction(0.1), 10**9 // 3) for n in range(1, 100)]
    shuffled = entries.copy()
    random.Random(1).shuffle(shuffled)
    shuffled = [entry._replace(line=n) for n, entry in enumerate(shuffled, start=1)]
    assert result(fold(entries)) == result(fold(shuffled))


def test_a_text_that_ran_in_two_schemas_is_two_templates():
    texts = [Entry(1, "select 1", schema="a"), Entry(2, "select 2", schema="b")]
    found = fold([*texts, Entry(3, "select 3"), Entry(4, "select 4", schema="a")]).queries(["x"])
    assert [(each.schema, each.executions) for each in found] == [("a", 2), ("b", 1), ("", 1)]
    assert len({each.name for each in found}) == 3


def test_many_records_left_out_for_one_reason_end_as_a_count():
    folding = together(
        fold([Rejected(line, "no SQL") for line in range(start, start + 400)]) for start in (401, 1)
    )
    skipped = folding.skipped(["log.csv"])
    assert [each.line for each in skipped] == list(range(1, 101))
    assert sum(each.executions for each in skipped) == 800
    assert skipped[-1].reason == "no SQL (the first of 701 more such records)"


def test_two_statements_of_one_name_are_an_error_with_both_places():
    one, other = fold([Entry(3, "select 1", name="x")]), fold([Entry(5, "select 2", name="x")], 1)
    with pytest.raises(ClashError) as error:
        other.absorb(one)
    assert "'x' (a.sql:3 and b.sql:5)" in str(error.value.said(["a.sql", "b.sql"]))


def test_too_many_templates_are_an_error_that_says_so(monkeypatch):
    monkeypatch.setattr(templates, "_MOST_BYTES", 10_000)
    entries = (Entry(n, f"select c{n} from t") for n in range(1, 1_000))
    with pytest.raises(ConfigurationError, match=r"more than 1\d different statements"):
        fold(entries)


@pytest.mark.parametrize(
    ("text", "number"),
    [("7", 7), ("1e3", 1000), ("0.5", Fraction(1, 2)), (" 12 ", 12), ("1_000", 1000)],
)
def test_executions_are_exact(text, number):
    assert executions(text) == number


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "", "many", "1e999"])
def test_executions_are_positive_and_finite(text):
    assert executions(text) is None
