"""Reading touches nothing in a repository: neither its files nor git's own, neither their bytes nor their times."""

from __future__ import annotations

import pytest

from tests.corpus.builders import SESSION
from tests.review.builders import Review

READING = [
    *("memory list", "memory get rule", "memory get live:claude:CLAUDE.md", "memory recall exports"),
    *("memory recall exports --with-evidence --record", "memory history rule", "memory stats", "memory sources"),
    *("memory candidates", "memory backfill --dry-run", "memory lint", "memory curate", "memory eval"),
    *("search exports", "search exports --scope memories", "steer", "resume", "resume --task exports", "boot"),
    *("prepare --task exports --dry-run", "review candidates", "review show rule", "continuity load"),
    *("continuity status", "pack task", "pack family", f"sessions restore --session {SESSION}", "why export.py"),
    *("sessions recall exports", f"sessions summarize {SESSION}", "map", "task status", "next", "doctor"),
]


def files(place: Review) -> dict[str, tuple[int, int, bytes]]:
    """Everything below the repository, git's own files too: mode, time of the last change, and bytes."""
    found = {path: path.lstat() for path in place.repo.rglob("*")}
    return {
        str(path): (about.st_mode, about.st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path, about in found.items()
    }


@pytest.mark.slow
def test_reading_touches_nothing_in_the_repository(lived_in: Review) -> None:
    (lived_in.repo / "export.py").touch()  # git's index is behind, and `git status` would write it
    before = files(lived_in)
    for line in READING:
        code, _, err = lived_in.run(*line.split(), "--json")
        assert code == 0 or line == "doctor", err
        after = files(lived_in)
        changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
        assert not changed, line
