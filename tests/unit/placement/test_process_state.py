"""What the solver may not do to the process it runs in."""

import os
import signal
import threading

import pytest

from placement.programs.process_state import kept_interrupts, silenced_output


def test_an_interruption_within_the_block_comes_at_its_end():
    done = []

    def interrupted():
        with kept_interrupts():
            signal.raise_signal(signal.SIGINT)
            done.append("the answer is converted")

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert done == ["the answer is converted"]


def test_handlers_are_as_before_after_the_block():
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with kept_interrupts():
        assert signal.getsignal(signal.SIGINT) is not before[0]
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_another_thread_than_the_main_one_keeps_nothing():
    seen = []

    def work():
        with kept_interrupts():
            seen.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [True]


def test_what_compiled_code_prints_does_not_reach_standard_output(capfd):
    with silenced_output():
        os.write(1, b"HighsMipSolverData::something\n")
    os.write(1, b"a document\n")
    assert capfd.readouterr().out == "a document\n"


def test_an_error_within_the_block_leaves_standard_output_as_it_was(capfd):
    with pytest.raises(ValueError, match="broken"), silenced_output():
        raise ValueError("broken")
    os.write(1, b"a document\n")
    assert capfd.readouterr().out == "a document\n"
