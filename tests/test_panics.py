"""A panic of a Rust library is an error like any other, and what it prints goes nowhere."""

from __future__ import annotations

import os
from threading import Thread

import pytest

from aicx.errors import CorpusDamaged
from aicx.panics import panics_as_damage

Panic = type("PanicException", (BaseException,), {})


def test_a_panic_is_damage_and_what_it_prints_is_left_out(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CorpusDamaged) as raised, panics_as_damage("the index", "aicx store"):  # noqa: PT012 - around both
        os.write(2, b"thread '<unnamed>' panicked at src/lib.rs:1:1:\n")
        raise Panic
    assert (raised.value.message, raised.value.hint) == ("the index is damaged", "aicx store")
    assert capfd.readouterr().err == ""


def test_what_was_said_of_a_panic_already_stays(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CorpusDamaged, match="by others"), panics_as_damage("the index", "aicx store"):  # noqa: PT012 - around both
        os.write(2, b"thread panicked\n")
        raise CorpusDamaged("by others") from Panic()
    assert capfd.readouterr().err == ""


def test_other_output_is_passed_on_and_other_errors_pass(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyError), panics_as_damage("the index", "aicx store"):  # noqa: PT012 - around both
        os.write(2, b"a line\n")
        raise KeyError
    assert capfd.readouterr().err == "a line\n"


def test_several_threads_leave_stderr_as_it_was(capfd: pytest.CaptureFixture[str]) -> None:
    def often() -> None:
        for _ in range(50):
            with panics_as_damage("the index", "aicx store"):
                os.write(2, b".")

    threads = [Thread(target=often) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    os.write(2, b"end")
    assert capfd.readouterr().err == "." * 200 + "end"
