"""Cuts a document into passages that fit an embedder's window, losing nothing.

Texts are taken apart into small pieces, each piece is counted once, and windows are runs of pieces. Counting every
possible window instead would read a long text many times over. Pieces need not add up exactly (some tokenizers see
other tokens across a seam), so finished passages are counted too, and those too long are halved.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from aicx.types import Document, Part

CHUNKER = "1"  # changes whenever the same document may be cut another way

CountTokens = Callable[[Sequence[str]], list[int]]

HEADER_SHARE = 4  # the header gets at most this part of a window (a quarter): the text is what is asked for
OVERLAP_SHARE = 10  # and about a tenth of a window is said again in the next, so that no sentence is only seen torn

# At most 96 characters, up to a line's end if that wastes little, else up to a blank, else anywhere.
_PIECE = re.compile(r"(?s).{48,95}\n|.{0,95}(?:\s|\Z)|.{1,96}")
_WORD = re.compile(r"\s*\S+")


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A position in a document: a character of one of its parts."""

    part: int
    character: int


@dataclass(frozen=True, slots=True)
class Passage:
    """What is embedded: ``text`` is the header and everything of the parts of ``weight`` from ``start`` to ``stop``."""

    document_id: str
    ordinal: int
    text: str
    weight: float
    start: Place
    stop: Place


@dataclass(frozen=True, slots=True)
class _Piece:
    part: int
    start: int
    stop: int
    tokens: int


def cut(document: Document, max_tokens: int, count_tokens: CountTokens, *, least_weight: float = 0.0) -> list[Passage]:
    """The passages of ``document``, none longer than ``max_tokens``; at least one, if only for its header.

    Parts of one weight share passages; parts of weight 0 or below ``least_weight`` are left out.
    """
    header = _shortened(document.header.strip(), max_tokens // HEADER_SHARE, count_tokens)
    room = max_tokens - (count_tokens([header])[0] + 1 if header else 0)
    by_weight = sorted(enumerate(document.parts), key=lambda item: -item[1].weight)
    passages: list[Passage] = []
    for weight, group in groupby(by_weight, key=lambda item: item[1].weight):
        if weight > 0 and weight >= least_weight:
            windows = _windows(_pieces(list(group), room, count_tokens), room)
            for window in _fitting(document, header, list(windows), max_tokens, count_tokens):
                first, last = window[0], window[-1]
                start, stop = Place(first.part, first.start), Place(last.part, last.stop)
                text = _text(document, header, window)
                passages.append(Passage(document.id, len(passages), text, weight, start, stop))
    if not passages:
        return [Passage(document.id, 0, header, 1.0, Place(0, 0), Place(0, 0))]
    return passages


def _shortened(header: str, limit: int, count_tokens: CountTokens) -> str:
    """As many of the header's first words as fit."""
    if not header or count_tokens([header])[0] <= limit:
        return header
    # A word is at least a token for every tokenizer that tells words apart, so no more of them can fit.
    words = [match.end() for match, _ in zip(_WORD.finditer(header), range(limit), strict=False)]
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens([header[: words[middle - 1]]])[0] <= limit:
            low = middle
        else:
            high = middle - 1
    return header[: words[low - 1]] if low else ""


def _pieces(parts: Sequence[tuple[int, Part]], room: int, count_tokens: CountTokens) -> list[_Piece]:
    spans = [
        (number, match.start(), match.end())
        for number, part in parts
        for match in _PIECE.finditer(part.text)
        if match.end() > match.start()
    ]
    texts = dict(parts)
    pieces: list[_Piece] = []
    while spans:
        counts = count_tokens([texts[number].text[start:stop] for number, start, stop in spans])
        halves: list[tuple[int, int, int]] = []
        for (number, start, stop), tokens in zip(spans, counts, strict=True):
            if tokens > room and stop - start > 1:
                middle = (start + stop) // 2
                halves += [(number, start, middle), (number, middle, stop)]
            else:
                pieces.append(_Piece(number, start, stop, tokens))
        spans = halves
    pieces.sort(key=lambda piece: (piece.part, piece.start))
    return pieces


def _windows(pieces: Sequence[_Piece], room: int) -> Iterator[list[_Piece]]:
    """Runs of pieces that fit, each starting a little before the end of the one before."""
    first = 0
    while first < len(pieces):
        used, stop = 0, first
        while stop < len(pieces):
            # A line break is put between two parts, which may be a token.
            more = pieces[stop].tokens + (stop > first and pieces[stop].part != pieces[stop - 1].part)
            if stop > first and used + more > room:
                break
            used += more
            stop += 1
        yield list(pieces[first:stop])
        if stop == len(pieces):
            return
        shared, following = 0, stop
        while following - 1 > first and shared + pieces[following - 1].tokens <= room // OVERLAP_SHARE:
            following -= 1
            shared += pieces[following].tokens
        first = following


def _fitting(
    document: Document, header: str, windows: list[list[_Piece]], max_tokens: int, count_tokens: CountTokens
) -> list[list[_Piece]]:
    """The windows, halved until each fits by the tokenizer's own count of the whole passage."""
    done: list[list[_Piece]] = []
    waiting = windows
    while waiting:
        counts = count_tokens([_text(document, header, window) for window in waiting])
        halves: list[list[_Piece]] = []
        for window, tokens in zip(waiting, counts, strict=True):
            parts = _halves(window) if tokens > max_tokens else []
            halves += parts
            if not parts:
                done.append(window)
        waiting = halves
    done.sort(key=lambda window: (window[0].part, window[0].start))
    return done


def _halves(window: list[_Piece]) -> list[list[_Piece]]:
    """Both halves of a window; nothing for a single character, which cannot be halved."""
    if len(window) > 1:
        middle = len(window) // 2
        return [window[:middle], window[middle:]]
    piece = window[0]
    if piece.stop - piece.start < 2:
        return []
    middle = (piece.start + piece.stop) // 2
    return [[_Piece(piece.part, piece.start, middle, 0)], [_Piece(piece.part, middle, piece.stop, 0)]]


def _text(document: Document, header: str, window: Sequence[_Piece]) -> str:
    """The header, then what the window covers of each part, on lines of their own."""
    spans: list[tuple[int, int, int]] = []
    for piece in window:
        if spans and spans[-1][0] == piece.part:
            spans[-1] = (piece.part, spans[-1][1], piece.stop)
        else:
            spans.append((piece.part, piece.start, piece.stop))
    texts = [document.parts[part].text[start:stop] for part, start, stop in spans]
    return "\n".join([header, *texts] if header else texts)
