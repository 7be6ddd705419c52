"""Reads stored sessions as far as each is needed: a whole brief, the files it changed, or what was said last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from aicx.continuity.brief import Line, SessionBrief, brief_of
from aicx.continuity.calls import answered_calls
from aicx.continuity.edits import Edit, edits_of
from aicx.continuity.paths import Roots
from aicx.continuity.recall import Passage, telling_sentences
from aicx.continuity.sessions import SessionFacts, chunk_paths
from aicx.continuity.statements import conclusion, requests, telling, weigh
from aicx.continuity.texts import gist, words
from aicx.continuity.transcript import Step, read_steps
from aicx.corpus.catalog import Catalog
from aicx.paths import Layout

# Of a long session the beginning (what was wanted) and the end (where it stands) are read.
_FIRST_CHUNKS, _LAST_CHUNKS = 2, 58
# Of a session that only gets a line, enough to find what the agent said last.
_OUTCOME_CHUNKS = 2
_OUTCOME_LENGTH = 200
_QUOTED_LINES = 2
# A title of so few words with a colon only introduces what came below it.
_INTRODUCES = 5


class SessionReader:
    """Sessions of one corpus as they were at one moment. ``notes`` gathers what could not be read."""

    def __init__(self, layout: Layout, catalog: Catalog, now: datetime, roots: Roots) -> None:
        self._layout = layout
        self._catalog = catalog
        self._now = now
        self._roots = roots
        self._steps: dict[str, list[Step]] = {}
        self.notes: list[str] = []

    def brief(self, session: SessionFacts) -> SessionBrief | None:
        """The session in brief; None where nothing of it can be read."""
        steps = self._read(session)
        return brief_of(steps, self._roots, session.cwd) if steps else None

    def edits(self, session: SessionFacts) -> list[Edit]:
        """The files the session changed, the last changed first."""
        return edits_of(answered_calls(self._read(session)), self._roots, session.cwd)

    def outcome(self, session: SessionFacts) -> Line | None:
        """What the agent said last; None where it said nothing towards the end."""
        steps = self._steps.get(session.ref)
        if steps is None:
            paths = chunk_paths(self._catalog, session, self._now)[-_OUTCOME_CHUNKS:]
            steps = self._load(paths)
        last = conclusion(steps)
        return Line(gist(telling(last.text), _OUTCOME_LENGTH), last.at, (f"chunk:{last.chunk}",)) if last else None

    def titled(self, session: SessionFacts) -> SessionFacts:
        """The session under the first request in it that says something, where its title says nothing."""
        title = session.title or ""
        introduces = title.endswith(":") and len(words(title)) <= _INTRODUCES
        if weigh(title).level and not introduces:
            return session
        paths = chunk_paths(self._catalog, session, self._now)[:_FIRST_CHUNKS]
        wanted = requests(self._load(paths))
        return replace(session, title=wanted[0][0].text) if wanted else session

    def quote(self, passage: Passage, task: str) -> tuple[str, ...]:
        """The lines of a passage that say why it is there: what was said, else what the search marked."""
        return telling_sentences(self._load([passage.path]), task, _QUOTED_LINES) or passage.lines[:_QUOTED_LINES]

    def _read(self, session: SessionFacts) -> list[Step]:
        if session.ref not in self._steps:
            paths = chunk_paths(self._catalog, session, self._now)
            if len(paths) > _FIRST_CHUNKS + _LAST_CHUNKS:
                paths = paths[:_FIRST_CHUNKS] + paths[-_LAST_CHUNKS:]
            self._steps[session.ref] = self._load(paths)
        return self._steps[session.ref]

    def _load(self, paths: Sequence[str]) -> list[Step]:
        steps, notes = read_steps(self._layout, paths, self._now)
        self.notes += notes
        return steps
