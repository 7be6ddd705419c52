"""A home with a repository beside it, whose tasks are changed through the real command line."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aicx.work.place import WorkPlace, find_place
from aicx.work.state import OpenTasks, open_tasks
from tests.memory.builders import Place
from tests.repositories import NO_UPKEEP

NOW = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)


class TaskPlace(Place):
    """One user with one repository. ``__call__`` runs `aicx task` and gives its JSON."""

    def __call__(self, *arguments: str) -> dict[str, Any]:
        return self.json("task", *arguments)

    def json(self, *arguments: str) -> dict[str, Any]:
        code, out, err = self.run(*arguments, "--json")
        assert code == 0, out + err
        found: dict[str, Any] = json.loads(out)
        return found

    def failed(self, *arguments: str) -> dict[str, Any]:
        """What `aicx task` says that has to fail, with its exit code."""
        code, out, _ = self.run("task", *arguments, "--json")
        assert code != 0, out
        return {**json.loads(out), "code": code}

    def start(self, goal: str, *options: str) -> str:
        """The id of a task."""
        found: str = self("start", goal, *options)["task"]["id"]
        return found

    def active(self) -> list[str]:
        return [task["title"] for task in self("status")["active"]]

    def skipped(self) -> dict[str, str]:
        return {task["title"]: task["reason"] for task in self("status")["skipped"]}

    def file(self, task: str) -> Path:
        """The file of a task, whatever its status."""
        (found,) = self.home.glob(f"work/*/*/{task}.json")
        return found

    def files(self) -> dict[str, bytes]:
        """Everything of work, byte for byte."""
        return {str(path): path.read_bytes() for path in (self.home / "work").rglob("*") if path.is_file()}

    def branch(self, name: str, message: str = "A change on it") -> None:
        """Goes to a new branch with a commit of its own."""
        self.git("checkout", "-q", "-b", name)
        self.git("commit", "-q", "--allow-empty", "-m", message)

    @property
    def place(self) -> WorkPlace:
        return find_place(self.settings, self.repo)

    def open(self, folder: Path | None = None) -> OpenTasks:
        settings = self.settings
        return open_tasks(settings, find_place(settings, folder or self.repo), NOW)


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always")
    command = ["git", "-C", str(folder), *NO_UPKEEP, *who, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
