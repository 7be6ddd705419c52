"""Attempts of a repository: begun with a contract and a brief, which is a file beside them, ended with an outcome."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256

from aicx.config import Settings
from aicx.errors import CorpusDamaged
from aicx.git.state import GitProbe
from aicx.paths import Layout
from aicx.refs import Ref, is_of_session
from aicx.storage.event_lines import new_id
from aicx.values import regex
from aicx.work.contract import Contract
from aicx.work.events import changing, last_tasks
from aicx.work.files import ATTEMPTS, CAPSULE, every_folder, names_in, newest_paths, path_of, read_record
from aicx.work.place import WorkPlace, looking, new_record, project_of
from aicx.work.record import (
    MAX_GOAL,
    MAX_SOURCES,
    MAX_TEXT,
    Attempt,
    Outcome,
    Stated,
    Status,
    WorkRecord,
    clean,
    stored,
)

Notify = Callable[[str], None]
_ID = 12  # hexadecimal digits
# The attempts of a repository that are looked at for the last one; each costs reading a file.
RECENT = 20
GO_ON = "go on where work stopped"  # the goal of a session that was given none
_ENDS: dict[Outcome, Status] = {"success": "resolved", "failure": "abandoned"}


def begin(
    settings: Settings,
    place: WorkPlace,
    goal: str,
    attempt: Attempt,
    now: datetime,
    *,
    source: str,
    look: GitProbe | None = None,
    project: str | None = None,
    notify: Notify = lambda _: None,
) -> WorkRecord:
    """Records that a session began; what its contract says is what it is measured by.

    One that was recorded before is returned as it is. ``project`` is what the corpus calls the repository, where that
    is known.
    """
    project = project or project_of(settings, place)
    goal = clean(goal, MAX_GOAL) or GO_ON
    with looking(place, now, look) as present, changing(settings, now, source, notify) as change:
        name = _id_of(place.repo_id, attempt.session) if attempt.session is not None else new_id()[:_ID]
        if attempt.session is not None and (known := _of_session(settings, place, attempt.session)) is not None:
            return known  # two hooks of one session at once
        if (settings.layout.work / f"{place.repo_id}/{ATTEMPTS}/{name}.json").exists():
            name = new_id()[:_ID]  # a file that cannot be read is left as it is
        record = new_record(place, "attempt", name, goal, now, present.context, project)
        record = replace(record, sources=(session_ref(attempt),) if attempt.session else (), attempt=attempt)
        record = change.put(record, "started")
        change.publish()
        return record


def end(
    settings: Settings,
    record: WorkRecord,
    outcome: Outcome,
    summary: str,
    stated: Stated,
    now: datetime,
    *,
    source: str,
    exit_code: int | None = None,
    commits: Sequence[str] = (),
    session: str | None = None,
    notify: Notify = lambda _: None,
) -> WorkRecord:
    """Records how an attempt ended. One that ended before keeps what was said then, and gets what is new.

    ``commits`` are hashes of those that were made meanwhile; they become sources. ``session`` is the agent's own id of
    its session, where that became known.
    """
    assert record.attempt is not None
    with changing(settings, now, source, notify) as change:
        known = _read(settings, path_of(record)) or record
        assert known.attempt is not None
        attempt = replace(
            known.attempt,
            outcome=outcome,
            summary=clean(summary, MAX_TEXT) or known.attempt.summary,
            stated=_joined(known.attempt.stated, stated),
            exit_code=exit_code if exit_code is not None else known.attempt.exit_code,
            session=session or known.attempt.session,
        )
        own = {session_ref(known.attempt): session_ref(attempt)}
        made = [str(Ref("commit", commit)) for commit in commits]
        sources = dict.fromkeys([*(own.get(ref, ref) for ref in known.sources), *made])
        ended = replace(known, attempt=attempt, status=_ENDS[outcome], sources=tuple(sources)[:MAX_SOURCES])
        ended = change.put(ended, "closed", ("outcome",))
        change.publish()
        return ended


def attempts_in(settings: Settings, folders: tuple[str, ...], most: int | None = None) -> list[WorkRecord]:
    """The attempts of a repository, the last written first; ``most`` of them, or all."""
    read = (_read(settings, path) for path in _newest(settings, folders, most))
    return sorted(filter(None, read), key=lambda one: (-one.sequence, one.id))[:most]


def attempt_of(settings: Settings, place: WorkPlace, agent: str, session: str | None) -> WorkRecord | None:
    """The attempt of a session; without its id the last one of the agent in this working folder that has not ended."""
    if session is not None:
        return _of_session(settings, place, session)
    return next(
        (
            one
            for one in attempts_in(settings, place.folders, RECENT)
            if one.worktree_id == place.worktree_id
            and one.attempt
            and (one.attempt.agent, one.attempt.outcome) == (agent, None)
        ),
        None,
    )


def _of_session(settings: Settings, place: WorkPlace, session: str) -> WorkRecord | None:
    found = (_read(settings, f"{folder}/{ATTEMPTS}/{_id_of(folder, session)}.json") for folder in place.folders)
    return next(filter(None, found), None)


def _id_of(repo_id: str, session: str) -> str:
    """The same for every call of a session, so that it is found without reading the others."""
    return sha256(f"{repo_id}\0{session}".encode("utf-8", "surrogatepass")).hexdigest()[:_ID]


def _newest(settings: Settings, folders: tuple[str, ...], most: int | None) -> Iterator[str]:
    """The files of the last attempts, at least ``most`` where there are that many."""
    layout = settings.layout
    known = dict.fromkeys(newest_paths(layout, folders, ATTEMPTS, most))
    if most is not None:
        # By the log as well: the clock may have been set back since other files were written.
        logged = ((folder, task) for folder in folders for task in last_tasks(layout.work / folder))
        known |= dict.fromkeys(
            path for folder, task in logged if (layout.work / (path := f"{folder}/{ATTEMPTS}/{task}.json")).exists()
        )
    yield from known


def _read(settings: Settings, relative: str) -> WorkRecord | None:
    """The attempt at ``relative``; None where there is none, or none that can be read."""
    try:
        found = read_record(settings.layout, relative)
    except (CorpusDamaged, FileNotFoundError):
        return None
    return found if found.attempt is not None else None


def session_ref(attempt: Attempt) -> str:
    return str(Ref.of_session(attempt.agent, attempt.session or ""))


def sessions_of(record: WorkRecord) -> list[str]:
    """The references of the sessions that a record names."""
    own = [session_ref(record.attempt)] if record.attempt is not None and record.attempt.session else []
    return list(dict.fromkeys([*own, *(ref for ref in record.sources if ref.startswith("session:"))]))


def contract_of(record: WorkRecord | None) -> Contract | None:
    return record.attempt.contract if record is not None and record.attempt is not None else None


def _joined(known: Stated, new: Stated) -> Stated:
    return Stated(*(tuple(dict.fromkeys((*getattr(known, name), *getattr(new, name)))) for name in Stated.__slots__))


_OF_SESSIONS = regex(r'(?:session|chunk):[a-z-]+:[^"\s\]\\]+')


def write_capsule(
    settings: Settings, attempt: WorkRecord, brief: bytes, now: datetime, notify: Callable[[str], None]
) -> None:
    """Writes the brief of an attempt, in place of an earlier one. Raises StoreLocked, StoreUnwritable."""
    with changing(settings, now, "resume", notify) as change:
        change.put_file(f"{attempt.repo_id}/{ATTEMPTS}/{attempt.id}{CAPSULE}", stored(brief.decode()).encode())
        change.publish()


def capsule_paths(layout: Layout) -> list[str]:
    """Every such file, below ``work/``."""
    return [
        f"{folder}/{ATTEMPTS}/{name}"
        for folder in every_folder(layout)
        for name in names_in(layout, folder, ATTEMPTS)
        if name.endswith(CAPSULE)
    ]


def record_path(capsule: str) -> str:
    """The file of the record that a capsule is beside."""
    return f"{capsule.removesuffix(CAPSULE)}.json"


def quotes_any(brief: str, sessions: Collection[str]) -> bool:
    """Whether a brief quotes one of these sessions, ``agent:id`` each."""
    return any(is_of_session(ref, sessions) for ref in _OF_SESSIONS.findall(brief))
