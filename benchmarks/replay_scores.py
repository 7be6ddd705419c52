"""Scores of one replayed session start: the session that is gone on from, and lines that what followed contradicts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from aicx.git.subjects import Subject
from benchmarks.replay_logs import RawLog

Line = tuple[str, str | None]  # its text, and the session it is from
SESSION_IDS = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# Of the files that a session edited, the part (and so many of them) that an earlier one must have edited too.
_SHARED, _FEWEST = 0.3, 2
# By the strict rule: of the files that two sessions share, as large a part of the most that any shares, to be as right;
# and so shortly before one session ends from which another goes on where nothing else tells.
_AS_RIGHT, _JUST_BEFORE = 0.5, timedelta(minutes=30)
_NUMBER = re.compile(r"(?:#|pull/|PR )(\d{1,6})\b")
_WAITS = re.compile(
    r"\b(?:needs?|awaits?|awaiting|waiting|ready|to be|not (?:yet )?|still|please|once|after|when|before)\b[^.]*\bmerg|"
    r"\bmerge (?:the |this )?(?:pr|pull request|#)|\bunmerged\b|not merged",
    re.IGNORECASE,
)
_MERGED = re.compile(r"\(#(\d+)\)|Merge pull request #(\d+)")
_SAID_OPEN = re.compile(r"^- .*?, open: .*\[session:[\w-]+:(\S+)\]$", re.MULTILINE)
_TO_COMMIT = re.compile(
    r"\b(?:uncommitted|not (?:yet )?(?:been )?(?:committed|pushed)|want me to commit|shall I commit)\b", re.I
)
_MAIN_NAMES = frozenset({"main", "master", "next", "trunk", "develop", "HEAD"})


def right_sessions(start: RawLog, earlier: Sequence[RawLog]) -> dict[str, str]:
    """The sessions that it would be right to go on from, each with what says so.

    Those that the person names, by id or branch; the last one on the same branch, unless that is everybody's; those
    whose files the session then edited. Where none was named and none was on the branch, also the last one active.
    """
    found: dict[str, str] = {}
    words = " ".join(start.prompts[:2])
    for one in earlier:
        if one.session[:8] in words or (one.branch and one.branch not in _MAIN_NAMES and one.branch in words):
            found[one.session] = "words"

    def active(one: RawLog) -> datetime:
        return one.active_before(start.first)

    same = [one for one in earlier if one.branch == start.branch and one.branch not in _MAIN_NAMES]
    if same:
        found.setdefault(max(same, key=active).session, "branch")
    if earlier and not found:
        found[max(earlier, key=active).session] = "latest"
    for one in earlier:
        shared = len(one.edited & start.edited)
        if shared >= max(_FEWEST, _SHARED * len(start.edited)):
            found.setdefault(one.session, "files")
    return found


def strictly_right(start: RawLog, earlier: Sequence[RawLog]) -> dict[str, str]:
    """The same by the rule that was written first: the last one active counts only if it ended just before, and of
    those that share files those that share most of them. Empty where nothing tells.
    """
    found = {session: why for session, why in right_sessions(start, earlier).items() if why in ("words", "branch")}
    shared = {one.session: len(one.edited & start.edited) for one in earlier}
    most = max(shared.values(), default=0)
    for session in (session for session, count in shared.items() if most and count >= _AS_RIGHT * most):
        found.setdefault(session, "files")
    just = [one for one in earlier if start.first - one.active_before(start.first) <= _JUST_BEFORE]
    if just and not found:
        found[max(just, key=lambda one: one.active_before(start.first)).session] = "just before"
    return found


def against_git(lines: Iterable[str], subjects: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Lines that say a pull request waits to be merged, or a thing to be committed, though the head holds it."""
    merged = {
        number: subject for subject in subjects for found in _MERGED.findall(subject) for number in found if number
    }
    for line in lines:
        numbers = set(_NUMBER.findall(line))
        if numbers and numbers <= merged.keys() and _WAITS.search(line):
            yield line, merged[min(numbers)]


def said_open(brief: str) -> Iterator[Line]:
    """The lines of a brief that say of another session that it is open, each with that session."""
    for found in _SAID_OPEN.finditer(brief):
        yield found[0], found[1]


def open_against_git(claims: Iterable[Line], committed: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Those of a session of which the head holds a commit. ``committed`` are (session, subject) of the head's."""
    for line, session in claims:
        if found := next((subject for name, subject in committed if name == session), None):
            yield line, found


def open_against_later(claims: Iterable[Line], earlier: Sequence[RawLog]) -> Iterator[tuple[str, str]]:
    """Those of a session whose files a later one edited before the start, so that it went on with the work."""
    every = {one.session: one for one in earlier}
    for line, session in claims:
        own = every.get(session or "")
        later = (one for one in earlier if own is not None and one.first > own.last and one.edited & own.edited)
        if found := next(later, None):
            yield line, f"{found.session} edited its files"


def against_later(
    lines: Iterable[Line], earlier: Sequence[RawLog], committed: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Lines (text, session) of what is left to do that a later session did before the start.

    It did it where a commit that it made says nearly the same, where a person asked it for the same in nearly the same
    words, or where it committed what was said to wait for that. ``committed`` are (session, subject).
    """
    ended = {one.session: one.last for one in earlier}
    for text, session in lines:
        if session not in ended:
            continue
        later = [one for one in earlier if one.first > ended[session]]
        wanted, names = Subject.of(text), {one.session for one in later}
        done = next(
            (subject for name, subject in committed if name in names and wanted.nearness(Subject.of(subject))), None
        )
        asked = next(
            (prompt for one in later for prompt in one.prompts if wanted.nearness(Subject.of(prompt[:300]))), None
        )
        waits = (
            next((subject for name, subject in committed if name in names), None) if _TO_COMMIT.search(text) else None
        )
        if found := done or asked or waits:
            yield text, found.split("\n")[0][:120]
