"""A repository with tasks, stored sessions and commits, whose packs are made through the real command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.cas.builders import Shelf
from tests.corpus.builders import ClaudeLog
from tests.memory.builders import Place

CLOCK = "2026-03-10T12:00:00Z"
DAY = 86_400


class PackPlace(Shelf):
    """``__call__`` runs `aicx pack` at a fixed clock and gives its JSON."""

    def __call__(self, *arguments: str) -> dict[str, Any]:
        return self.json("pack", *arguments, "--now", CLOCK)

    def failed(self, *arguments: str) -> dict[str, Any]:
        code, out, _ = self.run("pack", *arguments, "--json")
        assert code != 0, out
        return {**json.loads(out), "code": code}

    def text(self, *arguments: str) -> str:
        """The summary as it is printed."""
        code, out, err = self.run("pack", *arguments, "--now", CLOCK)
        assert code == 0, err
        return out

    def object(self, digest: str) -> dict[str, Any]:
        """What `aicx pack objects get` gives of a pack."""
        found: dict[str, Any] = json.loads(self.json("cas", "get", digest)["text"])
        return found

    def session(
        self,
        name: str,
        goal: str,
        *edits: str,
        seconds: float = 0,
        said: str = "It is done.",
        decided: str = "",
        branch: str = "main",
        folder: Path | None = None,
        runs: tuple[tuple[str, str, bool], ...] = (),
    ) -> str:
        """Writes the log of a session, which `store` stores; its reference.

        ``decided`` is what the person settles in it; ``runs`` are command, output, failed.
        """
        cwd = str(folder or self.repo)
        log = ClaudeLog(name, cwd, branch).prompt(goal, seconds)
        if decided:
            log.prompt(decided, seconds + 0.5).prompt("Now change the files", seconds + 0.6)
        at = seconds
        for path in edits:
            at += 2
            log.call("Edit", at, f"e{at}", file_path=f"{cwd}/{path}", old_string="x", new_string="y")
            log.result("ok", at + 1, f"e{at}")
        for command, output, failed in runs:
            at += 2
            log.call("Bash", at, f"b{at}", command=command).result(output, at + 1, f"b{at}", failed=failed)
        log.answer(said, at + 2)
        path = self.folder / "user/.claude/projects/x" / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(log.body())
        return f"session:claude:{name}"

    def store(self) -> None:
        code, _, err = Place.run(self, "store")
        assert code == 0, err

    def task(self, goal: str, *options: str) -> str:
        """The id of a new task."""
        found: str = self.json("task", "start", goal, *options)["task"]["id"]
        return found

    def worktree(self, name: str) -> Path:
        """A second working folder of the repository."""
        folder = self.folder / name
        self.git("worktree", "add", "-q", "-b", name, str(folder))
        return folder
