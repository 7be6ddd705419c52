"""A report's Markdown: its steering block, its headings, its beginning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from aicx.corpus.ingest.frontmatter import split_frontmatter
from aicx.redaction import redact

PREVIEW_CHARS = 280
_MOST_HEADINGS = 200
_LONGEST_HEADING = 200

_FIELD = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:[ \t]*(\S.*)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_MARKS = re.compile(r"\*\*|__|`|^[ \t]*(?:[-*+>]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?", re.MULTILINE)
_RULE = re.compile(r"[ \t]*(?:[-*_=|:+][ \t]*){3,}")


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str


def split_block(text: str) -> tuple[dict[str, str], str]:
    """The flat fields of the block that opens ``text``, by their names in lower case, and the text behind it."""
    body = split_frontmatter(text)[1]
    fields: dict[str, str] = {}
    for line in text[: len(text) - len(body)].splitlines():
        if match := _FIELD.fullmatch(line.strip()):
            value = match[2].strip()
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
            fields[match[1].lower().replace("-", "_")] = value[1:-1] if quoted else value
    return fields, body


def headings(body: str) -> list[Heading]:
    """The first headings of a text, without those that stand inside a block of code."""
    found = []
    for line in _prose(body):
        if (match := _HEADING.fullmatch(line)) and (text := _plain(match[2].rstrip(" \t#"))):
            found.append(Heading(len(match[1]), text[:_LONGEST_HEADING]))
            if len(found) == _MOST_HEADINGS:
                break
    return found


def preview(body: str) -> str:
    """How a text begins, as one line: its first prose without headings and marks."""
    words: list[str] = []
    length = 0
    for line in _prose(body):
        if _HEADING.fullmatch(line) or _RULE.fullmatch(line) or not (text := _plain(line)):
            continue
        words.append(text)
        length += len(text) + 1
        if length > PREVIEW_CHARS:
            break
    return shorten(redact(" ".join(words)).text, PREVIEW_CHARS)


def shorten(text: str, limit: int) -> str:
    """``text`` in at most ``limit`` characters, with a mark where something is missing."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def _prose(body: str) -> Iterator[str]:
    fence = ""
    for line in body.splitlines():
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip().strip(mark[1][0]):
                fence = ""
        elif mark:
            fence = mark[1]
        else:
            yield line


def _plain(text: str) -> str:
    """``text`` without marks. Marks may have hidden a secret by standing in it."""
    plain = " ".join(_MARKS.sub("", text).split())
    return plain if plain == text else redact(plain).text
