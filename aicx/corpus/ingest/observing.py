"""Observations of a session's tool calls about the repositories of its folders, gathered while its log is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from aicx.corpus.ingest.drafts import MessageDraft
from aicx.corpus.places.evidence import root_of
from aicx.corpus.places.identity import from_remote
from aicx.corpus.places.siblings import FolderHistory, is_deep, is_telling_branch, relative_to
from aicx.folders import FolderClue
from aicx.git.printed import is_telling, read_printed
from aicx.sources.items import Redact, SessionEvent, TimelineEntry

# The folder that a call names for itself, among its arguments or in a script that runs it.
_WORKDIR = re.compile(
    r'\b(?:workdir|working_directory|dir_path|directory)"?:\s*[\'"]?((?:[A-Za-z]:[\\/]|/)[^\'"\n,}]+)'
)

_remote = lru_cache(1024)(from_remote)  # the same few addresses, thousands of times


class Observer:
    """Follows the tool calls of one reading: what a call's result showed, of the folder that the call ran in."""

    def __init__(self, clean: Redact) -> None:
        self.clean = clean
        self._calls: dict[str, tuple[str, str | None]] = {}

    @property
    def unanswered(self) -> Iterable[str]:
        """The calls that tell something, as far as they have no result yet."""
        return self._calls

    def watch(self, entry: TimelineEntry) -> Iterable[FolderClue]:
        tool = entry.tool
        if tool is None or tool.call_id is None:
            return ()
        if tool.phase == "call":
            if tool.command and is_telling(tool.command):
                self._calls[tool.call_id] = (tool.command, _folder_of(entry))
            return ()
        line, folder = self._calls.pop(tool.call_id, (None, None))
        return self._seen(read_printed(line, folder, entry.text, failed=bool(tool.failed))) if line else ()

    def recorded(self, fact: SessionEvent, cwd: str | None) -> Iterable[FolderClue]:
        """The remote that the agent itself recorded, or where it recorded that a pull request was opened."""
        project = _remote(fact.remote_url) if fact.remote_url else None
        folder = fact.cwd or cwd
        kind = "pull-request" if fact.of_pull_request else "recorded"
        return (FolderClue(folder, kind, project),) if project and folder else ()

    def _seen(self, observations: Iterable[FolderClue]) -> Iterator[FolderClue]:
        for seen in observations:
            said: str | None = seen.said
            if seen.kind == "worktree":
                said = self.clean(seen.said).text
            elif seen.kind == "moved":
                names = [name for address in seen.said.split(" ") if (name := _remote(address))]
                said = " ".join(names) if len(set(names)) == 2 else None
            elif seen.kind != "commit":
                said = _remote(seen.said)
            if said:
                yield FolderClue(self.clean(seen.folder).text, seen.kind, said)


def _folder_of(entry: TimelineEntry) -> str | None:
    named = set(_WORKDIR.findall(entry.text))
    return entry.cwd if not named else named.pop() if len(named) == 1 else None


def place_fields(seen: Iterable[FolderClue]) -> dict[str, Any]:
    """The evidence as the fields of a sidecar: ``places``, and the marks of commits by folder."""
    places: dict[FolderClue, None] = {}
    commits: dict[str, list[str]] = {}
    for one in seen:
        if one.kind == "commit":
            commits.setdefault(one.folder, []).append(one.said)
        else:
            places[one] = None
    return {
        "places": [{"folder": one.folder, "kind": one.kind, "said": one.said} for one in places],
        "commits": {folder: list(dict.fromkeys(marks)) for folder, marks in commits.items()},
    }


def gather_traces(
    traces: dict[str, FolderHistory], drafts: Sequence[MessageDraft], seen: Mapping[int, Sequence[FolderClue]]
) -> None:
    """Adds what a reading shows of the history in its folders, by root."""
    files: set[tuple[str, str]] = set()
    branches: set[tuple[str, str]] = set()
    for draft in drafts:
        entry = draft.entry
        if entry.cwd is None:
            continue
        if entry.branch:
            branches.add((entry.cwd, entry.branch))
        if entry.tool and entry.tool.files:
            files.update([(entry.cwd, path) for path in entry.tool.files])
    for cwd, branch in branches:
        if is_telling_branch(branch):
            traces.setdefault(root_of(cwd), FolderHistory()).branches.add(branch)
    for cwd, path in files:
        root = root_of(cwd)
        relative = relative_to(root, cwd, path)
        if relative and is_deep(relative):
            traces.setdefault(root, FolderHistory()).files.add(relative)
    for found in seen.values():
        for one in found:
            if one.kind == "commit":
                traces.setdefault(root_of(one.folder), FolderHistory()).commits.add(one.said)
