"""The first stages: the question as it is meant, a date or a release in it as a limit of time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime

from aicx.corpus.files.read import read_intact
from aicx.dates import lift_dates
from aicx.engine.stages.state import SearchState
from aicx.errors import AicxError, UsageError
from aicx.text import local
from aicx.values import replace
from retrieval.questions import parse_question


def lift_date(state: SearchState) -> SearchState:
    """Takes a date out of the question's text and puts it into the filters, unless one is set there."""
    query = state.query
    if not query.lift_dates or query.filters.date is not None:
        return state
    dated = lift_dates(query.text, local(query.now).date(), lambda version: released_on(state, version))
    notes = [f"no release of {version} is known, so that it limits nothing" for version in dated.unknown]
    if dated.days is not None:
        first, last = dated.days
        notes.append(f"only what is from {first or 'the beginning'} to {last or 'now'}, as the question says")
        query = replace(query, text=dated.text, filters=replace(query.filters, date=dated.days))
    return replace(state, query=query, notes=(*state.notes, *notes))


def parse(state: SearchState) -> SearchState:
    """Reads words, names and phrases out of the text.

    Raises UsageError where it leaves nothing to look for, not even a date.
    """
    query, question = state.query, parse_question(state.query.text)
    notes = state.notes
    if question.shortened:
        notes = (*notes, f"the question was cut to its first {len(question.text)} characters")
    if question.empty and query.filters.date is None:
        raise UsageError(
            f"nothing to look for in {query.text[:60]!r}: only stop words or symbols",
            hint="ask with a word that says more, or quote it exactly",
        )
    return replace(state, question=question, notes=notes)


def limit(state: SearchState) -> SearchState:
    """Turns the filters into conditions that every index applies before it ranks."""
    where, notes = state.catalog.conditions(state.query.filters)
    return replace(state, where=tuple(where), notes=(*state.notes, *notes))


# How many chunks that name the version are read.
_MAX_READ = 200
# What says that a version is out, the surest first; each is looked for before the next.
_SIGNS = (
    r"(?:git tag|gh release create|\[new tag\]|git push \S+)\b[^\n]*{version}",
    r"git commit\b[^\n]*\b(?:release|version|bump)\b[^\n]*{version}|^\W*(?:chore\W+)?release\b\W+{version}\W*$",
    r"\b(?:released|published|shipped|tagged)\b[^\n.]{{0,60}}{version}|{version}[^\n.]{{0,40}}\b(?:released|is out)\b",
)


def released_on(state: SearchState, version: str) -> date | None:
    """The local day of the first such sign of ``version`` within the filters; None where there is none."""
    at = _first_sign(list(_messages(state, version)), version)
    return local(at).date() if at else None


def _first_sign(messages: list[tuple[datetime, str]], version: str) -> datetime | None:
    exactly = rf"(?<![\w.])v?{re.escape(version)}(?:\.0)?(?![\w-]|\.\d)"
    for sign in _SIGNS:
        pattern = re.compile(sign.format(version=exactly), re.IGNORECASE | re.MULTILINE)
        if found := [at for at, text in messages if pattern.search(text)]:
            return min(found)
    return None


def _messages(state: SearchState, version: str) -> Iterator[tuple[datetime, str]]:
    """The messages of chunks that name a version, each with its time."""
    where, _ = state.catalog.conditions(state.query.filters)
    asked = parse_question(f"{version} v{version} {version}.0 v{version}.0")
    try:
        found = state.retrievers.lexical.retrieve(asked, where, _MAX_READ, state.query.rules, state.catalog.now)
    except AicxError:  # without the index there is no telling where it is named; the search says what is wrong with it
        return
    for row in state.catalog.rows(item.id for item in found.candidates).values():
        try:
            stored = read_intact(state.layout, row["path"])
        except AicxError:  # a chunk that cannot be read tells nothing; `aicx doctor` names it
            continue
        for message in stored.sidecar.messages:
            low, high = message["span"]
            yield datetime.fromisoformat(message["at"]), stored.markdown[low:high].decode("utf-8", "replace")
