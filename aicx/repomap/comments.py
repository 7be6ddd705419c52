"""Comments worth indexing: the one at the top of a file, and the first line above each definition.

Only words are taken from it, for questions are asked in the words of comments more often than in those of code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

# Enough for the sentence that says what something is for.
_MAX_LEAD_LENGTH, _MAX_NOTE_LENGTH = 500, 160
_MAX_TEXT_LENGTH = 6000
_LEAD_LINES, _NOTE_LINES = 60, 14

_HASH_LANGUAGES = frozenset({"python", "ruby"})
_HASH = re.compile(rb"[ \t]*#+!?[ \t]?(?P<text>.*)")
_SLASHES = re.compile(rb"[ \t]*(?://[/!]*|/\*+!?|\*+/?)[ \t]?(?P<text>.*?)(?:\*+/)?[ \t\r]*$")
# Between a comment and what it describes: decorators, attributes and annotations.
_BETWEEN = re.compile(rb"[ \t]*(?:@\w|#\[|\[\w|template\s*<|export\b)")
_BEFORE_LEAD = re.compile(rb"[ \t\r]*(?:$|#!|<\?php|package\s|#\s*(?:-\*-|frozen_string_literal|encoding|coding))")
_OPENS_BLOCK = re.compile(rb"[ \t]*(?:/\*|//!)")
_MARKUP = re.compile(r"<[^>]{1,60}>|\{@\w+|@\w+|\brst\b")
# Every file of a project says these, and they describe none of them.
_LEGAL = re.compile(r"copyright|licen[cs]e|all rights reserved|spdx", re.IGNORECASE)


def written_about(lines: Sequence[bytes], language: str, starts: Iterable[int], docstrings: Sequence[str]) -> str:
    """The texts about a file, one a line. ``starts`` are the lines its definitions begin at, from 0."""
    comment = _HASH if language in _HASH_LANGUAGES else _SLASHES
    texts = [_lead(lines, comment), *(_first_line(text) for text in docstrings)]
    texts += (_above(lines, start, comment) for start in dict.fromkeys(starts))
    return "\n".join(filter(None, texts))[:_MAX_TEXT_LENGTH]


def _lead(lines: Sequence[bytes], comment: re.Pattern[bytes]) -> str:
    """The first comment of the file that is not about rights."""
    for block in _blocks(lines[:_LEAD_LINES], comment):
        text = _plain(block)
        if text and not _LEGAL.search(text):
            return text[:_MAX_LEAD_LENGTH]
    return ""


def _blocks(lines: Sequence[bytes], comment: re.Pattern[bytes]) -> Iterator[list[bytes]]:
    """The comments at the top of a file, each as its lines; ends with the first line of code."""
    block: list[bytes] = []
    for line in lines:
        match = comment.match(line)
        is_blank = _BEFORE_LEAD.match(line) or (match and not match["text"].strip())
        if block and (is_blank or _OPENS_BLOCK.match(line)):
            yield block
            block = []
        if match is None and not is_blank:
            break
        if match and not is_blank:
            block.append(match["text"])
    if block:
        yield block


def _above(lines: Sequence[bytes], start: int, comment: re.Pattern[bytes]) -> str:
    """The first line of the comment right above a definition."""
    block: list[bytes] = []
    for at in range(start - 1, max(-1, start - 1 - _NOTE_LINES), -1):
        match = comment.match(lines[at])
        if match:
            block.append(match["text"])
        elif block or not _BETWEEN.match(lines[at]):
            break
    return _first_line(_plain([line for line in reversed(block) if line.strip()][:2]))


def _plain(block: Iterable[bytes]) -> str:
    return " ".join(_MARKUP.sub(" ", b" ".join(block).decode("utf-8", "replace")).split())


def _first_line(text: str) -> str:
    return " ".join(text.strip().partition("\n\n")[0].split())[:_MAX_NOTE_LENGTH]
