"""Folders of logs: their parts, older files and links, and the frequencies beside them."""

import gzip
import os

import pytest

from workloads.errors import ConfigurationError
from workloads.sources.logs.recorded import workload


def test_the_parts_of_a_folder_are_one_log_in_natural_order(tmp_path):
    for part in (10, 2):
        (tmp_path / f"part-{part}.csv").write_text(f"sql\nselect {part}\nselect c{part}\n")
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / ".part-2.csv.crc").write_text("crc")
    found = workload(tmp_path, "duckdb")
    assert [(q.sql, q.executions) for q in found.queries] == [
        ("select 2", 2),
        ("select c2", 1),
        ("select c10", 1),
    ]


class TestFrequencies:
    def test_a_side_file_says_how_often_named_statements_run(self, tmp_path):
        for name in ("q1", "q2"):
            (tmp_path / f"{name}.sql").write_text("-- executions: 7\nselect 1")
        (tmp_path / "frequencies.csv").write_text("name,executions\nq2, 120\n")
        assert [q.executions for q in workload(tmp_path, "duckdb").queries] == [7, 120]
        other = tmp_path / "other.csv"
        other.write_text("name,executions\nq1,0.5\n")
        found = workload(tmp_path, "duckdb", frequencies=other)
        assert [q.executions for q in found.queries] == [0.5, 7]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("name,executions\nqq1,2\n", r"frequencies\.csv:2: .*'qq1': did you mean 'q1'\?"),
            ("name,executions\nq1,no\n", r"frequencies\.csv:2: 'q1,no' is no name and positive"),
            ("name,executions\nq1,1\nq1,2\n", r"frequencies\.csv:3: 'q1' is there twice"),
            ("q1,1\n", r"frequencies\.csv:1: the first line is 'q1,1'"),
        ],
    )
    def test_what_is_wrong_in_it_is_pointed_at(self, tmp_path, text, said):
        (tmp_path / "q1.sql").write_text("select 1")
        (tmp_path / "frequencies.csv").write_text(text)
        with pytest.raises(ConfigurationError, match=said):
            workload(tmp_path, "duckdb")


def test_each_folder_is_visited_once_whatever_links_to_it(tmp_path):
    (tmp_path / "q.sql").write_text("SELECT 1 AS a")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "r.sql").write_text("SELECT 'x' AS b")
    for name in ("a", "b", "inner/c", "inner/d"):
        (tmp_path / name).symlink_to(tmp_path)
    assert sorted(query.sql for query in workload(tmp_path, "duckdb").queries) == [
        "SELECT 'x' AS b",
        "SELECT 1 AS a",
    ]


@pytest.mark.parametrize("named", ["", "q.sql"])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path, named):
    os.mkfifo(tmp_path / "q.sql")
    with pytest.raises(ConfigurationError, match="is a pipe or a device"):
        workload(tmp_path / named, "duckdb")


def test_the_older_files_of_a_rotated_log_are_read_too(tmp_path):
    names = [
        "slow.log",
        "slow.log.1",
        "slow.log-20250501",
        "slow.log.2025-05-01.12",
        "slow.log.2.gz",
    ]
    for number, name in enumerate(names):
        text = f"# Query_time: 0.5  Lock_time: 0 \nselect {number} + a from t;\n".encode()
        data = gzip.compress(text) if name.endswith(".gz") else text
        (tmp_path / name).write_bytes(data)
    # No log's name ends so, and what is packed in a way that we do not know is said to be unread.
    (tmp_path / "README.1").write_text("select 9 + a from t;")
    (tmp_path / "slow.log.3.xz").write_bytes(b"\xfd7zXZ\0")
    found = workload(tmp_path, "mysql")
    assert [q.executions for q in found.queries] == [len(names)]
    assert [each.source for each in found.skipped] == [str(tmp_path / "slow.log.3.xz")]
