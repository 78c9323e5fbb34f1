"""Loads side by side: their seconds add up to those that passed."""

from evaluation.store_protocol.shared_clock import SharedClock


def test_who_works_alone_has_all_the_time():
    now = [100.0]
    clock = SharedClock(lambda: now[0])
    now[0] = 110.0
    with clock.working() as seconds:
        now[0] = 113.0
        assert seconds() == 3.0
        now[0] = 114.0
        assert seconds() == 4.0


def test_two_at_once_share_the_time_that_they_have_in_common():
    now = [0.0]
    clock = SharedClock(lambda: now[0])
    with clock.working() as first:
        now[0] = 2.0
        with clock.working() as second:
            now[0] = 6.0
            found = second()
        now[0] = 7.0
        assert (first(), found) == (2.0 + 2.0 + 1.0, 2.0)
    # Nobody works.
    now[0] = 50.0
    with clock.working() as third:
        now[0] = 51.0
        assert third() == 1.0
