"""A small corpus that is stored once a run: nothing here writes to it. `copied` makes one that may be written to."""

from __future__ import annotations

from pathlib import Path

import pytest

from aicx.engine.lexical_index import refresh_lexical
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, CodexLog, Home
from tests.servers.mcp.mcp_client import HOSTILE


@pytest.fixture(scope="session")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Three sessions of two agents in two repositories: one about a lexer, one hostile, one long."""
    user = Home(tmp_path_factory.mktemp("stored"))
    orbit = user.repository("orbit", "git@x.org:ada/orbit.git")
    apiary = user.repository("apiary", "git@x.org:ada/apiary.git")
    lexer = ClaudeLog(SESSION, orbit).prompt("The lexer drops the last token, why?", 0)
    lexer.call("Edit", 1, file_path=f"{orbit}/src/lexer.py").result("no such line", 2, failed=True)
    lexer.answer("The loop in `next_token` ends one character early. I decided to compare with <= instead.", 3)
    user.claude(lexer)
    user.claude(ClaudeLog(OTHER, apiary).prompt(HOSTILE, 60).answer("I did not follow that.", 61))
    words = " ".join(f"beehive{number}" for number in range(400))
    long = CodexLog(THIRD, apiary)
    for number in range(12):
        long.prompt(f"Chapter {number} of the honey report", 120 + number)
        long.answer(f"{words} chapter {number}", 121 + number)
    user.codex(long)
    user.store()
    refresh_lexical(user.settings, lambda line: None)
    return user


@pytest.fixture
def environment(stored: Home, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The corpus, for commands and processes that a test starts."""
    stored.used(monkeypatch)
    return stored.corpus
