"""Reads the files of a report in bounded memory; of its Markdown the steering block, the headings, the beginning.

What comes out is safe to show: everything is redacted before it is shortened. Of a file too large to be read whole, a
window is read and redacted, and what lies near the window's cut edge is dropped: a secret that the cut went through
cannot be recognised there.
"""

from __future__ import annotations

import codecs
import errno
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import orjson
from markdown_it import MarkdownIt
from markdown_it.token import Token

from aicx.corpus.ingest.frontmatter import split_frontmatter
from aicx.redaction import redact, redact_plain
from aicx.system import STRICT
from aicx.values import dataclass

REPORT_LIMIT = 4 * 1024 * 1024
META_LIMIT = 4 * 1024 * 1024
TAIL_LIMIT = 48 * 1024
_TAIL_WINDOWS = (192 * 1024, 1024 * 1024, 8 * 1024 * 1024)
# Twice the longest secret that the rules know, a private key in its armour.
_EDGE = 64 * 1024
_MAX_LINE_START_LENGTH = 4096
_INSIDE_CHARACTER = bytes(range(0x80, 0xC0))


@dataclass(frozen=True, slots=True)
class ReportText:
    """The text read of a file, redacted. ``problem`` says what is wrong with the file, ``cut`` that there is more."""

    text: str
    size: int = 0
    cut: bool = False
    problem: str | None = None


def clean(text: str) -> str:
    """``text`` without secrets and without what a terminal would obey."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").encode("utf-8", "replace").decode()
    return redact_plain(text).text


def clean_line(text: str) -> str:
    """``text`` on one line, without secrets."""
    return " ".join(clean(text).split())


def read_report(path: Path) -> ReportText:
    """A Markdown file from its beginning. Raises OSError."""
    with _opened(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        body = stream.read(REPORT_LIMIT)
    cut = size > len(body)
    decoded, problem = _decoded(body, final=not cut)
    text = clean(decoded)
    if not cut:
        return ReportText(text, size, problem=problem)
    return ReportText(
        text[:-_EDGE], size, cut=True, problem=problem or f"only its first {REPORT_LIMIT:,} bytes were read"
    )


def read_tail(path: Path) -> ReportText:
    """The end of a transcript, at most `TAIL_LIMIT` bytes of it. Raises OSError."""
    with _opened(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        # What draws on a terminal writes mostly what is left out here; then a larger window is needed.
        for window in _TAIL_WINDOWS:
            start = max(0, size - window)
            stream.seek(start)
            body = stream.read(size - start)
            if start:
                body = body.lstrip(_INSIDE_CHARACTER)  # the rest of a character that the window's edge cut
            decoded, problem = _decoded(body, final=True)
            text = clean(decoded)[_EDGE if start else 0 :]
            if not start or len(text) >= TAIL_LIMIT:
                break
    tail = _last_bytes(text, TAIL_LIMIT)
    return ReportText(tail, size, cut=bool(start) or len(tail) < len(text), problem=problem)


def read_meta(path: Path) -> Mapping[str, Any] | str:
    """A sidecar's fields, not redacted, or what is wrong with it. Raises OSError."""
    with _opened(path) as stream:
        body = stream.read(META_LIMIT + 1)
    if len(body) > META_LIMIT:
        return f"is larger than {META_LIMIT:,} bytes"
    try:
        fields = orjson.loads(body.removeprefix(codecs.BOM_UTF8))
    except orjson.JSONDecodeError:
        return "is not JSON" if body.strip() else "is empty"
    return fields if isinstance(fields, dict) else f"holds a JSON {type(fields).__name__}, not an object"


def _opened(path: Path) -> BinaryIO:
    """``path`` open for reading; never through a link, and never a pipe or device, which might not end."""
    descriptor = os.open(path, os.O_RDONLY | STRICT)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "is not a regular file", str(path))
    return os.fdopen(descriptor, "rb")


def _decoded(body: bytes, *, final: bool) -> tuple[str, str | None]:
    with suppress(UnicodeDecodeError):
        return codecs.getincrementaldecoder("utf-8")().decode(body, final), None
    return body.decode("utf-8", "replace"), "is not UTF-8 throughout; a mark stands for what is none"


def _last_bytes(text: str, limit: int) -> str:
    """The end of ``text`` in at most ``limit`` bytes, from the beginning of a line where one is near."""
    body = text.encode()
    if len(body) <= limit:
        return text
    tail = body[-limit:].decode("utf-8", "ignore")
    line = tail.find("\n", 0, _MAX_LINE_START_LENGTH)
    return tail[line + 1 :]


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
