"""A home whose sessions are stored, opened, linked and asked for through the real command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from tests.corpus.builders import ClaudeLog, Home

A, B, C, D = (f"{digit * 8}-3d52-4a8e-9a3c-5f0a1b2c3d4e" for digit in "abcd")
HOUR, DAY = 3600, 86400
# What would name a session besides the one a test means.
_VARIABLES = (
    *("AICX_SESSION_ID", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "CODEX_SESSION_ID", "GEMINI_SESSION_ID"),
    *("TERM_SESSION_ID", "CLAUDECODE", "GEMINI_CLI", "CODEX_SANDBOX"),
)


class FamilyHome(Home):
    """A user in a repository. ``__call__`` runs `aicx sessions` and gives its JSON."""

    def __init__(
        self, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], corpus: str = "corpus"
    ) -> None:
        super().__init__(root)
        self.corpus = root / corpus
        self.environ["AICX_HOME"] = str(self.corpus)
        self._monkeypatch, self._capsys = monkeypatch, capsys
        for name in _VARIABLES:
            monkeypatch.delenv(name, raising=False)
        self.used(monkeypatch)
        self.repo = self.repository("orbit", "git@x.org:ada/orbit.git")
        monkeypatch.chdir(self.repo)

    def __call__(self, *arguments: str) -> dict[str, Any]:
        code, out, err = self.run("sessions", *arguments, "--json")
        assert code == 0, out + err
        found: dict[str, Any] = json.loads(out)
        return found

    def failed(self, *arguments: str) -> tuple[int, str]:
        """The exit code and the error of what has to fail."""
        code, out, _ = self.run("sessions", *arguments, "--json")
        assert code != 0, out
        return code, json.loads(out)["error"]

    def run(self, *arguments: str) -> tuple[int, str, str]:
        code = run(list(arguments))
        printed = self._capsys.readouterr()
        return code, printed.out, printed.err

    def stored(self) -> None:
        code, out, err = self.run("store")
        assert code == 0, out + err

    def log(self, session: str, *, branch: str = "main") -> ClaudeLog:
        return ClaudeLog(session, self.repo, branch)

    def edges(self, session: str, side: str = "older") -> list[tuple[str, str, str]]:
        """The type, origin and other end of the edges of a session."""
        other = "to_ref" if side == "older" else "from_ref"
        return [(edge["type"], edge["origin"], edge[other].split(":")[2]) for edge in self("show", session)[side]]

    def chain(self, session: str, *arguments: str) -> list[tuple[int, str, str | None]]:
        """The depth, id and edge of each session of a chain."""
        found = self("chain", "--session", session, *arguments)["items"]
        return [(item["depth"], item["session_id"], item["edge"] and item["edge"]["type"]) for item in found]
