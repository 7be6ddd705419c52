"""Decides which repository a working folder belongs to, from all evidence together and never from its name alone.

In this order: what a person decided; the remote that git named when the session was stored, then the one it names now;
the remote that the session itself recorded; what outweighs everything else that was seen of the folder; its worktrees;
the folders above it; and a history in common with a folder that is known.

The decisions of people are a small file of the home that no rebuild touches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from pathlib import Path, PurePosixPath
from typing import Any

import orjson

from aicx.corpus.places.evidence import FolderVerdict, Ledger, Session, chain, is_shared, root_of
from aicx.corpus.places.identity import RepositoryIdentity, from_git
from aicx.errors import CorpusDamaged, UsageError
from aicx.folders import FolderClue, folded, is_absolute, other_names
from aicx.paths import safe_project
from aicx.storage import replace_file
from aicx.values import dataclass, regex

SCHEMA = "aicx.projects-file/1"
_PROJECT = regex(r"[^/\s]+/[^/\s]+")


@dataclass(frozen=True, slots=True)
class FolderDecisions:
    """Folder -> repository, folders that belong to none, and old name -> new name of repositories."""

    assigned: Mapping[str, str] = field(default_factory=dict)
    ignored: frozenset[str] = frozenset()
    renamed: Mapping[str, str] = field(default_factory=dict)

    def assign(self, folder: str, project: str) -> FolderDecisions:
        return replace(self, assigned={**self.assigned, folder: project}, ignored=self.ignored - {folder})

    def ignore(self, folder: str) -> FolderDecisions:
        return replace(self.reset(folder), ignored=self.ignored | {folder})

    def reset(self, folder: str) -> FolderDecisions:
        """Nothing is decided about ``folder`` any more."""
        kept = {place: project for place, project in self.assigned.items() if place != folder}
        return replace(self, assigned=kept, ignored=self.ignored - {folder})

    def rename(self, old: str, new: str) -> FolderDecisions:
        """``old`` is ``new`` from now on; a rename that led the other way is undone."""
        if old == new:
            raise UsageError(f"{old} already has that name", hint="name another repository")
        kept = {before: after for before, after in self.renamed.items() if before != new}
        return replace(self, renamed={**kept, old: new})


def load_decisions(path: Path) -> FolderDecisions:
    """The decisions in the file; none where there is no file. Raises CorpusDamaged where it cannot be understood."""
    try:
        body = path.read_bytes()
    except FileNotFoundError:
        return FolderDecisions()
    hint = f"mend it or move it away: {path}"
    try:
        fields: Any = orjson.loads(body)
        assigned = {_folder(folder): parse_project(project) for folder, project in fields["assigned"].items()}
        renamed = {parse_project(old): parse_project(new) for old, new in fields["renamed"].items()}
        return FolderDecisions(assigned, frozenset(map(_folder, fields["ignored"])), renamed)
    except (orjson.JSONDecodeError, LookupError, TypeError, AttributeError, UsageError) as error:
        raise CorpusDamaged(f"{path} cannot be understood: {error}", hint=hint) from error


def save_decisions(path: Path, decisions: FolderDecisions) -> None:
    """Writes the file whole or not at all."""
    fields = {
        "schema": SCHEMA,
        "assigned": dict(sorted(decisions.assigned.items())),
        "ignored": sorted(decisions.ignored),
        "renamed": dict(sorted(decisions.renamed.items())),
    }
    replace_file(path, orjson.dumps(fields, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def parse_project(text: str) -> str:
    """``owner/repo`` as a repository may be called. Raises UsageError for what cannot name one."""
    organisation, _, repository = text.strip().partition("/")
    project = safe_project(organisation, repository) if _PROJECT.fullmatch(text.strip()) else None
    if project is None:
        raise UsageError(f"{text!r} is not OWNER/REPO", hint="for example: aicx projects assign . octo/website")
    return project


def _folder(text: str) -> str:
    if not is_absolute(text):
        raise UsageError(f"{text!r} is not an absolute folder")
    return text


# A folder with checkouts of this many other repositories below it is a place to keep them, not one of them.
_CONTAINER = 2
_GIT = frozenset({"git"})


class Places:
    """Resolves working folders from a ledger of evidence, and from decisions by hand."""

    def __init__(self, user_home: Path, ledger: Ledger, decisions: FolderDecisions) -> None:
        self._above = frozenset(map(str, (user_home, *user_home.parents)))
        self.ledger = ledger
        self._decisions = decisions
        self._decided = {folded(folder): folder for folder in (*decisions.assigned, *decisions.ignored)}
        self._siblings: Mapping[str, RepositoryIdentity] = {}
        self._live: dict[str, RepositoryIdentity | None] = {}
        self._verdicts: dict[str, FolderVerdict] = {}
        self._cache: dict[tuple[str, Session | None], RepositoryIdentity | None] = {}

    def observe(self, session: Session, seen: Iterable[FolderClue]) -> None:
        """Takes in what a session saw, for every decision from here on."""
        news = [self.ledger.add(session, one) for one in seen]
        if any(news):
            self._forget_decisions()

    def learn_siblings(self, siblings: Mapping[str, RepositoryIdentity]) -> None:
        self._siblings = siblings
        self._forget_decisions()

    def resolve(self, cwd: str | None, session: Session | None = None) -> RepositoryIdentity | None:
        """The repository of ``cwd``; of ``session``, which may know better than the others what its folder was."""
        if not cwd:
            return None
        # Most sessions say nothing of repositories, and then know no better than all others.
        knowing = session if session in self.ledger.sessions else None
        key = (cwd, knowing)
        if key not in self._cache:
            found = self._decide(cwd, knowing)
            project = found and self.canonical(found.project)
            if found and project and project != found.project:
                found = RepositoryIdentity(project, found.source, f"{found.reason}; {found.project} is now {project}")
            self._cache[key] = found
        return self._cache[key]

    def why_not(self, cwd: str) -> str:
        """Why ``cwd`` belongs to no repository, in a few plain words."""
        if self._by_hand(cwd) is not None:
            return "ignored by hand"
        for folder in chain(root_of(cwd), self._owns_nothing_below):
            if (verdict := self._verdict(folder)).against:
                return verdict.reason
        return "no evidence"

    def is_ignored(self, cwd: str) -> bool:
        """Whether a person decided that ``cwd`` belongs to no repository."""
        decided = self._by_hand(cwd)
        return decided is not None and not decided.project

    def canonical(self, project: str) -> str:
        """The present name of a repository that was renamed or merged, or that was named with a proxy."""
        met = {project}
        while (new := self._next_name(project)) and new not in met:
            project = new
            met.add(project)
        return project

    def _next_name(self, project: str) -> str | None:
        if by_hand := self._decisions.renamed.get(project):
            return by_hand
        found = self.ledger.moved.get(project) or self.ledger.direct(project)
        return found if found is None or self._decisions.renamed.get(found) != project else None

    def known(self, folders: Iterable[str]) -> dict[str, str]:
        """Root -> repository, for those of the folders that are known without a look at their history."""
        found = ((root_of(folder), self.resolve(folder)) for folder in folders)
        return {root: identity.project for root, identity in found if identity is not None}

    def chain(self, cwd: str) -> Iterable[str]:
        """The repository's own folder of ``cwd``, as far as its name says, and those above that own what is below."""
        return chain(root_of(cwd), self._owns_nothing_below)

    def _decide(self, cwd: str, session: Session | None) -> RepositoryIdentity | None:
        if (decided := self._by_hand(cwd)) is not None:
            return decided if decided.project else None
        root = root_of(cwd)
        # What git said of this session's folder when it was stored stays true when the folder is used for another one.
        stored = self.ledger.own(root, session, self.canonical, _GIT) if session else FolderVerdict(None)
        if stored.project is not None:
            return RepositoryIdentity(stored.project, "git-remote", stored.reason)
        live = self._from_git(cwd) or (self._from_git(root) if root != cwd else None)
        if live is not None and live.source == "git-remote":
            return live
        for folder in chain(root, self._owns_nothing_below):
            own = self.ledger.own(folder, session, self.canonical) if session else FolderVerdict(None)
            verdict = own if own.project else self._verdict(folder)
            if verdict.project is None and not verdict.against:
                trees = map(self._verdict, (*sorted(self.ledger.trees.get(folder, ())), *other_names(folder)))
                verdict = next((known for known in trees if known.project), verdict)
            if verdict.project is not None:
                if folder != root and self._is_container(folder, verdict.project):
                    break
                where = "" if folder == root else f"{folder}: "
                source = "log-remote" if verdict is own else "learned"
                return RepositoryIdentity(verdict.project, source, f"{where}{verdict.reason}")
            if verdict.against:
                return live
            if folder == root and live is not None:
                return live
        for folder in chain(root, self._owns_nothing_below):
            if folder in self._siblings:
                return self._siblings[folder]
        return live

    def _by_hand(self, cwd: str) -> RepositoryIdentity | None:
        """Returns the decision for the nearest folder; one without a project where it is ignored."""
        if not (self._decisions.ignored or self._decisions.assigned):
            return None
        for place in (folded(cwd), root_of(cwd)):
            for folder in (place, *map(str, PurePosixPath(place).parents)):
                if (named := self._decided.get(folder)) is None:
                    continue
                if named in self._decisions.ignored:
                    return RepositoryIdentity("", "ignored", f"{named} is ignored by hand")
                return RepositoryIdentity(self._decisions.assigned[named], "assigned", f"{named} was assigned by hand")
        return None

    def _verdict(self, folder: str) -> FolderVerdict:
        if folder not in self._verdicts:
            self._verdicts[folder] = self.ledger.verdict(folder, self.canonical)
        return self._verdicts[folder]

    def _is_container(self, folder: str, project: str) -> bool:
        inside = (place for place in self.ledger.said if place.startswith(f"{folder}/"))
        others = {self._verdict(place).project for place in inside} - {project, None}
        return len(others) >= _CONTAINER

    def _from_git(self, folder: str) -> RepositoryIdentity | None:
        if folder not in self._live:
            self._live[folder] = from_git(folder, self._owns_nothing_below)
        return self._live[folder]

    def _owns_nothing_below(self, folder: str) -> bool:
        return folder in self._above or is_shared(folder)

    def _forget_decisions(self) -> None:
        self._cache.clear()
        self._verdicts.clear()
