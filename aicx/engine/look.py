"""A look into a repository, in a thread of its own while the indexes are searched: what a question names of it."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from pathlib import Path
from threading import Thread

from aicx.git.named import NamedCommits, find_named

# Of all that git is asked for one question. It reads 100,000 commits in a second.
_SECONDS = 2.0


class FreshnessLook:
    """Begun at once, and not waited for before `found`."""

    def __init__(
        self, root: Path, text: str, since: datetime, repository: Collection[str], seconds: float = _SECONDS
    ) -> None:
        self._seconds = seconds
        self._named: list[NamedCommits] = []
        self._notes: list[str] = []
        self._failed: Exception | None = None
        # It ends with the program: git itself is given no longer either.
        self._thread = Thread(target=self._look, args=(root, text, since, repository), daemon=True)
        self._thread.start()

    def found(self) -> tuple[list[NamedCommits], list[str]]:
        """Returns what is named, and notes about the search for it; nothing is named where git takes too long."""
        self._thread.join(self._seconds)
        if self._thread.is_alive():
            return [], [f"git gave no answer within {self._seconds:g} s, and its history was not taken into account"]
        if self._failed is not None:
            raise self._failed
        return self._named, self._notes

    def _look(self, root: Path, text: str, since: datetime, repository: Collection[str]) -> None:
        try:
            from aicx.git.state import Git  # imported here: it takes a while

            git = Git(root, self._seconds, self._seconds)
            self._named = find_named(git, root, text, since, repository)
            self._notes = git.notes
        except Exception as error:  # noqa: BLE001 - raised again where the answer is waited for
            self._failed = error
