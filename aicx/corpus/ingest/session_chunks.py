"""Cuts one session into its chunks. Pure: the same messages and decisions always give the same bytes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from aicx.corpus.ingest.drafts import MAX_TOKENS, OVERLAP_MESSAGES, ChunkWindow, MessageDraft, pack, split_draft
from aicx.corpus.ingest.names import Naming, NamingMessage, name_chunk, tells_names
from aicx.corpus.ingest.observing import place_fields
from aicx.corpus.ingest.render import RenderedChunk, SessionContext, render
from aicx.corpus.ingest.segments import Segment, kind_of, segment
from aicx.corpus.places.identity import RepositoryIdentity
from aicx.folders import FolderClue
from aicx.sources.items import SessionEvent
from aicx.types import PROMPTS, Lane
from aicx.values import dataclass

# The human turn a chunk answers, for context: its beginning says what was wanted.
_PROMPT_LENGTH = 240
_TALK = ("user", "assistant")


@dataclass(frozen=True, slots=True)
class SessionScope:
    """Whose chunks these are. ``stream`` is empty for a session's own log, ``history`` for its prompt history."""

    agent: str
    session_id: str
    stream: str = ""


@dataclass(frozen=True, slots=True)
class Restart:
    """The chunk that is open as far as is certain, and what is known of the session before it.

    ``index`` is that of its first draft, ``repeatable`` how many drafts of the chunk before it may repeat.
    """

    number: int
    index: int
    repeatable: int
    in_turn: bool
    typed: bool
    has_exchange: bool
    prompted: bool
    worked: bool
    automated: str | None


@dataclass(frozen=True, slots=True)
class OpenChunk:
    """The session up to a chunk that is open, by its stored chunks: from there on it can be cut into chunks."""

    restart: Restart
    topic: str | None
    topic_from: str | None
    commit: str | None
    prompt: str | None  # what the open chunk answers
    date: str
    identity: RepositoryIdentity | None

    @property
    def naming(self) -> Naming:
        source = self.topic_from if self.topic_from != "none" else None
        return Naming(self.topic, source, self.restart.prompted, self.restart.worked)


class NotAlike(Exception):
    """Raised where what was read on does not go on with the stored chunks: the session has to be read whole."""


@dataclass(frozen=True, slots=True)
class SessionState:
    """The session as the corpus already decided or learned about it, and as its logs tell of it as a whole."""

    facts: Sequence[tuple[int, SessionEvent]] = ()
    formats: Mapping[str, str] = field(default_factory=dict)  # log path -> format
    lane: Lane = "primary"
    parent_session: str | None = None
    seen: Mapping[int, Sequence[FolderClue]] = field(default_factory=dict)  # by the index of the draft that showed it
    duplicates: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    run: Mapping[str, Any] = field(default_factory=dict)  # what steers before the first block of the messages
    late_title: str | None = None  # a title given from outside the session's own log
    first_number: int = 1
    opened: OpenChunk | None = None  # the drafts are those from there on, and some before
    settled: int = 0  # drafts before this index stay as they are however the logs grow


def session_chunks(
    scope: SessionScope,
    drafts: Sequence[MessageDraft],
    state: SessionState,
    locate: Callable[[str | None], RepositoryIdentity | None],
    tell: Callable[[Restart], None] = lambda _: None,
) -> Iterator[RenderedChunk]:
    """The session's chunks in order; ``locate`` gives the repository of a folder.

    A chunk says only what was known before the next one began, so that it never changes once it is closed. ``tell``
    hears where the session could be taken up again, if it can. Raises NotAlike only where ``state`` has a chunk opened.
    """
    opened = state.opened
    packed, still_open = _pack_all(drafts, state, locate)
    prompts = [draft for _, window in packed for draft in window.own if draft.entry.origin in PROMPTS]
    since = opened.restart.index if opened else 0
    shown = {index: clues for index, clues in state.seen.items() if index >= since}
    seen = _by_draft(shown, [draft.index for _, window in packed for draft in window.own])
    naming, has_exchange, typed = Naming(), False, False
    evidence, commit, prompt = None, None, None
    if opened:
        naming, has_exchange, typed = opened.naming, opened.restart.has_exchange, opened.restart.typed
        evidence, commit, prompt = opened.restart.automated, opened.commit, opened.prompt
    for position, (part, window) in enumerate(packed):
        if position == still_open and _begins(first := window.own[0]):
            before = packed[position - 1]
            goes_on = before[0] is part
            tell(
                Restart(
                    number=state.first_number + position,
                    index=first.index,
                    repeatable=min(OVERLAP_MESSAGES, len(before[1].own)) if goes_on else 0,
                    in_turn=goes_on and not first.opens_turn,
                    typed=typed,
                    has_exchange=has_exchange,
                    prompted=naming.prompted,
                    worked=naming.worked,
                    automated=evidence,
                )
            )
        following = packed[position + 1][1].own[0].index if position + 1 < len(packed) else None
        facts = [fact for at, fact in state.facts if following is None or at <= following]
        given = next((fact.title for fact in reversed(facts) if fact.title and not fact.title_of_record), None)
        begun = [draft for draft in window.own if draft.part is None or draft.part[0] == 1]
        names, naming = name_chunk([NamingMessage.of(draft) for draft in begun if tells_names(draft)], given, naming)
        typed = typed or any(draft.entry.origin == "typed" for draft in begun)
        evidence = evidence or next((fact.automated for fact in facts if fact.automated), None)
        commit = next((fact.commit for fact in reversed(facts) if fact.commit), commit)
        has_exchange = has_exchange or any(draft.entry.role in _TALK for draft in window.own)
        context = SessionContext(
            agent=scope.agent,
            session_id=scope.session_id,
            stream=scope.stream,
            names=names,
            # Where a person goes on with what a program began, it is the person's from there on.
            automated_why=None if typed else evidence,
            lane=state.lane,
            parent_session=state.parent_session,
            commit=commit,
            formats=state.formats,
        )
        kind = kind_of(part, has_exchange, window.own[0])
        chunk = render(window, part, context, state.first_number + position, kind)
        keys = dict.fromkeys(draft.key for draft in window.own)
        asked = next((draft for draft in reversed(prompts) if draft.index <= window.own[0].index), None)
        extra: dict[str, Any] = {
            "duplicates": [copy for key in keys for copy in state.duplicates.get(key, ())],
            "prompt": clip_prompt(asked.entry.text) if asked else prompt,
            **(place_fields(_shown(window.own, seen)) if seen else {}),
        }
        if following is None:
            extra["session_title"] = state.late_title
        yield replace(chunk, fields=chunk.fields | extra)


def _pack_all(
    drafts: Sequence[MessageDraft], state: SessionState, locate: Callable[[str | None], RepositoryIdentity | None]
) -> tuple[list[tuple[Segment, ChunkWindow]], int | None]:
    """The windows with their segments, and the position of the one that is open as far as the settled drafts go.

    None where there is none but the first, or the session could not be taken up there: frontmatter steers it.
    """
    opened = state.opened
    begun = Segment(opened.date, opened.identity) if opened else None
    since = opened.restart.index if opened else 0
    before = [part for draft in drafts if draft.index < since for part in split_draft(draft)]
    repeatable = opened.restart.repeatable if opened else 0
    own = [draft for draft in drafts if draft.index >= since]
    if opened and (len(before) < repeatable or not own or own[0].index != since):
        raise NotAlike
    parts = segment(own, locate, state.run, begun)
    if opened and (parts[0] is not begun or any(part.steering for part in parts)):
        raise NotAlike

    def windows(part: Segment, drafts: Sequence[MessageDraft]) -> list[ChunkWindow]:
        if opened and part is begun:
            return pack(drafts, before[len(before) - repeatable :], in_turn=opened.restart.in_turn)
        return pack(drafts)

    packed: list[tuple[Segment, ChunkWindow]] = []
    still_open = 0
    for part in parts:
        found = windows(part, part.drafts)
        if part.drafts[0].index < state.settled:
            still_open = len(packed) - 1 + _count_settled(found, state.settled, part, windows)
        packed += [(part, window) for window in found]
    return packed, None if still_open == 0 or any(part.steering for part in parts) else still_open


def _count_settled(
    found: Sequence[ChunkWindow],
    end: int,
    part: Segment,
    windows: Callable[[Segment, Sequence[MessageDraft]], list[ChunkWindow]],
) -> int:
    """How many windows the drafts of a segment before the index ``end`` fill; ``found`` are those of all its drafts."""
    settled = [draft for draft in part.drafts if draft.index < end]
    if len(settled) == len(part.drafts):
        return len(found)
    tokens = 0
    for number in range(len(found) - 1, 0, -1):
        first = found[number].own[0]
        tokens += sum(draft.tokens for draft in found[number].own if draft.index < end)
        # With more than one window behind it, this one is closed among the settled drafts too.
        if tokens > 2 * MAX_TOKENS and _begins(first):
            behind = [draft for draft in settled if draft.index >= first.index]
            return number + len(pack(behind, found[number - 1].own, in_turn=not first.opens_turn))
    return len(windows(part, settled))


def _begins(draft: MessageDraft) -> bool:
    return draft.part is None or draft.part[0] == 1


def _by_draft(seen: Mapping[int, Sequence[FolderClue]], indexes: Sequence[int]) -> dict[int, list[FolderClue]]:
    """Groups clues by the drafts that are stored: those of a draft that is not (a copy) go to the one before.

    Never to a later one, so that a chunk that is closed stays as it is.
    """
    found: dict[int, list[FolderClue]] = {}
    for index, shown in seen.items():
        found.setdefault(indexes[max(bisect_right(indexes, index) - 1, 0)], []).extend(shown)
    return found


def _shown(own: Sequence[MessageDraft], seen: Mapping[int, Sequence[FolderClue]]) -> list[FolderClue]:
    """Returns the clues in the messages that begin among ``own``."""
    return [
        one
        for draft in own
        if draft.index in seen and (draft.part is None or draft.part[0] == 1)
        for one in seen[draft.index]
    ]


def clip_prompt(text: str) -> str:
    """A prompt as the context of what answers it: its beginning, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _PROMPT_LENGTH else line[: _PROMPT_LENGTH - 1].rstrip() + "…"
