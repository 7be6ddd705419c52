"""Links on a terminal: only where it has them, only ours, and whole when a line is folded."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from aicx import console, terminal
from aicx.terminal import only_styles

TERMINALS = {
    "a terminal with links": ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, True),
    "kitty": ({"TERM": "xterm-kitty"}, True),
    "GNOME's": ({"TERM": "xterm-256color", "VTE_VERSION": "7200"}, True),
    "an old one of GNOME's": ({"TERM": "xterm-256color", "VTE_VERSION": "4600"}, False),
    "an unknown one": ({"TERM": "xterm-256color"}, False),
    "one within tmux": ({"TERM": "tmux-256color", "TERM_PROGRAM": "WezTerm"}, False),
    "a dumb one": ({"TERM": "dumb", "TERM_PROGRAM": "WezTerm"}, False),
    "none": ({}, False),
    "one that was told to": ({"TERM": "xterm", "FORCE_HYPERLINK": "1"}, True),
    "one that was told not to": ({"TERM": "xterm-kitty", "FORCE_HYPERLINK": "0"}, False),
}
WHOLE = re.compile(r"\x1b\]8;;(\S+?)\x1b\\(.*?)\x1b\]8;;\x1b\\")


@pytest.mark.parametrize("name", TERMINALS)
def test_links_are_for_terminals_that_say_they_have_them(name: str) -> None:
    environ, expected = TERMINALS[name]
    assert terminal.has_links(environ) is expected


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is printed from here on goes to a terminal with links."""
    monkeypatch.setenv("TERM", "xterm-kitty")
    monkeypatch.setenv("COLUMNS", "40")
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(console.Style, "color", True)


def test_a_path_opens_its_file(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    on_terminal(monkeypatch)
    console.out(f"see {console.link(console.style('a b.md', dim=True), Path('/srv/a b.md'))} there")
    [(url, text)] = WHOLE.findall(capsys.readouterr().out)
    assert (url, re.sub(r"\x1b\[[0-9;]*m", "", text)) == ("file:///srv/a%20b.md", "a b.md")


def test_a_link_that_is_folded_is_whole_in_every_row(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    on_terminal(monkeypatch)
    console.out(console.link("words " * 20, "https://example.org/"))
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) > 2
    assert all([url for url, _ in WHOLE.findall(row)] == ["https://example.org/"] for row in rows)
    assert max(len(re.sub(r"\x1b(?:\]8;[^\x1b]*\x1b\\|\[[0-9;]*m)", "", row)) for row in rows) <= 40


def test_the_address_of_a_pull_request_is_a_link(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    on_terminal(monkeypatch)
    address = "https://github.example/ada/orbit/pull/12"
    console.out_bytes(f"made in {address}, see https://example.org/pull".encode())
    assert WHOLE.findall(capsysbinary.readouterr().out.decode())[0][0] == address


def test_where_there_is_no_terminal_a_link_is_its_text() -> None:
    assert console.link("a.md", Path("/srv/a.md")) == "a.md"


@pytest.mark.parametrize("colour", [True, False])
def test_without_colour_there_are_no_links(colour: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    on_terminal(monkeypatch)
    monkeypatch.setattr(console.Style, "color", colour)
    assert (console.link("a.md", "https://example.org/") != "a.md") is colour


@pytest.mark.parametrize("evil", ["\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\", "\x1b[1;0mclick\x1b[0m"])
def test_a_link_that_a_log_wrote_is_none(evil: str) -> None:
    assert terminal.with_links(only_styles(evil)).replace("\x1b[0m", "") == "click"
