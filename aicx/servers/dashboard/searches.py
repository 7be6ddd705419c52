"""Ways to ask for the page: as the command line does, by words, project by project, by what is known, and `why`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Literal

from aicx.config import Settings
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.files.read import read_chunk
from aicx.corpus.places.places import load_decisions
from aicx.corpus.places.stored import place_of
from aicx.corpus.views.rank import measure
from aicx.engine.search import Hit, Searcher, SearchQuery, SearchReport
from aicx.engine.search_answer import SearchAnswer, SearchItem, search_answer, search_status
from aicx.engine.steer_answer import SteerAnswer
from aicx.errors import AicxError, CorpusDamaged, NotFound, UsageError
from aicx.paths import Layout
from aicx.servers.dashboard import responses as shapes
from aicx.share import sessions_of_team
from aicx.types import FRAMES, Frame, Voice
from aicx.why.answer import WhyAnswer, answer_why
from aicx.why.run import WhyQuery
from aicx.work.place import find_place, project_of
from aicx.work.stated_search import search_and_stated
from retrieval.lines import ShortenedLine

# How many answers are looked at to find the best of each project, or those that are good enough.
POOL = 100
# Of 100 points, so many are for how much of the question was found, and ten times so many for how dense the chunk is.
_FOUND_WORTH, _DENSITY_WORTH = 50, 5
_LABELS: tuple[tuple[int, Literal["HIGH", "MEDIUM", "LOW"]], ...] = ((80, "HIGH"), (60, "MEDIUM"), (0, "LOW"))
_FRAME_OF_VOICE: dict[Voice, Frame] = {
    "asked": "user_msg",
    "said": "agent_reply",
    "thought": "internal_thought",
    "tool": "tool_call",
}


def semantic(searcher: Searcher, settings: Settings, query: SearchQuery) -> SearchAnswer:
    """The answers of `aicx search`, in its order and with its fields."""
    return search_answer(*search_and_stated(settings, query, searcher.search))


def cross(searcher: Searcher, query: SearchQuery, limit: int, each: int, *, pool: int = POOL) -> shapes.Crossed:
    """The best answers of each project, projects by their best answer, among the first ``pool`` answers."""
    report = searcher.search(replace(query, limit=pool))
    answer = search_answer(report)
    by_project: dict[str, list[SearchItem]] = {}
    for item in answer.items:
        by_project.setdefault(item.project, []).append(item)
    projects = [
        shapes.ProjectAnswers(name, items[0].score, len(items), items[:each]) for name, items in by_project.items()
    ]
    notes = [note for note in (answer.evidence_note, *answer.notes) if note]
    if report.matched > pool:
        notes.append(f"the best {pool} of {report.matched:,} answers were looked at; a filter shows the others")
    return shapes.Crossed(answer.query, projects[:limit], notes, answer.oracle_status)


def fuzzy(
    searcher: Searcher, layout: Layout, query: SearchQuery, limit: int, score: int, frame_kind: str | None
) -> shapes.Matches:
    """Answers by words alone, each with a score from 0 to 100 and what kind of message matched first."""
    report = _by_words(searcher, replace(query, limit=POOL if score or frame_kind else limit))
    results: list[shapes.Match] = []
    found_note = report.evidence_note
    notes = [note for note in (found_note, *report.notes) if note]
    for hit in report.hits:
        if len(results) == limit:
            break
        try:
            found = _scored(layout, hit)
        except AicxError as error:
            notes.append(f"{error.message}; `aicx doctor` says more")
            continue
        if found.score >= score and frame_kind in (None, found.frame_kind):
            results.append(found)
    status = report.oracle_status
    scanned = report.scanned or status["indexed_count"]
    return shapes.Matches(report.query.text, results, scanned, notes, search_status(report))


def steered(answer: SteerAnswer) -> shapes.Steered:
    """Returns the list of `aicx steer`, with how many chunks were looked at."""
    status = answer.oracle_status
    return shapes.Steered(status.indexed_count + status.scanned_count, answer)


def _by_words(searcher: Searcher, query: SearchQuery) -> SearchReport:
    """Asks the BM25 index, and scans every chunk where it cannot answer; the answer says which."""
    try:
        return searcher.search(replace(query, mode="lexical"))
    except (NotFound, CorpusDamaged) as error:
        report = searcher.search(replace(query, mode="scan"))
        reason = f"{error.message}; every chunk was read instead (next: {error.hint or 'aicx store'})"
        status = {**report.oracle_status, "fallback_reason": reason, "stale_or_unknown": True}
        return replace(report, oracle_status=status)


def _scored(layout: Layout, hit: Hit) -> shapes.Match:
    fields = hit.sidecar.fields
    texts = _texts(layout, hit)
    density = measure("\n".join(text for role, text in texts if role != "tool"))
    share = hit.terms_found / hit.terms_asked if hit.terms_asked else 0.0
    score = round(min(100.0, _DENSITY_WORTH * density.score + _FOUND_WORTH * share))
    told = hit.reply.lines if hit.reply else ()
    quoted = (*(line for line in hit.lines if line.tells or not told), *told)
    lines = [line.text for line in quoted]
    return shapes.Match(
        file=PurePosixPath(hit.path).name,
        path=str(layout.home / hit.path),
        id=hit.sidecar.id,
        project=fields["project"],
        kind=fields["kind"],
        frame_kind=_frame(texts, quoted),
        agent=fields["agent"],
        date=fields["date"],
        score=score,
        label=next(label for least, label in _LABELS if score >= least),
        signal_density=round(density.share, 3),
        matched_lines=lines,
        excerpt="\n".join(lines),
        altered=hit.altered,
    )


def _texts(layout: Layout, hit: Hit) -> list[tuple[str, str]]:
    """Role and text of every message that begins in a chunk."""
    markdown = read_chunk(layout, hit.path).markdown
    return [
        (message["role"], markdown[slice(*message["span"])].decode("utf-8", "replace"))
        for message in hit.sidecar.messages
        if not message.get("repeated") and not message.get("echo")
    ]


def _frame(texts: list[tuple[str, str]], lines: Sequence[ShortenedLine]) -> Frame:
    """Whose words the first line is; with nothing to go by, those of whoever speaks first."""
    if lines:
        return _FRAME_OF_VOICE[lines[0].voice]
    return FRAMES.get(texts[0][0] if texts else "assistant", "agent_reply")


# Folders of a repository that are looked at, the latest first: worktrees come and go.
_MAX_FOLDERS = 20


def explain(
    settings: Settings, target: str, project: str | None, limit: int, now: datetime, *, team: bool
) -> WhyAnswer:
    """The answer. Raises what `aicx.why.run.why` raises."""
    folder = at_hand(settings, project) if project else None
    share = sessions_of_team(settings, team=team)
    return answer_why(settings, WhyQuery(target, now, folder, limit, project=project, team=share))


def started_in(settings: Settings) -> str | None:
    """The name of the repository that the server was started in, if it was in one."""
    with suppress(NotFound, UsageError, OSError):
        here = find_place(settings, Path.cwd())
        return project_of(settings, here) or here.repo_id
    return None


def at_hand(settings: Settings, project: str) -> Path | None:
    """Where a repository is on this machine: the folder that the server was started in if it is that one's."""
    if project == started_in(settings):
        return Path.cwd()
    with suppress(NotFound):  # nothing is stored yet
        return folder_of(settings, project)
    return None


def folder_of(settings: Settings, project: str) -> Path | None:
    """Where sessions of a repository worked last and it still is; None where this machine does not have it."""
    return next(folders_of(settings, project), None)


def folders_of(settings: Settings, project: str) -> Iterator[Path]:
    """The folders in which sessions of a repository worked and it still is, the latest first."""
    with open_catalog(settings.layout) as opened:
        decisions = load_decisions(settings.layout.projects)
        rows = opened.catalog.rows(
            "SELECT cwd FROM chunks WHERE project=? AND ignored=0 AND cwd IS NOT NULL GROUP BY cwd"
            " ORDER BY max(started_at) DESC LIMIT ?",
            (project, _MAX_FOLDERS),
        )
        for folder in (Path(row["cwd"]) for row in rows):
            if folder.is_absolute() and os.access(folder, os.X_OK) and folder.is_dir():
                identity = place_of(opened.catalog, settings.user_home, decisions, str(folder))
                if identity is not None and identity.project == project:
                    yield folder
