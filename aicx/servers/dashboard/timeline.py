"""When what happened: the moments of one session, the sessions of a repository by branch, and its latest commits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Annotated, Literal

from aicx.config import Settings
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.views.show import SessionFound, show
from aicx.errors import NotFound
from aicx.evidence import Step, read_steps
from aicx.evidence.calls import OtherRepositories, answered_calls, commits_of, is_edit
from aicx.git import Roots
from aicx.git.history import HistoryCommit, list_hashes, read_changes
from aicx.git.state import Git
from aicx.redaction import redact_plain
from aicx.refs import Ref
from aicx.servers.dashboard.searches import at_hand, started_in
from aicx.text import instant, printable, shorten
from aicx.titles import is_to_client
from aicx.types import PROMPTS
from aicx.values import dataclass

Kind = Literal["asked", "edited", "failed", "committed", "merge", "release"]

_MAX_LABEL = 120
_MAX_MARKS = 2_000
_MAX_SESSIONS = 400
_MAX_COMMITS, _MAX_MERGES, _MAX_RELEASES = 20, 100, 100
# Git that hangs may cost a page this much, in seconds.
_TIMEOUT, _IN_ALL = 2.0, 4.0


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened at a moment."""

    kind: Annotated[
        Kind, "what it is: a prompt, an edit, a failure, a commit of a session; a merge or release of a repository"
    ]
    at: Annotated[str, "when"]
    label: Annotated[str, "the prompt's first line, the file, the failing tool, the subject, or the tag"]
    ref: Annotated[str, "the chunk that shows it, or the commit"]


@dataclass(frozen=True, slots=True)
class SessionTimeline:
    """The course of one session: what happened when."""

    agent: str
    session_id: str
    began: Annotated[str, "time of its first message"]
    ended: Annotated[str, "time of its last message"]
    marks: Annotated[list[Mark], "in order of time"]
    cut: Annotated[int, "number of later moments that are left out"]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class Span:
    """A session as a stretch of time."""

    session: Annotated[str, "reference of the session"]
    title: str | None
    branch: Annotated[str | None, "the branch that most of it was on"]
    agent: str
    began: Annotated[str, "time of its first message"]
    ended: Annotated[str, "time of its last message"]


@dataclass(frozen=True, slots=True)
class RepositoryTimeline:
    """The sessions of a repository by branch, with its merges and releases, and its latest commits."""

    repository: Annotated[str | None, "whose they are: by default the one that the server was started in"]
    at_hand: Annotated[bool, "whether its files are on this machine, so that git could be asked"]
    spans: Annotated[list[Span], "its sessions, the newest first"]
    sessions_total: Annotated[int, "number of all its sessions"]
    marks: Annotated[list[Mark], "merges and releases, in order of time"]
    commits: Annotated[list[Mark], "the latest commits of what is checked out, the newest first"]
    notes: list[str]


def session_timeline(settings: Settings, agent: str, session: str) -> SessionTimeline:
    """Raises NotFound for a session that is not stored."""
    shown = show(settings.layout, str(Ref("session", f"{agent}:{session}")), 0)
    if not isinstance(shown.what, SessionFound):
        raise NotFound(f"no session is known by {session!r}")
    head, chunks = shown.what.head, shown.what.chunks
    home = f"{settings.layout.home}/"
    steps, notes = read_steps(settings.layout, [chunk.path.removeprefix(home) for chunk in chunks])
    marks = sorted(_marks(steps, f"{head.cwd}/"), key=lambda mark: mark.at)
    return SessionTimeline(
        agent=head.agent,
        session_id=head.session_id,
        began=min(chunk.started_at for chunk in chunks),
        ended=max(chunk.completed_at for chunk in chunks),
        marks=marks[:_MAX_MARKS],
        cut=max(0, len(marks) - _MAX_MARKS),
        notes=notes,
    )


def repository_timeline(settings: Settings, project: str | None) -> RepositoryTimeline:
    """Of the repository that the server was started in where none is named."""
    name = project or started_in(settings)
    if name is None:
        return RepositoryTimeline(None, False, [], 0, [], [], [])
    spans, total, notes = _spans(settings, name)
    folder = at_hand(settings, name)
    if folder is None:
        notes.append("this repository is not at hand: its merges, releases and commits are not known")
        return RepositoryTimeline(name, False, spans, total, [], [], notes)
    git = Git(folder, _TIMEOUT, _IN_ALL)
    merges = read_changes(git, list_hashes(git, _MAX_MERGES, "--merges"))
    commits = read_changes(git, list_hashes(git, _MAX_COMMITS))
    marks = [*_git_marks(settings, "merge", merges), *_releases(settings, git)]
    return RepositoryTimeline(
        repository=name,
        at_hand=True,
        spans=spans,
        sessions_total=total,
        marks=sorted(marks, key=lambda mark: mark.at),
        commits=list(_git_marks(settings, "committed", commits)),
        notes=notes,
    )


def _marks(steps: Sequence[Step], folder: str) -> Iterator[Mark]:
    for step in steps:
        if step.role == "user" and step.origin in PROMPTS and not is_to_client(step.text):
            yield _mark("asked", step.at, step.text, step.chunk)
    calls = answered_calls(steps)
    for call, result in calls:
        if result is not None and result.failed:
            yield _mark("failed", result.at, f"{call.tool}: {call.command or call.text}", result.chunk)
        elif is_edit(call):
            yield from (_mark("edited", call.at, path.removeprefix(folder), call.chunk) for path in call.files)
    answered = [(call, [result] if result else []) for call, result in calls]
    for trace in commits_of(answered, OtherRepositories(None, Roots(()))):
        yield _mark("committed", trace.at, trace.text, trace.refs[-1].removeprefix("chunk:"))


def _mark(kind: Kind, at: datetime, text: str, chunk: str) -> Mark:
    return Mark(kind, instant(at, "seconds"), shorten(text, _MAX_LABEL), str(Ref("chunk", chunk)))


def _spans(settings: Settings, name: str) -> tuple[list[Span], int, list[str]]:
    try:
        with open_catalog(settings.layout) as opened:
            rows = opened.catalog.rows(
                "SELECT found.*, sessions.title FROM (SELECT agent, session_id, min(started_at) AS began,"
                " max(completed_at) AS ended, (SELECT branch FROM chunks AS one WHERE one.agent=chunks.agent"
                " AND one.session_id=chunks.session_id AND one.branch IS NOT NULL"
                " GROUP BY branch ORDER BY count(*) DESC, branch LIMIT 1) AS branch"
                " FROM chunks WHERE ignored=0 AND stream='' AND project=? GROUP BY agent, session_id) AS found"
                " LEFT JOIN sessions USING (agent, session_id) ORDER BY began DESC",
                (name,),
            )
            notes = opened.said
    except NotFound:  # nothing is stored yet
        return [], 0, []
    spans = [
        Span(
            str(Ref.of_session(row["agent"], row["session_id"])),
            row["title"],
            row["branch"],
            row["agent"],
            row["began"],
            row["ended"],
        )
        for row in rows[:_MAX_SESSIONS]
    ]
    return spans, len(rows), notes


def _git_marks(settings: Settings, kind: Kind, commits: Iterable[HistoryCommit]) -> Iterator[Mark]:
    for commit in commits:
        at = instant(commit.committed_at, "seconds")
        yield Mark(kind, at, _said(settings, commit.subject), str(Ref("commit", commit.hash)))


def _releases(settings: Settings, git: Git) -> Iterator[Mark]:
    fields = "%(creatordate:unix)%00%(objectname)%00%(*objectname)%00%(refname:strip=2)"
    wanted = ("--sort=-creatordate", f"--count={_MAX_RELEASES}", f"--format={fields}", "refs/tags")
    for line in (git.ask("for-each-ref", *wanted) or "").splitlines():
        seconds, own, tagged, name = line.split("\0")
        if seconds:
            at = instant(datetime.fromtimestamp(int(seconds), UTC), "seconds")
            yield Mark("release", at, _said(settings, name), str(Ref("commit", tagged or own)))


def _said(settings: Settings, text: str) -> str:
    """Returns what git says was never stored, and so never redacted."""
    plain = shorten(printable(text), _MAX_LABEL)
    return redact_plain(plain).text if settings.redact_secrets else plain
