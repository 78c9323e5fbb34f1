"""Large logs are cut and read by several processes: what is found stays the same."""

import io
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.workloads.recorded_logs import ALONE, write_csv
from workloads.errors import ConfigurationError, SqlError
from workloads.sources.logs import cutting
from workloads.sources.logs.recorded import workload
from workloads.sources.logs.runners import Processes

_VALUES = st.lists(
    st.tuples(
        st.text(st.sampled_from("ab1 '\",;\n-"), max_size=12).map(lambda t: f"select {t}"),
        st.integers(1, 9),
    ),
    min_size=1,
    max_size=60,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(_VALUES, st.integers(10, 400), st.booleans())
def test_where_a_log_is_cut_does_not_matter(tmp_path, monkeypatch, rows, size, as_json):
    if as_json:
        log = tmp_path / "log.jsonl"
        log.write_text("".join(json.dumps({"sql": s, "calls": n}) + "\n" for s, n in rows))
    else:
        log = write_csv(tmp_path / "log.csv", [["sql", "calls"], *rows])
    monkeypatch.setattr(cutting, "PIECE_BYTES", 10**9)
    whole = workload(log, "duckdb", runner=ALONE)
    monkeypatch.setattr(cutting, "PIECE_BYTES", size)
    assert workload(log, "duckdb", runner=ALONE) == whole


def test_a_log_whose_quotes_are_no_csv_quotes_is_read_whole(tmp_path, monkeypatch):
    """A lone quote inside a value shifts every count of quotes that comes after it."""
    text = io.StringIO()
    text.write("sql\n")
    for number in range(200):
        text.write(f'select {number} as five" wide\n"select\n{number}, a"\n')
    log = tmp_path / "log.csv"
    log.write_text(text.getvalue())
    whole = workload(log, "duckdb", runner=ALONE)
    monkeypatch.setattr(cutting, "PIECE_BYTES", 150)
    assert workload(log, "duckdb", runner=ALONE) == whole
    assert sum(q.executions for q in whole.queries) == 400


def test_two_processes_give_what_one_gives(tmp_path, monkeypatch):
    monkeypatch.setattr(cutting, "PIECE_BYTES", 5_000)
    rows = [[f"select c{n % 7} from t where a = 'x\n{n}'", str(n % 5)] for n in range(1_000)]
    log = write_csv(tmp_path / "log.csv", [["sql", "executions"], *rows])
    assert workload(log, "duckdb", runner=Processes(workers=2)) == workload(log, "duckdb")


def test_an_error_in_another_process_is_ours_with_its_place(tmp_path, monkeypatch):
    monkeypatch.setattr(cutting, "PIECE_BYTES", 1)
    (tmp_path / "a.sql").write_text("select 1")
    (tmp_path / "b.sql").write_text("select 1;\nselect 'open")
    with pytest.raises(SqlError) as error:
        workload(tmp_path, "duckdb", runner=Processes(workers=2))
    assert (error.value.line, error.value.column) == (2, 8)
    (tmp_path / "b.sql").write_text("-- name: a\nselect 1")
    with pytest.raises(ConfigurationError, match=r"'a' \(.*a\.sql:1 and .*b\.sql:2\)"):
        workload(tmp_path, "duckdb", runner=Processes(workers=2))
