"""The one door by which facts from logs come in: names, paths and reasons are redacted here, before anything sees them.

Texts of messages and results are not: `drafts` redacts those whole and counts what it finds. The branch that a command
left its folder on is one of these facts: where a log does not say it, git prints it when it changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, cast

from aicx.sources import load_source
from aicx.sources.items import (
    BadRecord,
    GrowingSource,
    LogFile,
    LogIdentity,
    ReadPoint,
    RecordsEnd,
    Redact,
    SessionEvent,
    SkippedRecords,
    SourceItem,
    TimelineEntry,
    ToolUse,
    clean_id,
)
from aicx.types import AgentHomes


def fingerprint_of(known: Mapping[str, str], log: LogFile) -> str | None:
    """The fingerprint with which a log is recorded in the catalogue, also where its path is recorded redacted."""
    name = str(log.path)
    if (found := known.get(name)) is not None or not known:
        return found
    from aicx.redaction import redact  # imported here: its rules take a while to compile, and most paths are known

    return known.get(clean_id(name, redact))


class Door:
    """Redacts what a log says of itself. Values that repeat with every record are looked at once."""

    def __init__(self, redact: Redact) -> None:
        self.redact = redact
        self._id = lru_cache(1024)(lambda text: clean_id(text, redact))
        self._text = lru_cache(4096)(lambda text: redact(text).text)

    def item(self, item: SourceItem) -> SourceItem:
        if isinstance(item, TimelineEntry):
            return self.entry(item)
        if isinstance(item, SessionEvent):
            return self.fact(item)
        if isinstance(item, BadRecord):
            return self.problem(item)
        if isinstance(item, SkippedRecords):
            return replace(item, path=self._text(item.path), reason=self._text(item.reason))
        return item

    def problem(self, bad: BadRecord) -> BadRecord:
        return replace(bad, path=self._text(bad.path), reason=self._text(bad.reason))

    def identity(self, found: LogIdentity) -> LogIdentity:
        session, parent = (name and self._id(name) for name in (found.session_id, found.parent_session))
        same = (session, parent) == (found.session_id, found.parent_session)
        return found if same else replace(found, session_id=session, parent_session=parent)

    def entry(self, entry: TimelineEntry) -> TimelineEntry:
        ref, tool = entry.ref, entry.tool
        session_id, path = self._id(entry.session_id), self._text(ref.path)
        cwd, branch, model = self._optional(entry.cwd), self._optional(entry.branch), self._optional(entry.model)
        used = tool and self._tool(tool)
        if used is tool and (session_id, path, cwd, branch, model) == (
            *(entry.session_id, ref.path),
            *(entry.cwd, entry.branch, entry.model),
        ):
            return entry
        return replace(
            entry, session_id=session_id, ref=replace(ref, path=path), cwd=cwd, branch=branch, model=model, tool=used
        )

    def _optional(self, text: str | None) -> str | None:
        return text and self._text(text)

    def _tool(self, tool: ToolUse) -> ToolUse:
        name, command = self._text(tool.name), self._optional(tool.command)
        call_id, files = tool.call_id and self._id(tool.call_id), tuple(map(self._text, tool.files))
        if (name, call_id, command, files) == (tool.name, tool.call_id, tool.command, tool.files):
            return tool
        return replace(tool, name=name, call_id=call_id, command=command, files=files)

    def fact(self, fact: SessionEvent) -> SessionEvent:
        return replace(
            fact,
            session_id=self._id(fact.session_id),
            parent_session=fact.parent_session and self._id(fact.parent_session),
            title=self._optional(fact.title),
            remote_url=self._optional(fact.remote_url),
            cwd=self._optional(fact.cwd),
            commit=self._optional(fact.commit),
        )


class CleanSource:
    """The logs of an agent, read through a door. Their paths are the real ones, to open them by."""

    def __init__(self, agent: str, door: Door) -> None:
        self.agent = agent
        self.source = load_source(agent)
        self.door = door

    def discover(self, homes: AgentHomes) -> Iterator[LogFile | BadRecord]:
        for item in self.source.discover(homes):
            yield item if isinstance(item, LogFile) else self.door.problem(item)

    def identify(self, log: LogFile) -> LogIdentity:
        return self.door.identity(self.source.identify(log))

    def read(self, log: LogFile) -> Iterator[SourceItem]:
        items = self.source.read(log)
        # A log that is read on says its branch in each record, or follows it itself.
        return map(self.door.item, items if self.can_read_on(log) else with_branches(items))

    def can_read_on(self, log: LogFile) -> bool:
        """Whether the log's format can be read on from where reading stopped."""
        return log.format in getattr(self.source, "growing", ())

    def read_on(
        self, log: LogFile, start: int, line: int, state: Mapping[str, Any]
    ) -> Iterator[SourceItem | ReadPoint | RecordsEnd]:
        """As `GrowingSource.read_on`, for a log that `can_read_on`."""
        for item in cast(GrowingSource, self.source).read_on(log, start, line, state):
            yield item if isinstance(item, ReadPoint | RecordsEnd) else self.door.item(item)


_PRINTED = re.compile(
    r"^(?:\[(?P<commit>[^\s\]]+)(?: \(root-commit\))? [0-9a-f]{7,40}\] \S"
    r"|Switched to (?:a new )?branch '(?P<switched>[^'\s]+)'\s*$|## (?P<status>\S+?)\.\.\.\S+(?: \[.+\])?\s*$)",
    re.MULTILINE,
)
_GIT = re.compile(r"\bgit\s")
# A command that may be about another folder than the session's.
_ELSEWHERE = re.compile(
    r"(?:^|[;&|(]\s*|\n\s*)(?:cd|pushd)\s|\bgit\s+(?:-\S+\s+)*(?:-C|--git-dir|--work-tree|clone|worktree)\b"
)
_FOLDER = re.compile(r"""\bworkdir["']?\s*[:=]\s*["']?([^"'\n,}]+)""")


def asks_git_here(text: str, command: str | None, cwd: str | None) -> bool:
    """Whether a call, with ``text`` as it is stored and its shell ``command``, runs git in the session's folder."""
    if not command or not _GIT.search(command) or _ELSEWHERE.search(command):
        return False
    return all(folder.strip() == cwd for folder in _FOLDER.findall(text))


def printed_branch(output: str) -> str | None:
    """The branch that the last of git's words in ``output`` names: a commit, a switch, or a short status."""
    named = [found["commit"] or found["switched"] or found["status"] for found in _PRINTED.finditer(output)]
    return named[-1] if named else None


def with_branches(items: Iterable[SourceItem]) -> Iterator[SourceItem]:
    """Gives entries that have no branch the one that git printed last in their folder."""
    asked: set[str] = set()
    branches: dict[str | None, str] = {}
    for item in items:
        if isinstance(item, TimelineEntry) and item.branch is None:
            tool = item.tool
            if tool is not None and tool.call_id and tool.phase == "call":
                if asks_git_here(item.text, tool.command, item.cwd):
                    asked.add(tool.call_id)
            elif tool is not None and tool.call_id in asked and (printed := printed_branch(item.text)):
                branches[item.cwd] = printed
            if (branch := branches.get(item.cwd)) is not None:
                item = replace(item, branch=branch)
        yield item
