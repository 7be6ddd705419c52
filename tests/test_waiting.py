"""A command that is silent for a second says on a terminal that it is at work, and takes that back."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable

import pytest

from aicx import console, waiting


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def short_of_patience(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """A terminal from here on, for commands that are soon too silent."""
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(waiting, "_SILENCE", 0.04)
    monkeypatch.setenv("TERM", "xterm")
    return screen


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_silence_is_explained_and_the_line_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = short_of_patience(monkeypatch)
    console.begin_waiting("search")
    until(lambda: "aicx search: 0 s" in screen.getvalue())
    console.end_waiting()
    assert screen.getvalue().endswith("\r\x1b[2K")
    before = screen.getvalue()
    time.sleep(0.1)
    assert screen.getvalue() == before


@pytest.mark.parametrize("command", ["run", "serve", "hook", "dashboard"])
def test_what_gives_the_terminal_away_has_no_such_line(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    short_of_patience(monkeypatch)
    console.begin_waiting(command)
    assert console._waiting == []


@pytest.mark.parametrize("terminal", ["dumb", ""])
def test_a_terminal_that_takes_no_line_back_has_none(terminal: str, monkeypatch: pytest.MonkeyPatch) -> None:
    short_of_patience(monkeypatch)
    monkeypatch.setenv("TERM", terminal)
    console.begin_waiting("search")
    assert console._waiting == []


def test_an_answer_ends_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    short_of_patience(monkeypatch)
    console.begin_waiting("search")
    console.out("an answer")
    assert console._waiting == []


def test_a_remark_interrupts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = short_of_patience(monkeypatch)
    console.begin_waiting("search")
    until(lambda: "search" in screen.getvalue())
    console.notify("a remark")
    assert "\r\x1b[2Ka remark\n" in screen.getvalue()
    until(lambda: "search" in screen.getvalue().partition("a remark")[2])
    console.end_waiting()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_does_not_wait_for_its_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    short_of_patience(monkeypatch)
    console.begin_waiting("search")
    one = console._waiting[0]
    with one._lock:
        child = os.fork()
        if child == 0:
            one.end()
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    console.end_waiting()
