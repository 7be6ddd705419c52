"""Small invented sessions as steps in memory, and small git repositories on disk."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

from aicx.evidence import Step, facts_in_text
from tests.repositories import NO_UPKEEP, begin, head

T0 = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)


class Story:
    """A session told step by step, a minute apart; each step lies in a chunk of its own."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def asks(self, text: str) -> Story:
        return self._add("user", "typed", text)

    def says(self, text: str) -> Story:
        return self._add("assistant", "agent", text)

    def calls(self, tool: str, text: str = "") -> Story:
        whole = f"{tool}{text}"
        heading = f"### 10:00:00 tool · {tool}\n\n```\n".encode()
        facts = facts_in_text(heading, len(heading), whole)
        return self._add(
            "tool", "tool", whole, tool=tool, phase="call", command=facts["command"], files=tuple(facts["files"])
        )

    def gets(self, tool: str, text: str, *, failed: bool = False) -> Story:
        return self._add("tool", "tool", text, tool=tool, phase="result", failed=failed)

    def runs(self, command: str, output: str = "", *, failed: bool = False) -> Story:
        """A command with its answer; one that printed nothing has no answer stored."""
        self.calls("Bash", f"\n$ {command}\ndescription: a command")
        return self.gets("Bash", output, failed=failed) if output or failed else self

    def edits(self, path: str, *, failed: bool = False) -> Story:
        self.calls("Edit", f" {path}\nnew_string: x\nold_string: y")
        return self.gets("Edit", "String to replace not found" if failed else "The file was updated", failed=failed)

    def _add(self, role: str, origin: str, text: str, **fields: object) -> Story:
        at = T0 + timedelta(minutes=len(self.steps))
        chunk = f"claude:s:{len(self.steps) + 1:03d}"
        self.steps.append(Step(chunk, at, role, origin, text, **fields))  # type: ignore[arg-type]
        return self


class Repository:
    """A git repository in a folder, without any settings of whoever runs the tests."""

    def __init__(self, folder: Path, *arguments: str, remote: str = "") -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        if arguments:
            self.git("init", "--quiet", "--initial-branch=main", *arguments)
        elif not (folder / ".git").exists():
            begin(folder, remote)

    def git(self, *arguments: str, at: datetime = T0) -> str:
        stamp = at.strftime("%Y-%m-%dT%H:%M:%S+0000")
        environ = {
            **os.environ,
            **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "Ada"),
            **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "ada@example.org"),
            **dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), stamp),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": "protocol.file.allow",
            "GIT_CONFIG_VALUE_0": "always",
            "GIT_CONFIG_KEY_1": "advice.detachedHead",
            "GIT_CONFIG_VALUE_1": "false",
        }
        done = subprocess.run(
            ["git", "-C", str(self.folder), *NO_UPKEEP, *arguments],
            env=environ,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def write(self, name: str, text: str = "x\n") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def commit(self, name: str = "a.py", text: str = "x\n", subject: str = "One", at: datetime = T0) -> str:
        """Commits one file; returns the commit's hash."""
        self.write(name, text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", subject, at=at)
        return head(self.folder) if (self.folder / ".git").is_dir() else self.git("rev-parse", "HEAD")
