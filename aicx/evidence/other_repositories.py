"""Whether a folder or a remote is known to belong to another repository than the one a brief is about."""

from __future__ import annotations

from collections.abc import Iterable

from aicx.corpus.places.identity import from_remote
from aicx.folders import relative
from aicx.git.roots import Roots
from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class OtherRepositories:
    """What is known of other repositories: ``folders`` are theirs, ``roots`` this one's and its worktrees'."""

    project: str | None
    roots: Roots
    folders: tuple[str, ...] = ()

    def holds(self, folder: str) -> bool | None:
        """Whether the nearest known folder at or above ``folder`` is another repository's; None where none is known."""
        own, other = _nearest(folder, self.roots.folders), _nearest(folder, self.folders)
        return other > own if own or other else None

    def is_remote(self, url: str) -> bool:
        """Whether what is pushed to ``url`` is another repository; a fork of this one has its name."""
        found = from_remote(url)
        if found is None or self.project is None:
            return False
        return found.rpartition("/")[2] != self.project.rpartition("/")[2]


def _nearest(folder: str, known: Iterable[str]) -> int:
    """How long the longest known folder is that ``folder`` lies in."""
    return max((len(root) for root in known if relative(folder, root) is not None), default=0)
