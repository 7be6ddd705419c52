"""Reads every log that changed and brings the corpus up to date with it: the whole write path, session by session."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Annotated, Any

from aicx.api.fields import INTERNAL
from aicx.config import Settings
from aicx.corpus.catalog.chunks import StoredChunk, is_last, put_chunk, remove_chunk, session_of_most, stored_chunks
from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.fields import own_messages
from aicx.corpus.catalog.filters import match_projects
from aicx.corpus.catalog.messages import duplicates_of, prompts_of, put_duplicate
from aicx.corpus.catalog.rebuild import index_chunks, with_catalog
from aicx.corpus.catalog.summary import apply_ignore_file, ignore_matcher, write_summary
from aicx.corpus.catalog.watermarks import record_source
from aicx.corpus.files.read import load_markdown, load_sidecar, sidecar_path, walk_chunks
from aicx.corpus.files.sidecar import encode_sidecar
from aicx.corpus.files.tombstones import read_tombstones
from aicx.corpus.files.writer import drop_empty_folders, stage_chunk
from aicx.corpus.ingest.catch_up import caught_up
from aicx.corpus.ingest.dedup import Copy, covered_by_log, reference, separate_copies
from aicx.corpus.ingest.drafts import Draft, blank_message
from aicx.corpus.ingest.filing import file_again
from aicx.corpus.ingest.leaf_titles import LeafTitles
from aicx.corpus.ingest.observing import gather_traces
from aicx.corpus.ingest.plan import SessionLogs, make_plan
from aicx.corpus.ingest.reading import Reading, read_logs, read_sessions
from aicx.corpus.ingest.render import Rendered
from aicx.corpus.ingest.runs import run_after, run_of_caller, runs_caught_up
from aicx.corpus.ingest.session_chunks import SessionScope, SessionState, session_chunks
from aicx.corpus.places.decisions import load_decisions
from aicx.corpus.places.evidence import Ledger
from aicx.corpus.places.places import Places
from aicx.corpus.places.siblings import Traces
from aicx.corpus.places.stored import find_histories, is_filed, open_places, withdraw_filed, write_claims
from aicx.errors import CorpusDamaged, NotFound
from aicx.paths import Layout
from aicx.redaction import redact
from aicx.sources import SOURCES
from aicx.sources.door import Redact, clean_id
from aicx.storage.journal import Writer
from aicx.storage.lock import writer_lock
from aicx.text import instant
from aicx.titles import shorten_title
from aicx.types import BadRecord, Lane, LogFile, LogIdentity, Redacted, SessionEvent, TimelineEntry

_HISTORY = "history"
# Bytes of logs that are read before the first of them is filed: all that they show of folders decides together.
_READ_AHEAD = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class StoreRequest:
    """What one run of `store` was asked for. Without any limit: everything that is not stored yet."""

    agents: tuple[str, ...] = ()
    project: str | None = None
    since: datetime | None = None  # sessions whose last record is at or after this
    full_rescan: bool = False
    redact_secrets: bool = True
    dry_run: bool = False
    keep_entries: bool = False  # also return what was read, redacted, for a report


@dataclass(slots=True)
class StoreReport:
    """What one run did, in counts; every problem by name."""

    logs: Annotated[int, "logs found"] = 0
    logs_read: Annotated[int, "logs read because they changed"] = 0
    bytes_read: Annotated[int, "their size"] = 0
    sessions: Annotated[int, "sessions read"] = 0
    chunks_written: Annotated[int, "chunks of those sessions that are new or changed"] = 0
    chunks_unchanged: Annotated[int, "chunks of those sessions that were stored already"] = 0
    chunks_removed: Annotated[int, "chunks that those sessions no longer have"] = 0
    chunks_moved: Annotated[int, "stored before, and filed under another repository now"] = 0
    messages: Annotated[int, "messages that were not stored before"] = 0
    duplicates: Annotated[int, "messages that are copies of stored ones; recorded, not stored again"] = 0
    forgotten: Annotated[int, "sessions or chunks left out because of `aicx forget`"] = 0
    redactions: Annotated[dict[str, int], "rule → how often it fired in the chunks written"] = field(
        default_factory=dict
    )
    skipped: Annotated[
        dict[str, int], "reason → records left out on purpose; or, of a large record, pieces of data"
    ] = field(default_factory=dict)
    problems: Annotated[list[BadRecord], "records and logs that could not be read"] = field(default_factory=list)
    without_chunks: Annotated[list[BadRecord], "logs that were read and gave none, with the reason"] = field(
        default_factory=list
    )
    notes: Annotated[list[str], "such as a log that grew while it was read"] = field(default_factory=list)
    buckets: Annotated[dict[str, dict[str, int]], "project → agent → chunks written"] = field(default_factory=dict)
    paths: Annotated[list[str], "chunks written, relative to `home`"] = field(default_factory=list)
    entries: list[TimelineEntry] = field(default_factory=list, metadata=INTERNAL)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is, in bytes of logs; ``label`` says what it is at. ``total`` is 0 before that is known."""

    done: int
    total: int
    label: str


def store(
    settings: Settings,
    request: StoreRequest,
    on_progress: Callable[[Progress], None],
    notify: Callable[[str], None],
    on_publish: Callable[[], None] = lambda: None,
) -> StoreReport:
    """Brings the corpus up to date with the agents' logs.

    Raises StoreLocked when another writer does not finish, StoreUnwritable when the disk refuses; never for what a log
    holds. ``tell`` hears of progress, ``say`` of things worth a line, ``on_publish`` when a part of a long run is
    visible and recorded.
    """
    if request.dry_run:
        with closing(_scratch_catalog(settings.layout, notify)) as scratch:
            return _Run(settings, request, scratch, on_progress, on_publish).all()
    with writer_lock(settings.layout.locks, settings.lock_wait_seconds, notify):
        return with_catalog(
            settings.layout, notify, lambda catalog: _Run(settings, request, catalog, on_progress, on_publish).all()
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


class _Run:
    """The state of one run: what it was asked, what it has learned, what it has still to publish."""

    def __init__(
        self,
        settings: Settings,
        request: StoreRequest,
        catalog: Catalog,
        on_progress: Callable[[Progress], None],
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
        self._redact: Redact = redact if self._redacts else Redacted
        self._workers = settings.workers
        self._writer = Writer(settings.layout)
        self._tombstones = read_tombstones(settings.layout.tombstones)
        self._decisions = load_decisions(settings.layout.projects)
        self._user_home = settings.user_home
        self._places = Places(settings.user_home, Ledger(), self._decisions)
        self._traces: dict[str, Traces] = {}  # of sessions that this run read
        self._leaf_titles = LeafTitles(catalog, self._as_title)
        self._titles: list[tuple[str, SessionEvent]] = []  # from logs that hold no session of their own
        # Logs that title other sessions count as read once those titles are set: a killed run reads them again.
        self._titled: list[tuple[Sequence[tuple[LogFile, LogIdentity]], Reading]] = []
        self._touched: set[str] = set()
        self._left: list[str] = []  # where moved chunks were

    def all(self) -> StoreReport:
        ignore_matcher(self._layout)  # a bad line in it stops the run before it does anything
        agents = self._request.agents or tuple(SOURCES)
        plan = make_plan(
            self._homes,
            agents,
            self._catalog,
            self._redact,
            full_rescan=self._request.full_rescan,
            on_progress=lambda label: self._tell(Progress(0, 0, label)),
        )
        self._report.logs = plan.logs
        self._report.problems += plan.problems
        done, total = 0, plan.size
        self._catalog.begin()
        is_filed_already = not (plan.sessions or plan.shared) and is_filed(self._catalog, self._decisions)
        if not is_filed_already:
            withdraw_filed(self._catalog)
            self._places = open_places(self._catalog, self._user_home, self._decisions)
        sessions = [session for session in plan.sessions if not self._forgotten(session)]
        readings = read_sessions(
            [(session.agent, [log for log, _ in session.logs]) for session in sessions],
            self._redacts,
            self._request.keep_entries,
            self._workers,
        )
        with closing(readings):  # at once, also after an error: it may have workers
            for session, reading in self._learn_ahead(zip(sessions, readings, strict=True)):
                self._tell(Progress(done, total, session.session_id))
                self._session(session, reading)
                done += session.size
                if self._writer.full:
                    self._publish()
                    self._on_publish()
                    self._catalog.begin()
        for log in plan.shared:
            self._tell(Progress(done, total, self._redact(log.path.name).text))
            self._shared_log(log)
            done += log.size
        if self._request.project is not None and not self._report.sessions and plan.sessions:
            self._report.notes.append(f"no session in a repository or folder named {self._request.project!r}")
        self._late_titles()
        self._catch_up()
        for logs, reading in self._titled:
            self._record_logs(logs, reading)
        if not is_filed_already:
            self._file_again()
        self._publish(last=True)
        drop_empty_folders(self._layout, self._left)
        self._tell(Progress(done, total, "done"))
        return self._report

    # Places ---------------------------------------------------------------------------------------------------------

    def _learn_ahead(self, sessions: Iterable[tuple[SessionLogs, Reading]]) -> Iterator[tuple[SessionLogs, Reading]]:
        """The sessions in order, each when everything read up to `_READ_AHEAD` behind it has said where it happened."""
        waiting: deque[tuple[SessionLogs, Reading]] = deque()
        size, compared = 0, False
        for session, reading in sessions:
            forgotten = {draft.index for draft in reading.drafts if draft.key in self._tombstones.messages}
            reading.seen = {index: seen for index, seen in reading.seen.items() if index not in forgotten}
            shown = [seen for found in reading.seen.values() for seen in found]
            self._places.observe((session.agent, session.session_id), shown)
            gather_traces(self._traces, reading.drafts, reading.seen)
            waiting.append((session, reading))
            size += session.size
            while size > _READ_AHEAD and len(waiting) > 1:
                compared = compared or self._compare_histories()
                size -= waiting[0][0].size
                yield waiting.popleft()
        if waiting and not compared:
            self._compare_histories()
        yield from waiting

    def _compare_histories(self) -> bool:
        find_histories(self._places, self._catalog, self._traces)
        return True

    def _file_again(self) -> None:
        """Moves what was filed with less evidence than there is now, in this run or before it."""
        siblings = find_histories(self._places, self._catalog, self._traces)
        if not self._request.dry_run:
            filing = file_again(
                self._layout, self._catalog, self._places, self._writer, self._tombstones, self._publish_and_begin
            )
            self._left += filing.left
            self._report.chunks_moved = filing.moved
            self._report.notes += filing.notes
        write_claims(self._places, self._catalog, siblings, self._decisions)

    def _publish_and_begin(self) -> None:
        self._publish()
        self._catalog.begin()

    # Sessions -------------------------------------------------------------------------------------------------------

    def _forgotten(self, session: SessionLogs) -> bool:
        if (session.agent, session.session_id) not in self._tombstones.sessions:
            return False
        self._report.forgotten += 1
        self._record_logs(session.logs, Reading())
        return True

    def _session(self, session: SessionLogs, reading: Reading) -> None:
        if not self._wanted(session.agent, reading.drafts):
            return
        self._account(reading, [log for log, _ in session.logs])
        self._report.sessions += 1
        self._keep(reading.drafts)
        scope = SessionScope(session.agent, session.session_id)
        own, copies = separate_copies(reading.drafts, self._catalog, scope)
        self._record_copies(copies)
        lane, parent = _lineage(session, reading)
        # A text that was given to two agents makes neither of them a fork of the other; a copied record does.
        shared = [copy for copy in copies if copy.owner and copy.key == copy.draft.key]
        if parent is None:
            parent = session_of_most(self._catalog, [copy.owner for copy in shared if copy.owner])
        run: Mapping[str, Any] = {}
        if parent is not None and own:
            left_at = max((copy.draft.entry.at for copy in shared), default=own[0].entry.at)
            run = run_of_caller(self._catalog, session.agent, parent, instant(left_at))
        formats = {self._redact(str(log.path)).text: log.format for log, _ in session.logs}
        titles_others = self._take_leaf_titles(session, reading)
        self._reconcile(scope, own, SessionState(reading.facts, formats, lane, parent, reading.seen, run=run))
        self._name_silent(session, reading, own)
        if titles_others:
            self._titled.append((session.logs, replace(reading, drafts=[])))
        else:
            self._record_logs(session.logs, reading)

    def _take_leaf_titles(self, session: SessionLogs, reading: Reading) -> bool:
        """Whether the session's logs hold titles of conversations; one that is its own counts from here on."""
        for record_id, title, path in reading.leaf_titles:
            self._leaf_titles.add(session.agent, record_id, title, clean_id(path, self._redact))
        if reading.records:
            own = self._leaf_titles.place(session.agent, session.session_id, reading.records)
            if own:
                self._catalog.put_late_title(session.agent, session.session_id, own)
        return bool(reading.leaf_titles)

    def _name_silent(self, session: SessionLogs, reading: Reading, own: Sequence[Draft]) -> None:
        """Names the logs of a session that hold nothing, or nothing that is not stored with another session."""
        kept, told = ({draft.entry.ref.path for draft in drafts} for drafts in (own, reading.drafts))
        for log, _ in session.logs:
            path = self._redact(str(log.path)).text
            reason = reading.silent.get(str(log.path))
            if reason is None and not reading.unreadable(log) and not _holds(path, kept):
                reason = "holds only copies of messages that are stored already"
                if not _holds(path, told):
                    reason = "holds no message with a text"
            if reason:
                self._report.without_chunks.append(BadRecord(path, reason))

    def _shared_log(self, log: LogFile) -> None:
        """A log with prompts of many sessions: only what the sessions' own logs do not have is kept."""
        reading = read_logs(log.agent, [log], self._redacts)
        by_session: dict[str, list[Draft]] = {}
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
            self._reconcile(scope, own, SessionState(formats={self._redact(str(log.path)).text: log.format}))
        self._account(reading, [log])
        if (reason := reading.silent.get(str(log.path))) and not reading.facts:
            self._report.without_chunks.append(BadRecord(self._redact(str(log.path)).text, reason))
        self._titles += [(log.agent, fact) for _, fact in reading.facts if fact.title]
        if self._request.project is None and self._request.since is None:
            self._record_logs([(log, LogIdentity(None, None))], reading)

    def _wanted(self, agent: str, drafts: Sequence[Draft]) -> bool:
        """Whether a session is within the request. It is taken whole or not at all: its chunks are numbered as one."""
        since, project = self._request.since, self._request.project
        if since is not None and not any(draft.entry.at >= since for draft in drafts):
            return False
        if project is None:
            return True
        folders = {(draft.entry.cwd, draft.entry.session_id) for draft in drafts if draft.entry.cwd}
        found = (self._places.resolve(cwd, (agent, session_id)) for cwd, session_id in folders)
        projects = {identity.project for identity in found if identity}
        # Whole names only: seen one by one, each session's folder would be the best match there is.
        return match_projects(project, (*(cwd for cwd, _ in folders), *projects))[1]

    def _keep(self, drafts: Sequence[Draft]) -> None:
        if self._request.keep_entries:
            self._report.entries += [draft.entry for draft in drafts]

    def _account(self, reading: Reading, logs: Sequence[LogFile]) -> None:
        report = self._report
        report.logs_read += len(logs)
        report.bytes_read += sum(log.size for log in logs)
        for problems in reading.problems.values():
            report.problems += problems
        for reason, count in reading.skipped.items():
            report.skipped[reason] = report.skipped.get(reason, 0) + count
        report.notes += [f"{path} grew while it was read; the next run takes the rest" for path in reading.grown]

    def _record_logs(self, logs: Sequence[tuple[LogFile, LogIdentity]], reading: Reading) -> None:
        for log, identity in logs:
            if not reading.unreadable(log):
                problems = [f"line {bad.line}: {bad.reason}" for bad in reading.problems.get(str(log.path), ())]
                record_source(self._catalog, log, identity, problems, clean_id(str(log.path), self._redact))

    def _record_copies(self, copies: Sequence[Copy]) -> None:
        self._report.duplicates += len(copies)
        for copy in copies:
            if put_duplicate(self._catalog, reference(copy)) and copy.owner is not None:
                self._touched.add(copy.owner)

    def _late_titles(self) -> None:
        """Titles that a log gives to another session belong to that session's last chunk."""
        found = [(agent, fact.session_id, fact.title) for agent, fact in self._titles if fact.title]
        late = [(agent, session_id, self._as_title(title)) for agent, session_id, title in found]
        for agent, session_id, title in (*late, *(self._leaf_titles.all() if self._titled else ())):
            if self._catalog.put_late_title(agent, session_id, title):
                self._touched.update(chunk.id for chunk in stored_chunks(self._catalog, agent, session_id, "")[-1:])

    def _catch_up(self) -> None:
        """Sidecars of earlier versions that no log was read for say who spoke and what it is about, as new ones do."""
        if self._request.dry_run:
            return
        for path, fields in caught_up(self._layout, self._catalog):
            self._put_sidecar(path, fields, load_markdown(self._layout, path))
            if self._writer.full:
                self._publish()
                self._on_publish()
                self._catalog.begin()

    def _as_title(self, text: str) -> str:
        return shorten_title(self._redact(text).text)

    # Chunks ---------------------------------------------------------------------------------------------------------

    def _reconcile(self, scope: SessionScope, drafts: list[Draft], state: SessionState) -> None:
        """Makes the stored chunks of a session say what its logs say, without ever losing a stored message.

        Where the logs still hold all that is stored, they decide. Where some of it is gone from them (a log was
        deleted, cut or replaced), what is stored stays as it is and only new messages are added behind it.
        """
        stored = stored_chunks(self._catalog, scope.agent, scope.session_id, scope.stream)
        new, complete = _compare(stored, drafts)
        if not complete:
            drafts = new
        if not drafts:
            return
        drafts = [blank_message(draft) if draft.key in self._tombstones.messages else draft for draft in drafts]
        state = replace(
            state,
            run=state.run if complete else run_after(self._layout, stored[-1].path),
            first_number=1 if complete else stored[-1].number + 1,
            duplicates=duplicates_of(self._catalog, [draft.key for draft in drafts]),
            late_title=self._catalog.late_title(scope.agent, scope.session_id) if not scope.stream else None,
        )
        earlier = {chunk.number: chunk for chunk in stored} if complete else {}
        session = (scope.agent, scope.session_id)
        for chunk in session_chunks(scope, drafts, state, lambda cwd: self._places.resolve(cwd, session)):
            fields = chunk.fields
            if self._tombstones.covers(fields["project"], fields.get("cwd"), fields.get("repo_source")):
                self._report.forgotten += 1
            else:
                self._put(chunk, earlier.pop(chunk.number, None))
        for leftover in earlier.values():
            self._report.chunks_removed += 1
            self._remove_files(leftover.path)
            remove_chunk(self._catalog, leftover.id)

    def _put(self, chunk: Rendered, stored: StoredChunk | None) -> None:
        sidecar = chunk.sidecar
        digest = sha256(sidecar).hexdigest()
        path = f"{chunk.stem}.md"
        if (
            stored is not None
            and (stored.path, stored.content_sha256, stored.sidecar_sha256)
            == (
                path,
                chunk.fields["content_sha256"],
                digest,
            )
            and (not self._request.full_rescan or self._on_disk(chunk, sidecar))
        ):
            self._report.chunks_unchanged += 1
            return
        self._count(chunk, stored)
        if not self._request.dry_run:
            stage_chunk(self._writer, chunk.stem, chunk.markdown, sidecar)
            self._report.paths.append(path)
        if stored is not None and stored.path != path:
            self._remove_files(stored.path)
        put_chunk(self._catalog, chunk.fields, path, digest, chunk.markdown)

    def _count(self, chunk: Rendered, stored: StoredChunk | None) -> None:
        report = self._report
        report.chunks_written += 1
        bucket = report.buckets.setdefault(chunk.fields["project"], {})
        bucket[chunk.fields["agent"]] = bucket.get(chunk.fields["agent"], 0) + 1
        for rule, count in chunk.fields["redactions"].items():
            report.redactions[rule] = report.redactions.get(rule, 0) + count
        new = {item["key"] for item in own_messages(chunk.fields)}
        report.messages += len(new - set(stored.keys if stored else ()))

    def _remove_files(self, path: str) -> None:
        if not self._request.dry_run:
            self._writer.stage_removal(path)
            self._writer.stage_removal(f"{path.removesuffix('.md')}.meta.json")

    def _on_disk(self, chunk: Rendered, sidecar: bytes) -> bool:
        home = self._layout.home
        try:
            return (home / f"{chunk.stem}.md").read_bytes() == chunk.markdown and (
                home / f"{chunk.stem}.meta.json"
            ).read_bytes() == sidecar
        except OSError:
            return False

    # Publishing -----------------------------------------------------------------------------------------------------

    def _publish(self, *, last: bool = False) -> None:
        """Makes what is staged visible, then records it."""
        if self._request.dry_run:
            return
        self._writer.publish()
        if self._touched:
            self._update_touched()
            self._writer.publish()
        if last:
            for path, fields in runs_caught_up(self._layout, self._catalog):
                self._put_sidecar(path, fields, load_markdown(self._layout, path))
            self._writer.publish()
        # With every batch: a reader must not meet between two of them what is to be hidden.
        apply_ignore_file(self._layout, self._catalog)
        if last:
            write_summary(self._layout, self._catalog)
        self._catalog.commit()
        self._writer.finish()

    def _update_touched(self) -> None:
        """Chunks that were stored before something was learned about them: copies that turned up, a late title."""
        for chunk_id in sorted(self._touched):
            path = self._catalog.path_of(chunk_id)
            if path is None:
                continue
            try:
                stored = load_sidecar(self._layout, path).fields
                markdown = load_markdown(self._layout, path)
            except (NotFound, CorpusDamaged) as error:
                self._report.notes.append(f"{path} could not be brought up to date: {error}; `aicx doctor` says more")
                continue
            fields = dict(stored)
            keys = dict.fromkeys(item["key"] for item in fields.get("messages") or () if not item.get("repeated"))
            duplicates = duplicates_of(self._catalog, list(keys))
            fields["duplicates"] = [copy for key in keys for copy in duplicates.get(key, ())]
            if is_last(self._catalog, chunk_id):
                fields["session_title"] = self._catalog.late_title(fields["agent"], fields["session_id"])
            if encode_sidecar(fields) == encode_sidecar(stored):
                continue
            self._put_sidecar(path, fields, markdown)
        self._touched.clear()

    def _put_sidecar(self, path: str, fields: dict[str, Any], markdown: bytes) -> None:
        sidecar = encode_sidecar(fields)
        self._writer.stage(sidecar_path(path), sidecar)
        put_chunk(self._catalog, fields, path, sha256(sidecar).hexdigest(), markdown)


def _compare(stored: Sequence[StoredChunk], drafts: Sequence[Draft]) -> tuple[list[Draft], bool]:
    """The messages that are not stored yet, and whether all that is stored is among ``drafts``.

    A prompt that waited in the agent's queue when it was stored comes again under an id of its own once it was sent: a
    stored message that is gone and a new one with its text are one message.
    """
    told = {key: text for chunk in stored for key, text in zip(chunk.keys, chunk.text_keys, strict=True)}
    known = {draft.key for draft in drafts}
    gone = Counter(text for key, text in told.items() if key not in known)
    new: list[Draft] = []
    for draft in drafts:
        if draft.key in told:
            continue
        if gone[draft.text_key] > 0:
            gone[draft.text_key] -= 1
        else:
            new.append(draft)
    return new, not +gone


def _holds(log: str, files: Set[str]) -> bool:
    """Whether one of the files is the log, or lies in it where the log is a folder."""
    return log in files or any(file.startswith(f"{log}/") for file in files)


def _lineage(session: SessionLogs, reading: Reading) -> tuple[Lane, str | None]:
    """Lane and parent: what the log's place says, else what its records say."""
    lane: Lane = "primary"
    parent: str | None = None
    for _, identity in session.logs:
        if identity.lane == "subagent":
            lane = "subagent"
        parent = parent or identity.parent_session
    for _, fact in reading.facts:
        lane = fact.lane or lane
        parent = parent or fact.parent_session
    return lane, parent if parent != session.session_id else None
