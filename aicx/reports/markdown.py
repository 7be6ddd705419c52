"""A report's Markdown: its steering block, its headings, its beginning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Annotated

from markdown_it import MarkdownIt
from markdown_it.token import Token

from aicx.corpus.ingest.frontmatter import split_frontmatter
from aicx.redaction import redact
from aicx.values import dataclass

PREVIEW_CHARS = 280
_MAX_HEADINGS = 200
_MAX_HEADING_LENGTH = 200
_MAX_SOURCE_LENGTH = 4000  # characters of a paragraph that are read for its beginning

_FIELD = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:[ \t]*(\S.*)")
_BOX = re.compile(r"\[[ xX]\][ \t]+")


@dataclass(frozen=True, slots=True)
class Heading:
    level: Annotated[int, "from 1"]
    text: Annotated[str, "its words"]


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


def outline(body: str) -> tuple[list[Heading], str]:
    """The first headings of a text, and how it begins: one line of its first prose, without headings and marks."""
    headings: list[Heading] = []
    words: list[str] = []
    room = PREVIEW_CHARS
    for level, source in _blocks(body):
        wanted = len(headings) < _MAX_HEADINGS if level else room > 0
        if not wanted or not (text := _plain(source[:_MAX_SOURCE_LENGTH])):
            continue
        if level:
            headings.append(Heading(level, text[:_MAX_HEADING_LENGTH]))
        else:
            words.append(text)
            room -= len(text) + 1
    return headings, shorten(redact(" ".join(words)).text, PREVIEW_CHARS)


def shorten(text: str, limit: int) -> str:
    """``text`` in at most ``limit`` characters, with a mark where something is missing."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def _blocks(body: str) -> Iterator[tuple[int, str]]:
    """Headings with their level, and what else is no code with level 0, as they are written."""
    level = 0
    for token in _parser().parse(body):
        if token.type == "heading_open":
            level = int(token.tag[1])
        elif token.type == "inline":
            yield level, token.content
            level = 0


def _plain(text: str) -> str:
    """``text`` without marks. Marks may have hidden a secret by standing in it."""
    tokens: list[Token] = []
    parser = _parser()
    parser.inline.parse(_BOX.sub("", text, 1) if _BOX.match(text) else text, parser, {}, tokens)
    plain = " ".join("".join(" " if token.type.endswith("break") else token.content for token in tokens).split())
    return plain if plain == text else redact(plain).text


@cache
def _parser() -> MarkdownIt:
    """Of inline text only what is asked for is read: most of a report is neither heading nor beginning."""
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable(["inline", "html_block"])
