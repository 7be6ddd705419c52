"""Outlines that need no grammar: the headings of Markdown and the targets of a Makefile."""

from __future__ import annotations

import re

from aicx.repomap.symbols import Outline, RawImport, Symbol

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-{3,})[ \t]*$")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_MAX_HEADING_LENGTH = 160

_TARGET = re.compile(r"(?P<names>[A-Za-z0-9_][\w./+ -]*?)[ \t]*::?(?![=:])")
_INCLUDE = re.compile(r"-?include[ \t]+([\w./-]+)")


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
            symbols.append(Symbol(name, "heading", number, last))
    return Outline(tuple(symbols))


def _may_be_underlined(line: str) -> bool:
    """Whether a row of dashes below makes a heading of it, rather than closing a table, list or quote."""
    return bool(line) and not line.startswith(("|", "-", "*", ">", "#", "<", "=", "+"))


def _plain(heading: str) -> str:
    """A heading without links and marks, on one line."""
    return " ".join(_CONTROL.sub(" ", _LINK.sub(r"\1", heading)).replace("`", "").split())[:_MAX_HEADING_LENGTH]


def _make(lines: list[str]) -> Outline:
    symbols: dict[str, Symbol] = {}
    imports = []
    for number, line in enumerate(lines, 1):
        if match := _INCLUDE.match(line):
            imports.append(RawImport(match[1], "file"))
        elif match := _TARGET.match(line):
            for name in match["names"].split():
                symbols.setdefault(name, Symbol(name, "target", number, number))
    return Outline(tuple(symbols.values()), tuple(imports))
