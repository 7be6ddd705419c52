"""`aicx sessions` through the real command line."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from aicx.cli import run
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, CodexLog, Home
from tests.kept import Kept

NEXT_DAY = 24 * 3600


@pytest.fixture
def user(kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Home:
    """Three sessions: one over two days and two repositories, one without a title, one of another agent."""
    user = Home(kept.folder).used(monkeypatch)

    def fill() -> None:
        orbit, apiary = (user.repository(name, f"git@x.org:ada/{name}.git") for name in ("orbit", "apiary"))
        log = ClaudeLog(SESSION, orbit).prompt("Fix the lexer", 0)
        log.cwd, log.branch = apiary, "feature/bees"
        user.claude(log.prompt("Now the bees", NEXT_DAY))
        user.claude(ClaudeLog(OTHER, "/srv/notes").call("Bash", 5, command="ls").result("a", 6))
        user.codex(CodexLog(THIRD, orbit).prompt("Write the docs", 50))
        assert run(["store"]) == 0

    kept.again(fill)
    capsys.readouterr()
    return user


def sessions(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["sessions", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def ids(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    code, out, err = sessions(capsys, *arguments, "--json")
    assert (code, err) == (0, "")
    found: list[dict[str, Any]] = json.loads(out)["items"]
    return [item["session_id"] for item in found]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ((), [SESSION, THIRD, OTHER]),
        (("--sort", "oldest"), [SESSION, OTHER, THIRD]),
        (("--sort", "size"), [SESSION, OTHER, THIRD]),
        (("-p", "apiary"), [SESSION]),
        (("-p", "orbit"), [SESSION, THIRD]),
        (("-a", "codex"), [THIRD]),
        (("--branch", "feature/*"), [SESSION]),
        (("-d", "2026-03-02"), [SESSION]),
        (("--limit", "1", "--offset", "1"), [THIRD]),
        (("-p", "nowhere"), []),
    ],
)
def test_filters_and_orders(
    arguments: tuple[str, ...], found: list[str], user: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ids(capsys, *arguments) == found


def test_session_is_told_as_a_whole_though_a_filter_lets_only_a_part_through(
    user: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    out = sessions(capsys, "-p", "apiary")[1]
    assert out == (
        "2026-03-01 10:00  Fix the lexer\n"
        "  ada/orbit and 1 more · claude · branch feature/bees · until 2026-03-02 10:00 · 2 chunks · 2 messages\n"
        f"  claude --resume {SESSION}\n"
    )


def test_what_comes_next_is_said(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert "1 to 1 of 3; --offset 1 shows what comes next." in sessions(capsys, "-n", "1")[2]


def test_nothing_found_leads_on(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = sessions(capsys, "--branch", "no-such")
    assert (code, out) == (0, "")
    assert "Nothing matches." in err


def test_times_are_local_unless_utc_is_asked_for(user, capsys, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert run(["sessions", "--sort", "oldest"]) == 0
        printed = capsys.readouterr()
        assert (printed.out.splitlines()[0][:16], printed.err) == (
            "2026-03-01 19:00",
            "Times are JST (UTC+09:00); --utc shows UTC.\n",
        )
        assert run(["sessions", "--sort", "oldest", "--utc"]) == 0
        assert capsys.readouterr().out.startswith("2026-03-01 10:00")
    finally:
        monkeypatch.undo()
        time.tzset()
