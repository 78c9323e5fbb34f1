import io
import time

import pytest

from advisor.report.progress import LiveProgress, PlainProgress, progress_to


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def lines(stream):
    return stream.getvalue().splitlines()


def test_a_quick_task_leaves_no_line(clock):
    stream = io.StringIO()
    progress = PlainProgress(stream, clock)
    with progress.task("load"):
        clock.now = 1.9
        progress.tick()
    assert lines(stream) == []


def test_a_long_task_is_named_followed_and_ended_with_its_seconds(clock):
    stream = io.StringIO()
    progress = PlainProgress(stream, clock)
    with progress.task("load", total=8) as task:
        for now in (1.0, 2.5, 3.0, 13.0, 14.0):
            clock.now = now
            task.advance()
            progress.tick()
    assert lines(stream) == ["load …", "load 50%, 13 s", "load done in 14.0 s"]


def test_a_task_of_unknown_length_tells_its_seconds(clock):
    stream = io.StringIO()
    progress = PlainProgress(stream, clock)
    with progress.task("solve"):
        for now in (2.0, 12.0):
            clock.now = now
            progress.tick()
    assert "solve 12 s" in lines(stream)


@pytest.mark.parametrize(
    ("error", "ended"), [(ValueError, "failed"), (KeyboardInterrupt, "interrupted")]
)
def test_a_nested_task_is_indented_and_says_how_it_ended(clock, error, ended):
    stream = io.StringIO()
    progress = PlainProgress(stream, clock)
    with pytest.raises(error), progress.task("load"):  # noqa: PT012, SIM117
        with progress.task("pg"):
            clock.now = 3.0
            raise error
    assert lines(stream) == [f"  pg {ended} after 3.0 s", f"load {ended} after 3.0 s"]


def test_the_thread_speaks_while_the_task_works():
    stream = io.StringIO()
    clock = Clock()
    with PlainProgress(stream, clock) as progress, progress.task("load"):
        clock.now = 2.5
        deadline = time.monotonic() + 60
        while len(lines(stream)) < 1 and time.monotonic() < deadline:
            time.sleep(0.01)
    assert lines(stream) == ["load …", "load done in 2.5 s"]


def test_the_stream_decides_how_progress_is_shown():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    assert isinstance(progress_to(io.StringIO()), PlainProgress)
    assert isinstance(progress_to(Terminal()), LiveProgress)


def test_live_bars_escape_what_looks_like_markup():
    stream = io.StringIO()
    with LiveProgress(stream) as progress, progress.task("load [bold]t[/bold]", total=2) as task:
        task.advance()
        progress._bars.refresh()
    assert progress._bars.tasks == []
