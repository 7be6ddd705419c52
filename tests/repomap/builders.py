"""Repositories for tests: invented, small, and made with the real git."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aicx.paths import Layout
from aicx.repomap import RepoMap, open_map
from aicx.repomap.refresh import Refreshed, refresh_map
from tests.repositories import NO_UPKEEP, begin

PERSON = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main")


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *NO_UPKEEP, *PERSON, *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout


class Repo:
    """A working folder and a home for its map."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        self.layout = Layout(home)
        self.options: dict[str, Any] = {}  # of every refresh

    @classmethod
    def new(cls, root: Path, home: Path, files: Mapping[str, str] | None = None) -> Repo:
        root.mkdir(parents=True, exist_ok=True)
        begin(root)
        repo = cls(root, home)
        repo.write(files or {})
        return repo

    def write(self, files: Mapping[str, str]) -> None:
        for path, text in files.items():
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf-8")

    def commit(self) -> None:
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "-m", "state")

    def refresh(self, **options: Any) -> Refreshed:
        return refresh_map(self.layout, self.root, **self.options, **options)

    @property
    def map(self) -> RepoMap:
        return open_map(self.layout, self.root)

    def paths(self, text: str, limit: int = 10) -> list[str]:
        return [entry.path for entry in self.map.query(text, limit)]

    def maps(self) -> list[Path]:
        return sorted(self.layout.repomap.rglob("*.sqlite"))
