"""Live sources: the instruction files of a repository as they are now, read when asked and never kept.

They are advisory, always: what a file says is guidance by whoever may write to it, and no memory that anyone adopted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Literal

from aicx.managed import blocks
from aicx.memory.policy import Policy, PolicyReason
from aicx.memory.sources_files import Refusal, Refused, read_regular, resolve_inside
from aicx.memory.sources_places import Named, Place, SourceKind, listed, named_places
from aicx.memory.sources_text import Statement, split_statements
from aicx.types import AgentHomes
from aicx.values import dataclass

SkipReason = PolicyReason | Refusal | Literal["duplicate"]

MAX_BYTES = 1024 * 1024
_MAX_STATEMENTS = 5000
# A text in another encoding than UTF-8 has a few such signs, a program or a picture has many.
_MAX_UNREADABLE = 0.1
# Lines that a secret may take, of which its mark leaves one.
_LONGEST_SECRET = 200


@dataclass(frozen=True, slots=True)
class LiveSource:
    """A file that is there. ``reason`` says why nothing of it is used; ``policy`` is ``blocked`` where it may not be.

    ``path`` is relative to the repository, absolute outside it. What was not opened has no ``sha256``.
    """

    id: str
    source: str
    path: str
    kind: SourceKind
    policy: Literal["allowed", "blocked"]
    reason: SkipReason | None = None
    sha256: str | None = None
    mtime: datetime | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class LiveStatement:
    """A statement of a live source, redacted: always advisory, at ``ref``, which names its lines."""

    ref: str
    source: LiveSource
    statement: Statement


@dataclass(frozen=True, slots=True)
class Blocked:
    """What the policy keeps out of every answer, by reference alone."""

    ref: str
    reason: SkipReason


@dataclass(frozen=True, slots=True)
class Live:
    """All live sources with their statements. ``blocked`` are statements of sources that are otherwise allowed."""

    sources: tuple[LiveSource, ...]
    statements: tuple[LiveStatement, ...]
    blocked: tuple[Blocked, ...]


def read_live(
    repository: Path | None,
    policy: Policy,
    named: Sequence[Named] = (),
    *,
    homes: AgentHomes | None = None,
    redact_secrets: bool = True,
) -> Live:
    """The listed files of ``repository`` and what is ``named`` besides, in that order. Only ever reads.

    A file with the content of an earlier one is listed as its duplicate. Raises NotFound for a named path that is not
    there, UsageError for a source's name that is not a word.
    """
    places = [*(listed(repository) if repository else ()), *named_places(repository, named, homes)]
    sources: list[LiveSource] = []
    statements: list[LiveStatement] = []
    blocked: list[Blocked] = []
    seen: set[str | None] = set()
    ids: set[str] = set()
    for place in places:
        if place.id in ids:  # named, and in the list as well
            continue
        ids.add(place.id)
        source, body = _read(place, policy)
        if source.reason is None and source.sha256 in seen and source.size:
            source = replace(source, reason="duplicate")
        seen.add(source.sha256)
        sources.append(source)
        if source.reason is None:
            for one, written in _statements(source, body, redact_secrets):
                if reason := policy.of_text(written, one.statement.text):
                    blocked.append(Blocked(one.ref, reason))
                else:
                    statements.append(_without_excluded_headings(one, policy))
    return Live(tuple(sources), tuple(statements), tuple(blocked))


def _read(place: Place, policy: Policy) -> tuple[LiveSource, str]:
    """A source with its text, which is empty where nothing of it may be used."""
    blocked = LiveSource(place.id, place.source, place.shown, place.kind, "blocked")
    if reason := policy.of_source(place.id, place.source) or policy.of_path(place.shown, str(place.path)):
        return _measured(replace(blocked, reason=reason), place.path), ""
    try:
        target = resolve_inside(place.path, place.top) if place.top else place.path.resolve(strict=True)
        paths = [str(target)]
        if place.top is not None:
            paths.append(target.relative_to(place.top.resolve()).as_posix())
        if reason := policy.of_path(*paths):
            return _measured(replace(blocked, reason=reason), place.path), ""
        if place.over_budget:
            raise Refused("over_budget")
        content = read_regular(target, MAX_BYTES)
    except Refused as refused:
        return _measured(replace(blocked, reason=refused.reason), place.path), ""
    except (OSError, RuntimeError, ValueError):
        return _measured(replace(blocked, reason="unreadable"), place.path), ""
    digest = sha256(content.body).hexdigest()
    facts = replace(blocked, sha256=digest, mtime=content.mtime, size=len(content.body))
    text = content.body.decode("utf-8", "replace")
    if "\0" in text or text.count("\ufffd") > _MAX_UNREADABLE * len(text):
        return replace(facts, reason="unreadable"), ""
    return replace(facts, policy="allowed"), text


def _measured(source: LiveSource, path: Path) -> LiveSource:
    """A source that is not opened, with what its folder says of it: of a link, the link's own."""
    try:
        about = path.lstat()
    except (OSError, ValueError):
        return source
    return replace(source, mtime=datetime.fromtimestamp(about.st_mtime, UTC), size=about.st_size)


def _statements(source: LiveSource, body: str, redact_secrets: bool) -> Iterator[tuple[LiveStatement, str]]:
    """Each statement, and its lines as they are written, for the policy alone."""
    body = body.replace("\r\n", "\n").replace("\r", "\n")
    # What `aicx init` put there is no guidance of anybody's; the lines keep their numbers.
    body = blocks.blanked(body)
    lines = body.split("\n")
    from aicx.redaction import redact  # imported here: its rules take a while to compile

    shown = _in_place(lines, redact(body).text.split("\n")) if redact_secrets else lines
    for statement in split_statements(shown)[:_MAX_STATEMENTS]:
        last = f"-L{statement.last}" if statement.last > statement.first else ""
        written = "\n".join(lines[statement.first - 1 : statement.last])
        yield LiveStatement(f"{source.id}#L{statement.first}{last}", source, statement), written


def _in_place(before: list[str], after: list[str]) -> list[str]:
    """The redacted lines, each where it was: a mark takes the place of a secret of several lines."""
    if len(after) == len(before):
        return after
    placed = [""] * len(before)
    at = 0
    for number, line in enumerate(after):
        if at >= len(before):
            break
        placed[at] = line
        if before[at] != line and number + 1 < len(after):
            near = range(at + 1, min(at + _LONGEST_SECRET, len(before)))
            at = next((place for place in near if before[place] == after[number + 1]), at + 1)
        else:
            at += 1
    return placed


def _without_excluded_headings(one: LiveStatement, policy: Policy) -> LiveStatement:
    heading = tuple(text for text in one.statement.heading if not policy.of_text(text))
    return replace(one, statement=replace(one.statement, heading=heading))
