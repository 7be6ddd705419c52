"""Reads stored sessions as far as needed: a whole brief, the changed files, or the last message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, cast

import orjson

from aicx.corpus.catalog import Catalog
from aicx.corpus.files.read import read_intact
from aicx.errors import AicxError
from aicx.evidence import Statement, Step, read_steps, statement_in
from aicx.evidence.calls import FileEdit, OtherRepositories, answered_calls, edits_of
from aicx.evidence.kept import KeptReadings
from aicx.evidence.session_brief import Ending, SessionBrief, ending, read_brief
from aicx.evidence.sessions import SessionRow, chunk_paths, telling_chunks
from aicx.evidence.since import AskedSince, Since, answers_alike
from aicx.evidence.statements import conclusion, requests, telling, weigh, without_open, without_push
from aicx.evidence.texts import summary_line, words
from aicx.paths import Layout
from aicx.resume.recall import TermWeights, answers_something, informative_sentences, is_quotable
from aicx.resume.report import Passage
from aicx.storage.typed import from_json

# Of a session that only gets a line, enough to find what the agent said last.
_OUTCOME_CHUNKS = 2
_OUTCOME_LENGTH = 200
_QUOTED_LINES = 2
_KEPT_BRIEFS = 4  # of one session, each for another time since
# Sessions that tell well enough which words are common; each costs a file to read.
_SAMPLED = 40
_TITLE_CHUNKS = 2
# A title of so few words with a colon only introduces what came below it.
_INTRODUCES = 5


class SessionReader:
    """Sessions of one corpus as they were at one moment. ``notes`` gathers what could not be read.

    ``altered`` has the ids of chunks that were altered on disk since they were stored: nothing of them is used.
    """

    def __init__(self, layout: Layout, catalog: Catalog, now: datetime, elsewhere: OtherRepositories) -> None:
        self._layout = layout
        self._catalog = catalog
        self._now = now
        self._elsewhere = elsewhere
        self._steps: dict[str, list[Step]] = {}
        about = f"{elsewhere.project} {elsewhere.roots.folders} {elsewhere.folders}"
        self._kept = KeptReadings(layout, elsewhere.project or "", about)
        self._briefed: set[str] = set()
        self._briefs: dict[str, Callable[[Since], SessionBrief] | None] = {}
        self._ends: dict[str, list[Step]] = {}
        self.notes: list[str] = []
        self.altered: set[str] = set()

    def brief(self, session: SessionRow, since: Since) -> SessionBrief | None:
        """The session in brief, without what is done ``since``; None where nothing of it can be read."""
        self._briefed.add(session.ref)
        kept = self._keep(session, "briefs", list)
        for answers, brief in kept:
            if answers_alike(since, answers):
                return from_json(SessionBrief, brief) if brief else None
        if session.ref not in self._briefs:
            steps = self._read(session)
            read = read_brief(steps, self._elsewhere.roots, session.cwd, self._elsewhere) if steps else None
            self._briefs[session.ref] = read
        made, asked = self._briefs[session.ref], AskedSince(since)
        found = made(cast("Since", asked)) if made else None
        kept.insert(0, orjson.loads(orjson.dumps((asked.answers, found), default=list)))
        del kept[_KEPT_BRIEFS:]
        return found

    def edits(self, session: SessionRow) -> list[FileEdit]:
        """The files the session changed, the last changed first."""
        kept = self._keep(
            session, "edits", lambda: edits_of(answered_calls(self._read(session)), self._elsewhere.roots, session.cwd)
        )
        return [from_json(FileEdit, one) for one in kept]

    def ending(self, session: SessionRow) -> Ending | None:
        """How the session left the work, as far as its last messages say."""
        name = f"ending {self._is_read(session)}"
        return cast("Ending | None", self._keep(session, name, lambda: ending(self._end(session))))

    def outcome(self, session: SessionRow, *, is_open: bool, is_pushed: bool = False) -> Statement | None:
        """Returns what the agent said last, None where it said nothing towards the end.

        Unless the work ``is_open``, without what was left to do or asked then; where it ``is_pushed``, without that.
        """

        def made() -> Statement | None:
            last = conclusion(self._end(session))
            said = telling(last.text) if last else ""
            left = (without_push(said) if is_pushed else said) if is_open else without_open(said)
            text = summary_line(left, _OUTCOME_LENGTH)
            return statement_in(text, last) if last and text else None

        kept = self._keep(session, f"outcome {self._is_read(session)} {is_open} {is_pushed}", made)
        return from_json(Statement, kept) if kept else None

    def close(self, *, keep: bool = True) -> None:
        """Ends reading, and keeps what was read for whoever asks next."""
        self._kept.close(keep=keep)

    def _keep(self, session: SessionRow, name: str, make: Callable[[], Any]) -> Any:
        """What is kept of a session under a name, as JSON; made where nothing is."""
        paths = partial(telling_chunks, self._catalog, session, self._now)
        kept = self._kept.of(session.agent, session.session_id, paths)
        if name not in kept:
            kept[name] = orjson.loads(orjson.dumps(make(), default=list))
        if session.completed_at > self._now:
            self._kept.spoil(session.agent, session.session_id)  # it is as it was at that moment
        return kept[name]

    def _is_read(self, session: SessionRow) -> bool:
        """Whether more of the session is known than its end."""
        return session.ref in self._briefed or session.ref in self._steps

    def _end(self, session: SessionRow) -> list[Step]:
        if self._is_read(session):
            return self._read(session)
        if session.ref not in self._ends:
            paths = chunk_paths(self._catalog, session, self._now)[-_OUTCOME_CHUNKS:]
            self._ends[session.ref] = self._load(session, paths)
        return self._ends[session.ref]

    def titled(self, session: SessionRow) -> SessionRow:
        """The session under the first request in it that says something, where its title says nothing."""
        title = session.title or ""
        introduces = title.endswith(":") and len(words(title)) <= _INTRODUCES
        if weigh(title).level and not introduces:
            return session

        def made() -> str | None:
            paths = chunk_paths(self._catalog, session, self._now)[:_TITLE_CHUNKS]
            wanted = requests(self._load(session, paths))
            return wanted[0][0].text if wanted else None

        told = self._keep(session, "title", made)
        return replace(session, title=told) if told is not None else session

    def quote(self, passage: Passage, rarity: TermWeights) -> tuple[str, ...]:
        """The lines of a passage that say why it is there; none where none says anything by itself.

        What the chunk before ended with is in it too: often the question stands here and the answer there.
        """
        steps, notes = read_steps(self._layout, [passage.path], self._now, repeated=True, altered=self.altered)
        self.notes += notes
        said = informative_sentences(steps, rarity, _QUOTED_LINES)
        # Of what tools printed, and nobody talked about, the lines that the search found.
        marked = (line for line in passage.lines if is_quotable(line) and answers_something(line))
        return said or tuple(marked)[:_QUOTED_LINES]

    def rarity(self, task: str, sessions: Sequence[SessionRow]) -> TermWeights:
        """Weighs the words of a task among sessions: of some, a chunk from the middle of each is looked at."""
        count = min(len(sessions), _SAMPLED)
        sample = [sessions[place * len(sessions) // count] for place in range(count)]
        paths = (chunk_paths(self._catalog, session, self._now) for session in sample)
        return TermWeights.of(task, [self._text(found[len(found) // 2]).lower() for found in paths if found])

    def coverage(self, passage: Passage, rarity: TermWeights) -> float:
        """How much of the task a passage holds, with what is known of its session: title, branch and files."""
        # Imported here: without a task nothing is searched.
        from aicx.corpus.views import header_of, searchable_texts, tool_text_indexes

        try:
            stored = read_intact(self._layout, passage.path)
            sidecar = stored.sidecar
            texts = searchable_texts(sidecar, stored.markdown)
            places = set(tool_text_indexes(sidecar))
        except (AicxError, LookupError, TypeError, ValueError):
            return passage.coverage  # whoever quotes it says what is wrong with it
        said = [header_of(sidecar), *(text for place, text in enumerate(texts) if place not in places)]
        printed = [text for place, text in enumerate(texts) if place in places]
        # A long output holds most words by chance: what was said counts twice.
        return sum(rarity.coverages(said, printed)) / 2

    def _text(self, path: str) -> str:
        try:
            return read_intact(self._layout, path).markdown.decode("utf-8", "replace")
        except AicxError:
            return ""  # whoever reads its session says so

    def _read(self, session: SessionRow) -> list[Step]:
        if session.ref not in self._steps:
            self._steps[session.ref] = self._load(session, telling_chunks(self._catalog, session, self._now))
        return self._steps[session.ref]

    def _load(self, session: SessionRow, paths: Sequence[str]) -> list[Step]:
        altered = set[str]()
        steps, notes = read_steps(self._layout, paths, self._now, altered=altered)
        if notes or altered:
            self._kept.spoil(session.agent, session.session_id)
        self.notes += notes
        self.altered |= altered
        return steps
