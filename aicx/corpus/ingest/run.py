"""Reads every log that changed and brings the corpus up to date with it: the whole write path, session by session."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.chunks import prompts_of, put_duplicate, session_of_most
from aicx.corpus.catalog.names import match_projects
from aicx.corpus.catalog.query import ignore_matcher
from aicx.corpus.catalog.rebuild import index_chunks, with_catalog
from aicx.corpus.catalog.watermarks import note_reading, problems_of, record_source, was_read_as_now
from aicx.corpus.files.read import walk_chunks
from aicx.corpus.files.tombstones import read_tombstones
from aicx.corpus.ingest.dedup import StoredCopy, covered_by_log, reference, separate_copies
from aicx.corpus.ingest.drafts import MessageDraft
from aicx.corpus.ingest.filing import forgotten_since, settle
from aicx.corpus.ingest.going_on import Growing, account, account_moves, silent_logs
from aicx.corpus.ingest.growth import SessionRead
from aicx.corpus.ingest.leaf_titles import LateTitles
from aicx.corpus.ingest.observing import gather_traces
from aicx.corpus.ingest.publishing import Publisher, drop_empty_folders, remove_unfinished
from aicx.corpus.ingest.reading import LogReading, SessionLogs, make_plan, read_growing, read_logs, read_sessions
from aicx.corpus.ingest.reconcile import Reconciler
from aicx.corpus.ingest.report import StoreReport, StoreRequest
from aicx.corpus.ingest.segments import run_of_caller
from aicx.corpus.ingest.session_chunks import NotAlike, SessionScope, SessionState
from aicx.corpus.places.evidence import Ledger
from aicx.corpus.places.places import Places, load_decisions
from aicx.corpus.places.siblings import FolderHistory
from aicx.corpus.places.stored import find_histories, is_filed, open_places, withdraw_filed
from aicx.paths import Layout
from aicx.redaction import redactor
from aicx.sources import every_agent
from aicx.sources.items import BadRecord, LogFile, LogIdentity, clean_id
from aicx.sources.unread import count_unread
from aicx.storage.lock import writer_lock
from aicx.text import instant

_HISTORY = "history"


def store(
    settings: Settings,
    request: StoreRequest,
    on_progress: Callable[[int, int, str], None],
    notify: Callable[[str], None],
    on_publish: Callable[[], None] = lambda: None,
) -> StoreReport:
    """Brings the corpus up to date with the agents' logs.

    Raises StoreLocked when another writer does not finish, StoreUnwritable when the disk refuses; never for what a log
    holds. ``on_progress`` gets how many bytes of logs are done, of how many (0 where not known yet), and what it is at;
    ``notify`` what is worth a line. ``on_publish`` is called when a part of a long run is visible and recorded.
    """
    if request.dry_run:
        with closing(_scratch_catalog(settings.layout, notify)) as scratch:
            return _IngestRun(settings, request, scratch, on_progress, on_publish).all()
    with writer_lock(settings.layout.locks, settings.lock_wait_seconds, notify):
        remove_unfinished(settings.layout)
        return with_catalog(
            settings.layout,
            notify,
            lambda catalog: _IngestRun(settings, request, catalog, on_progress, on_publish).all(),
        )


def _scratch_catalog(layout: Layout, notify: Callable[[str], None]) -> Catalog:
    """A copy of the catalogue for a dry run, which writes to no disk."""
    scratch = Catalog.in_memory()
    stored = Catalog.open_for_reading(layout.catalog)
    if stored is None:
        index_chunks(layout, scratch, walk_chunks(layout), notify)
    else:
        with closing(stored):
            stored.connection.backup(scratch.connection)
    return scratch


class _IngestRun:
    """The state of one run: what it was asked, what it has learned, what it has still to publish."""

    def __init__(
        self,
        settings: Settings,
        request: StoreRequest,
        catalog: Catalog,
        on_progress: Callable[[int, int, str], None],
        on_publish: Callable[[], None],
    ) -> None:
        self._layout = settings.layout
        self._homes = settings.homes
        self._request = request
        self._catalog = catalog
        self._tell = on_progress
        self._on_publish = on_publish
        self._report = StoreReport()
        self._redacts = request.redact_secrets and settings.redact_secrets
        self._redact = redactor(self._redacts)
        self._workers = settings.workers
        self._publisher = Publisher(settings.layout, catalog, self._report.notes, dry_run=request.dry_run)
        self._tombstones = read_tombstones(settings.layout.tombstones)
        self._decisions = load_decisions(settings.layout.projects)
        self._user_home = settings.user_home
        self._places = Places(settings.user_home, Ledger(), self._decisions)
        self._traces: dict[str, FolderHistory] = {}  # of sessions that this run read
        self._titles = LateTitles(catalog, self._publisher, self._redact)
        self._sessions = Reconciler(
            settings.layout,
            catalog,
            self._publisher,
            self._tombstones,
            lambda cwd, session: self._places.resolve(cwd, session),
            self._report,
            compares_files=request.full_rescan,
        )
        self._growing = Growing(settings.layout, catalog, request, redacts=self._redacts)
        self._left: list[str] = []  # where moved chunks were

    def all(self) -> StoreReport:
        ignore_matcher(self._layout)  # a bad line in it stops the run before it does anything
        agents = self._request.agents or every_agent()
        is_read_as_now = was_read_as_now(self._catalog)
        plan = make_plan(
            self._homes,
            agents,
            self._catalog,
            self._redact,
            full_rescan=self._request.full_rescan or not is_read_as_now,
            on_progress=lambda label: self._tell(0, 0, label),
        )
        self._report.logs = plan.logs
        self._report.problems += plan.problems
        self._report.unread = count_unread(self._homes) if not self._request.agents else {}
        done, total = 0, plan.size
        self._catalog.begin()
        is_filed_already = not (plan.sessions or plan.shared) and is_filed(self._catalog, self._decisions)
        if not is_filed_already:
            withdraw_filed(self._catalog)
            self._places = open_places(self._catalog, self._user_home, self._decisions)
        sessions = [session for session in plan.sessions if not self._forgotten(session)]
        readings = read_sessions(
            [(session.agent, [log for log, _ in session.logs], self._growing.place(session)) for session in sessions],
            self._redacts,
            self._request.keep_entries,
            self._workers,
        )
        with closing(readings):  # at once, also after an error: it may have workers
            for session, reading in self._learn_ahead(zip(sessions, readings, strict=True)):
                self._tell(done, total, session.session_id)
                self._session(session, reading)
                done += session.size
                if self._publisher.writer.full:
                    self._publisher.publish()
                    self._on_publish()
                    self._catalog.begin()
        for log in plan.shared:
            self._tell(done, total, self._redact(log.path.name).text)
            self._shared_log(log)
            done += log.size
        if self._request.projects and not self._report.sessions and plan.sessions:
            named = " or ".join(map(repr, self._request.projects))
            self._report.notes.append(f"no session in a repository or folder named {named}")
        self._titles.set()
        for logs, reading in self._titles.logs:
            self._record_logs(logs, reading)
        if not (is_filed_already or self._request.dry_run):
            self._file_again()
        if is_read_as_now or self._request.is_of_all:
            note_reading(self._catalog)
        self._publisher.publish_last(catch_up=True)
        drop_empty_folders(self._layout, self._left)
        self._tell(done, total, "done")
        return self._report

    # Places ---------------------------------------------------------------------------------------------------------

    def _learn_ahead(
        self, sessions: Iterable[tuple[SessionLogs, LogReading]]
    ) -> Iterator[tuple[SessionLogs, LogReading]]:
        """The sessions in order, each when what was read up to ``read_ahead`` behind it has said where it happened."""
        waiting: deque[tuple[SessionLogs, LogReading]] = deque()
        size, compared = 0, False
        for session, reading in sessions:
            self._observe(session, reading)
            waiting.append((session, reading))
            size += session.size
            while size > self._request.read_ahead and len(waiting) > 1:
                compared = compared or self._compare_histories()
                size -= waiting[0][0].size
                yield waiting.popleft()
        if waiting and not compared:
            self._compare_histories()
        yield from waiting

    def _observe(self, session: SessionLogs, reading: LogReading) -> None:
        forgotten = {draft.index for draft in reading.drafts if draft.key in self._tombstones.messages}
        reading.seen = {index: seen for index, seen in reading.seen.items() if index not in forgotten}
        shown = [seen for found in reading.seen.values() for seen in found]
        self._places.observe((session.agent, session.session_id), shown)
        gather_traces(self._traces, reading.drafts, reading.seen)

    def _compare_histories(self) -> bool:
        find_histories(self._places, self._catalog, self._traces)
        return True

    def _file_again(self) -> None:
        """Moves what was filed with less evidence than there is now, in this run or before it."""
        self._publisher.publish_and_begin()  # only what is in its place can be moved
        filing = settle(
            self._layout,
            self._catalog,
            self._user_home,
            self._decisions,
            self._tombstones,
            self._publisher,
            self._traces,
        )
        self._left += filing.left
        account_moves(self._report, filing.moves)
        forgotten = forgotten_since(self._catalog, self._places, self._tombstones)
        self._report.notes += dict.fromkeys([*filing.notes, *forgotten])

    # Sessions -------------------------------------------------------------------------------------------------------

    def _forgotten(self, session: SessionLogs) -> bool:
        if (session.agent, session.session_id) not in self._tombstones.sessions:
            return False
        self._report.forgotten += 1
        self._record_logs(session.logs, LogReading())
        return True

    def _session(self, session: SessionLogs, reading: LogReading) -> None:
        if not self._wanted(session.agent, reading.drafts):
            return
        logs = [log for log, _ in session.logs]
        try:
            self._write(session, reading)
        except NotAlike:
            reading = read_growing(session.agent, logs, self._redacts, self._request.keep_entries, None)
            self._observe(session, reading)
            self._write(session, reading)
        account(self._report, reading, logs)
        self._report.sessions += 1
        self._keep(reading.drafts)

    def _write(self, session: SessionLogs, reading: LogReading) -> None:
        """Stores what a session's logs said. Raises NotAlike where they have to be read whole for that."""
        scope = SessionScope(session.agent, session.session_id)
        taken_up = self._growing.take_up(session, reading, self._places)
        first_number = taken_up.opened.restart.number if taken_up else 0
        own, copies = separate_copies(reading.drafts, self._catalog, scope, first_number)
        lane, parent = self._growing.lineage(session, reading, taken_up)
        # A text that was given to two agents makes neither of them a fork of the other; a copied record does.
        shared = [copy for copy in copies if copy.owner and copy.key == copy.draft.key]
        if taken_up:
            taken_up.check(own, copies, shared)
        self._record_copies(copies)
        if parent is None:
            parent = session_of_most(self._catalog, [copy.owner for copy in shared if copy.owner])
        run: Mapping[str, Any] = {}
        began = taken_up.read.began if taken_up else instant(own[0].entry.at) if own else ""
        if parent is not None and own:
            left_at = max((instant(copy.draft.entry.at) for copy in shared), default=began)
            run = run_of_caller(self._catalog, session.agent, parent, left_at)
        if taken_up and run:
            raise NotAlike
        formats = {self._redact(str(log.path)).text: log.format for log, _ in session.logs}
        titles_others = self._titles.take(session, reading)
        state = SessionState(
            reading.facts,
            formats,
            lane,
            parent,
            reading.seen,
            run=run,
            opened=taken_up.opened if taken_up else None,
            settled=reading.settled if reading.place else 0,
        )
        restart = self._sessions.write(scope, own, state)
        self._report.without_chunks += silent_logs(session, reading, own, self._redact)
        if titles_others:
            self._titles.logs.append((session.logs, replace(reading, drafts=[])))
        else:
            self._record_logs(session.logs, reading)
        going_on = SessionRead(restart, lane, parent, began) if restart and not (run or shared) else None
        self._growing.keep(session, reading, own, going_on)

    def _shared_log(self, log: LogFile) -> None:
        """A log with prompts of many sessions: only what the sessions' own logs do not have is kept."""
        reading = read_logs(log.agent, [log], self._redacts)
        by_session: dict[str, list[MessageDraft]] = {}
        for draft in reading.drafts:
            by_session.setdefault(draft.entry.session_id, []).append(draft)
        for session_id, prompts in by_session.items():
            if (log.agent, session_id) in self._tombstones.sessions or not self._wanted(log.agent, prompts):
                continue
            scope = SessionScope(log.agent, session_id, _HISTORY)
            missing, copies = covered_by_log(prompts, prompts_of(self._catalog, log.agent, session_id))
            own, more = separate_copies(missing, self._catalog, scope)
            self._record_copies([*copies, *more])
            self._keep(prompts)
            self._sessions.write(scope, own, SessionState(formats={self._redact(str(log.path)).text: log.format}))
        account(self._report, reading, [log])
        if (reason := reading.silent.get(str(log.path))) and not reading.facts:
            self._report.without_chunks.append(BadRecord(self._redact(str(log.path)).text, reason))
        self._titles.add(log.agent, (fact for _, fact in reading.facts))
        if not self._request.projects and self._request.since is None:
            self._record_logs([(log, LogIdentity(None, None))], reading)

    def _wanted(self, agent: str, drafts: Sequence[MessageDraft]) -> bool:
        """Whether a session is within the request. It is taken whole or not at all: its chunks are numbered as one."""
        since, wanted = self._request.since, self._request.projects
        if since is not None and not any(draft.entry.at >= since for draft in drafts):
            return False
        if not wanted:
            return True
        folders = {(draft.entry.cwd, draft.entry.session_id) for draft in drafts if draft.entry.cwd}
        found = (self._places.resolve(cwd, (agent, session_id)) for cwd, session_id in folders)
        projects = {identity.project for identity in found if identity}
        # Whole names only: seen one by one, each session's folder would be the best match there is.
        names = (*(cwd for cwd, _ in folders), *projects)
        return any(match_projects(project, names)[1] for project in wanted)

    def _keep(self, drafts: Sequence[MessageDraft]) -> None:
        if self._request.keep_entries:
            self._report.entries += [draft.entry for draft in drafts]

    def _record_logs(self, logs: Sequence[tuple[LogFile, LogIdentity]], reading: LogReading) -> None:
        for log, identity in logs:
            if not reading.unreadable(log):
                name = clean_id(str(log.path), self._redact)
                known = problems_of(self._catalog, name)[: reading.since.problems] if reading.since else []
                problems = [f"line {bad.line}: {bad.reason}" for bad in reading.problems.get(str(log.path), ())]
                record_source(self._catalog, log, identity, [*known, *problems], name)

    def _record_copies(self, copies: Sequence[StoredCopy]) -> None:
        self._report.duplicates += len(copies)
        for copy in copies:
            if put_duplicate(self._catalog, reference(copy)) and copy.owner is not None:
                self._publisher.touched.add(copy.owner)
