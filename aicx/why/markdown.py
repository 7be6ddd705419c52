"""The answer of `aicx why` as Markdown: what was found, then commits, evidence and reason as one quotation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aicx.brief import listed, page
from aicx.quoting import QUOTED_WITH_GIT
from aicx.share.session_answer import team_line
from aicx.text import plural
from aicx.why.answer import WhyAnswer, WhyReason, WhySession

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
_MAX_COMMITS, _MAX_REFS, _MAX_LESS = 5, 2, 2
_HASH = 12


def why_markdown(answer: WhyAnswer) -> str:
    """The answer for people and agents. Texts from logs and git are all inside one fence, which they cannot close."""
    sure = [session for session in answer.sessions if session.confidence != "low"]
    quoted = {line.session_id for line in answer.reason} | {
        one.session_id for one in answer.sessions[:1] if one in sure
    }
    shown = [session for session in answer.sessions if session.session_id in quoted]
    others = [session for session in answer.sessions if session.session_id not in quoted]
    first = [line for line in answer.reason if line.session_id == shown[0].session_id] if shown else []
    lead = [found for kinds in _FIRST if (found := _of_first_kind(first, kinds))]
    top = [*_commits(answer), ""]
    top += [f"{_KINDS[of[0].kind]}: {'; then: '.join(f'{one.text} [{one.ref}]' for one in of)}" for of in lead]
    top += [f"Session: {_named(session)} ({session.confidence} confidence) [{session.ref}]" for session in shown]
    told = [line for of in lead for line in of]
    whose = " of {}" if len(shown) > 1 else ""
    less = [f"{_named(one)} [{one.ref}]: {'; '.join(found.text for found in one.evidence[:2])}" for one in others]
    sections = [
        ("More", _reason(answer, [line for line in answer.reason if line not in told])),
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
    return page(["# Why", _verdict(answer)], _NOTICE, body.strip("\n"))


def _verdict(answer: WhyAnswer) -> str:
    naming = dict.fromkeys(one.member for one in answer.team or () if "named" in one.ties)
    shared = f" {' and '.join(naming)} shared a session that names it." if naming else ""
    if not answer.sessions:
        return f"No stored session was found for it.{shared}"
    best = answer.sessions[0].confidence
    if best == "low":
        return f"No stored session is known to have made it; what was at work then is only named.{shared}"
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
