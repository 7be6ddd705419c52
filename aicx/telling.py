"""Which lines of a text somebody wrote rather than pasted, and how much each tells of what it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

from aicx.values import Expressions, regex, table_of

MAX_TITLE = 100
title_rules = cache(lambda: Expressions(table_of("titles")))
# Not by importlib.resources, which takes longer to import than the words to read.
_COMMON = Path(__file__).parent / "data" / "common_words.txt"
# How many lines are looked at: what a text is about comes first.
_MAX_LINES = 60
# A line with fewer telling words than this says too little to stand alone; one with none says nothing.
ENOUGH = 2

# What was pasted along with a prompt, or put around it.
_PASTED = regex(
    r"```.*?(?:```|\Z)|<([a-z][\w-]*)(?:\s[^<>]*)?>.*?</\1>|\[(?:image|pasted text|document|embedded)[^\]\n]*\]"
    r"|# Files mentioned by the user:\n(?:\s*##[^\n]*\n)*|## My request for Codex:",
    re.DOTALL | re.IGNORECASE,
)
_SHELL = regex(r"[\u276f\u279c\u23fa\u2022]\s|[\w.-]+@[\w.-]+[^\n]{0,60}[$#%] ")
_SIGN = regex(r"\A[\u276f\u279c\u23fa\u23bf\u2502>$%\u2022\s]+")
_LOG = regex(r"\s*\[\d{1,2}:\d\d:\d\d.*|\s\d{4}-\d\d-\d\dT\d\d:\d\d:.*")
_LINK = regex(r"\[([^\]\n]*)\]\(((?:https?://|/)[^)\s]*)\)?")
URL = regex(r"https?://[^\s)\]>\"'`]+")
_FORGE = regex(r"https?://[^/\s]+/([\w.-]+/[\w.-]+)/(?:issues|pull|pulls|discussions|-/issues|-/merge_requests)/(\d+)")
_FORGE_RUN = regex(r"https?://[^/\s]+/([\w.-]+/[\w.-]+)/actions/runs/(\d+)(?:\S*?[?&]pr=(\d+))?\S*")
REFERENCE = regex(r"[\w.-]+/[\w.-]+#\d+|#\d+")
WORD = regex(r"[^\W\d_][\w'\u2019-]*")
_MENTION = regex(r"(?<!\S)@[\w-]+(?![\w./-])")
_BULLET = regex(r"\A(?:[-*]|\d+[.)])\s+")
_WIDE = regex(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_SENTENCE_END = regex(r"[.!?]\s+(?=\W*[A-Z0-9])")
_TORN_MARK = regex(r"\[REDACTED:[^\]]*\Z")


def refers_to_something(line: str) -> bool:
    """Whether a line names an issue, a pull request or a page."""
    return REFERENCE.search(line) is not None or URL.search(line) is not None


def prose_lines(text: str) -> Iterator[str]:
    """The lines in which somebody says something, each with the one that it only introduces."""
    text = (_PASTED.sub("\n", text) if any(mark in text for mark in "`<[#") else text).strip()
    if _SHELL.match(text):  # what somebody writes about what they pasted comes below it
        text = "\n".join((text.rpartition("\n\n")[2], text))
    rules, held = title_rules(), ""  # what only introduces the next line, and the first line of what it introduces
    for raw in text.split("\n", _MAX_LINES)[:_MAX_LINES]:
        line = plain_line(raw)
        if rules.no_prose.match(line) and not _LINK.match(raw.strip()):
            if held.endswith(":") and (shown := _SIGN.sub("", line)):
                held = f"{held} {shown}"
            continue
        if not line:
            continue
        line = (
            f"{held} {rules.greeting.sub('', line, count=1)}" if held else rules.greeting.sub("", line, count=1) or line
        )
        held = ""
        if line.endswith(":") and count_telling(line) < ENOUGH:
            held = line
            continue
        yield line
    if held:
        yield held.rstrip(": ")


def sentences(line: str) -> Iterator[str]:
    """The sentences of a line, one at a time: often the first is enough."""
    at = 0
    for end in _SENTENCE_END.finditer(line):
        yield line[at : end.start() + 1]
        at = end.end()
    yield line[at:]


def plain_line(line: str) -> str:
    """A line without Markdown and without the log that was pasted behind it."""
    line = line.strip()
    if "](" in line:
        line = _LINK.sub(lambda found: found[2] if URL.match(found[1]) or not found[1] else found[1], line)
    if ":" in line:
        line = _LOG.sub("", line)
    return _BULLET.sub("", line.replace("**", "").lstrip("#> \t").strip(), count=1)


def _address(url: str) -> str:
    if found := _FORGE_RUN.match(url):
        return f"{found[1]}#{found[3]}" if found[3] else f"{found[1]} run #{found[2]}"
    if found := _FORGE.match(url):
        return f"{found[1]}#{found[2]}"
    return "/".join(url.partition("://")[2].split("?")[0].split("#")[0].split("/")[:3])


@lru_cache(256)  # a prompt is looked at line by line, whole, and as a title
def count_telling(line: str) -> int:
    """How many words of a line tell what it is about: not those that go with any task."""
    if "[" in line:
        line = line.replace("[forgotten]", " ").replace("[REDACTED", " ")
    # Most lines have none of these, and a look is cheaper than a pattern.
    if "://" in line:
        line = URL.sub(" ", line)
    if "#" in line:
        line = REFERENCE.sub(" ", line)
    if "@" in line:
        line = _MENTION.sub(" ", line)
    count = len(telling_words(line))
    return count if line.isascii() else count + sum(map(len, _WIDE.findall(line))) // 2


def telling_words(text: str) -> frozenset[str]:
    """The words of a text, in small letters, without those that go with any task."""
    words = {word.lower().replace("\u2019", "'") for word in WORD.findall(text)}
    return frozenset(word for word in words - _common() if len(word) > 1)


@cache
def _common() -> frozenset[str]:
    lines = _COMMON.read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def clip_title(line: str, limit: int = MAX_TITLE) -> str:
    """``line`` fit for a heading, cut between words, with a short form in place of each address."""
    if "://" in line:
        line = URL.sub(lambda found: _address(found[0]), line)
    line = " ".join(line.split())
    line = (line if line.isprintable() else "".join(filter(str.isprintable, line))).lstrip("#> ").strip()
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    ends = [end.start() + 1 for end in _SENTENCE_END.finditer(cut)]
    if ends and ends[-1] > limit * 3 // 5:
        return cut[: ends[-1]]
    space = cut.rfind(" ")
    cut = _TORN_MARK.sub("", cut[:space] if space > limit // 2 else cut)
    return cut.rstrip(" ,;:-") + "…"
