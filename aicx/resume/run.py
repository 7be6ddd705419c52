"""Combines git, the corpus, search and the repository map into one report for a new session."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from aicx.config import Settings
from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.place_names import the_project
from aicx.corpus.catalog.query import Opened, open_catalog
from aicx.corpus.catalog.session_names import id_in
from aicx.errors import CorpusDamaged, MalformedPolicy, NotFound, StoreLocked, StoreUnwritable, plainly
from aicx.evidence.commits import OtherRepositories
from aicx.evidence.sessions import MAX_SESSIONS as LISTED_SESSIONS
from aicx.evidence.sessions import (
    SessionRow,
    count_sessions,
    list_sessions,
    load_sessions,
    other_folders,
    related_projects,
    short_ids,
)
from aicx.evidence.statements import weigh
from aicx.git.branches import Landed
from aicx.git.roots import inside
from aicx.git.state import Git, GitProbe
from aicx.managed.ours import is_ours_alone, may_be_ours
from aicx.paths import NON_REPOSITORY
from aicx.refs import Ref
from aicx.resume.contract import History, contract_of
from aicx.resume.place import Place, locate, require_folder
from aicx.resume.query import ResumeQuery
from aicx.resume.select.files import MAX_SESSIONS, entry_files
from aicx.resume.select.ranking import MAIN_NAMES, Ask, Mentions, Scored, files_of, rank_sessions
from aicx.resume.select.reader import SessionReader
from aicx.resume.select.recall import Passage, TermWeights, choose, coverages, is_near, shares
from aicx.resume.select.report import BriefedSession, Considered, EntryFile, Reason, Recalled, ResumeReport, Structure
from aicx.resume.session_choice import SessionChoice
from aicx.resume.structure import read_structure
from aicx.sources.reopen import MEMORIES
from aicx.work.gone_on import Choice, GoneOn, left_open

if TYPE_CHECKING:
    from datetime import datetime

    from aicx.memory.briefing import Briefing
    from aicx.share.sessions import SharedSession
    from aicx.work.gone_on import LeftOpen, Settled
    from aicx.work.loading import Loaded
    from aicx.work.place import WorkPlace
    from aicx.work.record import WorkRecord
    from aicx.work.results import Result
    from aicx.work.state import OpenTasks
    from aicx.work.strategy import Strategy

Part = TypeVar("Part")
_OF_TIE = {"task": Reason.MATCHES_TASK, "files": Reason.SHARES_FILES, "branch": Reason.SAME_BRANCH}
_MAX_TASKS = 200  # of those that are open, the last written


def resume(settings: Settings, query: ResumeQuery, look: GitProbe | None = None) -> ResumeReport:
    """Everything a new session may need, best first; nothing is written, neither here nor in the repository.

    ``look`` is one at the query's folder that was begun earlier. A corpus with nothing in it gives a report with what
    git and the map say. Raises UsageError for a folder that is not there or may not be read, and for a name of several
    projects, NotFound for one of none.
    """
    with ExitStack() as stack:
        if look is not None:
            stack.enter_context(look)
        if query.folder is not None:
            require_folder(query.folder)
            look = look or stack.enter_context(GitProbe(Git(query.folder.absolute())))
        return _resume(settings, query, look)


def _resume(settings: Settings, query: ResumeQuery, look: GitProbe | None) -> ResumeReport:
    empty: str | None
    with ExitStack() as stack:
        try:
            opened = stack.enter_context(open_catalog(settings.layout))
        except NotFound as error:
            opened = Opened(stack.enter_context(closing(Catalog.in_memory())), None, [])
            empty = f"{error.message} (next: {error.hint})"
        else:
            is_empty = not opened.catalog.rows("SELECT 1 FROM chunks WHERE ignored=0 LIMIT 1")
            empty = f"nothing is stored in {settings.layout.home} yet (next: aicx store)" if is_empty else None
        if query.project is not None:
            query = replace(query, project=the_project(query.project, opened.catalog))
        query = replace(query, exclude_session=tuple(map(id_in, query.exclude_session)))
        query = replace(query, also=tuple(the_project(name, opened.catalog) for name in query.also))
        place = locate(settings, query, opened.catalog, look)
        notes = [empty, opened.fallback_reason, *opened.notes]
        run = _Resume(settings, query, opened.catalog, place, [note for note in notes if note])
        report = run.report()
        return replace(report, empty="; ".join([empty, *run.failed]) if empty else None)


def gone_on(settings: Settings, folder: Path, now: datetime, look: GitProbe) -> Choice:
    """What `resume` without a task goes on from in ``folder``, and nothing else: for `next`, open tasks and packs.

    Raises NotFound where nothing is stored, CorpusDamaged.
    """
    with open_catalog(settings.layout) as opened:
        query = ResumeQuery(now=now, folder=folder, outside=False)
        place = locate(settings, query, opened.catalog, look)
        found = _Resume(settings, query, opened.catalog, place, [])
        return found.gone_on(), [note for note in (opened.fallback_reason, *opened.notes, *found.unread) if note]


def gone_on_from(resumed: BriefedSession | None, unmerged: Iterable[BriefedSession]) -> tuple[GoneOn, ...]:
    """The session that the work goes on from, after those that are left out as not merged here, with their briefs."""
    found = [*unmerged, *([resumed] if resumed else [])]
    return tuple(GoneOn(one.facts, one.brief, one.standing) for one in found if one.brief is not None)


def _elsewhere(catalog: Catalog, place: Place) -> OtherRepositories:
    return OtherRepositories(place.scope.project, place.roots, tuple(other_folders(catalog, place.scope)))


class _Work(NamedTuple):
    """What is recorded of the work in a place, as `ResumeReport` has it."""

    tasks: OpenTasks | None = None
    previous: Result | None = None
    left: Loaded | None = None
    left_before: Loaded | None = None
    ran: tuple[WorkRecord, ...] = ()


class _Resume:
    """One run, step by step; what later steps need is kept here."""

    def __init__(
        self, settings: Settings, query: ResumeQuery, catalog: Catalog, place: Place, notes: list[str]
    ) -> None:
        self._settings = settings
        self._query = query
        self._catalog = catalog
        self._place = place
        self._reader = SessionReader(settings.layout, catalog, query.now, _elsewhere(catalog, place))
        # "make a pr for this" is about no topic: it goes on where work stopped, as no task does.
        self._topic = query.task if weigh(query.task).level > 1 else ""
        self._rarity = TermWeights((), ())  # of the task's words, once it was searched for
        self._warnings = notes
        self.failed: list[str] = []  # the parts that have to be gone without, and why
        self._unavailable: list[str] = []
        self._search: Mapping[str, Any] = {}
        self._considered: list[Considered] = []

    def report(self) -> ResumeReport:
        query, place = self._query, self._place
        self._ask_team()
        sessions = self._sessions()
        latest = sessions[0] if sessions else None
        # Git is at work while the corpus is searched.
        ask_commits = place.look.git.begin_commits(latest.completed_at) if place.look and latest else None
        landed = self._landed()
        passages: list[Passage] = self._try("the search", lambda: self._passages(sessions), [])
        commits, commit_count = ask_commits() if ask_commits else ([], 0)
        self._warnings += place.state.notes
        self._considered += (
            Considered(str(Ref("commit", commit.hash)), "commit", None, (Reason.SINCE_LAST_SESSION,))
            for commit in commits
        )
        own = [passage for passage in passages if passage.relation is None]
        if not any(map(is_near, own)):
            own = []  # no session is chosen for a word that stands everywhere
        ask, mentions, ranked, choice = self._choice(sessions, own, landed)
        resumed = choice.resumed()
        others = choice.others(resumed)
        self._warnings += choice.warnings
        self._considered += choice.considered
        limits = query.limits
        chosen, considered = choose(passages, query.now, query.exclude_session, limits.recalled, limits.related)
        self._considered += considered
        history = History(self._settings.layout, self._catalog, place.scope.projects, query.now, query.exclude_session)
        strategies = history.strategies(self._topic, mentions.written)
        files = self._files(ranked, chosen, ask, mentions, strategies)
        structure = self._try("the map", lambda: self._structure([file.path for file in files]), Structure())
        known = {item.ref for item in self._considered}
        changes = [str(Ref("file", path)) for path in place.state.changed]
        self._considered += (
            Considered(ref, "file", None, (Reason.CHANGED_NOW,)) for ref in changes if ref not in known
        )
        recalled = self._quoted(chosen)
        memory = self._try("the memory", self._memory, None)
        guess = resumed is None or resumed.confidence == "low"
        gone_on = None if resumed is None or (self._topic and guess) else resumed.facts
        work = self._try("open tasks", lambda: self._work(gone_on), _Work())
        still_open = self._try("what is open", lambda: self._left_open(resumed, work.left), None)
        team = self._of_team()
        if self._topic and ranked and not recalled and guess:
            nearest = f"; the nearest session is {resumed.facts.ref}" if resumed else ""
            self._warnings.append(f"nothing in the history clearly fits this task{nearest}")
        ids = [item.session_id for item in chosen] + ([resumed.facts.session_id] if resumed else [])
        altered = tuple(sorted(self._reader.altered | {item.chunk for item in passages if item.altered}))
        report = ResumeReport(
            task=query.task,
            now=query.now,
            agent=query.agent,
            project=place.scope.project,
            folder=place.folder,
            git=replace(place.state, branch=query.branch) if query.branch else place.state,
            commits=tuple(commits),
            commit_count=commit_count,
            resumed=resumed,
            others=tuple(others),
            session_count=len(ranked),
            session_number=self._session_number(len(ranked)),
            recalled=recalled,
            files=tuple(files),
            structure=structure,
            warnings=tuple(dict.fromkeys([*_of_altered(altered), *self._warnings, *self._reader.notes])),
            considered=tuple(self._considered),
            search=self._search,
            unavailable=tuple(self._unavailable),
            altered=altered,
            memory=memory,
            tasks=work.tasks,
            team=team,
            left=work.left,
            left_before=work.left_before,
            still_open=still_open,
            ran=work.ran,
            previous=work.previous,
            unmerged=tuple(choice.unmerged),
            known_fixes=history.known_fixes(resumed),
            strategies=strategies,
            short=short_ids(self._catalog, ids),
        )
        command = self._settings.arbiter_for(query.agent)
        if command and query.outside:
            # Imported here: few have one.
            from aicx.resume.arbiter import arbitrate

            report = arbitrate(command, report)
        ran = resumed.brief.tests if resumed and resumed.brief else ()
        passed = dict.fromkeys(ran, (resumed.facts.ref,)) if resumed and ran else history.tests()
        report = replace(report, contract=contract_of(report, passed, self._topic))
        if self._settings.summarizer and query.outside:
            from aicx.resume.summary import sum_up

            report = sum_up(self._settings.summarizer, report)
        return report

    def _try(self, name: str, work: Callable[[], Part], otherwise: Part) -> Part:
        """A part of the report; ``otherwise`` where it cannot be read, which is then named."""
        try:
            return work()
        except (StoreLocked, StoreUnwritable, CorpusDamaged, MalformedPolicy, OSError, sqlite3.Error) as error:
            self.failed.append(f"without {name}: {plainly(error)}")
            self._warnings.append(self.failed[-1])
            return otherwise

    @property
    def unread(self) -> list[str]:
        return self._reader.notes

    def gone_on(self) -> tuple[GoneOn, ...]:
        """The session that the work goes on from without a task, and those that are left out as not merged here."""
        sessions = self._sessions()
        choice = self._choice(sessions, [], self._landed())[-1]
        return gone_on_from(choice.resumed(), choice.unmerged)

    def _landed(self) -> Landed | None:
        return Landed(self._place.look.git) if self._place.look else None

    def _choice(
        self, sessions: list[SessionRow], own: Sequence[Passage], landed: Landed | None
    ) -> tuple[Ask, Mentions, list[Scored], SessionChoice]:
        """What is asked of the sessions, and the choice among them; ``own`` are passages for the task."""
        query, place = self._query, self._place
        latest = sessions[0] if sessions else None
        changed = tuple(path for path in place.state.changed if not path.endswith("/"))
        ask = Ask(self._topic, query.now, query.branch or place.state.branch, place.folder, changed)
        covered = coverages(own) if self._rarity.is_discriminative else {}
        sessions += self._recalled_sessions(own, sessions)
        mentions = Mentions.of(ask, (path for session in sessions for path in files_of(session, place.roots)))
        ranked = rank_sessions(sessions, ask, shares(own), mentions, place.roots)
        choice = SessionChoice(query, place, self._reader, ask, mentions, covered, ranked, latest, landed)
        return ask, mentions, ranked, choice

    # Sessions -------------------------------------------------------------------------------------------------------

    def _sessions(self) -> list[SessionRow]:
        kept = []
        for session in list_sessions(self._catalog, self._place.scope, self._query.now, self._query.since):
            left_out = self._against(session)
            if left_out is None:
                kept.append(session)
            else:
                self._considered.append(Considered(session.ref, "session", None, (), left_out))
        return kept

    def _against(self, session: SessionRow) -> Reason | None:
        if session.session_id.startswith(self._query.exclude_session):
            return Reason.EXCLUDED_BY_USER
        if session.session_id.startswith(MEMORIES):
            return Reason.SAYS_NOTHING
        return Reason.SUBAGENT if session.lane == "subagent" else None

    def _recalled_sessions(self, own: Sequence[Passage], known: Sequence[SessionRow]) -> list[SessionRow]:
        """Sessions that the search found beyond the newest ones."""
        listed = {(session.agent, session.session_id) for session in known}
        missing = [owner for owner in dict.fromkeys(passage.owner for passage in own) if owner not in listed]
        found = load_sessions(self._catalog, missing, self._query.now)
        return [session for session in found if self._against(session) is None]

    # Recall and files -----------------------------------------------------------------------------------------------

    def _passages(self, sessions: Sequence[SessionRow]) -> list[Passage]:
        """What the search gives for the task: of this repository, and of those that have to do with it."""
        query, scope = self._query, self._place.scope
        if not self._topic:
            return []
        # Imported here: without a task nothing is searched.
        from aicx.resume.search import Asked, recall

        asked = Asked(self._topic, query.now, query.since, query.mode, query.exclude_session, query.decay, query.folder)
        related = related_projects(self._catalog, scope.project) if scope.project else {}
        related = {name: why for name, why in related.items() if name not in scope.also}
        found, notes = recall(self._settings, asked, scope if sessions else None, related)
        self._search = found.status
        self._warnings += found.notes
        self._unavailable += notes
        self._rarity = rarity = self._reader.rarity(self._topic, sessions)
        return [replace(passage, coverage=self._reader.coverage(passage, rarity)) for passage in found.passages]

    def _ask_team(self) -> None:
        """Begins to ask the share, which answers while the corpus is searched."""
        query, place = self._query, self._place
        if query.team is None:
            return
        from aicx.share.rows import shared_name  # imported here, as below: most are part of no share
        from aicx.share.sessions import AboutPlace

        folder = place.folder and shared_name(NON_REPOSITORY, place.folder)
        projects = place.scope.projects or tuple(filter(None, [folder]))
        about = AboutPlace.now(
            projects,
            query.now,
            branch=branch if (branch := query.branch or place.state.branch) not in MAIN_NAMES else None,
            files=[path for path in place.state.changed if not path.endswith("/")],
            text=self._topic,
            but=query.exclude_session,
            limit=query.limits.team,
        )
        query.team.ask(replace(about, since=max(about.since, query.since)) if about.since and query.since else about)

    def _of_team(self) -> tuple[SharedSession, ...]:
        if self._query.team is None:
            return ()
        found, notes = self._query.team.answer()
        self._warnings += notes
        for one in found:
            reasons = (Reason.SHARED_BY_MEMBER, *(_OF_TIE[tie] for tie in one.ties if tie in _OF_TIE))
            self._considered.append(Considered(one.ref, "session", None, reasons, None, {"member": one.member}))
        return found

    def _work(self, session: SessionRow | None) -> _Work:
        """What is recorded here, ``session`` being the one that the work goes on from; none where nothing ever was."""
        settings, query, look, place = self._settings, self._query, self._place.look, self._work_place
        if place is None:
            return _Work()
        # Imported here: most never begin a task.
        from aicx.work.left import left_about, left_here, usable_statements
        from aicx.work.place import looking
        from aicx.work.results import previous_result, ran_since
        from aicx.work.state import open_tasks

        but = query.exclude_session
        found = open_tasks(settings, place, query.now, look, most=_MAX_TASKS)
        with looking(place, query.now, look) as present:
            stated: Iterable[Loaded]
            stated = usable_statements(settings, place, present, lambda: self._settled, query.now, but)
            stated = list(stated) if self._topic else stated  # without a topic one is enough; each may ask git
            left = left_here(stated, session)
            before = left_about(stated, self._topic, left) if self._topic else None
        ran = ran_since(settings, place, session, query.now, but)
        self._warnings += found.notes
        for task in (*found.active, *found.waiting):
            self._considered.append(Considered(task.record.ref, "task", None, (Reason.OPEN_TASK,)))
        for task in found.skipped:
            left_out = Reason.OTHER_BRANCH_UNMERGED
            self._considered.append(Considered(task.record.ref, "task", None, (Reason.OPEN_TASK,), left_out))
        if left is not None:
            self._considered.append(Considered(left.record.ref, "handoff", None, (Reason.STATED_LAST,)))
        if before is not None:
            self._considered.append(Considered(before.record.ref, "handoff", None, (Reason.MATCHES_TASK,)))
        self._considered += (Considered(one.ref, "run", None, (Reason.RAN_SINCE,)) for one in ran)
        return _Work(found, previous_result(settings, place, but, self._catalog), left, before, ran)

    def _left_open(self, resumed: BriefedSession | None, left: Loaded | None) -> LeftOpen | None:
        """What ``resumed`` leaves that is sure to be open, as `next` says it; ``left`` is what was stated."""
        found = next(iter(gone_on_from(resumed, ())), None)
        if found is None:
            return None
        look, state = self._place.look, self._place.state
        # Imported here: most sessions leave nothing that git has to be asked about, or end without a statement.
        from aicx.work.gone_on import git_shows

        if left is not None:
            from aicx.work.left import counts_beside

            if not counts_beside(left, found):
                return None
        shows = partial(git_shows, look.git, state) if look else lambda session, brief: ("", "")
        return left_open(found, self._query.now, shows, self._settled)

    @cached_property
    def _work_place(self) -> WorkPlace | None:
        """The place that tasks are kept of; None where nothing ever was recorded."""
        folder = self._query.folder
        if folder is None or self._place.state.kind == "bare" or not self._settings.layout.work.is_dir():
            return None
        from aicx.work.place import find_place  # imported here: most never begin a task

        return find_place(self._settings, folder)

    @cached_property
    def _settled(self) -> Settled:
        """The tasks that were closed for good here; each costs reading a file."""
        if self._work_place is None:
            return []
        from aicx.work.derived import settled_tasks

        return settled_tasks(self._settings, self._work_place)

    def _session_number(self, known: int) -> int:
        """The number of the session that begins; ``known`` sessions were looked at, the newest ones alone."""
        if known < LISTED_SESSIONS - 1:
            return known + 1
        own = next(iter(self._query.exclude_session), None)
        return count_sessions(self._catalog, self._place.scope, self._query.now, but=own) + 1

    def _memory(self) -> Briefing | None:
        """What the memory has for the task, everything considered listed; nothing where nothing was ever remembered."""
        settings, query = self._settings, self._query
        if not settings.layout.memory.is_dir():
            return None
        # Imported here: most have no memory, and every brief would pay for it.
        from aicx.memory.briefing import brief
        from aicx.memory.reading import Scope, find_scope

        scope = find_scope(settings, query.folder) if query.folder else Scope(self._place.scope.project)
        found = brief(settings, scope, self._topic, query.now, query.limits.memory)
        for entry in (*found.agreed, *found.guidance):
            score = entry.score.final if entry.score else None
            facts = {"status": entry.status, "tier": entry.tier, "usage": entry.usage, "baseline": entry.baseline}
            self._considered.append(Considered(entry.ref, "memory", score, tuple(entry.reasons), None, facts))
        for left in found.excluded:
            why = next(iter(left.reasons), None)
            self._considered.append(
                Considered(left.ref, "memory", None, tuple(left.reasons), why, {"status": left.status})
            )
        self._unavailable += (f"memory by {lane.lane}: {lane.note}" for lane in found.degraded)
        return found

    def _quoted(self, chosen: Sequence[Passage]) -> tuple[Recalled, ...]:
        """The passages in their own words; without those in which nobody said anything that stands by itself."""
        found = []
        for item in chosen:
            if lines := self._reader.quote(item, self._rarity):
                found.append(
                    Recalled(item.chunk, item.facts, item.started_at, lines, item.score, item.tier, item.relation)
                )
                continue
            ref = str(Ref("chunk", item.chunk))
            places = [number for number, considered in enumerate(self._considered) if considered.ref == ref]
            for number in places:
                self._considered[number] = self._considered[number]._replace(left_out=Reason.SAYS_NOTHING)
        return tuple(found)

    def _files(
        self,
        ranked: Sequence[Scored],
        chosen: Sequence[Passage],
        ask: Ask,
        mentions: Mentions,
        strategies: Sequence[Strategy],
    ) -> list[EntryFile]:
        root = Path(self._place.state.root) if self._place.state.root else None
        roots = self._place.roots
        recalled = [
            (passage.score, [path for name in passage.files if (path := roots.relative(name, passage.cwd))])
            for passage in chosen
            if passage.relation is None
        ]
        edits = {item.session.ref: self._reader.edits(item.session) for item in ranked[:MAX_SESSIONS]}
        is_there = (lambda path: inside(root, path)) if root else None
        is_ours = (lambda path: may_be_ours(path) and is_ours_alone(root, path)) if root else (lambda path: False)
        files, considered = entry_files(
            ranked,
            edits,
            recalled,
            [(one.score, one.edited) for one in strategies],
            ask,
            mentions,
            roots,
            self._query.limits.files,
            is_there,
            is_ours,
        )
        self._considered += considered
        return files

    def _structure(self, boost: Sequence[str]) -> Structure:
        structure, notes = read_structure(
            self._settings.layout, self._place.state, self._query.task, self._query.limits.symbols, boost
        )
        self._unavailable += notes
        self._considered += (
            Considered(str(Ref.of_symbol(symbol.path, symbol.line)), "symbol", symbol.score, (Reason.IN_MAP,))
            for symbol in structure.symbols
        )
        return structure


def _of_altered(chunks: Sequence[str]) -> list[str]:
    """What is said of altered chunks, first of all warnings: nothing if there are none."""
    if not chunks:
        return []
    count = "1 chunk was" if len(chunks) == 1 else f"{len(chunks)} chunks were"
    return [f"{count} altered on disk since being stored, and nothing of that is quoted (next: aicx doctor --fix)"]
