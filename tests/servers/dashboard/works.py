"""A repository with work of every kind, with markup wherever it can be: open, waiting and skipped tasks, a session that
failed and was fixed, one that was left open, one that is not read yet, and contracts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from aicx.work.facts_index import refresh_all
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home
from tests.evidence.stories import Repository
from tests.servers.dashboard.page.browsers import ATTACKS

ERROR = 'src/login.py:4: error: Name "expiry" is not defined  [name-defined]'
LOGOUT = 'logout/end.py:9: error: Name "session" is not defined  [name-defined]'
HOSTILE = f"Look at {ATTACKS[1]} and [this](javascript:alert(1))"
BRANCH = "feat/<img/src=x/onerror=window.attacked=1>"
_AGENTS = ("CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "CODEX_SESSION_ID", "CLAUDECODE", "AICX_SESSION_ID")


class Worked:
    """``acme/orbit`` with its work, made with the commands; ``refs`` has the tasks by name."""

    def __init__(self, folder: Path) -> None:
        self.user = Home(folder)
        self.environ = self.user.environ
        self.repository = Repository(self.user.work / "orbit")
        self.repository.git("remote", "add", "origin", "git@github.com:acme/orbit.git")
        self.repository.commit("src/login.py", "x = 1\n")
        self.user.claude(self._fixed())
        self.user.claude(self._left_open())
        self.user.store()
        refresh_all(self.user.settings)
        self.refs = {
            "active": self.task("Fix the login", "--next", HOSTILE, "--file", "src/login.py"),
            "waiting": self.task(f"Name {ATTACKS[0]}"),
        }
        self("task", "close", self.refs["waiting"], "--status", "paused")
        self.repository.git("checkout", "-q", "-b", BRANCH)
        self.repository.commit("other.py")
        self.refs["skipped"] = self.task("Another login")
        self.repository.git("checkout", "-q", "main")
        for number, (edited, status) in enumerate((("src/login.py", "success"), ("other.py", "failure"))):
            session = ("--agent-id", "claude", "--session-id", (SESSION, "unstored")[number])
            self("prepare", "--task", "Fix the login", *session)
            said = ("--status", status, "--summary", f"The login {ATTACKS[3]}", "--files-edited", edited)
            self("finalize", *said, "--tests-executed", "mypy src", *session)
        late = ClaudeLog(THIRD, str(self.repository.folder)).prompt("What is the logout?", 9000)
        self.user.claude(late.answer("It ends a session.", 9005))
        self.user.store()

    def __call__(self, *words: str) -> None:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in self.environ.items():
                patch.setenv(name, value)
            for name in _AGENTS:
                patch.delenv(name, raising=False)
            patch.chdir(self.repository.folder)
            assert run([*words, "--json"]) == 0

    def task(self, goal: str, *options: str) -> str:
        """The reference of a new task."""
        known = self.tasks()
        self("task", "start", goal, *options)
        (new,) = self.tasks().keys() - known.keys()
        return f"work:{new}"

    def tasks(self) -> dict[str, Any]:
        return {path.stem: json.loads(path.read_bytes()) for path in self.user.corpus.glob("work/*/tasks/*.json")}

    def _fixed(self) -> ClaudeLog:
        """A check that failed, failed again after an edit that did not help, and passed after the next."""
        folder = str(self.repository.folder)
        log = ClaudeLog(SESSION, folder).prompt(f"Tokens expire too early {ATTACKS[0]}", 0)
        fails = ("mypy src", ERROR)
        steps = (fails, ("src/token.py", ""), fails, ("src/login.py", ""), ("mypy src", "Success: no issues found"))
        for number, (what, text) in enumerate(steps):
            call, at = f"call-{number}", 10.0 + 10 * number
            if what.endswith(".py"):
                log.call("Edit", at, call, file_path=f"{folder}/{what}", old_string="a", new_string="b")
            else:
                log.call("Bash", at, call, command=what)
            log.result(text or "The file was updated", at + 5, call, failed=text == ERROR)
        return log.answer("Done: tokens last an hour.\n\nThe refresh is as it was.", 100)

    def _left_open(self) -> ClaudeLog:
        log = ClaudeLog(OTHER, str(self.repository.folder)).prompt("The logout breaks", 200)
        log.call(
            "Edit", 205, "call-0", file_path=f"{self.repository.folder}/logout/end.py", new_string="x", old_string="y"
        )
        log.result("", 206, "call-0")
        log.call("Bash", 210, "call-a", command="mypy logout").result(LOGOUT, 215, "call-a", failed=True)
        return log.answer("It still fails.", 220)
