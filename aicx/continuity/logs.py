"""The logs of agents that are of one worktree, the newest first, found without opening more of them than needed.

What is read of one log, the messages that the evidence is drawn from, is stored nowhere.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Annotated, Literal

from aicx.config import Settings
from aicx.continuity.audit import AuditEntry
from aicx.continuity.note import Scope
from aicx.corpus.files.tombstones import read_tombstones
from aicx.corpus.ingest.drafts import MessageDraft
from aicx.corpus.ingest.reading import read_logs
from aicx.errors import AicxError, NotFound, SourceUnreadable
from aicx.evidence import Step, in_time
from aicx.git import repository_of
from aicx.git.identity import find_repository
from aicx.paths import Layout
from aicx.refs import Ref
from aicx.sources import every_agent, load_source
from aicx.sources.items import LogFile, LogIdentity, SessionEvent, SkippedRecords, TimelineEntry
from aicx.types import Lane, Origin
from aicx.values import dataclass
from aicx.work.place import WorkPlace

_HEAD_ITEMS = 400  # of a log, in which the folder and the first message are
_BEGINNINGS = ("typed", "program")
_MAX_BY_PROGRAMS = 20
_MAX_STORED = 50  # sessions whose log is looked for


# One log, and which session it holds.
SessionLog = tuple[LogFile, LogIdentity]


def newest_primary(settings: Settings, place: WorkPlace) -> SessionLog | None:
    """The log that was written to last of all sessions in this worktree that no other session started.

    One that a program ran, such as the review of each change, is taken where no person's is among the latest.
    """
    known = _known_elsewhere(settings, place)
    forgotten = read_tombstones(settings.layout.tombstones).sessions
    by_program: list[SessionLog] = []
    for log in _newest_first(settings, place):
        begun = None if known.get(str(log.path)) == log.fingerprint else _begun_here(log, place)
        if begun is None:
            continue
        identity = load_source(log.agent).identify(log)
        wanted = identity.session_id is not None and identity.lane == "primary"
        if not wanted or (log.agent, identity.session_id) in forgotten:
            continue
        if begun != "program":
            return log, identity
        by_program.append((log, identity))
        if len(by_program) == _MAX_BY_PROGRAMS:
            break
    return next(iter(by_program), None)


def newest_stored(settings: Settings, place: WorkPlace) -> SessionLog | None:
    """The log of the last stored session of this repository whose own folder is gone, or was on another machine.

    A folder that is still there is another worktree or clone, whose sessions are its own.
    """
    # Imported here: most worktrees have sessions of their own.
    from aicx.corpus.catalog.query import open_catalog
    from aicx.corpus.places.stored import name_in

    project = name_in(settings, str(place.root)) if settings.layout.catalog.exists() else None
    if project is None:
        return None
    by_program = (
        "SELECT automated_why FROM sessions s WHERE s.agent = chunks.agent AND s.session_id = chunks.session_id"
    )
    with open_catalog(settings.layout) as opened:
        rows = opened.catalog.rows(
            "SELECT source_path, cwd, max(completed_at) AS ended FROM chunks WHERE ignored=0 AND project=?"
            " AND stream='' AND lane IS NOT 'subagent' AND source_path IS NOT NULL"
            f" GROUP BY agent, session_id ORDER BY ({by_program}) IS NOT NULL, ended DESC LIMIT {_MAX_STORED}",
            [project],
        )
    for row in rows:
        if row["cwd"] is None or not Path(row["cwd"]).is_dir():
            with suppress(AicxError):  # its log is gone
                return log_at(Path(row["source_path"]))
    return None


def log_at(path: Path) -> SessionLog:
    """The log at ``path``. Raises SourceUnreadable, UsageError."""
    from aicx.sources.detect import detect_log  # imported here: it loads every source

    file = detect_log(path)
    return file, load_source(file.agent).identify(file)


def _begun_here(log: LogFile, place: WorkPlace) -> Origin | None:
    """The origin of the first prompt of a session in this worktree; None where it began elsewhere, or says nothing."""
    folder: str | None = None
    first: Origin | None = None
    for number, item in enumerate(load_source(log.agent).read(log)):
        if isinstance(item, TimelineEntry | SessionEvent):
            folder = folder or item.cwd
        if isinstance(item, TimelineEntry):
            first = first or item.origin
            if item.origin in _BEGINNINGS:
                first = item.origin
        if folder is not None and not _is_in(folder, place):
            return None
        if folder is not None and first in _BEGINNINGS:
            return first
        if number > _HEAD_ITEMS and not isinstance(item, SkippedRecords):
            break
    return first if folder is not None else None


def _newest_first(settings: Settings, place: WorkPlace) -> Iterator[LogFile]:
    """Every log that may be of this worktree, by the time of its last change."""
    found: list[tuple[int, str, LogFile]] = []
    marks = _claude_names(place)
    for agent in every_agent():
        for log in load_source(agent).discover(settings.homes):
            # Claude Code names the folder of its logs after that of the session.
            if isinstance(log, LogFile) and not (agent == "claude" and _is_of_other(log.path, settings, marks)):
                with suppress(OSError):
                    found.append((-os.stat(log.path).st_mtime_ns, str(log.path), log))  # noqa: PTH116  of thousands
    return (log for _, _, log in sorted(found, key=lambda one: one[:2]))


def _claude_names(place: WorkPlace) -> tuple[str, ...]:
    root = str(place.root)
    return tuple({re.sub(r"[^A-Za-z0-9]", "-", name) for name in (root, os.path.realpath(root))})


def _is_of_other(path: Path, settings: Settings, names: tuple[str, ...]) -> bool:
    try:
        folder = path.relative_to(settings.homes.claude / "projects").parts[0]
    except (ValueError, IndexError):
        return False
    # What is not written as Claude Code writes it says nothing.
    return folder.startswith("-") and not folder.startswith(names)


def _is_in(folder: str, place: WorkPlace) -> bool:
    """Whether ``folder`` is in this worktree, rather than in another one inside it."""
    root = str(place.root)
    if folder != root and not folder.startswith(f"{root}/"):
        with suppress(OSError):
            folder = os.path.realpath(folder)  # a link on the way to the repository
        if folder != root and not folder.startswith(f"{root}/"):
            return False
    if folder == root:
        return True
    try:
        return find_repository(Path(folder)).root == place.root or place.repository.common is None
    except NotFound:  # it is gone since
        return repository_of(folder) == root or repository_of(folder) == folder
    except AicxError:
        return False


def _known_elsewhere(settings: Settings, place: WorkPlace) -> dict[str, str]:
    """The fingerprints of logs that were stored and whose sessions never worked in this worktree, by path."""
    catalog = settings.layout.catalog
    if not catalog.exists():
        return {}
    root = str(place.root)
    here = "SELECT 1 FROM chunks c WHERE c.agent = s.agent AND c.session_id = s.session_id"
    inside = "(c.cwd IS NULL OR c.cwd = ?1 OR substr(c.cwd, 1, length(?1) + 1) = ?1 || '/')"
    query = (
        f"SELECT s.path, s.fingerprint FROM sources s WHERE s.session_id IS NOT NULL AND EXISTS ({here}) "
        f"AND NOT EXISTS ({here} AND {inside})"
    )
    try:
        with closing(sqlite3.connect(f"{catalog.absolute().as_uri()}?immutable=1", uri=True)) as connection:
            return dict(connection.execute(query, (root,)))
    except sqlite3.DatabaseError:
        return {}  # then each log is asked itself


_HINT = "--log names another log"


@dataclass(frozen=True, slots=True)
class ReadLog:
    """One log as it was read: its messages without secrets, and the session that they are of.

    ``folder`` is where the session began, ``unread`` how many records could not be read.
    """

    agent: str
    session_id: str
    lane: Lane
    folder: str | None
    title: str | None
    steps: Sequence[Step]
    unread: int

    @property
    def ref(self) -> str:
        return str(Ref.of_session(self.agent, self.session_id))


def read_log(layout: Layout, log: LogFile, identity: LogIdentity) -> ReadLog:
    """The messages of ``log``, up to the size that it had when it was listed.

    What aicx itself answered is left out, since it quotes older sessions, and so is what was forgotten. Raises
    SourceUnreadable where there is no message, NotFound for a session that was forgotten, CorpusDamaged.
    """
    forgotten = read_tombstones(layout.tombstones)
    if (log.agent, identity.session_id) in forgotten.sessions:
        raise NotFound(f"session {identity.session_id} was forgotten", hint=_HINT)
    reading = read_logs(log.agent, [log], redact_secrets=True, whole=False)
    reading.drafts = [draft for draft in reading.drafts if draft.key not in forgotten.messages]
    if not reading.drafts:
        problems = [problem for found in reading.problems.values() for problem in found]
        why = problems[0].reason if problems else reading.silent.get(str(log.path), "holds no message")
        raise SourceUnreadable(f"{log.path} {why}", hint=_HINT)
    first = reading.drafts[0].entry
    return ReadLog(
        agent=log.agent,
        session_id=first.session_id,
        lane=identity.lane,
        folder=next((draft.entry.cwd for draft in reading.drafts if draft.entry.cwd), None),
        title=next(
            (fact.title for _, fact in reversed(reading.facts) if fact.title and not fact.title_of_record), None
        ),
        steps=in_time([_step(draft) for draft in reading.drafts if not draft.echo]),
        unread=sum(map(len, reading.problems.values())),
    )


def _step(draft: MessageDraft) -> Step:
    entry, tool = draft.entry, draft.entry.tool
    if tool is None:
        return Step("", entry.at, entry.role, entry.origin, entry.text)
    return Step(
        *("", entry.at, entry.role, entry.origin, entry.text, tool.name, tool.phase, tool.failed is True),
        *(tool.call_id, tool.command or "", tool.files, tool.exit_code, tool.seconds),
    )


WriteMode = Literal["merge", "replace"]
SourceKind = Literal["explicit", "recovery", "audit", "latest_primary"]
_ORDER: dict[WriteMode, tuple[SourceKind, ...]] = {
    "merge": ("explicit", "recovery", "latest_primary", "audit"),
    "replace": ("explicit", "recovery", "audit", "latest_primary"),
}


@dataclass(frozen=True, slots=True)
class PassedOverSource:
    """A source that was looked at and not taken."""

    kind: Annotated[SourceKind, "`recovery`, `audit` or `latest_primary`", str]
    reason: Annotated[str, "`none`, `other_scope` or `other_worktree`: why it was not taken"]


@dataclass(frozen=True, slots=True)
class Selected:
    """The log that a note is written from, which rule chose it, and what was passed over before."""

    kind: SourceKind
    file: LogFile
    identity: LogIdentity
    passed_over: tuple[PassedOverSource, ...]


def select(
    settings: Settings,
    place: WorkPlace,
    scope: Scope,
    mode: WriteMode,
    explicit: Path | None,
    markers: Sequence[AuditEntry],
    entries: Sequence[AuditEntry],
) -> Selected:
    """The source for one save or refresh. ``markers`` and ``entries`` are the repository's, the last one last.

    Raises SourceUnreadable where the first source that there is cannot be read, NotFound where there is none.
    """
    if explicit is not None:
        return Selected("explicit", *log_at(explicit), ())
    passed: list[PassedOverSource] = []
    finders: dict[SourceKind, Callable[[], SessionLog | PassedOverSource]] = {
        "recovery": lambda: _recorded("recovery", settings, place, scope, markers),
        "audit": lambda: _recorded("audit", settings, place, scope, entries),
        "latest_primary": lambda: (
            newest_primary(settings, place)
            or newest_stored(settings, place)
            or PassedOverSource("latest_primary", "none")
        ),
    }
    for kind in _ORDER[mode]:
        if kind == "explicit":
            continue
        found = finders[kind]()
        if not isinstance(found, PassedOverSource):
            return Selected(kind, *found, tuple(passed))
        passed.append(found)
    raise NotFound(
        "no session of this worktree was found", hint="--log PATH names one; `aicx status --logs` shows where logs are"
    )


def _recorded(
    kind: SourceKind, settings: Settings, place: WorkPlace, scope: Scope, recorded: Sequence[AuditEntry]
) -> SessionLog | PassedOverSource:
    """The log that the last fitting record names. Both layers are matched by both alone, and one by that one alone."""
    of_place = [one for one in recorded if one.worktree == place.worktree_id]
    fitting = [one for one in of_place if one.scope == scope]
    if not fitting:
        return PassedOverSource(kind, "other_scope" if of_place else "other_worktree" if recorded else "none")
    path = fitting[-1].log_path(settings)
    try:
        return log_at(path)
    except AicxError as error:
        name = "recovery marker" if kind == "recovery" else "last audit entry"
        also = "; `aicx doctor --fix` removes markers of logs that are gone" if kind == "recovery" else ""
        raise SourceUnreadable(
            f"the {name} names a log that cannot be read: {error.message}", hint=f"--log PATH names another one{also}"
        ) from error
