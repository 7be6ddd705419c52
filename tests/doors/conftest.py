"""A stored corpus of two agents, and a repository that its sessions worked in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus.builders import SESSION, ClaudeLog, Home
from tests.engine.search_helpers import keep


@pytest.fixture
def user(tmp_path: Path) -> Home:
    user = Home(tmp_path)
    orbit = user.repository("orbit", "git@x.org:ada/orbit.git")
    log = ClaudeLog(SESSION, orbit).prompt("The lexer drops the last token, why?", 0)
    log.call("Edit", 1, file_path=f"{orbit}/src/lexer.py").result("no such line", 2, failed=True)
    user.claude(log.answer("The loop ends one character early. I decided to compare with <= instead.", 3))
    keep(user)
    return user
