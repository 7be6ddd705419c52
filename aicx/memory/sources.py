"""Live sources: the instruction files of a repository as they are now, read when asked and never kept.

They are advisory, always: what a file says is guidance by whoever may write to it, and no memory that anyone adopted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Literal

from aicx.errors import NotFound, UsageError
from aicx.memory.policy import Policy, PolicyReason
from aicx.memory.sources_files import Refusal, Refused, exists, read_regular, resolve_inside
from aicx.memory.sources_text import Statement, split_statements
from aicx.redaction import redact
from aicx.types import AgentHomes

SourceKind = Literal["instructions", "rules", "memory"]
SkipReason = PolicyReason | Refusal | Literal["duplicate"]

# Every file that is looked for, whose it is, and what it is for. Nothing else of a repository is read.
LISTED: tuple[tuple[str, str, SourceKind], ...] = (
    ("CLAUDE.md", "claude", "instructions"),
    (".claude/CLAUDE.md", "claude", "instructions"),
    (".claude/memory.md", "claude", "memory"),
    ("AGENTS.md", "codex", "instructions"),
    (".codex/AGENTS.md", "codex", "instructions"),
    (".codex/memory.md", "codex", "memory"),
    ("GEMINI.md", "gemini", "instructions"),
    (".cursor/rules", "cursor", "rules"),
    (".cursor/rules.md", "cursor", "rules"),
    (".cursorrules", "cursor", "rules"),
    (".github/copilot-instructions.md", "copilot", "instructions"),
)
_FOLDER = ".cursor/rules"  # the one that may be a folder
MAX_BYTES = 1024 * 1024
MAX_FILES = 128  # of a folder; the rest is listed and not opened
_MAX_NAMES = 2000  # of a folder that are looked at
_MAX_STATEMENTS = 5000
_ENDINGS = (".md", ".mdc")
_OWNER = re.compile(r"[a-z][a-z0-9-]{0,31}")
# A text in another encoding than UTF-8 has a few such signs, a program or a picture has many.
_MAX_UNREADABLE = 0.1
# Lines that a secret may take, of which its mark leaves one.
_LONGEST_SECRET = 200


@dataclass(frozen=True, slots=True)
class Named:
    """A file or folder outside the repository that a person named, and whose it is; None where they did not say."""

    path: Path
    source: str | None = None


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


@dataclass(frozen=True, slots=True)
class _Place:
    """A file to look at: by its name, its path for people, and the folder that it must not leave."""

    path: Path
    shown: str
    source: str
    kind: SourceKind
    top: Path | None
    id: str
    over_budget: bool = False


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
    places = [*(_listed(repository) if repository else ()), *_named(repository, named, homes)]
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


def _listed(repository: Path) -> Iterator[_Place]:
    for name, source, kind in LISTED:
        path = repository / name
        if not exists(path):
            continue
        place = _Place(path, name, source, kind, repository, f"live:{source}:{name}")
        yield from _in_folder(place) if name == _FOLDER and os.path.isdir(path) else (place,)  # noqa: PTH112


def _named(repository: Path | None, named: Iterable[Named], homes: AgentHomes | None) -> Iterator[_Place]:
    for one in named:
        # The folder without links, to see whether it is in the repository; the file's own link is looked at later.
        path = Path(os.path.realpath(one.path.parent), one.path.name)
        if not exists(path):
            raise NotFound(f"there is no {one.path}", hint="name a file or a folder with --path")
        owner = one.source or _owner(path, homes)
        if not _OWNER.fullmatch(owner):
            raise UsageError(f"{owner!r} is not the name of a source", hint="use letters, digits and hyphens")
        if repository and path.is_relative_to(repository.resolve()):
            shown = path.relative_to(repository.resolve()).as_posix()
            place = _Place(path, shown, owner, "memory", repository, f"live:{owner}:{shown}")
        else:
            place = _Place(path, str(path), owner, "memory", None, _outside_id(owner, path))
        if os.path.isdir(path):  # noqa: PTH112  Path.is_dir raises for what may not be read
            # What is linked from inside a named folder was not named.
            yield from _in_folder(replace(place, top=place.top or path))
        else:
            yield place


def _outside_id(owner: str, path: Path) -> str:
    return f"live:{owner}:global:{sha256(os.fsencode(path)).hexdigest()[:12]}"


def _owner(path: Path, homes: AgentHomes | None) -> str:
    """Whose a file is that lies below an agent's own folder; ``file`` elsewhere."""
    known = {"claude": homes.claude, "codex": homes.codex, "gemini": homes.gemini} if homes else {}
    return next((agent for agent, home in known.items() if path.is_relative_to(home.resolve())), "file")


def _in_folder(folder: _Place) -> Iterator[_Place]:
    """The Markdown files below a folder in the order of their names. Links to folders are not followed."""
    try:
        if folder.top is not None:
            resolve_inside(folder.path, folder.top)
    except Refused:
        yield folder
        return
    found: list[Path] = []
    unreadable: list[Path] = []
    for parent, folders, files in os.walk(folder.path, onerror=lambda error: unreadable.append(Path(error.filename))):
        folders.sort()
        links = (name for name in folders if Path(parent, name).is_symlink())
        found += (Path(parent, name) for name in sorted([*files, *links]) if name.endswith(_ENDINGS))
        if len(found) >= _MAX_NAMES:
            break
    for number, path in enumerate([*sorted(found)[:_MAX_NAMES], *unreadable]):
        shown = f"{folder.shown}/{path.relative_to(folder.path).as_posix()}"
        identity = _outside_id(folder.source, path) if ":global:" in folder.id else f"live:{folder.source}:{shown}"
        yield replace(folder, path=path, shown=shown, id=identity, over_budget=number >= MAX_FILES)


def _read(place: _Place, policy: Policy) -> tuple[LiveSource, str]:
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
    lines = body.split("\n")
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
