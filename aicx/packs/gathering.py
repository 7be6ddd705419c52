"""The material of both packs: the place, its sessions within the scope, its commits, its memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.places.stored import chunks_of
from aicx.errors import AicxError, CorpusDamaged, MalformedPolicy, NotFound
from aicx.fields import taken_from
from aicx.git.history import HistoryCommit, list_hashes, read_changes
from aicx.git.state import Git
from aicx.memory.answers import MemoryEntry
from aicx.packs.answers import PackCommit, PackFilters, PackPlace, PackScope
from aicx.packs.query import Applied, PackQuery
from aicx.text import instant, plural, printable
from aicx.values import dataclass
from aicx.work.facts_index import facts_so_far, session_facts
from aicx.work.place import TIMEOUT, Present, WorkPlace, find_place, project_of
from aicx.work.record import WorkRecord, clean
from aicx.work.session_facts import SessionFacts

# Seconds that git may cost a pack: a question, and all of them; and the same in a hook.
_GIT, _GIT_IN_HOOK = (TIMEOUT, 6.0), (0.3, 0.5)


@dataclass(frozen=True, slots=True)
class Gathered:
    """A place and its sessions, the last ended first, all of them; `within` gives those of a scope and time."""

    query: PackQuery
    place: WorkPlace
    project: str | None
    facts: Sequence[SessionFacts]
    remarks: tuple[str, ...] = ()

    def within(self, applied: Applied) -> list[SessionFacts]:
        """The sessions that a pack may quote: those of the time asked for, of this working folder or of all."""
        held = [facts for facts in self.facts if self.query.period.holds(facts.started_at, facts.ended_at)]
        if applied == "family":
            return held
        return [facts for facts in held if facts.folder and Path(facts.folder).is_relative_to(self.place.root)]

    def is_here(self, record: WorkRecord) -> bool:
        """Whether a task was last begun in this working folder."""
        return record.worktree_id == self.place.worktree_id

    def place_of(self, present: Present) -> PackPlace:
        return taken_from(
            present.context,
            PackPlace,
            root=printable(str(self.place.root)),
            repo_id=self.place.repo_id,
            worktree_id=self.place.worktree_id,
            project=self.project,
        )

    @property
    def filters(self) -> PackFilters:
        period = self.query.period
        return PackFilters(self.query.focus or None, period.first, period.last)


def gather(settings: Settings, query: PackQuery) -> Gathered:
    """The place of a query with its sessions. Raises NotFound and UsageError for a folder that is none."""
    place = find_place(settings, query.folder)
    remarks: list[str] = []
    facts: list[SessionFacts] = []
    try:
        with open_catalog(settings.layout) as opened:
            remarks += [*opened.notes, *([opened.fallback_reason] if opened.fallback_reason else [])]
            where, values, more = _newest(opened.catalog, query, *chunks_of(opened.catalog, settings, place.root))
            remarks += [f"not looked at: {plural(more, 'earlier session')}"] if more else []
            if query.known_only:
                facts, unread = facts_so_far(settings.layout, opened.catalog, where, values)
                remarks += [f"not read yet: {plural(unread, 'session')}"] if unread else []
            else:
                facts = session_facts(settings.layout, opened.catalog, where, values, query.progress)
    except NotFound:
        remarks.append("no session is stored yet")
    except CorpusDamaged as error:
        remarks.append(f"no session was looked at: {error.message}")
    return Gathered(query, place, project_of(settings, place), facts, tuple(remarks))


def _newest(catalog: Catalog, query: PackQuery, where: str, values: list[str]) -> tuple[str, list[str], int]:
    """The condition narrowed to the sessions active last, in the time asked for; and how many it leaves out.

    So a pack takes no more time and memory in a repository of ten thousand sessions.
    """
    begin, end = query.period.begin, query.period.end
    rows = catalog.rows(
        f"SELECT session_id FROM chunks WHERE ignored=0 AND stream='' AND ({where}) GROUP BY agent, session_id"
        " HAVING max(completed_at)>=? AND min(started_at)<? ORDER BY max(completed_at) DESC, session_id",
        [*values, instant(begin) if begin else "", instant(end) if end else "~"],
    )
    most = query.limits.looked_at
    ids = list(dict.fromkeys(row["session_id"] for row in rows[:most]))
    narrowed = f"({where}) AND session_id IN ({','.join('?' * len(ids))})"
    return narrowed, [*values, *ids], max(0, len(rows) - most)


def scope_of(query: PackQuery, here: bool, what: str) -> PackScope:
    """The scope that applies. ``here`` says whether this working folder has any of ``what``."""
    if query.scope != "auto":
        return PackScope(query.scope, query.scope, "")
    if here:
        return PackScope("auto", "workspace", f"this working folder has {what} of its own")
    return PackScope("auto", "family", f"this working folder has no {what} of its own")


def applied_of(scope: PackScope) -> Applied:
    return "workspace" if scope.applied == "workspace" else "family"


def goal_of(facts: SessionFacts) -> str | None:
    """Returns what a session was asked for, else its title."""
    return facts.wanted.text if facts.wanted else facts.title


def git_of(gathered: Gathered) -> Git:
    return Git(gathered.place.root, *(_GIT_IN_HOOK if gathered.query.known_only else _GIT))


def recent_commits(git: Git, query: PackQuery, limit: int) -> list[PackCommit]:
    """The last commits of the head, those of the time asked for."""
    return list(map(commit_of, read_changes(git, list_hashes(git, limit, *time_of(query), "HEAD"))))


def commits_by_file(git: Git, query: PackQuery, paths: Sequence[str], each: int) -> dict[str, list[PackCommit]]:
    """The last ``each`` commits of the head that changed each of these files, as far as a look at some goes."""
    if not paths or not each:
        return {}
    hashes = list_hashes(git, 10 * each * len(paths), *time_of(query), "HEAD", paths=[f":(literal){p}" for p in paths])
    found: dict[str, list[PackCommit]] = {}
    for change in read_changes(git, hashes):
        for path in set(change.files).intersection(paths):
            known = found.setdefault(path, [])
            if len(known) < each:
                known.append(commit_of(change))
    return found


def time_of(query: PackQuery) -> list[str]:
    """The time asked for, as `git log` takes it."""
    begin, end = query.period.begin, query.period.end
    found = [f"--since=@{int(begin.timestamp())}"] if begin is not None else []
    return found + ([f"--until=@{int(end.timestamp()) - 1}"] if end is not None else [])


def commit_of(change: HistoryCommit) -> PackCommit:
    return PackCommit(change.hash, instant(change.committed_at, "seconds"), clean(change.subject))


def memory_of(settings: Settings, query: PackQuery, about: str, limit: int) -> tuple[list[MemoryEntry], list[str]]:
    """Recalls the memory's statements on a task or a question, each with its labels, and remarks.

    Raises MalformedPolicy: what shows memory shows nothing then.
    """
    from aicx.memory.briefing import brief  # imported here: hooks do without
    from aicx.memory.reading import find_scope

    try:
        found = brief(settings, find_scope(settings, query.folder), about, query.now, limit)
    except MalformedPolicy:
        raise
    except AicxError as error:
        return [], [f"the memory was not asked: {error.message}"]
    # How well an entry matched is of no use later, and is a number that a model's rounding may change.
    entries = [replace(entry, score=None) for entry in [*found.agreed, *found.guidance][:limit]]
    return entries, [f"the memory was asked without {one.lane}: {one.note}" for one in found.degraded]


def terms_of(texts: Iterable[str | None]) -> frozenset[str]:
    """The words that texts are found by."""
    from retrieval.analysis import analyze

    found = analyze(" ".join(filter(None, texts)), "")
    return frozenset([*found.words, *found.names])


def stems_of(text: str) -> list[str]:
    """The words of a text in their order, without their endings and without those that say nothing."""
    from retrieval.analysis import analyze

    return analyze(text, "").words
