"""Collects what was seen of working folders' repositories, and weighs each kind of evidence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import field
from functools import lru_cache
from pathlib import PurePosixPath

from aicx.folders import FolderClue, folded
from aicx.git.identity import is_short_forge
from aicx.text import plural
from aicx.values import dataclass, regex

Session = tuple[str, str]  # agent, session id

# What one session's evidence weighs. What a configuration says (the remote that git, an agent or a clone named) weighs
# more than what was done, and a page that was only looked at least.
WEIGHTS: Mapping[str, int] = {
    "git": 10,
    "recorded": 10,
    "remote": 10,
    "clone": 10,
    "pull-request": 5,
    "push": 4,
    "fetch": 3,
    "page": 2,
}
CONFIGURED = frozenset({"git", "recorded", "remote", "clone"})
_TRANSFERS = frozenset({"push", "fetch"})
PHRASES: Mapping[str, str] = {
    "git": "git named it as the remote when it was stored",
    "recorded": "the agent recorded it",
    "remote": "git printed it as the remote",
    "clone": "cloned from it",
    "pull-request": "opened a pull request there",
    "push": "pushed to it",
    "fetch": "fetched from it",
    "page": "a forge's client showed its pages",
}
UNDECIDED = "undecided between"  # how a reason begins where evidence contradicts
# More sessions than these add nothing: a habit repeated is no new evidence.
_MAX_SESSIONS = 5
# A claim has to weigh this many times what speaks for another repository.
_OUTWEIGHS = 2

# Worktrees that agents and people keep inside the repository they belong to.
_WORKTREE = regex(r"(?P<root>.+?)/(?:\.worktrees|\.claude/worktrees|\.git/worktrees)/.+")
_HOME = regex(r"/|/(?:Users|home)(?:/[^/]+)?|/root|/tmp|/private/tmp|/var/tmp|/mnt(?:/[^/]+)?|/Volumes(?:/[^/]+)?")
# The same of Windows, in one case, and as its shells and WSL name it.
_WINDOWS_HOME = regex(
    r"(?:[a-z]:|/[a-z]|/(?:mnt|cygdrive)/[a-z])"
    r"(?:/users(?:/[^/]+(?:/(?:desktop|documents|downloads|appdata/local(?:/temp)?))?)?|/te?mp|/windows(?:/temp)?)?"
    r"|//[^/]+(?:/[^/]+)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FolderVerdict:
    """The verdict of the evidence on one folder: the repository that outweighs every other, or why there is none.

    ``kinds`` are those of the repository named, with the number of sessions of each.
    """

    project: str | None
    score: int = 0
    kinds: Mapping[str, int] = field(default_factory=dict)
    against: Mapping[str, int] = field(default_factory=dict)  # other repositories and what speaks for them
    before: tuple[str, ...] = ()  # names of the same repository under which it was seen

    @property
    def reason(self) -> str:
        said = "; ".join(f"{PHRASES[kind]} ({plural(count, 'session')})" for kind, count in self.kinds.items())
        other = ", ".join(f"{project} ({weight})" for project, weight in self.against.items())
        if self.project is None:
            return f"{UNDECIDED} {other}" if other else "no evidence"
        said += "".join(f"; {name} is now {self.project}" for name in self.before)
        return f"{said}, against {other}" if other else said


@dataclass(slots=True)
class Ledger:
    """All evidence by folder, where every worktree inside a repository counts as its root (`root_of`)."""

    said: dict[str, dict[str, dict[str, set[Session]]]] = field(default_factory=dict)
    trees: dict[str, set[str]] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    projects: set[str] = field(default_factory=set)
    sessions: set[Session] = field(default_factory=set)  # that saw anything of a repository

    def add(self, session: Session, seen: FolderClue) -> bool:
        """Takes in one thing; says whether it was news."""
        folder = root_of(seen.folder)
        if seen.kind == "moved":
            old, _, new = seen.said.partition(" ")
            known = self.moved.get(old) == new
            self.moved[old] = new
            return not known
        if seen.kind == "worktree":
            other = root_of(seen.said)
            if other == folder or other in self.trees.get(folder, ()):
                return False
            self.trees.setdefault(folder, set()).add(other)
            self.trees.setdefault(other, set()).add(folder)
            return True
        if seen.kind not in WEIGHTS:
            return False
        self.projects.add(seen.said)
        self.sessions.add(session)
        sessions = self.said.setdefault(folder, {}).setdefault(seen.said, {}).setdefault(seen.kind, set())
        if session in sessions:
            return False
        sessions.add(session)
        return True

    def direct(self, project: str) -> str | None:
        """Names ``project`` without the proxy that earlier versions took for a part of its organisation; None
        where no session saw it without."""
        proxy, _, rest = project.partition(".")
        return rest if is_short_forge(proxy) and rest in self.projects else None

    def verdict(self, folder: str, canonical: Callable[[str], str]) -> FolderVerdict:
        """Weighs the evidence for a repository of ``folder`` itself.

        ``canonical`` gives the present name of a renamed one.
        """
        by_project: dict[str, dict[str, set[Session]]] = {}
        for project, kinds in self.said.get(folder, {}).items():
            merged = by_project.setdefault(canonical(project), {})
            for kind, sessions in kinds.items():
                merged[kind] = merged.get(kind, set()) | sessions
        by_project = _without_forks(by_project)
        scores = {
            project: sum(WEIGHTS[kind] * min(len(sessions), _MAX_SESSIONS) for kind, sessions in kinds.items())
            for project, kinds in by_project.items()
        }
        order = sorted(scores, key=lambda project: (-scores[project], project))
        if not order:
            return FolderVerdict(None)
        best, *others = order
        if others and scores[best] < _OUTWEIGHS * scores[others[0]]:
            return FolderVerdict(None, against={project: scores[project] for project in order})
        counts = {kind: len(by_project[best][kind]) for kind in WEIGHTS if kind in by_project[best]}
        before = tuple(sorted(name for name in self.said[folder] if name != best and canonical(name) == best))
        return FolderVerdict(best, scores[best], counts, {project: scores[project] for project in others}, before)

    def own(
        self, folder: str, session: Session, canonical: Callable[[str], str], kinds: Set[str] = CONFIGURED
    ) -> FolderVerdict:
        """Returns what ``session`` alone saw of ``folder``, where a configuration names one repository."""
        found: dict[str, dict[str, int]] = {}
        for project, by_kind in self.said.get(folder, {}).items():
            for kind, sessions in by_kind.items():
                if kind in kinds and session in sessions:
                    found.setdefault(canonical(project), {})[kind] = 1
        if len(found) != 1:
            return FolderVerdict(None)
        [(project, counts)] = found.items()
        return FolderVerdict(project, max(map(WEIGHTS.__getitem__, counts)), counts)


@lru_cache(4096)  # a few folders, asked of for every message
def root_of(folder: str) -> str:
    """The repository's own folder of a worktree that was put inside it; else ``folder``; a path of Windows `folded`."""
    folder = folded(folder)
    match = _WORKTREE.fullmatch(folder)
    return match["root"] if match and not is_shared(match["root"]) else folder


def is_shared(folder: str) -> bool:
    """Whether ``folder`` is one that people keep everything in (a home folder, a drive, /tmp), so that what is true of
    it is not true of the folders in it."""
    return _HOME.fullmatch(folder) is not None or _WINDOWS_HOME.fullmatch(folder) is not None


def chain(folder: str, stop: Callable[[str], bool]) -> Iterable[str]:
    """``folder`` and the folders above it, up to where ``stop`` says that one owns nothing below it."""
    yield folder
    for parent in map(str, PurePosixPath(folder).parents):
        if stop(parent):
            return
        yield parent


def _without_forks(by_project: dict[str, dict[str, set[Session]]]) -> dict[str, dict[str, set[Session]]]:
    """Without repositories that were only pushed to and fetched from, where pull requests went to one of the same name:
    a fork serves the repository that it is a fork of."""
    origins = {project.rpartition("/")[2] for project, kinds in by_project.items() if "pull-request" in kinds}
    return {
        project: kinds
        for project, kinds in by_project.items()
        if not (kinds.keys() <= _TRANSFERS and project.rpartition("/")[2] in origins)
    }
