"""Reads one file of a repository: its outline, redacted, and what it is found under; or why it is left out."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Sequence
from dataclasses import replace
from errno import EINVAL
from hashlib import blake2b
from typing import Any

from aicx.redaction import redact
from aicx.repomap.files import Stamp, stamp_of
from aicx.repomap.imports import targets
from aicx.repomap.kinds import HUGE, HUGE_BYTES, PLAIN, excluded_by_content, refine
from aicx.repomap.symbols import CodeSymbol, FileRecord, Outline, RawImport
from aicx.repomap.terms import Posting, postings, words_of
from aicx.system import STRICT

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-{3,})[ \t]*$")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_MAX_HEADING_LENGTH = 160

_TARGET = re.compile(r"(?P<names>[A-Za-z0-9_][\w./+ -]*?)[ \t]*::?(?![=:])")
_INCLUDE = re.compile(r"-?include[ \t]+([\w./-]+)")


def examine(root: str, path: str, language: str | None, digest: str | None) -> FileRecord:
    """The file at ``path`` below ``root``. ``digest`` is that of the text already known, if any.

    Raises OSError for what is no file or cannot be read.
    """
    source, stamp = _read(root, path)
    if len(source) > HUGE_BYTES:
        return without_text(path, stamp, skipped=HUGE)
    now = _digest(source)
    if now == digest:
        return FileRecord(stamp, now, unchanged=True)
    if (reason := excluded_by_content(source)) is not None:
        return FileRecord(stamp, now, skipped=reason)
    language = refine(path, language, source)
    if language is None:
        return without_text(path, stamp, digest=now)
    outline = _redacted(outline_of(source, language))
    found = targets(path, language, outline.imports)
    terms = postings(path, language, outline.symbols, found, outline.notes)
    symbols = [symbol._replace(words=" ".join(words_of(symbol.name))) for symbol in outline.symbols]
    named, values = _columns(terms)
    count, defined, wanted = len(symbols), _to_json(symbols), _to_json(found)
    return FileRecord(stamp, now, False, language, None, outline.flaw, named, values, count, defined, wanted)


def _columns(terms: Sequence[Posting]) -> tuple[str, list[int]]:
    """Terms and their values as a record has them."""
    return "\n".join(term for term, _ in terms), [value for _, value in terms]


def _to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def digest_of(root: str, path: str) -> str | None:
    """The digest of a file's text as `examine` gives it; None when it cannot be read."""
    try:
        return _digest(_read(root, path)[0])
    except OSError:
        return None


def _read(root: str, path: str) -> tuple[bytes, Stamp]:
    """A file's text as far as it matters, and its stamp. A link is not followed, and nothing else blocks."""
    handle = os.open(f"{root}/{path}", os.O_RDONLY | STRICT)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(EINVAL, "no regular file")
        return file.read(HUGE_BYTES + 1), stamp_of(status)


def _digest(source: bytes) -> str:
    return blake2b(source, digest_size=16).hexdigest()


def without_text(
    path: str, stamp: Stamp, *, digest: str = "", skipped: str | None = None, problem: str | None = None
) -> FileRecord:
    """A file that is found by its path only."""
    return FileRecord(stamp, digest, False, None, skipped, problem, *_columns(postings(path, None, (), ())))


def outline_of(source: bytes, language: str) -> Outline:
    if language in PLAIN:
        return outline_plain(source, language)
    from aicx.repomap.grammar import outline

    return outline(source, language)


def _redacted(outline: Outline) -> Outline:
    """The outline without secrets: in headings, and in the odd identifier or import that holds one."""
    texts = [symbol.name for symbol in outline.symbols] + [item.source for item in outline.imports]
    texts.append(outline.notes)
    # Nearly always there is nothing, and one look at all of them together is cheap.
    if not redact("\n".join(texts)).counts:
        return outline
    return replace(
        outline,
        symbols=tuple(
            symbol._replace(name=redact(symbol.name).text, container=redact(symbol.container).text)
            for symbol in outline.symbols
        ),
        imports=tuple(item for item in outline.imports if not redact(item.source).counts),
        notes=redact(outline.notes).text,
    )


def outline_plain(source: bytes, language: str) -> Outline:
    """The outline of a file of one of the languages in `languages.PLAIN`."""
    lines = source.decode("utf-8", "replace").splitlines()
    return _markdown(lines) if language == "markdown" else _make(lines)


def _markdown(lines: list[str]) -> Outline:
    found: list[tuple[int, str]] = []
    fence = ""
    # A block of settings at the very top would look like an underlined heading.
    start = lines.index("---", 1) + 1 if lines[:1] == ["---"] and "---" in lines[1:] else 0
    for number, line in enumerate(lines[start:], start + 1):
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
            continue
        if fence:
            continue
        previous = lines[number - 2].strip() if number >= 2 else ""
        if match := _HEADING.match(line):
            found.append((number, match[2]))
        elif _UNDERLINE.match(line) and _may_be_underlined(previous):
            found.append((number - 1, previous))
    symbols = []
    for at, (number, text) in enumerate(found):
        last = found[at + 1][0] - 1 if at + 1 < len(found) else len(lines)
        if name := _plain(text):
            symbols.append(CodeSymbol(name, "heading", number, last))
    return Outline(tuple(symbols))


def _may_be_underlined(line: str) -> bool:
    """Whether a row of dashes below makes a heading of it, rather than closing a table, list or quote."""
    return bool(line) and not line.startswith(("|", "-", "*", ">", "#", "<", "=", "+"))


def _plain(heading: str) -> str:
    """A heading without links and marks, on one line."""
    return " ".join(_CONTROL.sub(" ", _LINK.sub(r"\1", heading)).replace("`", "").split())[:_MAX_HEADING_LENGTH]


def _make(lines: list[str]) -> Outline:
    symbols: dict[str, CodeSymbol] = {}
    imports = []
    for number, line in enumerate(lines, 1):
        if match := _INCLUDE.match(line):
            imports.append(RawImport(match[1], "file"))
        elif match := _TARGET.match(line):
            for name in match["names"].split():
                symbols.setdefault(name, CodeSymbol(name, "target", number, number))
    return Outline(tuple(symbols.values()), tuple(imports))
