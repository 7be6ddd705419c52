"""Statements of live sources as recall considers them: read when asked, kept while their files are the same."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from aicx.config import Settings
from aicx.errors import NotFound
from aicx.memory.answers import MemoryEntry, MemoryScore
from aicx.memory.assess import LIVE_FILE, freshness_of
from aicx.memory.policy import Policy
from aicx.memory.policy_records import policy_in
from aicx.memory.reading import Scope
from aicx.memory.recall.table import impacts
from aicx.memory.record import REASONS
from aicx.memory.sources_files import Named, listed, named_places
from aicx.text import instant, shorten
from aicx.values import dataclass

if TYPE_CHECKING:
    from aicx.memory.sources import Live, LiveStatement

_HEADING = 0.5
_MAX_TOPIC = 80


@dataclass(frozen=True, slots=True)
class LiveTable:
    """Live sources with the impacts of their statements, which are counted from 0."""

    live: Live | None = None
    statements: tuple[LiveStatement, ...] = ()
    postings: Mapping[str, Mapping[int, int]] = field(default_factory=dict)


class LiveReader:
    """Reads live sources, and again only when a file of them, or the policy, is another one."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._known: tuple[object, LiveTable] | None = None

    def read(self, root: Path | None, policy: Policy, named: Sequence[Named]) -> LiveTable:
        """Raises NotFound and UsageError for what is named and cannot be meant."""
        settings = self._settings
        places = [*(listed(root) if root else ()), *named_places(root, named, settings.homes)]
        stamp = root, policy.digest, tuple((place.id, str(place.path), _stamp(place.path)) for place in places)
        if self._known is None or self._known[0] != stamp:
            if not places:
                self._known = stamp, LiveTable()
                return self._known[1]
            from aicx.memory.sources import read_live  # imported here: many repositories have no such file

            live = read_live(root, policy, named, homes=settings.homes, redact_secrets=settings.redact_secrets)
            self._known = stamp, _table(live)
        return self._known[1]


def live_entry(one: LiveStatement, score: MemoryScore | None, repository: str | None, now: datetime) -> MemoryEntry:
    """A statement of an instruction file: guidance by whoever may write to the file, never agreed."""
    source = one.source
    assert source.mtime is not None
    return MemoryEntry(
        ref=one.ref,
        name=None,
        kind="note" if source.kind == "memory" else "policy",
        topic=shorten(" / ".join(one.statement.heading), _MAX_TOPIC),
        statement=one.statement.text,
        status="advisory",
        freshness=freshness_of(now - source.mtime),
        tier=LIVE_FILE,
        usage="guidance",
        baseline=False,
        reasons=["advisory_source", *(["relevant_match"] if score else [])],
        because=[],
        superseded_by=None,
        source={
            "class": "instruction_file",
            "at": instant(source.mtime),
            "lane": "primary",
            "path": source.path,
            "sha256": source.sha256,
            "agent": source.source,
        },
        evidence=[],
        score=score,
        repository=repository if ":global:" not in source.id else None,
        rev=1,
        pinned=False,
        sightings=1,
    )


def _table(live: Live) -> LiveTable:
    # A heading says what the statements below it are about, and nothing on its own.
    statements = tuple(one for one in live.statements if one.statement.kind != "heading")
    postings: dict[str, dict[int, int]] = {}
    for number, one in enumerate(statements):
        headings = ((text, _HEADING) for text in one.statement.heading)
        for term, impact in impacts([(one.statement.text, 1.0), *headings]).items():
            postings.setdefault(term, {})[number] = impact
    return LiveTable(live, statements, postings)


def _stamp(path: Path) -> tuple[int, ...]:
    """Returns what stays the same as long as a file, and the one that it links to, does."""
    found: list[int] = []
    for look in (os.lstat, os.stat):
        try:
            about = look(path)
        except (OSError, ValueError):
            found.append(-1)
        else:
            found += [about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_mode]
    return tuple(found)


def find_live(settings: Settings, scope: Scope, ref: str, now: datetime) -> list[MemoryEntry]:
    """The statement that a reference names, or all of the file that it names.

    Raises NotFound for what is not there (any more) and for what may not be shown, with its reason.
    """
    from aicx.memory.sources import read_live

    live = read_live(
        scope.root, policy_in(settings, scope), homes=settings.homes, redact_secrets=settings.redact_secrets
    )
    found = [one for one in live.statements if ref in (one.ref, one.source.id)]
    if found:
        return [live_entry(one, None, scope.repository, now) for one in found]
    refused = [(one.id, one.reason) for one in live.sources if one.reason] + [
        (one.ref, one.reason) for one in live.blocked
    ]
    why = next((reason for name, reason in refused if name in (ref, ref.partition("#")[0])), None)
    if why is not None:
        raise NotFound(f"{ref} is not shown: {REASONS[why]}", hint="aicx memory sources")
    raise NotFound(f"there is no {ref} now", hint="aicx memory sources lists the files, and recall their statements")
