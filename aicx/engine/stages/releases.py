"""When a version was released, as far as the corpus tells: from a tag, a commit, or a sentence that says so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime

from aicx.corpus.files.read import read_intact
from aicx.engine.stages.state import SearchState
from aicx.errors import AicxError
from aicx.text import local
from retrieval.questions import parse_question

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
