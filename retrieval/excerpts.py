"""Finds the lines of a text that answer a question, and rates how well the text matches."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from functools import lru_cache
from itertools import accumulate, groupby, islice
from typing import Any, Literal, NamedTuple, Self, TypeVar

from aicx.types import Voice
from aicx.values import dataclass, regex
from retrieval.analysis import fold
from retrieval.languages import asks, wording_of
from retrieval.lines import LINE_LENGTH, LOOKED_AT, ShortenedLine, SoughtTerms, lowered, mark
from retrieval.questions import Question

# Every asked word, name and phrase is there; some of them; none, but it is near in meaning.
Tier = Literal["exact", "partial", "nearest"]
Item = TypeVar("Item", bound=tuple[Any, Any, Any, str])

# What the words that a line shares with the question are worth by who says it, and by how. What was asked comes back
# as an answer only where nothing else is to be had; so does the announcement of work.
_VOICES: dict[Voice, float] = {"said": 1.0, "thought": 0.55, "asked": 0.6, "tool": 0.4}
_OUTCOME, _NARRATION, _REPEATED = 1.5, 0.35, 0.3
# What is quoted beside the best line is worth at least this share of it.
_MIN_SHARE = 0.5
# A line that holds this share of what is asked, and is from one who asks, repeats the question.
_REPEATS, _MIN_REPEATED = 0.75, 3
# Of a reply that is quoted though it shares little with the question: its first line says most, headings little.
_LEAD, _HEADING = 1.0, 0.3
# How many lines of a text are analysed for the best of them, and how many more for each term not found yet.
_MAX_ANALYSED = 8
_MAX_TRIES = 20
_SENTENCE_END = regex("[.!?\u3002\uff01\uff1f][\"'\u201d\u2019)*]*\\s+(?=[^\\sa-z])")
_WORD = regex(r"\w\w")
_LINK = regex(r"\W*\[[^\]]+\]\([^)]*\)\W*")
# A link to a file of the machine: its words say where, and its target may be longer than a quoted line.
_TO_FILE = regex(r"\[([^\]\n]+)\]\(/[^)\s]*\)")
# What is written for a client or a browser and is not shown: directives of Codex, comments of HTML.
_DIRECTIVE = regex(r"::[\w-]+\{|<!--[^\n]*-->\s*\Z")
# A sign, or a number of one or two digits. What begins with a set of signs is found in half the time, and with one of
# ASCII alone in a quarter.
_ITEM = regex(r"[-*+\u2022\d](?:(?<=\D)|(?<=\d)\d?[.)])\s+(?:\[[ xX]\]\s+)?")
_ITEM_IN_ASCII = regex(r"[-*+0-9](?:(?<=\D)|(?<=\d)\d?[.)])\s+(?:\[[ xX]\]\s+)?")
# How rows of tables begin, and what is written for the agent's client alone.
_UNSAID = ("|", "::")
_NOT_INTRODUCED = ("```", "#", *_UNSAID)
# A reply says what it has to say early on; how far it is read, and what is too short to say anything.
_MAX_REPLY_LINES, _MIN_SAYING = 40, 20
# Replies whose rows are remembered: chunks of one session that answer have the same one.
_MEMO_SIZE = 256
# How many lines may be between a colon and what it introduces.
_MAX_BETWEEN = 3
_PIECE = regex(rf"(?s).{{1,{LOOKED_AT}}}(?=\s|\Z)|.{{1,{LOOKED_AT}}}")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The answer of a text to a question, in the order of the text, and how well it fits.

    ``found`` of the ``asked`` words, names and phrases are in it. ``place`` is the text with the best line, and
    ``answers`` whether that line states an outcome.
    """

    lines: tuple[ShortenedLine, ...]
    tier: Tier
    found: int = 0
    asked: int = 0
    place: int | None = field(default=None, compare=False)
    answers: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class SoughtQuestion:
    """A question made ready to be looked for in every text of its answers."""

    question: Question
    terms: SoughtTerms  # in whichever form they may be found
    typed: SoughtTerms
    phrases: tuple[str, ...]  # folded
    questioning: bool  # a word or two are looked for wherever they are; whoever asks in a sentence wants an answer
    # A name counts once, not with the words it splits into as well; of what is written without spaces, each pair does.
    runs: frozenset[tuple[frozenset[str], frozenset[str], str, tuple[str, ...]]]

    @classmethod
    def of(cls, question: Question) -> Self:
        words, names = set(question.terms.words), question.terms.names
        # A plain word is looked for as its stem; where it stands as a name, it was found as well.
        wide = words.union(other for run in question.runs for other in run.others)
        whole = {run.whole for run in question.runs if run.whole}
        return cls(
            question,
            SoughtTerms(wide, whole.union(names), (*wide, *names)),
            SoughtTerms(words, names, (*words, *names)),
            tuple(fold(phrase) for phrase in question.phrases),
            asks(question.text) or len(wide) >= _MIN_REPEATED,
            frozenset(
                (frozenset(words), frozenset(run.names), run.whole, run.others)
                for run in question.runs
                for words in ([run.words] if run.names else [[word] for word in run.words] or [[]])
            ),
        )


def excerpt(
    sought: SoughtQuestion, texts: Sequence[str], header: str, limit: int, voices: Sequence[Voice] = ()
) -> Excerpt:
    """The at most ``limit`` lines that share most with the question and say most about it.

    ``header`` is context that counts for the fit and is not quoted. ``voices`` says who speaks in each of ``texts``;
    where it is left out, all of them answer.
    """
    voices = voices or ["said"] * len(texts)
    question, terms, phrases = sought.question, sought.terms, sought.phrases
    if question.empty:
        return Excerpt((), "exact")
    have_words, have_names = map(set, terms.shared_with(header))
    have_phrases: set[str] = set()
    scored: list[tuple[float, float, _Piece, str]] = []
    seen: set[str] = set()
    pieces = _pieces(texts, terms, voices)
    begin: frozenset[str] = frozenset().union(*(piece.beginnings for piece in pieces))
    # How often each term that may be there was looked for: until it is found.
    have = have_words | have_names
    tries = {term: 0 for term, starts in terms.beginnings.items() if term not in have and not begin.isdisjoint(starts)}
    tried = {start for term in tries for start in terms.beginnings[term]}
    for rank, piece in enumerate(pieces):
        # The best are analysed for their own sake, others only where they may hold a term that is still missing.
        if rank >= _MAX_ANALYSED and tried.isdisjoint(piece.beginnings):
            if not tries:
                break
            continue
        text = _introducing(piece.text, piece.lines, piece.at)
        found, named = terms.shared_with(text)
        have_words |= found
        have_names |= named
        if tries:
            have = have_words | have_names
            for term in list(tries):
                tries[term] += not piece.beginnings.isdisjoint(terms.beginnings[term])
                if term in have or tries[term] >= _MAX_TRIES:
                    del tries[term]
            tried = {start for term in tries for start in terms.beginnings[term]}
        if not found and not named:
            continue
        phrased = _phrases_in(phrases, text)
        have_phrases.update(phrased)
        parts = [text] if piece.voice == "tool" else list(_sentences(text))
        for part in parts:
            if part in seen:
                continue
            seen.add(part)
            if len(parts) > 1:
                found, named = terms.shared_with(part)
                phrased = _phrases_in(phrases, part)
            shared = len(found) + 2 * len(named) + 3 * len(phrased)
            if not shared or _DIRECTIVE.match(part):
                continue
            weight = _weight(piece.voice, part)
            if phrased:  # it is what was looked for, whoever says it
                weight = max(weight, _VOICES[piece.voice])
            elif (
                piece.voice == "asked"
                and sought.questioning
                and (asks(part) or len(found) >= _REPEATS * len(terms.words))
            ):
                weight = _REPEATED
            scored.append((shared * weight, weight, piece, part))
    scored.sort(key=lambda item: (-item[0], item[2].number))
    # What only asks or announces is quoted where nothing else is to be had; what says far less than the best is not.
    telling = [item for item in scored if item[1] > _NARRATION] or scored[:1]
    chosen = _different((item for item in telling if item[0] >= _MIN_SHARE * telling[0][0]), limit)
    chosen.sort(key=lambda item: item[2].number)
    lines = tuple(
        mark(
            part if piece.voice == "tool" else _without_targets(part),
            terms,
            piece.voice,
            tells=weight > _NARRATION and (piece.voice != "tool" or question.is_lookup),
        )
        for _, weight, piece, part in chosen
    )
    asked = len(sought.runs) + len(set(phrases))
    share = sum(
        not have_words.isdisjoint(others)
        or (bool(given & have_names) if given else parts <= have_words)
        or whole in have_names
        for parts, given, whole, others in sought.runs
    )
    share += len(have_phrases)
    tier: Tier = "exact" if share == asked else "partial" if have_words or have_names else "nearest"
    if not scored:
        return Excerpt(lines, tier, share, asked)
    _, weight, first, _ = scored[0]
    return Excerpt(lines, tier, share, asked, first.place, weight > _VOICES["said"])


def reply_lines(sought: SoughtQuestion, text: str, limit: int, *, related: bool = False) -> tuple[ShortenedLine, ...]:
    """The at most ``limit`` lines of a reply that say most; none where it only asks or announces work.

    They need not share a word with the question, unless the reply is to be ``related`` to it.
    """
    scored = []
    for number, row, weight in _telling_rows(text):
        found, named = sought.typed.shared_with(row)
        shared = len(found) + 2 * len(named)
        scored.append(((1 + shared + (_LEAD if number == 0 else 0)) * weight, shared, number, row))
    best = _different(sorted(scored, key=lambda item: (-item[0], item[2])), limit)
    if related and not any(shared for _, shared, _, _ in best):
        return ()
    quoted = [row for _, _, _, row in sorted(best, key=lambda item: item[2])]
    return tuple(mark(_without_targets(row), sought.typed) for row in quoted)


@lru_cache(_MEMO_SIZE)
def _telling_rows(text: str) -> list[tuple[int, str, float]]:
    """The rows of a reply that neither ask nor announce work: number, text, and what a word in them is worth."""
    found = []
    for number, row in enumerate(islice(_said(text), _MAX_REPLY_LINES)):
        if row.endswith(("?", "\uff1f")) or wording_of(row) == "narration":
            continue
        slight = row.startswith("#") or row.rstrip().endswith(":") or len(row) < _MIN_SAYING or _LINK.fullmatch(row)
        found.append((number, row, _weight("said", row) * (_HEADING if slight else 1)))
    return found


def _phrases_in(phrases: Sequence[str], text: str) -> list[str]:
    return [phrase for phrase in phrases if phrase in fold(text)] if phrases else []


def _different(items: Iterable[Item], limit: int) -> list[Item]:
    """The first items whose lines, last in each, say something else: what a line introduces is quoted with it."""
    if limit == 1:  # there is nothing to be different from
        return list(islice(items, 1))
    chosen: dict[str, Item] = {}
    for item in items:
        if len(chosen) == limit:
            break
        text = _without_mark(item[3])
        if not any(text in other or other in text for other in chosen):
            chosen[text] = item
    return list(chosen.values())


class _Piece(NamedTuple):
    """A part of a line, with what of the question begins in it."""

    worth: float  # less for what may hold more
    number: int  # in the order of the texts
    text: str
    beginnings: frozenset[str]  # of the words looked for, as far as they occur
    voice: Voice
    place: int  # of its text
    lines: Sequence[str] = ()  # those of its text, where it may introduce what comes after ``at``
    at: int = 0


def _pieces(texts: Sequence[str], terms: SoughtTerms, voices: Sequence[Voice]) -> list[_Piece]:
    """The lines that may hold a term, those first that may hold most; analysing every line would take long."""
    pieces: list[_Piece] = []
    for place, (text, voice) in enumerate(zip(texts, voices, strict=True)):
        low = lowered(text)
        places = terms.each_in(low)
        if not places:
            continue
        lines = text.splitlines(keepends=True)
        folded = lines
        if not text.isascii():  # in lower case a letter may be two, or become a line break
            folded = low.splitlines(keepends=True)
            if len(folded) != len(lines):
                folded = list(map(lowered, lines))
                places = terms.each_in("".join(folded))
        ends = list(accumulate(map(len, folded)))
        held: dict[int, list[str]] = {}  # by line
        for start, term in places:
            held.setdefault(bisect_right(ends, start), []).append(term)
        for at, found in held.items():
            line = lines[at].strip()
            parts = [line] if len(line) <= LOOKED_AT else list(map(str.strip, _PIECE.findall(line)))
            after = () if len(parts) > 1 or voice == "tool" else lines
            for part in parts:
                begin = frozenset(found if len(parts) == 1 else [term for _, term in terms.each_in(lowered(part))])
                if begin:
                    worth = -len(begin) * _VOICES[voice]
                    pieces.append(_Piece(worth, len(pieces), part, begin, voice, place, after, at))
    pieces.sort()
    return pieces


def _weight(voice: Voice, line: str) -> float:
    """Returns the weight of a word in a line, by who says it and how."""
    if voice in ("asked", "tool"):  # neither reports on its own work
        return _VOICES[voice]
    wording = wording_of(line[:LOOKED_AT])
    if wording == "narration":
        return _NARRATION
    return _VOICES[voice] * (_OUTCOME if wording == "outcome" else 1)


def _said(text: str) -> Iterator[str]:
    """The lines and, of long ones, the sentences of a reply; without code, rules and tables."""
    fenced = False
    lines = [line.strip() for line in text.splitlines()]
    for at, line in enumerate(lines):
        if line.startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and _WORD.search(line) and not line.startswith(_UNSAID):
            yield from _sentences(_introducing(line, lines, at))


def _introducing(line: str, lines: Sequence[str], at: int) -> str:
    """A line that ends in a colon, or is a heading, with what it introduces: one of the ``lines`` after ``at``."""
    if not lines or (not line.endswith((":", "\uff1a", ":**")) and not line.startswith("#")):
        return line
    texts = (text.strip() for text in lines[at + 1 : at + 1 + _MAX_BETWEEN])
    introduced = next((text for text in texts if _WORD.search(text) and not text.startswith(_NOT_INTRODUCED)), "")
    introduced = _without_mark(introduced)
    return f"{line} {introduced}" if len(line) + len(introduced) < LINE_LENGTH else line


def _without_targets(line: str) -> str:
    return _TO_FILE.sub(r"\1", line) if "](/" in line else line


def _without_mark(text: str) -> str:
    return (_ITEM_IN_ASCII if text.isascii() else _ITEM).sub("", text, count=1)


def _sentences(line: str) -> Iterator[str]:
    """A line in parts: sentences, put together while they fit a quoted line and either tell or announce alike."""
    if len(line) <= LINE_LENGTH and wording_of(line) != "narration":
        yield line
        return
    for _, alike in groupby(_split(line), key=lambda part: wording_of(part) == "narration"):
        kept = ""
        for part in alike:
            for piece in [part] if len(part) <= LOOKED_AT else _PIECE.findall(part):
                if kept and len(kept) + len(piece) >= LINE_LENGTH:
                    yield kept
                    kept = ""
                kept = f"{kept} {piece}".strip()
        yield kept


def _split(line: str) -> Iterator[str]:
    """The sentences of a line, each with its stop; without what closes it and the space after."""
    begin = 0
    for end in _SENTENCE_END.finditer(line):
        yield line[begin : end.start() + 1]
        begin = end.end()
    yield line[begin:]
