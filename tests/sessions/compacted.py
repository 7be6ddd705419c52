"""A repository with the log of a session that was compacted twice, and the commands run in it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from aicx.cli import run
from aicx.config import Settings, load_settings
from tests.corpus.builders import SESSION, ClaudeLog, Home, when
from tests.evidence.stories import Repository

NOW = when(0) + timedelta(hours=3)
REF = f"session:claude:{SESSION}"
SUMMARY = (
    "This session is being continued from a previous conversation that ran out of context.\n\n"
    "1. Primary Request and Intent:\n   Make the export of tables keep the header\n\n"
    "7. Pending Tasks:\n   - Write the changelog entry for the export\n"
)


class Asks(NamedTuple):
    """Who asks, as the commands and the hooks know it."""

    agent: str
    session: str | None


OWN = Asks("claude", SESSION)


class Compacted:
    """One user with one repository and one stored session of three windows."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.user = Home(folder)
        is_new = not self.user.work.exists()
        self.repository = Repository(self.user.work / "orbit")
        if is_new:
            self.repository.commit("src/export.py")
        self._capsys = capsys
        monkeypatch.setenv("AICX_HOME", str(self.user.corpus))
        monkeypatch.setenv("HOME", str(self.user.root))
        monkeypatch.chdir(self.repository.folder)
        names = ("AICX_SESSION_ID", "CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "CODEX_SESSION_ID")
        for name in (*names, "CLAUDE_SESSION_ID", "TERM_SESSION_ID"):
            monkeypatch.delenv(name, raising=False)

    @property
    def folder(self) -> Path:
        return self.repository.folder

    @property
    def settings(self) -> Settings:
        return load_settings()

    def log(self, session: str = SESSION) -> ClaudeLog:
        return ClaudeLog(session, str(self.folder))

    def store(self, log: ClaudeLog) -> None:
        self.user.claude(log)
        self.user.store()

    def run(self, *words: str) -> tuple[int, str, str]:
        """Exit code, stdout and stderr of `aicx words`."""
        self._capsys.readouterr()
        code = run([*words])
        out, err = self._capsys.readouterr()
        return code, out, err

    def __call__(self, *words: str, code: int = 0) -> dict[str, Any]:
        """The JSON of `aicx words`."""
        got, out, err = self.run(*words, "--json")
        assert got == code, out + err
        found: dict[str, Any] = json.loads(out)
        return found


def story(log: ClaudeLog) -> ClaudeLog:
    """Three windows: an export that loses its header is mended in the second try, and a changelog is left open."""
    folder = log.cwd
    log.prompt("Make the export of tables keep the header. Never push to main without asking me first.", 0)
    _try(log, 10, "src/export.py", failed=True)
    _try(log, 20, "src/export.py", failed=True)
    log.add("system", 30, subtype="compact_boundary", content="Conversation compacted")
    log.add("user", 31, isCompactSummary=True, message={"role": "user", "content": SUMMARY})
    _try(log, 40, "src/rows.py", failed=False)
    log.answer("The header is kept now: `rows.py` wrote it after the first row.", 50)
    log.add("system", 60, subtype="compact_boundary", content="Conversation compacted")
    log.add("user", 61, isCompactSummary=True, message={"role": "user", "content": SUMMARY})
    log.prompt("Now check the imports of tables as well", 70)
    log.call("Read", 71, "read", file_path=f"{folder}/src/imports.py").result("rows = []", 72, "read")
    log.call("Bash", 73, "run", command="pytest tests/test_imports.py")
    log.result("FAILED tests/test_imports.py::test_header - KeyError: 'header'\n1 failed", 74, "run", failed=True)
    log.answer("The imports still fail. Next step: read the header in `src/imports.py` before the rows.", 80)
    return log


def _try(log: ClaudeLog, begin: float, file: str, *, failed: bool) -> None:
    """An edit, and the tests of the export after it."""
    name = f"t{begin:.0f}"
    log.call("Edit", begin, name, file_path=f"{log.cwd}/{file}", old_string="a", new_string=f"b{begin}")
    log.result("done", begin + 1, name)
    log.call("Bash", begin + 2, f"{name}r", command="pytest tests/test_export.py")
    said = "FAILED tests/test_export.py::test_header - AssertionError: no header\n1 failed" if failed else "1 passed"
    log.result(said, begin + 3, f"{name}r", failed=failed)


def later(minutes: float) -> datetime:
    return NOW.astimezone(UTC) + timedelta(minutes=minutes)
