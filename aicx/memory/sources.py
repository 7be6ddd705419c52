"""Live sources: the instruction files of a repository as they are now, read when asked and never kept.

They are always advisory: what a file says is guidance by those who may write to it, and nothing that a person adopted.
Its Markdown is split into statements by its own structure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal

from aicx.managed import blocks
from aicx.memory.policy import Policy, PolicyReason
from aicx.memory.sources_files import (
    Named,
    Refusal,
    Refused,
    SourceKind,
    SourcePlace,
    listed,
    named_places,
    read_regular,
    resolve_inside,
)
from aicx.text import printable, shorten
from aicx.types import AgentHomes
from aicx.values import dataclass

SCHEMA = "aicx.memory-sources/1"
SkipReason = PolicyReason | Refusal | Literal["duplicate"]

MAX_BYTES = 1024 * 1024
_MAX_STATEMENTS = 5000
# A text in another encoding than UTF-8 has a few such signs, a program or a picture has many.
_MAX_UNREADABLE = 0.1
# Lines that a secret may take, of which its mark leaves one.
_MAX_SECRET = 200
StatementKind = Literal["heading", "item", "paragraph", "code"]

MAX_LENGTH = 600
_MAX_CODE = 2000
_MAX_FRONT_MATTER = 100
_HEADING = re.compile(r"(#{1,6})(?:[ \t]+(.*?))?[ \t]*#*")
_UNDERLINE = re.compile(r"=+|-{2,}")
_RULE = re.compile(r"(?:[-*_][ \t]*){3,}")
_ITEM = re.compile(r"(?:[-*+•]|\d{1,9}[.)])(?:[ \t]+(?:\[[ xX]\][ \t]+)?(.*))?")
_FENCE = re.compile(r"(`{3,})[^`]*|(~{3,}).*")
_TABLE_RULE = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")
_QUOTE = re.compile(r"\A(?:>[ \t]?)+")
_COMMENT = re.compile(r"<!--.*?-->")


@dataclass(frozen=True, slots=True)
class LiveSource:
    """A file that is there. ``reason`` says why nothing of it is used; ``policy`` is ``blocked`` where it may not be.

    ``path`` is relative to the repository, absolute outside it. What was not opened has no ``sha256``.
    """

    id: Annotated[str, "such as `live:claude:CLAUDE.md`"]
    source: Annotated[str, "whose file it is"]
    path: Annotated[str, "the file"]
    kind: Annotated[SourceKind, "what sort of file it is", str]
    sha256: Annotated[str | None, "of its content, null where it was not opened"] = None
    mtime: Annotated[datetime | None, "when it changed last, null where it is not known", str | None] = None
    size: Annotated[int | None, "in bytes, null where it is not known"] = None
    policy: Annotated[Literal["allowed", "blocked"], "`allowed` or `blocked`", str] = "blocked"
    reason: Annotated[SkipReason | None, "why nothing of it is used, or null", str | None] = None
    statements: Annotated[int, "number of statements that recall may quote"] = 0  # where the sources are listed


@dataclass(frozen=True, slots=True)
class LiveStatement:
    """A statement of a live source, redacted: always advisory, at ``ref``, which names its lines."""

    ref: str
    source: LiveSource
    statement: FileStatement


@dataclass(frozen=True, slots=True)
class Blocked:
    """A statement that the policy keeps out of every answer, by reference alone."""

    ref: Annotated[str, "of the statement"]
    reason: Annotated[SkipReason, "code of the closed list", str]


@dataclass(frozen=True, slots=True)
class SourcesAnswer:
    """The live sources that are there. ``policies`` are the policy files that count, ``policy_sha256`` their rules."""

    repository: Annotated[str, "the repository's folder"]
    sources: Annotated[list[LiveSource], "the files that are there"]
    blocked: Annotated[Sequence[Blocked], "statements that the policy excludes"]
    policies: Annotated[list[str], "the policy files that count"]
    policy_sha256: Annotated[str, "of their rules"]


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


def _read(place: SourcePlace, policy: Policy) -> tuple[LiveSource, str]:
    """A source with its text, which is empty where nothing of it may be used."""
    blocked = LiveSource(place.id, place.source, place.shown, place.kind)
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
        content, changed = read_regular(target, MAX_BYTES)
    except Refused as refused:
        return _measured(replace(blocked, reason=refused.reason), place.path), ""
    except (OSError, RuntimeError, ValueError):
        return _measured(replace(blocked, reason="unreadable"), place.path), ""
    digest = sha256(content).hexdigest()
    facts = replace(blocked, sha256=digest, mtime=changed, size=len(content))
    text = content.decode("utf-8", "replace")
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
            near = range(at + 1, min(at + _MAX_SECRET, len(before)))
            at = next((place for place in near if before[place] == after[number + 1]), at + 1)
        else:
            at += 1
    return placed


def _without_excluded_headings(one: LiveStatement, policy: Policy) -> LiveStatement:
    heading = tuple(text for text in one.statement.heading if not policy.of_text(text))
    return replace(one, statement=replace(one.statement, heading=heading))


@dataclass(frozen=True, slots=True)
class FileStatement:
    """One statement on the lines ``first`` to ``last``, from 1; ``heading`` are the headings above it, outermost first.

    ``text`` is one line, of code as many as it has, without invisible characters and without what steers a terminal.
    """

    kind: StatementKind
    text: str
    first: int
    last: int
    heading: tuple[str, ...] = ()


def split_statements(lines: Sequence[str]) -> list[FileStatement]:
    """The statements of a Markdown text, in order. Front matter, closed comments, rules and blank lines are none."""
    above: list[tuple[int, str]] = []
    found: list[FileStatement] = []
    for statement, level in _blocks(lines):
        if statement.kind == "heading":
            above = [one for one in above if one[0] < level]
        placed = replace(statement, heading=tuple(text for _, text in above))
        if statement.kind == "heading":
            above.append((level, statement.text))
        if placed.text:
            found.append(placed)
    return found


def _front_matter(lines: Sequence[str]) -> int:
    """How many lines the front matter takes, which a page does not show."""
    if not lines or lines[0].strip() != "---":
        return 0
    return next((n + 1 for n in range(1, min(len(lines), _MAX_FRONT_MATTER)) if lines[n].strip() == "---"), 0)


def _fence_after(fence: str, line: str) -> str:
    """The fence that is open after a line, empty where none is: it ends with as many of its own signs and no more."""
    if fence:
        return "" if len(line) >= len(fence) and not line.strip(fence[0]) else fence
    found = _FENCE.fullmatch(line)
    return (found[1] or found[2]) if found else ""


def _blocks(lines: Sequence[str]) -> Iterator[tuple[FileStatement, int]]:
    """Each block with its level, which counts for headings."""
    held: list[str] = []
    first, kind = 0, "paragraph"

    def taken(last: int) -> Iterator[tuple[FileStatement, int]]:
        if held:
            yield _statement("item" if kind == "item" else "paragraph", held, first, last), 0
            held.clear()

    number, last_close = _front_matter(lines), max((n for n, line in enumerate(lines) if "-->" in line), default=-1)
    while number < len(lines):
        plain = _plain(lines[number])
        at = number + 1
        # Nobody who reads the page sees a comment. One that never ends is text.
        if plain.startswith("<!--") and number <= last_close:
            number += next(n for n in range(last_close - number + 1) if "-->" in lines[number + n]) + 1
            continue
        if fence := _fence_after("", plain):
            yield from taken(number)
            end = number + 1
            while end < len(lines) and _fence_after(fence, _plain(lines[end])):
                end += 1
            yield _code(lines[number + 1 : end], at, min(end + 1, len(lines))), 0
            number = end + 1
            continue
        if not plain:
            yield from taken(number)
        elif heading := _HEADING.fullmatch(plain):
            yield from taken(number)
            yield _statement("heading", [heading[2] or ""], at, at), len(heading[1])
        elif held and kind == "paragraph" and _UNDERLINE.fullmatch(plain):
            yield _statement("heading", held, first, at), 1 if plain[0] == "=" else 2
            held.clear()
        elif _RULE.fullmatch(plain) or _TABLE_RULE.fullmatch(plain):
            yield from taken(number)
        elif (item := _ITEM.fullmatch(plain)) or plain.startswith("|"):
            yield from taken(number)
            first, kind = at, "item"
            held.append(item[1] or "" if item else plain.strip("| "))
        else:
            if not held:
                first, kind = at, "paragraph"
            held.append(plain)
        number += 1
    yield from taken(len(lines))


def _plain(line: str) -> str:
    """A line without the marks of a quotation and without comments inside it."""
    return _COMMENT.sub("", _QUOTE.sub("", line.strip(), count=1)).strip()


def _statement(kind: StatementKind, lines: Sequence[str], first: int, last: int) -> FileStatement:
    return FileStatement(kind, shorten(" ".join(lines), MAX_LENGTH), first, last)


def _code(lines: Sequence[str], first: int, last: int) -> FileStatement:
    text = "\n".join(printable(line.replace("\t", "    ")).rstrip() for line in lines).strip("\n")
    return FileStatement("code", text if len(text) <= _MAX_CODE else f"{text[:_MAX_CODE]}…", first, last)
