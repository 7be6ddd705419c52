"""What reaches a terminal: our styles and what was said, never what a log wrote for it to obey."""

from __future__ import annotations

import json
import sys
import unicodedata
from pathlib import Path

import pytest

from aicx import console
from aicx.cli import run
from aicx.terminal import invisible, only_styles
from tests.corpus.builders import SESSION, ClaudeLog

EVIL = ["\x1b[2J", "\x1b]0;owned\x07", "\x1b[8m", "\x1b(0", "\x9b2J", "\u202e", "\b", "\r", "\x1bc", "\x07"]
SECRET = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"


def stored(home: Path, log: ClaudeLog, folder: str = "-srv", tail: bytes = b"") -> None:
    path = home / ".claude" / "projects" / folder / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(log.body() + tail)
    assert run(["store"]) == 0


@pytest.mark.parametrize("print_", [console.out, console.notify])
def test_what_a_terminal_would_obey_is_not_printed(print_, capsys) -> None:
    for evil in EVIL:
        print_(f"branch {evil}main")
        printed = capsys.readouterr()
        assert printed.out + printed.err == "branch main\n", ascii(evil)


@pytest.mark.parametrize("evil", EVIL, ids=ascii)
def test_bytes_are_printed_without_it_too(evil, capsysbinary) -> None:
    console.out_bytes(f"naïve {evil}text\r\n".encode() + b"\xff")
    assert capsysbinary.readouterr().out == "naïve text\r\n".encode() + b"\xff"


@pytest.mark.parametrize("how", [{"fg": "red"}, {"bold": True}, {"dim": True}, {"fg": "bright_black", "bold": True}])
def test_our_own_styles_stay(how) -> None:
    text = console.style("title", **how)
    assert "\x1b" in text
    assert only_styles(text) == text


def test_json_keeps_every_sign(capsys) -> None:
    console.out_json("aicx.test/1", {"branch": "\x1b[2J\x9b\r"})
    assert json.loads(capsys.readouterr().out)["branch"] == "\x1b[2J\x9b\r"


@pytest.mark.parametrize("command", [["search", "lamp"], ["steer"], ["show", SESSION], ["show", "--full", SESSION]])
def test_a_hostile_log_gives_no_command_a_sequence(home: Path, command, capsys) -> None:
    log = ClaudeLog(SESSION, "/srv/\x1b[2Jnotes").prompt("Why is the \x1b[31mlamp dark?", 0)
    log.branch = "ma\x1b]0;owned\x07in"
    stored(home, log.call("Ba\x1b[2Jsh", 1, command="ls").result("lamp", 2))
    capsys.readouterr()
    assert run(command) == 0
    printed = capsys.readouterr()
    assert printed.out
    assert "\x1b" not in printed.out + printed.err


@pytest.mark.parametrize("command", [["store", "--full-rescan"], ["doctor"]])
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_the_path_of_a_damaged_log_is_redacted(home: Path, command, form, capsys) -> None:
    stored(home, ClaudeLog().prompt("Why?", 0), f"-srv-{SECRET}", b"no json\n")
    first = capsys.readouterr()
    run([*command, *form])
    printed = capsys.readouterr()
    assert "[REDACTED:github-token]" in printed.out + printed.err
    assert SECRET not in printed.out + printed.err + first.err


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_list_redacts_the_path_of_a_log_that_cannot_be_read(home: Path, form, capsys) -> None:
    (home / ".claude" / "projects" / f"-srv-{SECRET}" / f"{SESSION}.jsonl").mkdir(parents=True)
    assert run(["list", *form]) == 0
    printed = capsys.readouterr()
    assert "[REDACTED:github-token]" in printed.out + printed.err
    assert SECRET not in printed.out + printed.err


def test_every_format_character_of_unicode_is_unseen() -> None:
    formats = {sign for sign in range(sys.maxunicode + 1) if unicodedata.category(chr(sign)) == "Cf"}
    assert not formats - invisible().keys()


@pytest.mark.parametrize("sign", ["\ufe0f", "\U000e0100", "\u3164", "\u115f", "\u034f", "\U000e0041"])
def test_selectors_fillers_and_tags_are_unseen(sign: str) -> None:
    assert f"a{sign}b".translate(invisible()) == "ab"


@pytest.mark.parametrize("text", ["naïve café", "日本語 한국어", "নমস্কার 👩 🔬", "a\tb\nc\u00a0d"])
def test_what_people_read_is_seen(text: str) -> None:
    assert text.translate(invisible()) == text
