"""Splits an instruction file into statements, each with the lines it is on: headings, list items, paragraphs, code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from aicx.text import printable, shorten
from aicx.values import dataclass

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
class Statement:
    """One statement on the lines ``first`` to ``last``, from 1; ``heading`` are the headings above it, outermost first.

    ``text`` is one line, of code as many as it has, without invisible characters and without what steers a terminal.
    """

    kind: StatementKind
    text: str
    first: int
    last: int
    heading: tuple[str, ...] = ()


def split_statements(lines: Sequence[str]) -> list[Statement]:
    """The statements of a Markdown text, in order. Front matter, closed comments, rules and blank lines are none."""
    above: list[tuple[int, str]] = []
    found: list[Statement] = []
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


def _blocks(lines: Sequence[str]) -> Iterator[tuple[Statement, int]]:
    """Each block with its level, which counts for headings."""
    held: list[str] = []
    first, kind = 0, "paragraph"

    def taken(last: int) -> Iterator[tuple[Statement, int]]:
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


def _statement(kind: StatementKind, lines: Sequence[str], first: int, last: int) -> Statement:
    return Statement(kind, shorten(" ".join(lines), MAX_LENGTH), first, last)


def _code(lines: Sequence[str], first: int, last: int) -> Statement:
    text = "\n".join(printable(line.replace("\t", "    ")).rstrip() for line in lines).strip("\n")
    return Statement("code", text if len(text) <= _MAX_CODE else f"{text[:_MAX_CODE]}…", first, last)
