"""Logs as they are on disk, for a replay: when a session began, where, on which branch, what was asked and edited.

Nothing of the product reads them here, so that what it makes of a log can be held against it: the session that is gone
on from, and lines that what followed contradicts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from aicx.git.subjects import Subject
from aicx.sources.values import object_of

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_AGENT_FOLDERS = (".claude", ".codex", ".gemini", ".local", ".copilot")
_EDITS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})
_PATCHED = re.compile(r"\*\*\* (?:Update|Add|Delete) File: ([^\n\\\"]+)")


@dataclass(frozen=True, slots=True)
class RawLog:
    """One log of a home. ``path`` is relative to it; ``ends`` are (instant, end of the line) for each of its lines.

    ``program`` is whether a program asked, or the session is another's: nobody begins to work there. ``edited`` are
    files below ``root``, the folder of the repository as the log names it. ``copied`` is whether it begins as another
    log does: it counts from where it went on by itself.
    """

    path: str
    session: str
    root: str
    first: datetime
    last: datetime
    branch: str | None
    commit: str | None
    prompts: tuple[str, ...]
    edited: frozenset[str]
    program: bool
    ends: tuple[tuple[datetime, int], ...]
    copied: bool = False

    def active_before(self, moment: datetime) -> datetime:
        """When it was last written to before ``moment``; its beginning where that is not known."""
        return max(
            (at for at, _ in self.ends if at < moment), default=min(self.last, moment) if not self.ends else self.first
        )

    def until(self, moment: datetime) -> int:
        """How many bytes of the log were written before ``moment``."""
        size = 0
        for at, end in self.ends if moment > self.first else ():
            if at >= moment:
                break
            size = end
        return size


def homes_in(folder: Path) -> list[Path]:
    """The folders that are laid out as a home: ``folder`` itself, or those up to two levels below it."""
    found = [folder, *folder.glob("*"), *folder.glob("*/*")]
    return sorted(home for home in found if any((home / name).is_dir() for name in _AGENT_FOLDERS))


def logs_of(home: Path, repository: str) -> list[RawLog]:
    """The logs of a home whose sessions began in a folder of that name, in the order of their beginnings.

    Of several that begin with the same record, all but the one that ended first are copies that went on elsewhere.
    """
    every = [log for path in sorted(home.rglob("*.jsonl")) if (log := _read(home, path, repository))]
    first: dict[datetime, RawLog] = {}
    found = []
    for log in sorted(every, key=lambda log: (log.last, log.path)):
        if (original := first.setdefault(log.first, log)) is not log:
            shared = {at for at, _ in original.ends}
            own = min((at for at, _ in log.ends if at not in shared), default=log.last)
            log = replace(log, first=own, copied=True)
        found.append(log)
    return sorted(found, key=lambda log: (log.first, log.path))


def _read(home: Path, path: Path, repository: str) -> RawLog | None:
    relative = str(path.relative_to(home))
    session = (_ID.findall(relative) or [""])[-1]
    if not relative.startswith((".claude/", ".codex/")) or not session:
        return None
    ends: list[tuple[datetime, int]] = []
    at: datetime | None = None
    branch = commit = cwd = None
    prompts: list[str] = []
    edited: list[str] = []
    program, size = "agent-" in path.name or "/subagents/" in relative, 0
    for line in path.read_bytes().splitlines(keepends=True):
        size += len(line)
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if not isinstance(record, dict):
            continue
        at = _instant(record.get("timestamp")) or at
        if at is not None:
            ends.append((at, size))
        payload = object_of(record.get("payload"))
        cwd = cwd or record.get("cwd") or payload.get("cwd")
        git = object_of(payload.get("git"))
        branch = branch or record.get("gitBranch") or git.get("branch")
        commit = commit or git.get("commit_hash")
        program = program or _is_of_program(record, payload)
        prompts += _prompts(record, payload)
        edited += _edited(record, payload)
    root = _root(cwd, repository) if cwd else None
    if root is None or not ends:
        return None
    files = frozenset(name for name in (_below(name, root) for name in edited) if name)
    first, last = min(at for at, _ in ends), max(at for at, _ in ends)
    return RawLog(
        relative, session, root, first, last, branch, commit, tuple(prompts), files, program or not prompts, tuple(ends)
    )


def _instant(text: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text)).astimezone(UTC)
    except ValueError:
        return None


def _is_of_program(record: Mapping[str, Any], payload: Mapping[str, Any]) -> bool:
    if record.get("type") == "session_meta":
        source = payload.get("source")
        return isinstance(source, dict) or source in ("exec", "mcp") or payload.get("originator") == "codex_exec"
    return record.get("type") == "user" and str(record.get("entrypoint")).startswith("sdk-")


def _prompts(record: Mapping[str, Any], payload: Mapping[str, Any]) -> Iterator[str]:
    """What a person typed, in their words; what a client wrote around it begins with a mark."""
    if record.get("type") == "event_msg" and payload.get("type") == "user_message":
        texts = [payload.get("message")]
    elif record.get("type") == "user" and not (record.get("isMeta") or record.get("isSidechain")):
        origin = record.get("origin")
        if isinstance(origin, dict) and origin.get("kind") != "human":
            return
        content = (record.get("message") or {}).get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    else:
        return
    for text in texts:
        if (
            isinstance(text, str)
            and text.strip()
            and not text.lstrip().startswith(("<", "[Request interrupted", "Caveat:"))
        ):
            yield text.strip()


def _edited(record: Mapping[str, Any], payload: Mapping[str, Any]) -> Iterator[str]:
    content = (record.get("message") or {}).get("content") if record.get("type") == "assistant" else None
    for block in content if isinstance(content, list) else []:
        if isinstance(block, dict) and block.get("name") in _EDITS and isinstance(block.get("input"), dict):
            yield str(block["input"].get("file_path") or block["input"].get("notebook_path") or "")
    if payload.get("type") in ("custom_tool_call", "function_call"):
        yield from _PATCHED.findall(str(payload.get("input") or payload.get("arguments") or "").replace("\\n", "\n"))


def _parts(path: str) -> Sequence[str]:
    return path.replace("\\", "/").split("/")


def _root(cwd: str, repository: str) -> str | None:
    parts = _parts(cwd)
    if repository not in parts:
        return None
    length = len("/".join(parts[: parts.index(repository) + 1]))
    return cwd[:length]


def _below(path: str, root: str) -> str | None:
    """``path`` from the root; a relative one is taken from there."""
    path, root = "/".join(_parts(path.strip())), "/".join(_parts(root))
    if path.startswith(f"{root}/"):
        return path[len(root) + 1 :]
    return None if not path or path.startswith(("/", "~")) or path[1:2] == ":" else path


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
