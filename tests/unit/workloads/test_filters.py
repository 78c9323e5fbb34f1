"""Filters of a workload hold for every log that has the facts."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.unit.workloads.logs_of_three import (
    CSV,
    FULL,
    JSON_LINES,
    MYSQL8_SLOW,
    MYSQL_GENERAL,
    MYSQL_SLOW,
    NAMES,
    POSTGRESQL_CSV,
    ROWS,
    WITHOUT_APPLICATION,
    WITHOUT_DURATION,
)
from workloads.counting.counting import Counting
from workloads.counting.facts import moment_of
from workloads.counting.filters import Filters
from workloads.errors import ConfigurationError
from workloads.sources.joined import refuse_nothing_left
from workloads.sources.logs import cutting, recorded
from workloads.sources.logs.recorded import workload


def left(path, **filters):
    """The columns that the statements left read, and how many were left out of each kind."""
    found = workload(path, counting=Counting(filters=Filters(**filters)))
    kinds: dict[str, int] = {}
    for each in found.skipped:
        kinds[each.kind] = kinds.get(each.kind, 0) + each.statements
    columns = sorted(query.sql.split()[1] for query in found.queries if "FROM" in query.sql)
    return "".join(columns), kinds


def written(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", [*FULL, *WITHOUT_APPLICATION, *WITHOUT_DURATION])
def test_users_and_databases(tmp_path, name):
    path = written(tmp_path, name, (FULL | WITHOUT_APPLICATION | WITHOUT_DURATION)[name])
    assert left(path, user=("ann",))[0] == "a"
    columns, kinds = left(path, user=("ann", "bob", "eve"))
    assert (columns, kinds) == ("ab", {"untold": 1})
    columns, kinds = left(path, database=("shop",))
    assert columns == "b"
    assert kinds["filtered"] >= 1
    assert kinds["untold"] == 1
    assert left(path, user=("ann",), database=("shop",))[0] == ""


@pytest.mark.parametrize("name", FULL)
def test_applications(tmp_path, name):
    path = written(tmp_path, name, FULL[name])
    assert left(path, application=("nightly report",)) == ("b", {"filtered": 1, "untold": 1})


@pytest.mark.parametrize("name", [*FULL, *WITHOUT_APPLICATION, *WITHOUT_DURATION])
def test_times(tmp_path, name):
    path = written(tmp_path, name, (FULL | WITHOUT_APPLICATION | WITHOUT_DURATION)[name])
    first, last = datetime(2025, 5, 1, 10, 1), datetime(2025, 5, 1, 10, 2)  # noqa: DTZ001
    assert left(path, since=first)[0] == "bc"
    assert left(path, until=last)[0] == "ab"
    columns, kinds = left(path, since=first, until=last)
    assert (columns, set(kinds)) == ("b", {"filtered"})


@pytest.mark.parametrize("name", [*FULL, *WITHOUT_APPLICATION])
def test_durations(tmp_path, name):
    path = written(tmp_path, name, (FULL | WITHOUT_APPLICATION)[name])
    assert left(path, shortest_s=2.0)[0] == "bc"
    assert left(path, longest_s=2.0)[0] == "ab"
    assert left(path, shortest_s=1.5, longest_s=2.5) == ("b", {"filtered": 2})


def test_parquet_and_its_own_types(tmp_path):
    path = tmp_path / "queries.parquet"
    columns = [list(column) for column in zip(*ROWS, strict=True)]
    columns[-1] = [datetime.fromisoformat(each).replace(tzinfo=UTC) for each in columns[-1]]
    table = pa.table(dict(zip(NAMES, columns, strict=True)))
    pq.write_table(table.append_column("notes", pa.array(["x"] * 3)), path)
    assert left(path, user=("ann",)) == ("a", {"filtered": 1, "untold": 1})
    assert left(path, since=datetime(2025, 5, 1, 10, 1, tzinfo=UTC))[0] == "bc"
    assert left(path, longest_s=1.0)[0] == "a"


def test_what_a_record_counts_several_times_is_left_out_as_often(tmp_path):
    found = workload(
        written(tmp_path, "q.csv", CSV), counting=Counting(filters=Filters(user=("ann",)))
    )
    assert [(each.kind, each.executions) for each in found.skipped] == [
        ("filtered", 2.0),
        ("untold", 2.0),
    ]


def test_an_event_log_of_spark_says_its_user_and_application(tmp_path):
    start = {
        "Event": "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart",
        "executionId": 0,
        "description": "SELECT a FROM t",
        "time": 1746093600000,
    }
    end = {"Event": start["Event"].replace("Start", "End"), "executionId": 0, "time": 1746093601000}
    application = {
        "Event": "SparkListenerApplicationStart",
        "App Name": "nightly",
        "User": "ann",
        "Timestamp": 1746093000000,
    }
    path = written(
        tmp_path, "events", "".join(json.dumps(each) + "\n" for each in (application, start, end))
    )
    assert left(path, user=("ann",), application=("nightly",)) == ("a", {})
    assert left(path, application=("web",)) == ("", {"filtered": 1})
    assert left(path, since=datetime(2025, 5, 1, 10, tzinfo=UTC))[0] == "a"
    assert left(path, until=datetime(2025, 5, 1, 10, tzinfo=UTC))[0] == ""


def test_a_slow_log_says_a_database_only_where_it_changes(tmp_path):
    path = written(tmp_path, "slow.log", MYSQL8_SLOW)
    assert left(path, database=("crm",)) == ("ad", {})


def test_a_time_with_an_offset_is_a_point_in_time(tmp_path):
    path = written(tmp_path, "queries.jsonl", JSON_LINES.replace('00"', '00+02:00"'))
    later = datetime(2025, 5, 1, 8, 1, tzinfo=UTC)
    assert left(path, since=later)[0] == "bc"
    # Without an offset it is a time of the log's own clock.
    assert left(path, since=datetime(2025, 5, 1, 10, 1))[0] == "bc"  # noqa: DTZ001
    own = written(tmp_path, "mariadb.log", MYSQL_SLOW)
    assert left(own, since=later) == ("", {"untold": 3})


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2025-05-01", datetime(2025, 5, 1)),  # noqa: DTZ001
        ("2025-05-01 10:00", datetime(2025, 5, 1, 10)),  # noqa: DTZ001
        ("2025-05-01 10:00:00.123456789 UTC", datetime(2025, 5, 1, 10, 0, 0, 123456, tzinfo=UTC)),
        ("2025-05-01T10:00:00,5Z", datetime(2025, 5, 1, 10, 0, 0, 500000, tzinfo=UTC)),
        ("2025-05-01 10:00:00 CEST", datetime(2025, 5, 1, 10)),  # noqa: DTZ001
        (
            "2025-05-01 10:00:00 -03:30",
            datetime(2025, 5, 1, 10, tzinfo=timezone(-timedelta(hours=3, minutes=30))),
        ),
        ("250501  9:00:02", datetime(2025, 5, 1, 9, 0, 2)),  # noqa: DTZ001
        (1746093600, datetime(2025, 5, 1, 10, tzinfo=UTC)),
        ("1746093600000", datetime(2025, 5, 1, 10, tzinfo=UTC)),
        (1746093600000000, datetime(2025, 5, 1, 10, tzinfo=UTC)),
        ("2025-13-01", None),
        ("yesterday", None),
        (None, None),
        (True, None),
    ],
)
def test_times_are_read_as_sources_write_them(text, time):
    found = moment_of(text)
    assert found == time
    assert found is None or found.tzinfo == getattr(time, "tzinfo", None)


class TestNothingLeft:
    def refused(self, path, **filters):
        chosen = Filters(**filters)
        found = workload(path, counting=Counting(filters=chosen))
        with pytest.raises(ConfigurationError) as raised:
            refuse_nothing_left(found, chosen)
        return str(raised.value)

    def test_the_values_that_exist_are_named(self, tmp_path):
        path = written(tmp_path, "postgresql.csv", POSTGRESQL_CSV)
        said = self.refused(path, user=("shp",), database=("crm",))
        assert "leave no statement of 'postgresql': user 'shp'; it has 'ann', 'bob'." in said
        assert "application 'x'; it has 'nightly report', 'web'" in self.refused(
            path, application=("x",)
        )

    def test_the_range_that_exists_is_named(self, tmp_path):
        path = written(tmp_path, "postgresql.csv", POSTGRESQL_CSV)
        said = self.refused(path, since=datetime(2026, 5, 1))  # noqa: DTZ001
        assert "since 2026-05-01 00:00:00; it has 2025-05-01 10:00:00 to" in said
        assert "shortest_s 9; it has 1 s to 3 s" in self.refused(path, shortest_s=9.0)

    def test_a_user_that_exists_is_not_blamed_however_many_there_are(self, tmp_path):
        rows = "".join(f"select 1 from t,u{n:03},2025-05-01\n" for n in range(100))
        path = written(tmp_path, "log.csv", f"sql,user,started\n{rows}")
        said = self.refused(path, user=("u099",), since=datetime(2026, 1, 1))  # noqa: DTZ001
        assert "'u0" not in said.partition(": ")[2]
        assert "'u000', 'u001'" in self.refused(path, user=("u100",))

    def test_filters_that_only_together_leave_nothing_are_named(self, tmp_path):
        path = written(tmp_path, "postgresql.csv", POSTGRESQL_CSV)
        said = self.refused(path, user=("ann",), database=("shop",))
        assert "none passes all of user 'ann', database 'shop'." in said

    def test_a_fact_that_the_log_lacks_is_named(self, tmp_path):
        path = written(tmp_path, "general.log", MYSQL_GENERAL)
        said = self.refused(path, application=("web",))
        assert "it has no application" in said
        assert "The record has no application, which the filter application asks for" in said
        assert "no duration" in self.refused(path, longest_s=1.0)

    def test_a_log_of_which_something_is_left_is_not_refused(self, tmp_path):
        chosen = Filters(user=("ann",))
        found = workload(written(tmp_path, "q.csv", CSV), counting=Counting(filters=chosen))
        refuse_nothing_left(found, chosen)

    def test_a_source_of_which_nothing_is_left_has_no_say(self, tmp_path):
        written(tmp_path, "postgresql.csv", POSTGRESQL_CSV)
        written(tmp_path, "mariadb.log", MYSQL_SLOW)
        chosen = Counting(filters=Filters(application=("web",)))
        found = workload(tmp_path, counting=chosen)
        assert (found.dialect, len(found.queries)) == ("postgres", 1)


def test_where_a_log_is_cut_does_not_matter(tmp_path, monkeypatch):
    rows = "".join(
        f"select c{n % 3} from t where a = {n},u{n % 30},2025-05-01 10:00:{n % 60:02}\n"
        for n in range(2_000)
    )
    path = written(tmp_path, "log.csv", f"sql,user,started\n{rows}")
    chosen = Counting(filters=Filters(user=("u3", "u7"), since=datetime(2025, 5, 1, 10, 0, 5)))  # noqa: DTZ001
    whole = workload(path, "duckdb", counting=chosen)
    monkeypatch.setattr(cutting, "PIECE_BYTES", 3_000)
    cut = workload(path, "duckdb", counting=chosen)
    assert [query.executions for query in whole.queries] == [67.0, 33.0]
    assert (cut, cut.seen) == (whole, whole.seen)
    assert len(whole.seen.names["user"]) == 20


def test_worker_processes_filter_too(tmp_path, monkeypatch):
    path = written(tmp_path, "log.csv", CSV)
    monkeypatch.setattr(recorded, "_ALONE_BYTES", 0)
    monkeypatch.setattr(cutting, "PIECE_BYTES", 60)
    assert left(path, user=("bob",)) == ("b", {"filtered": 1, "untold": 1})
