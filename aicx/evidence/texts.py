"""Splits prose into complete sentences, and shortens text to one line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from aicx.text import shorten
from aicx.values import regex

_FENCED = regex(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_FENCE = regex(r"^[ \t]*(?:`{3,}|~{3,})[^\n]*$", re.MULTILINE)
# What clients and agents put into a text for machines: directives of Codex, and blocks in tags of their own.
_DIRECTIVE = regex(r"^::[\w-]+\{[^\n]*\}[ \t]*$", re.MULTILINE)
_TAGGED = regex(r"<(heartbeat|system-reminder|environment_context|user_instructions)>.*?(?:</\1>|\Z)", re.DOTALL)
# A lesson that an agent puts in a box of its own: it reports nothing.
_LESSON = regex(
    r"^[ \t]*[`*]*\u2605[^\n]*\n(?:.*?^[ \t]*[`*]*[\u2500\u2501]{5,}[`*]*[ \t]*$|(?:[^\n]+\n?)*)",
    re.DOTALL | re.MULTILINE,
)
# The frames of a traceback pasted without a fence; the error below them says what happened.
_FRAMES = regex(
    r"^[ \t]*Traceback \(most recent call last\):[ \t]*\n(?:[ \t]+[^\n]*\n)*|^[ \t]+at [^\n]*:\d+[^\n]*$", re.MULTILINE
)
_LINK = regex(r"\[([^\]\n]+)\]\(([^)\s]+)(?:\)|(?<=…)$)", re.MULTILINE)
# A tag around a whole line; one inside a line may be what is being talked about.
_TAG = regex(r"^[ \t]*</?[a-z][\w-]{1,30}>|</[a-z][\w-]{1,30}>[ \t]*$", re.MULTILINE)
_EMPHASIS = regex(r"`[^`\n]+`|(\*\*|__)(?=\S)(.+?)(?<=\S)\1")  # stars in code are no marks
_HEADING = regex(r"#{1,6}[ \t]+(.+?)[ \t#]*")
_ITEM = regex(r"(?:[-*+•]|\d{1,2}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.+)")
_TABLE = regex(r"\|.*\|[ \t]*|[-|: \t]{3,}|={3,}|[─━╌]{3,}.*")
# The number of an item ends no sentence.
_SENTENCE_END = regex(
    "(?<!\\b\\d\\.)(?<!\\b\\d\\d\\.)(?<=[.!?\u3002\uff01\uff1f])[\"'\u201d\u2019)*]*\\s+"
    "(?=[^\\sa-z]|[`*_\"'\u201c\u2018(])"
)
_GIST_SHARE = 20
_MAX_KEPT = 8000  # characters; of a longer text often only the first sentences are asked for
# A part of the limit so small that a cut sentence is better than none.
_SHORT = 0.3
_WORD = regex(r"[^\W_]+(?:['\u2019][^\W_]+)?")


class Sentence(NamedTuple):
    """One sentence or list item, and the heading it stands under, both without marks; empty without one."""

    text: str
    heading: str = ""
    item: bool = False


def sentences(text: str) -> Iterator[Sentence]:
    """Yields a text's sentences, without code blocks, tables, frames of tracebacks and directives."""
    return iter(_known_sentences(text)) if len(text) <= _MAX_KEPT else _sentences(text)


@lru_cache(64)  # the last words of a session are asked for its results, its questions, its next steps, ...
def _known_sentences(text: str) -> tuple[Sentence, ...]:
    return tuple(_sentences(text))


def _sentences(text: str) -> Iterator[Sentence]:
    heading = ""
    paragraph: list[str] = []
    for line in [*_prose(text).splitlines(), ""]:
        plain = line.strip().lstrip(">").strip()
        found = _HEADING.fullmatch(plain)
        item = None if found else _ITEM.fullmatch(plain)
        if plain and not found and not item and not _TABLE.fullmatch(plain):
            paragraph.append(plain)
            continue
        for said in _split(" ".join(paragraph)):
            # A line that ends in a colon introduces what follows, as a heading does.
            if said.endswith(":") and len(said) <= 80:
                heading = said.rstrip(":")
            else:
                yield Sentence(said, heading)
        paragraph = []
        if found:
            heading = _unmarked(found[1]).rstrip(":")
        elif item:
            every = list(_split(item[1]))
            if len(every) == 1 and every[0].endswith(":") and len(every[0]) <= 80:
                heading = every[0].rstrip(":")
                continue
            for said in every:
                yield Sentence(said, heading, item=True)


# What goes on with a sentence that was left out with the code in its middle.
_GOES_ON = re.compile(r"(?:and|but|or|then|which) ")
_TAKES_BACK = re.compile(r"(?:But|Except|However|Yet)\b")


def summary_line(text: str, limit: int, leave_out: Callable[[str], object] | None = None) -> str:
    """The beginning of what a text says, whole sentences where they fit, at most ``limit`` characters on one line.

    Sentences of which ``leave_out`` holds are left out after the first, which the rest may lean on.
    """
    kept, under = "", ""
    # Far more than fits, and still little of a long text.
    for said in sentences(text[: _GIST_SHARE * limit]):
        if kept and ((leave_out and leave_out(said.text)) or _GOES_ON.match(said.text)):
            continue
        lead = f"{said.heading}: " if said.item and said.heading != under else ""
        under = said.heading
        joint = " " if kept.endswith((".", "!", "?", ":", "…", "。")) else "; "
        longer = f"{kept}{joint if kept else ''}{lead}{said.text}"
        if kept and len(longer) > limit:
            # "The fix is complete." alone says less than half of the next sentence with it, or what that takes back.
            kept = longer if len(kept) < limit * _SHORT or _TAKES_BACK.match(said.text) else kept
            break
        kept = longer
    return shorten(kept or _FENCE.sub("", without_lessons(text)), limit)


def without_lessons(text: str) -> str:
    """``text`` without the boxes in which an agent teaches something ("\u2605 Insight")."""
    return _LESSON.sub("\n", text) if "\u2605" in text else text


def without_directives(text: str) -> str:
    """``text`` without what an agent writes into it for its client alone."""
    return _DIRECTIVE.sub("", text)


def words(text: str) -> list[str]:
    """The words of a text, folded, in order."""
    return [word.casefold().replace("\u2019", "'") for word in _WORD.findall(text)]


def _prose(text: str) -> str:
    text = without_lessons(_FENCED.sub("\n\n", text))
    text = _TAGGED.sub("\n", text)
    text = _FRAMES.sub("\n", text)
    text = without_directives(text)
    return _TAG.sub(" ", _LINK.sub(_link_text, text))


def _link_text(found: re.Match[str]) -> str:
    """A link as its words; a link whose words are the address stays one address."""
    label, target = found[1], found[2]
    return target if label.startswith(("http://", "https://")) and not target.endswith("…") else label


def _split(paragraph: str) -> Iterator[str]:
    for part in _SENTENCE_END.split(paragraph):
        said = _unmarked(part)
        if len(said) > 2:
            yield said


def _unmarked(text: str) -> str:
    return " ".join(_EMPHASIS.sub(lambda found: found[2] or found[0], text).split()).strip("*_ ")
