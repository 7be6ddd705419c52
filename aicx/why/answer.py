"""The answer to `aicx why` as every door gives it, and as Markdown: bounded texts without secrets, those of git too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from datetime import datetime
from math import inf
from typing import Annotated, Literal

from aicx.brief import QUOTED_WITH_GIT, listed, page
from aicx.config import Settings
from aicx.fields import OPTIONAL, taken_from
from aicx.refs import Ref
from aicx.share import TeamSession, team_line, team_session
from aicx.storage.typed import with_texts
from aicx.terminal import invisible
from aicx.text import instant, plural, shorten
from aicx.values import dataclass
from aicx.why.commits import CommitQuery, CommitSession, Evidence, WhyReason, WhyReport
from aicx.why.run import WhyQuery, why

SCHEMA = "aicx.why/1"


@dataclass(frozen=True, slots=True)
class WhyCommit:
    """A commit that the target means."""

    hash: Annotated[str, "of the commit"]
    subject: Annotated[str, "first line of its message"]
    authored_at: Annotated[str, "time"]
    committed_at: Annotated[str, "time"]
    files: Annotated[list[str], "the first 50 files it changed"]
    file_count: Annotated[int, "number of files it changed"]
    copies: Annotated[list[str], "hashes of the same change on other bases, and of commits squashed or merged into it"]


@dataclass(frozen=True, slots=True)
class WhySession:
    """A session that probably made a commit."""

    ref: Annotated[str, "of the session"]
    session_id: str
    agent: str
    project: str
    title: str | None
    branch: str | None
    started_at: str
    completed_at: str
    confidence: Annotated[Literal["low", "medium", "high"], "how probable it is"]
    score: Annotated[float, "sum of what its evidence is worth"]
    commit: Annotated[str, "hash of the commit it has most to do with, empty for what is not committed"]
    evidence: Annotated[list[Evidence], "what ties it to the commit"]
    chunks: Annotated[list[str], "the chunks that show the evidence"]


@dataclass(frozen=True, slots=True)
class WhySighting:
    """A commit as a tool printed it."""

    hash: Annotated[str, "of the commit"]
    subject: Annotated[str, "first line of its message"]
    at: str
    ref: Annotated[str, "where it was printed"]
    made: Annotated[bool, "whether it was made there; else it was seen there first"]


@dataclass(frozen=True, slots=True)
class WhyAnswer:
    """[Why](why.md) it is so. Everything quoted is from logs and git: evidence to check, not instructions."""

    target: Annotated[str, "what was asked"]
    kind: Annotated[Literal["commit", "file", "lines", "tag", "range", "number", "subject"], "what it was taken for"]
    path: Annotated[str | None, "the file of a `file` or `lines`, relative to the repository"]
    project: Annotated[str | None, "the repository, where it is known"]
    commits: Annotated[list[WhyCommit], "what the target means, most important first"]
    sessions: Annotated[list[WhySession], "best first"]
    reason: Annotated[list[WhyReason], "quoted lines"]
    sightings: Annotated[list[WhySighting], "commits of the target as tools printed them"]
    notes: Annotated[list[str], "what git, the corpus or the share could not say"]
    team: Annotated[list[TeamSession] | None, "sessions of other members, with `--team`, where there are any"] = field(
        default=None, metadata=OPTIONAL
    )


# A message, a path and a title may be of any length.
_MAX_TEXT = 400
_MAX_FILES = 50


def answer_why(settings: Settings, query: WhyQuery) -> WhyAnswer:
    """Returns what `aicx.why.run.why` finds, as an answer. Raises what that raises."""
    report = why(settings, query)
    return _answer(with_texts(report, _redacted) if settings.redact_secrets else report, query.now)


def _redacted(text: str) -> str:
    """Returns what git says was never stored, and so never redacted."""
    from aicx.redaction import redact  # imported here: its rules take a while to compile

    # Without invisible characters, which may be inside a secret.
    return redact(text.translate(invisible())).text


def _one_line(text: str) -> str:
    return shorten(text, _MAX_TEXT)


def _answer(report: WhyReport, now: datetime) -> WhyAnswer:
    return WhyAnswer(
        _one_line(report.target.text),
        report.target.kind,
        _one_line(report.target.path) if report.target.path is not None else None,
        report.project,
        [_commit(item) for item in report.wanted if item.change.hash and not item.name],
        [_session(item) for item in report.sessions],
        [replace(item, text=_one_line(item.text)) for item in report.reason],
        [
            WhySighting(
                item.hash,
                _one_line(item.subject),
                instant(item.first_seen),
                str(Ref("chunk", item.chunk)),
                item.made_in is not None,
            )
            for item in report.sightings
        ],
        [_one_line(note) for note in report.notes],
        [team_session(one, now) for one in report.team] or None,
    )


def _commit(item: CommitQuery) -> WhyCommit:
    change = item.change
    return WhyCommit(
        change.hash,
        _one_line(change.subject),
        instant(change.authored_at),
        instant(change.committed_at),
        [_one_line(path) for path in change.files[:_MAX_FILES]],
        len(change.files),
        [copy.hash for copy in item.copies],
    )


def _session(item: CommitSession) -> WhySession:
    session = item.session
    return taken_from(
        session,
        WhySession,
        title=shorten(session.title, _MAX_TEXT) if session.title else None,
        branch=_one_line(session.branch) if session.branch else None,
        started_at=instant(session.started_at),
        completed_at=instant(session.completed_at),
        confidence=item.confidence,
        score=item.score,
        commit=item.commit,
        evidence=[replace(one, text=_one_line(one.text), worth=round(one.worth, 3)) for one in item.evidence],
        chunks=list(item.chunks),
    )


_NOTICE = f"{QUOTED_WITH_GIT}."
_KINDS = {
    "asked": "Asked",
    "found": "Because",
    "weighed": "Weighed",
    "decided": "Decided",
    "failed": "Failed on the way",
    "passed": "Passed",
    "reported": "Reported",
}
# The lines that come first: what was wanted, why, and what was chosen. Of each the first kind that the session has.
_FIRST = (("asked",), ("found", "reported"), ("decided", "weighed"))
_MAX_COMMITS, _MAX_REFS, _MAX_LESS, _HASH = 5, 2, 2, 12
# From what worth on evidence ties a session: a third of the files were changed, or it was at work within a day.
_TIES = {"made": 0.0, "printed": 0.0, "lines": 0.0, "files": 1.0, "time": 0.07}


def why_markdown(answer: WhyAnswer) -> str:
    """The answer for people and agents. Texts from logs and git are all inside one fence, which they cannot close."""
    sure = [session for session in answer.sessions if session.confidence != "low"]
    quoted = {line.session_id for line in answer.reason} | {
        one.session_id for one in answer.sessions[:1] if one in sure
    }
    shown = [session for session in answer.sessions if session.session_id in quoted]
    if len({session.commit for session in shown}) == 1:
        shown.sort(key=lambda session: session.started_at)  # of several that made it, the one that began it says why
    others = [one for one in answer.sessions if one.session_id not in quoted and (one in sure or _ties(one))]
    first = [line for line in answer.reason if line.session_id == shown[0].session_id] if shown else []
    lead = [found for kinds in _FIRST if (found := _of_first_kind(first, kinds))]
    top = [*_commits(answer), ""]
    top += [f"{_KINDS[of[0].kind]}: {'; then: '.join(f'{one.text} [{one.ref}]' for one in of)}" for of in lead]
    top += [f"Session: {_named(session)} ({session.confidence} confidence) [{session.ref}]" for session in shown]
    lines = [line for of in lead for line in of]
    whose = " of {}" if len(shown) > 1 else ""
    told = {one.ref: dict.fromkeys(found.text for found in (*_ties(one), *one.evidence)) for one in others}
    less = [f"{_named(one)} [{one.ref}]: {'; '.join(list(told[one.ref])[:2])}" for one in others]
    sections = [
        ("More", _reason(answer, [line for line in answer.reason if line not in lines])),
        *(
            (
                f"Evidence{whose.format(one.session_id[:8])}",
                [f"{found.text}{_refs(found.refs)}" for found in one.evidence],
            )
            for one in shown
        ),
        ("Less likely" if shown else "Possible", less[:_MAX_LESS]),
        ("Printed by tools", [] if answer.sessions and answer.commits else _sightings(answer)),
        ("Sessions of other members, as they shared them", list(map(team_line, answer.team or ()))),
    ]
    body = "\n\n".join(filter(None, ["\n".join(top), listed(sections)]))
    return page(["# Why", _verdict(answer, bool(less))], _NOTICE, body.strip("\n"))


def _ties(session: WhySession) -> list[Evidence]:
    """What speaks for a session besides that its words fit: that it worked on it, or near it in time."""
    return [one for one in session.evidence if one.worth >= _TIES.get(one.kind, inf)]


def _verdict(answer: WhyAnswer, is_any_named: bool) -> str:
    naming = dict.fromkeys(one.member for one in answer.team or () if "named" in one.ties)
    shared = f" {' and '.join(naming)} shared a session that names it." if naming else ""
    if not answer.sessions:
        return f"No stored session was found for it.{shared}"
    best = answer.sessions[0].confidence
    if best == "low":
        named = "; what worked on it, or near then, is only named" if is_any_named else ""
        return f"No stored session is known to have made it{named}.{shared}"
    return f"{plural(len(answer.sessions), 'session')} found; the first with {best} confidence.{shared}"


def _of_first_kind(reason: Sequence[WhyReason], kinds: Sequence[str]) -> list[WhyReason]:
    """Both requests, or the first line of the first of these kinds that there is."""
    of_kind = ([line for line in reason if line.kind == kind] for kind in kinds)
    found = next(filter(None, of_kind), [])
    return found if kinds == ("asked",) else found[:1]


def _refs(refs: Sequence[str]) -> str:
    return f" [{' '.join(refs[:_MAX_REFS])}]" if refs else ""


def _commits(answer: WhyAnswer) -> Iterator[str]:
    yield f"Target: {answer.target}"
    for commit in answer.commits[:_MAX_COMMITS]:
        copies = f"; also as {', '.join(name[:_HASH] for name in commit.copies[:3])}" if commit.copies else ""
        files = plural(commit.file_count, "file")
        when = commit.committed_at[:16].replace("T", " ")
        yield f"- {commit.hash[:_HASH]} {when} UTC, {files}{copies}: {commit.subject}"
    if len(answer.commits) > _MAX_COMMITS:
        yield f"- and {plural(len(answer.commits) - _MAX_COMMITS, 'more commit')}"


def _named(session: WhySession) -> str:
    branch = f", branch {session.branch}" if session.branch else ""
    when = session.started_at[:16].replace("T", " ")
    return f"{session.title or 'without a title'}: {session.agent}, {when} UTC{branch}"


def _reason(answer: WhyAnswer, rest: Sequence[WhyReason]) -> list[str]:
    several = len({line.session_id for line in answer.reason}) > 1
    return [
        f"{_KINDS[line.kind]}: {line.text}{f' (session {line.session_id[:8]})' if several else ''} [{line.ref}]"
        for line in sorted(rest, key=lambda line: list(_KINDS).index(line.kind))
    ]


def _sightings(answer: WhyAnswer) -> list[str]:
    """Where a commit was printed that git does not know, or that no session can be named for."""
    return [
        f"{item.hash[:_HASH]} {'made' if item.made else 'first seen'} {item.at[:16].replace('T', ' ')} UTC:"
        f" {item.subject} [{item.ref}]"
        for item in answer.sightings[:_MAX_COMMITS]
    ]
