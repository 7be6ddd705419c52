"""A repository with one stored session, and the commands of a session's life cycle run in it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from aicx.cli import run
from tests.corpus.builders import SESSION, ClaudeLog, Home
from tests.evidence.stories import Repository
from tests.kept import Kept


class Place:
    """Runs commands as a session of an agent, in a repository of its own."""

    def __init__(self, user: Home, repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
        self.user, self.repository, self._capsys = user, repository, capsys

    def __call__(self, *words: str, code: int = 0) -> Any:
        """The JSON that a command prints."""
        self._capsys.readouterr()
        assert run([*words, "--json"]) == code, self._capsys.readouterr().err
        return json.loads(self._capsys.readouterr().out)

    def prepare(self, session: str = "s1", *words: str) -> Any:
        return self("prepare", "--agent-id", "claude", "--session-id", session, *words)

    def finalize(self, summary: str = "It works", session: str = "s1", *words: str, status: str = "success") -> Any:
        said = ("--status", status, "--summary", summary)
        return self("finalize", *said, "--agent-id", "claude", "--session-id", session, *words)

    def session(self, session: str, *calls: tuple[str, dict[str, Any]], begin: float = 1000) -> None:
        """Stores the log of a session that made these calls."""
        log = ClaudeLog(session, str(self.repository.folder)).prompt("go on with the login", begin)
        for number, (tool, arguments) in enumerate(calls):
            one = f"{session}-{number}"
            log.call(tool, begin + 2 * number, one, **arguments).result("ok", begin + 2 * number + 1, one)
        self.user.claude(log.answer("The login is done.", begin + 2 * len(calls)))
        assert run(["store"]) == 0


@pytest.fixture
def place(
    kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> Place:
    """As `fill` leaves it, and what a function ``begin_here`` of the module does there."""
    user = Home(kept.folder)
    monkeypatch.setenv("AICX_HOME", str(user.corpus))
    monkeypatch.setenv("HOME", str(user.root))
    monkeypatch.setattr("aicx.git.state._late", {})  # the folder's path is that of the test before
    for name in ("CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "CODEX_SESSION_ID", "CLAUDECODE", "AICX_SESSION_ID"):
        monkeypatch.delenv(name, raising=False)

    def begun() -> Place:
        repository = Repository(user.work / "orbit")
        monkeypatch.chdir(repository.folder)
        return Place(user, repository, capsys)

    def filled() -> None:
        fill(user)
        if begin := getattr(request.module, "begin_here", None):
            begin(begun())

    kept.again(filled)
    return begun()


def fill(user: Home) -> None:
    repository = Repository(user.work / "orbit")
    repository.commit("src/login.py")
    repository.write("Makefile", "test:\n\ttrue\n")
    folder = str(repository.folder)
    log = ClaudeLog(SESSION, folder).prompt("Tokens of the login expire too early", 0)
    log.call("Edit", 1, "t1", file_path=f"{folder}/src/login.py", new_string="x", old_string="y").result("", 2, "t1")
    user.claude(log.answer("The refresh still needs to be written.", 3))
    user.store()
