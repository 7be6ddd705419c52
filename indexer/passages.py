"""Cuts a document into windows: some tokens of one text, whole lines and sentences where that is possible.

A window is never made of two texts, nor of a text and its context: what an embedder makes of a mixture is near to
neither. Windows overlap a little, so that no sentence is only seen torn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from aicx.types import Document
from aicx.values import dataclass

CHUNKER = "3"  # changes whenever the same document may be cut another way

# For each text, the character after each of its tokens, in order.
TokenEnds = Callable[[Sequence[str]], list[list[int]]]

_SENTENCE_ENDS = ".!?:;\u3002\uff01\uff1f"


@dataclass(frozen=True, slots=True)
class Windows:
    """The size of windows and how much of one is repeated in the next, in tokens.

    A text of at most ``whole`` tokens is one window; only longer ones are cut.
    """

    tokens: int
    overlap: int
    whole: int = 0


@dataclass(frozen=True, slots=True)
class EmbeddedPassage:
    """A passage to embed: ``text`` is the characters from ``start`` to ``stop`` of the document's part ``part``.

    Of a document without text it is the header, with ``stop`` 0.
    """

    document_id: str
    ordinal: int
    text: str
    part: int
    start: int
    stop: int


def cut(
    document: Document, windows: Windows, token_ends: TokenEnds, *, least_weight: float = 0.0
) -> list[EmbeddedPassage]:
    """The windows of ``document``, part by part; at least one, if only for its header.

    Parts of weight 0 or below ``least_weight`` are left out.
    """
    parts = [
        (number, part.text)
        for number, part in enumerate(document.parts)
        if part.weight > 0 and part.weight >= least_weight and part.text.strip()
    ]
    passages: list[EmbeddedPassage] = []
    for (number, text), ends in zip(parts, token_ends([text for _, text in parts]) if parts else (), strict=True):
        for start, stop in _spans(text, ends, windows):
            passages.append(EmbeddedPassage(document.id, len(passages), text[start:stop], number, start, stop))
    return passages or [EmbeddedPassage(document.id, 0, document.header.strip(), 0, 0, 0)]


def _spans(text: str, ends: Sequence[int], windows: Windows) -> Iterator[tuple[int, int]]:
    """The characters of each window. What follows the last token belongs to the last window."""
    if len(ends) <= windows.whole:
        yield 0, len(text)
        return
    first = 0
    while True:
        last = _stop(text, ends, first, windows.tokens)
        start = ends[first - 1] if first else 0
        if last >= len(ends):
            yield start, len(text)
            return
        yield start, ends[last - 1]
        first = _whole_word(text, ends, max(first + 1, last - windows.overlap), last)


def _stop(text: str, ends: Sequence[int], first: int, tokens: int) -> int:
    """The token before which a window from ``first`` ends: after a line, a sentence or a word in its last third."""
    longest = first + tokens
    if longest >= len(ends):
        return len(ends)
    likely = range(longest, longest - max(1, tokens // 3), -1)
    line = next((stop for stop in likely if _follows(text, ends[stop - 1]) == "\n"), None)
    sentence = next((stop for stop in likely if _is_sentence_end(text, ends[stop - 1])), None)
    word = next((stop for stop in likely if _follows(text, ends[stop - 1])), longest)
    return line or sentence or word


def _whole_word(text: str, ends: Sequence[int], first: int, last: int) -> int:
    """The first token from ``first`` that begins a word; ``last`` where none before it does."""
    return next((token for token in range(first, last) if _follows(text, ends[token - 1])), last)


def _follows(text: str, place: int) -> str:
    """The white space at a place of a text: a line break where there is one, else one blank; empty inside a word."""
    stop = place
    while stop < len(text) and text[stop].isspace():
        if text[stop] == "\n":
            return "\n"
        stop += 1
    return " " if stop > place else ""


def _is_sentence_end(text: str, place: int) -> bool:
    return text[place - 1] in _SENTENCE_ENDS and (bool(_follows(text, place)) or text[place - 1] > "\x7f")
