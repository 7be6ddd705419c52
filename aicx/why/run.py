"""From a target to the sessions that made it: asks git, the catalogue and the search, then reads likely sessions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.catalog.sightings import ABBREVIATED, CommitSighting, nearest_sighting, sightings
from aicx.corpus.places import LocalRepository, same_file
from aicx.corpus.places.places import load_decisions
from aicx.corpus.places.stored import place_of
from aicx.engine.search import Searcher
from aicx.errors import NotFound, UsageError
from aicx.evidence import Step, read_steps
from aicx.evidence.sessions import automated, load_sessions
from aicx.git import repository_of
from aicx.git.state import Git, GitProbe, GitState
from aicx.git.subjects import plain_subject
from aicx.types import PROMPTS
from aicx.values import dataclass
from aicx.why import ranking
from aicx.why.candidates import (
    AFTER,
    MAX_CHUNKS,
    MAX_WEIGHED,
    ChunkTime,
    Key,
    Searches,
    SessionCandidate,
    ask_team,
    at_work,
    of_branch,
    of_file,
    of_first_shape,
    of_hits,
    of_sighting,
)
from aicx.why.commits import CommitQuery, CommitSession, Evidence, WhyReason, WhyReport, wanted_of
from aicx.why.ranking import find_traces
from aicx.why.reason import read_reason
from aicx.why.target import Number, WhyTarget, find_target

if TYPE_CHECKING:
    from aicx.resume.ranking import Confidence
    from aicx.share.sessions import SharedSessions

# Git's answers about a large repository take longer than a look at its state.
GIT_SECONDS = 20.0
# Sessions that are read for one commit; the catalogue alone puts the right one among them.
_MAX_READ = 10
# Sessions that are quoted: the best, and a second where it is nearly as sure.
_MAX_QUOTED = 2
# Commits whose subject is searched for, and shapes of one whose hash is.
_MAX_SEARCHED, _MAX_HASHES = 3, 4
# A session in which this many messages name a request is half as likely about it as one that was given it.
_SOME_NAMED = 4


@dataclass(frozen=True, slots=True)
class WhyQuery:
    """The question, and where: in a ``folder`` of a repository, or of the logs alone, those of ``project`` if named.

    ``weights`` are for measuring what each signal is worth.
    """

    target: str
    now: datetime
    folder: Path | None
    limit: int = 5
    weights: ranking.Weights = field(default_factory=ranking.Weights)
    project: str | None = None
    team: SharedSessions | None = None  # the share that is asked too


def why(settings: Settings, query: WhyQuery) -> WhyReport:
    """The sessions that made what is asked about, and what they say of the reason. Nothing is written anywhere.

    Raises UsageError for a text that names nothing, NotFound for a file or commit that neither git nor a log can know,
    and where nothing is stored yet.
    """
    if query.folder is None:
        # Relative paths are of the repository's root, wherever it was.
        return _why(settings, query, Git(settings.layout.home, GIT_SECONDS), GitState("none"))
    if not query.folder.is_dir():
        raise UsageError(f"{query.folder} is not a folder", hint="--repo takes a folder in a repository")
    with GitProbe(Git(query.folder.absolute(), GIT_SECONDS), status=False) as look:
        return _why(settings, query, look.git, look.place)


def _why(settings: Settings, query: WhyQuery, git: Git, state: GitState) -> WhyReport:
    target = find_target(query.target, git, state)
    with open_catalog(settings.layout) as opened, Searcher(settings) as searcher:
        wanted = wanted_of(target, git, state, query.now)
        place = _place(settings, query, opened.catalog, state)
        if target.number and target.number.project and not target.weights:
            place = LocalRepository(
                target.number.project, place.folders if target.number.project == place.project else ()
            )
        if query.team is not None:
            ask_team(query.team, place, target, wanted, query.limit)
        report = _Why(settings, query, opened.catalog, searcher, place).report(target, wanted)
        if query.team is not None:
            found, left_out = query.team.answer()
            report = replace(report, team=found, notes=(*report.notes, *left_out))
        notes = [*state.notes, *target.notes, *git.notes, *opened.notes]
        notes += [opened.fallback_reason] if opened.fallback_reason else []
        return replace(report, notes=tuple(dict.fromkeys([*notes, *report.notes])))


def _place(settings: Settings, query: WhyQuery, catalog: Catalog, state: GitState) -> LocalRepository:
    if state.root is None:
        return LocalRepository(query.project, ())
    identity = place_of(catalog, settings.user_home, load_decisions(settings.layout.projects), state.root)
    trees = [tree.path for tree in state.worktrees]
    folders = dict.fromkeys([repository_of(state.root), state.root, *trees])
    return LocalRepository(identity.project if identity else None, tuple(folders))


class _Why:
    """One run; what was read of a session for one commit serves the next."""

    def __init__(
        self, settings: Settings, query: WhyQuery, catalog: Catalog, searcher: Searcher, place: LocalRepository
    ) -> None:
        self._settings = settings
        self._query = query
        self._catalog = catalog
        self._searches = Searches(searcher, query.now)
        self._place = place
        self._steps: dict[tuple[str, ...], list[Step]] = {}
        self._notes: list[str] = []
        self._sightings: list[CommitSighting] = []

    def report(self, target: WhyTarget, wanted: Sequence[CommitQuery]) -> WhyReport:
        best: dict[Key, tuple[float, Confidence, list[Evidence], CommitQuery, ranking.ReadCandidate]] = {}
        numbered = self._of_number(target.number)
        for place, one in enumerate(wanted):
            searched = place < _MAX_SEARCHED
            for found, evidence, score, sure in self._weighed(one, target.number, numbered, searched=searched):
                worth, key = score * one.weight, found.candidate.key
                enough = score >= self._query.weights.least or found.candidate.printed
                if enough and (key not in best or worth > best[key][0]):
                    best[key] = (worth, sure, evidence, one, found)
        programs = automated(self._catalog, [session_id for _, session_id in best])
        # A program that changed nothing has read the commit, or judged it.
        best = {key: one for key, one in best.items() if key not in programs or one[-1].traces.worked}
        order = sorted(best, key=lambda key: (-best[key][0], key))[: self._query.limit]
        rows = {(row.agent, row.session_id): row for row in load_sessions(self._catalog, order, self._query.now)}
        sessions: list[CommitSession] = []
        reason: list[WhyReason] = []
        for key in (key for key in order if key in rows):
            score, sure, evidence, one, found = best[key]
            sessions.append(CommitSession(rows[key], round(score, 3), sure, tuple(evidence), one.change.hash))
            # A guess is named: what it says would argue for what may be another change.
            if sure != "low" and len(sessions) <= (_MAX_QUOTED if sure == "high" else 1):
                first, remade = found.traces.first_made, found.candidate.remade
                made_at = first.at if first else remade.first_seen if remade else None
                steps = self._read(found.candidate, one, whole=True, end=made_at)
                if found.traces.replayed:  # it was made before what was read so far
                    before = ranking.find_traces(steps, one, found.candidate.cwd).first_made
                    made_at = before.at if before else made_at
                reason += read_reason(steps, one, rows[key], made_at)
        return WhyReport(
            target,
            self._place.project,
            tuple(wanted),
            tuple(sessions),
            tuple(reason),
            tuple(dict.fromkeys(self._sightings)),
            (*self._searches.notes, *self._notes),
        )

    def _of_number(self, number: Number | None) -> dict[Key, SessionCandidate]:
        """The sessions that contain a request's number, or worked on a branch of its name; git may not know it."""
        found: dict[Key, SessionCandidate] = {}
        if number is not None:
            # Other repositories have requests of the same number.
            for project in dict.fromkeys([self._place.project, None]):
                hits = self._searches.for_text(number.words, project=project)
                of_hits(self._settings.layout, self._catalog, hits, number.in_logs, found, whole=True)
            if not number.name.startswith("#"):
                found |= of_branch(self._catalog, number.name)
        return found

    def _weighed(
        self, wanted: CommitQuery, number: Number | None, numbered: Mapping[Key, SessionCandidate], *, searched: bool
    ) -> list[tuple[ranking.ReadCandidate, list[Evidence], float, Confidence]]:
        """The candidates for one commit, read and weighed."""
        wanted, known = self._candidates(wanted, searched=searched)
        for key, candidate in numbered.items():
            known.setdefault(key, candidate).printed = True
        near = [one for one in known.values() if one.printed or self._place.share(one.project, one.cwd) is not None]
        near.sort(key=lambda one: (-ranking.guess(one, wanted, self._place), one.key))
        found = []
        for candidate in near[:_MAX_READ]:
            steps = self._read(candidate, wanted, whole=number is not None)
            candidate.printed = candidate.printed or _contains(steps, wanted.hashes)
            if number is not None and not wanted.times:
                candidate.text, candidate.text_chunk = _named(steps, number)
                candidate.text_terms = (0, 0)
            later = candidate.remade is None and _began_after(candidate, wanted.authored_at + AFTER)
            traces = find_traces(steps, wanted, candidate.cwd, later=later and bool(wanted.times))
            if wanted.first_seen in candidate.printed_in and not traces.made:
                traces.gap = None  # a session that lists a commit is at work when it is first seen
            shown = candidate.printed and wanted.name
            if wanted.times and not (traces.made or traces.shared) and _began_after(candidate, max(wanted.times)):
                continue
            if traces.gap is not None or traces.made or shown or not wanted.times:
                found.append(ranking.ReadCandidate(candidate, traces))
        return ranking.weigh(found, wanted, self._place, self._query.weights)

    def _candidates(self, wanted: CommitQuery, *, searched: bool) -> tuple[CommitQuery, dict[Key, SessionCandidate]]:
        known: dict[Key, SessionCandidate] = at_work(self._catalog, wanted.times)
        of_first_shape(self._catalog, wanted, known)
        if wanted.name or wanted.hashes:
            wanted = self._sighted(wanted, known)
        if wanted.name and wanted.hashes:
            # Git does not say when: a session of any time may hold it, in what nobody's tool printed too.
            printed = self._searches.for_hashes(wanted.hashes[:_MAX_HASHES])
            names = "|".join(name[:ABBREVIATED] for name in wanted.hashes)
            of_hits(self._settings.layout, self._catalog, printed, re.compile(names.encode()), known)
        if not wanted.times and wanted.files:
            known |= of_file(self._catalog, wanted.files[0])
        if searched and wanted.change.subject:
            for hit in self._searches.for_text(wanted.change.subject, wanted.times):
                if (likely := known.get((hit.sidecar.agent, hit.sidecar.session_id))) is not None:
                    likely.text = hit.score * hit.terms_found / max(1, hit.terms_asked)
                    likely.text_chunk = hit.sidecar.id
                    likely.text_terms = (hit.terms_found, hit.terms_asked)
        return wanted, known

    def _sighted(self, wanted: CommitQuery, known: dict[Key, SessionCandidate]) -> CommitQuery:
        """The commit as tools printed it; where git does not know it, the first log that shows it bounds its time."""
        asked = dict.fromkeys([*wanted.hashes[:_MAX_HASHES], *filter(None, [wanted.name])])
        seen = [one for name in asked for one in sightings(self._catalog, name)]
        if not seen and wanted.change.subject and not wanted.times:
            seen = [one for one in [nearest_sighting(self._catalog, wanted.change.subject)] if one]
        shown = []
        for one in seen:
            candidate = of_sighting(self._catalog, one, known)
            if candidate and self._place.share(candidate.project, candidate.cwd) is not None:
                shown.append(one)
        self._sightings += shown
        if wanted.times or not shown:
            return wanted
        first = shown[0]
        for key, candidate in at_work(self._catalog, [first.first_seen]).items():
            known.setdefault(key, candidate)
        # A request's number is not a hash.
        hashes = wanted.hashes if first.hash.startswith("#") else (first.hash,)
        change = replace(
            wanted.change, subject=first.subject, authored_at=first.first_seen, committed_at=first.first_seen
        )
        subjects = (plain_subject(first.subject),)
        first_seen = first.chunk if first.made_in is None else ""
        times = (first.first_seen,)
        return replace(wanted, change=change, hashes=hashes, subjects=subjects, times=times, first_seen=first_seen)

    def _read(
        self, candidate: SessionCandidate, wanted: CommitQuery, *, whole: bool, end: datetime | None = None
    ) -> list[Step]:
        """The messages of a candidate's last chunks before a commit: those that tell whether it made the commit.

        With ``whole``, all of them, and those of its first chunk too. ``end`` is when it made the commit, if known.
        """
        until = (end or max(wanted.times, default=datetime.max.replace(tzinfo=UTC) - AFTER)) + AFTER
        chunks = sorted(
            (chunk for chunk in candidate.chunks if chunk.started_at <= until),
            key=lambda one: (one.started_at, one.path),
        )
        last = chunks[-MAX_CHUNKS:]
        if whole:
            # Apart, so that the last chunks are read once, with the opening and without.
            opening = [one.path for one in chunks[: len(chunks) > MAX_CHUNKS]]
            return [*self._read_paths(opening), *self._read_paths([one.path for one in last])]
        before = [one for one in last[:-MAX_WEIGHED] if _names(one, wanted, candidate.cwd)]
        return self._read_paths([one.path for one in [*before, *last[-MAX_WEIGHED:]]])

    def _read_paths(self, paths: Sequence[str]) -> list[Step]:
        known = tuple(paths)
        if known and known not in self._steps:
            with suppress(NotFound):
                self._steps[known], notes = read_steps(self._settings.layout, known)
                self._notes += notes
        return self._steps.get(known, [])


def _began_after(candidate: SessionCandidate, moment: datetime) -> bool:
    began = min((chunk.started_at for chunk in candidate.chunks), default=None)
    return began is not None and began > moment


def _names(chunk: ChunkTime, wanted: CommitQuery, cwd: str | None) -> bool:
    return any(same_file(named, path, cwd) for named in chunk.files for path in wanted.files)


def _contains(steps: Sequence[Step], hashes: Sequence[str]) -> bool:
    """Whether a message holds one of the hashes, as a push or an agent's report names it."""
    names = [name[:ABBREVIATED] for name in hashes[:_MAX_HASHES]]
    return any(name in step.text for step in steps for name in names)


def _named(steps: Sequence[Step], number: Number) -> tuple[float, str]:
    """How much of a session is about a request, from 0 to 1, and the first chunk that names it.

    All of it where a person's prompt names the request, else the more the more messages do.
    """
    named = [step for step in steps if number.in_logs.search(step.text.encode("utf-8", "replace"))]
    if not named:
        return 0.0, ""
    asked = next((step for step in named if step.role == "user" and step.origin in PROMPTS), None)
    return (1.0, asked.chunk) if asked else (len(named) / (len(named) + _SOME_NAMED), named[0].chunk)
