"""The last stages: the best answers read from disk, with the lines that fit the question, and how well they answer.

To a request that answers, the agent's last message before the next prompt is found too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.fields import ENDS, SPEAKS, said_before_prompt, turn_of
from aicx.corpus.files import Sidecar
from aicx.corpus.files.read import StoredText, load_sidecar, read_intact
from aicx.corpus.views import header_of, own_messages, searchable_texts, voices_of
from aicx.engine.stages import Hit, QuotedReply, SearchState, density_of, history, is_shared, session_of
from aicx.engine.stages.order import decay_of, place_factor
from aicx.engine.stages.team import stored_of
from aicx.errors import AicxError
from aicx.paths import Layout
from aicx.text import plural
from aicx.types import Voice
from aicx.values import replace
from retrieval.analysis import fold
from retrieval.evidence import ENOUGH, Evidence, lacking, numbers_of, share_together
from retrieval.excerpts import SoughtQuestion, excerpt, reply_lines
from retrieval.lines import ShortenedLine, opening_lines

_MAX_LINES, _MAX_REPLY_LINES = 3, 2


def quote(state: SearchState) -> SearchState:
    """Makes hits of the best answers; what cannot be read is left out and named.

    Where the query asks for dense chunks, further answers are read until enough are dense, and the others are counted.
    """
    query = state.query
    hits: list[Hit] = []
    folded: dict[str, list[str]] = {}  # by session
    unreadable: list[str] = []
    left_out = 0
    together = 0.0
    numbers = numbers_of(state.question.text)
    sought = SoughtQuestion.of(state.question)
    replies = ReplyFinder(state.layout, state.catalog.now, state.catalog.selection(query.filters)[:2])
    apart: list[str] = []  # numbers asked for that an answer lacks
    for answer in state.answers if query.min_score or query.fold else state.answers[: query.limit]:
        if len(hits) == query.limit:
            break
        row = state.rows[answer.best]
        shared = is_shared(row)
        ref = row["chunk"] if shared else state.catalog.short_reference(answer.best, row["agent"], row["session_id"])
        if query.fold and session_of(row) in folded:
            folded[session_of(row)].append(ref)
            continue
        try:
            stored = stored_of(state, row)
        except AicxError as error:
            unreadable.append(f"{error.message}; `aicx doctor` says more")
            continue
        sidecar = stored.sidecar
        texts = searchable_texts(sidecar, stored.markdown)
        voices = voices_of(sidecar)
        said = tuple(text for text, voice in zip(texts, voices, strict=True) if voice != "tool")
        if query.min_score and density_of(said).score < query.min_score:
            left_out += 1
            continue
        passages = (*texts, header := header_of(sidecar))
        missing = lacking(numbers, passages)
        if state.occurrences and together < ENOUGH:
            share = share_together(state.occurrences, passages)
            together, apart = (together, apart or missing) if missing else (max(together, share), apart)
        found = excerpt(sought, texts, header, _MAX_LINES, voices)
        lines, place = found.lines, found.place
        if not lines:
            place, start = _nearest_passage(state, answer.best) or (_last_spoken(voices), 0)
            lines = opening_lines(texts, (place, start), _MAX_LINES, voices[place] if voices else "said")
        reply = None
        if place is not None and place < len(texts) and not stored.altered and not shared:
            lines, reply = _with_reply(
                state,
                replies,
                sought,
                stored,
                place,
                lines,
                related=voices[place] != "asked",
                limit=1 if found.answers else _MAX_REPLY_LINES,
            )
        folded[session_of(row)] = []
        hits.append(
            Hit(
                rank=len(hits) + 1,
                score=answer.score,
                tier="partial" if missing and found.tier == "exact" else found.tier,
                sidecar=sidecar,
                path=row["path"],
                lines=lines,
                reply=reply,
                votes=answer.votes,
                decay_factor=decay_of(row, query)[0],
                own=place_factor(state, answer.best),
                history=state.traced.get((row["agent"], row["session_id"])),
                history_factor=history.factor_of(state, answer.best),
                ref=ref,
                title=row["session_title"],
                automated_why=row["automated_why"],
                runs=tuple(state.runs.get(answer.best) or (row["session_id"],)),
                chunks=answer.documents,
                terms_found=found.found,
                terms_asked=found.asked,
                altered=stored.altered,
                said=said,
                member=row["member"] if shared else None,
            )
        )
    if query.fold:
        hits = [replace(hit, more=tuple(folded[session_of(hit.sidecar.fields)])) for hit in hits]
    notes = [f"{plural(left_out, 'answer')} with a density below {query.min_score:g} left out"] if left_out else []
    if apart and together < ENOUGH:
        notes.append(f"no answer that has the other words has {', '.join(map(repr, apart))}")
    said = (*state.notes, *notes, *unreadable)
    return replace(state, hits=tuple(hits), unreadable=tuple(unreadable), notes=said, together=together)


def _with_reply(
    state: SearchState,
    replies: ReplyFinder,
    sought: SoughtQuestion,
    stored: StoredText,
    place: int,
    lines: tuple[ShortenedLine, ...],
    *,
    related: bool,
    limit: int,
) -> tuple[tuple[ShortenedLine, ...], QuotedReply | None]:
    """The lines of an answer, with at most ``limit`` of what the agent said in the end.

    Those stay apart where they are from a later chunk, which then has to be named. Lines that state an outcome already
    are given a lower limit, and nothing more of their own chunk.
    """
    told: dict[str, tuple[ShortenedLine, ...]] = {}

    def tells(text: str) -> bool:
        told[text] = reply_lines(sought, text, limit, related=related)
        return bool(told[text])

    found = replies.find(stored, place, tells)
    if found is None or (limit < _MAX_REPLY_LINES and found[0] == stored.sidecar.id):
        return lines, None
    chunk, reply = found[0], told[found[1]]
    telling = tuple(line for line in lines if line.tells and not _is_in(line, reply))
    if chunk != stored.sidecar.id:
        agent, session = stored.sidecar.agent, stored.sidecar.session_id
        ref = state.catalog.short_reference(chunk, agent, session)
        # A line of its own stays even if it only asks: it says why the chunk is an answer.
        return telling[: _MAX_LINES - len(reply)] or lines[:1], QuotedReply(chunk, ref, reply)
    return (*telling[: _MAX_LINES - len(reply)], *reply), None


def _is_in(line: ShortenedLine, reply: Sequence[ShortenedLine]) -> bool:
    return any(line.text in one.text or one.text in line.text for one in reply)


def _nearest_passage(state: SearchState, chunk: str) -> tuple[int, int] | None:
    """Where the dense retriever's passage begins: which of the chunk's texts, and the character there."""
    candidate = next((item for item in state.rankings.get("dense", ()) if item.id == chunk), None)
    if candidate is None:
        return None
    if is_shared(state.rows[chunk]):
        there = state.rows[chunk]["place"]
        return (there.part, there.start) if there else (0, 0)
    place = state.retrievers.dense.open.places([candidate]).get(chunk)
    return (place.part, place.start) if place else (0, 0)


def _last_spoken(voices: Sequence[Voice]) -> int:
    """Which of a chunk's texts tells how it ended: the last that is not a tool's."""
    return max((place for place, voice in enumerate(voices) if voice != "tool"), default=0)


def say_corrections(state: SearchState) -> SearchState:
    """Says what was searched for in place of words that occur nowhere, where that found something to show."""
    notes = [
        f"searched for {_as_written(used, state)!r} instead of {typed!r}, which occurs nowhere; in quotes it is kept"
        for typed, used in state.question.corrected
        if state.hits
    ]
    return replace(state, notes=(*notes, *state.notes))


def _as_written(term: str, state: SearchState) -> str:
    """A word as the answers write it: indexes have it without capitals and diacritics."""
    marked = (line.text[low:high] for hit in state.hits for line in hit.lines for low, high in line.marks)
    return min((word for word in marked if fold(word) == term), default=term, key=lambda word: word != word.lower())


def judge(state: SearchState) -> SearchState:
    """Strong where an answer has enough of the question in one passage; none where there is no answer.

    Where only meaning was asked, the nearest has to be above the noise threshold.
    """
    if state.occurrences is not None:
        enough = state.together >= ENOUGH
    else:
        enough = state.near is None or state.nearest is None or state.nearest >= state.near
    evidence: Evidence = "none" if not state.hits else "strong" if enough else "weak"
    return replace(state, evidence=evidence)


# So many chunks after a request its work is followed.
_MAX_CHUNKS = 60


class ReplyFinder:
    """Finds replies for the answers to one question, which are often of the same sessions: each file is read once.

    ``where`` limits the chunks that may be read, as an SQL condition and its values.
    """

    def __init__(self, layout: Layout, catalog: Catalog, where: tuple[str, Sequence[Any]]) -> None:
        self._catalog, self._where = catalog, where
        self._sidecar = cache(partial(load_sidecar, layout))
        self._intact = cache(partial(read_intact, layout))

    def find(self, stored: StoredText, place: int, tells: Callable[[str], bool]) -> tuple[str, str] | None:
        """The agent's last message that ``tells`` in the turn to which the message at ``place`` of a chunk belongs.

        Returns the id of the chunk that holds it, and its text; None where the agent said nothing more, or where that
        cannot be read.
        """
        sidecar = stored.sidecar
        said, ended = said_before_prompt(own_messages(sidecar)[place:], first=True)
        if not ended and (last := self._last_chunk(sidecar)):
            try:
                later = self._intact(last)
            except AicxError:
                return None  # a command that shows the chunk says what is wrong with it
            if reply := _last_of(later, said_before_prompt(own_messages(later.sidecar))[0], tells):
                return reply
        return _last_of(stored, said, tells)

    def _last_chunk(self, sidecar: Sidecar) -> str | None:
        """The path of the last chunk in which the agent still speaks before the next prompt, after the given one."""
        condition, values = self._where
        rows = self._catalog.each(
            f"SELECT number, path, {'turn' if self._catalog.has_turns else 'NULL AS turn'} FROM chunks"
            f" WHERE {condition} AND agent=? AND session_id=? AND stream=? AND number>? ORDER BY number LIMIT ?",
            (*values, sidecar.agent, sidecar.session_id, sidecar.stream, sidecar.number, _MAX_CHUNKS),
        )
        last: str | None = None
        for number, row in enumerate(rows, sidecar.number + 1):
            if row["number"] != number:
                break  # a chunk that must not be read may hold the next prompt
            try:
                turn = row["turn"] if row["turn"] is not None else turn_of(self._sidecar(row["path"]).fields)
            except AicxError:
                break
            if turn & SPEAKS:
                last = row["path"]
            if turn & ENDS:
                break
        return last


def _last_of(
    stored: StoredText, messages: Sequence[Mapping[str, Any]], tells: Callable[[str], bool]
) -> tuple[str, str] | None:
    texts = (stored.markdown[slice(*message["span"])].decode("utf-8", "replace") for message in reversed(messages))
    found = next(filter(tells, texts), None)
    return (stored.sidecar.id, found) if found else None
