"""The sessions of other members that a brief or the reason of a change names beside one's own.

Their chunks too, listed by what is known of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

import orjson

from aicx.config import Settings
from aicx.corpus.catalog.names import stored_sessions
from aicx.corpus.catalog.query import MetadataAnswer, fold_runs, open_catalog, run_key, steer, steer_item, told
from aicx.corpus.files.read import StoredText
from aicx.corpus.views import header_of, searchable_texts, voices_of
from aicx.errors import NotFound
from aicx.filters import Filters
from aicx.refs import Ref
from aicx.share.asking import AskedDatabase
from aicx.share.limits import limits
from aicx.share.membership import Membership, need_membership
from aicx.share.rows import stored_text
from aicx.share.seals import read_seals
from aicx.share.shares import Awaited, databases, lacks, of_others, only_own, whole
from aicx.share.tables import Database, read_rows
from aicx.text import shorten
from aicx.values import dataclass
from indexer.vector_table import sql_list
from retrieval.evidence import ENOUGH, share_together
from retrieval.excerpts import SoughtQuestion, excerpt
from retrieval.params import RankingParams
from retrieval.questions import Question, parse_question

# A session that nothing ties to the question but its repository says something while it is recent.
_RECENT = timedelta(days=30)
_MAX_FILES, _MAX_ROWS, _MAX_SAID = 30, 30, 220
_FACTS = ("agent", "session_id", "member", "project", "session_title", "branch", "started_at", "completed_at")


class Tie(StrEnum):
    """The tie between a session and what is asked about, the strongest first."""

    NAMED = "named"  # its text has the commit or the number
    TASK = "task"  # a passage of it has most of the task's words
    FILES = "files"
    BRANCH = "branch"
    REPOSITORY = "repository"


@dataclass(frozen=True, slots=True)
class AboutPlace:
    """The subject of a question: a repository by its names. ``windows`` limit when files were touched, and
    ``named`` the passages found for ``text`` to those that contain it. ``since`` is from when on a session counts that
    only its repository ties to the question; None for never."""

    projects: Sequence[str]
    branch: str | None = None
    files: Sequence[str] = ()
    windows: Sequence[tuple[datetime, datetime]] = ()
    text: str = ""
    named: re.Pattern[bytes] | None = None
    since: datetime | None = None
    but: Sequence[str] = ()  # beginnings of ids of sessions that do not count
    limit: int = 3

    @classmethod
    def now(cls, projects: Sequence[str], now: datetime, **fields: Any) -> AboutPlace:
        """Asks about a repository as it is now, of which recent sessions count whatever they did."""
        return cls(projects, since=now - _RECENT, **fields)


@dataclass(frozen=True, slots=True)
class SharedSession:
    """A session that another member shared. ``files`` are those asked about that it touched; ``said`` is the line that
    is about the question, or else what its agent said last."""

    member: str
    agent: str
    session_id: str
    project: str
    title: str | None
    branch: str | None
    started_at: datetime
    completed_at: datetime
    ties: tuple[Tie, ...]
    files: tuple[str, ...]
    said: str

    @property
    def ref(self) -> str:
        return str(Ref.of_session(self.agent, self.session_id))


class SharedSessions:
    """A share, asked for the sessions of other members. Every question makes one; NotFound for a home in none."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._membership = need_membership(settings.layout)
        self._work = Awaited(settings.team_wait_seconds)
        self._notes: list[str] = []
        self._found: list[SharedSession] = []

    def ask(self, about: AboutPlace) -> None:
        """Begins to ask, in a thread."""
        self._work.begin(lambda: self._ask(about))

    def answer(self) -> tuple[tuple[SharedSession, ...], list[str]]:
        """The sessions found, those that have most to do with the question first, and what could not be asked."""
        why_not = self._work.why_not()
        return ((), [only_own(why_not)]) if why_not is not None else (tuple(self._found), self._notes)

    def _ask(self, about: AboutPlace) -> None:
        found: dict[tuple[str, str], _Found] = {}
        for database in databases(self._membership, self._notes):
            with whole(self._membership, database, self._notes):
                for key, one in _look(database, self._membership, about).items():
                    found.setdefault(key, one)  # several members may have shared one session
        with suppress(NotFound), open_catalog(self._settings.layout) as opened:
            for key in stored_sessions(opened.catalog, [session for _, session in found]):
                found.pop(key, None)
        best = sorted(found.values(), key=lambda one: one.order, reverse=True)[: about.limit]
        self._found = [one.finished() for one in best]


class _Found:
    """One session while it is looked for."""

    def __init__(self, database: Database, row: Mapping[str, Any]) -> None:
        self._database = database
        self.generation = str(row["generation"])
        self.facts = {name: row[name] for name in _FACTS}
        self.ties: set[Tie] = set()
        self.files: dict[str, None] = {}
        self.said = ""

    @property
    def order(self) -> tuple[bool, int, int, int]:
        """Greater for a session that has more to do with the question."""
        count = len(self.ties - {Tie.REPOSITORY})
        return Tie.NAMED in self.ties, count, len(self.files), self.facts["completed_at"]

    def take(self, row: Mapping[str, Any]) -> None:
        self.facts["started_at"] = min(self.facts["started_at"], row["started_at"])
        self.facts["completed_at"] = max(self.facts["completed_at"], row["completed_at"])

    def finished(self) -> SharedSession:
        """The session with what its agent said last, for which its last chunk is read."""
        where = f"generation = {sql_list([self.generation])}"
        rows = read_rows(self._database.chunks, ("key", "started_at", "completed_at"), where)
        for row in rows:
            self.take(row)
        if not self.said and rows:
            last = max(rows, key=lambda row: row["completed_at"])["key"]
            where = f"{where} AND key = {sql_list([last])}"
            for row in read_rows(self._database.chunks, ("sidecar", "text"), where):
                self.said = _last_said(stored_text(row["sidecar"], row["text"]))
        facts = self.facts
        began, ended = (datetime.fromtimestamp(facts[name], UTC) for name in ("started_at", "completed_at"))
        ties = tuple(tie for tie in Tie if tie in self.ties)
        named = (facts["member"], facts["agent"], facts["session_id"], facts["project"], facts["session_title"])
        return SharedSession(*named, facts["branch"], began, ended, ties, tuple(self.files), self.said)


def _look(database: Database, membership: Membership, about: AboutPlace) -> dict[tuple[str, str], _Found]:
    """The sessions of other members that have to do with the question, by agent and id."""
    database.refresh(only_read=True)
    live = read_seals(database).generations()
    found: dict[tuple[str, str], _Found] = {}

    def take(row: Mapping[str, Any], ties: Iterable[Tie]) -> _Found | None:
        ties = set(ties)
        if not ties or row["generation"] not in live or row["session_id"].startswith(tuple(about.but)):
            return None
        one = found.setdefault((row["agent"], row["session_id"]), _Found(database, row))
        one.take(row)
        one.ties |= ties
        return one

    projects = f"project IN ({sql_list(about.projects)})" if about.projects else "true"
    primary = "(lane IS NULL OR lane != 'subagent') AND automated_why IS NULL"
    question = parse_question(about.text)
    if not question.empty:
        wanted = [projects, primary]
        asked = AskedDatabase(database, membership, question, wanted, _MAX_ROWS, RankingParams())
        asked.by_words()
        shared = asked.shared()
        for row in (shared.rows[one.id] for one in shared.rankings["lexical"]):
            stored = row["stored"]
            texts = searchable_texts(stored.sidecar, stored.markdown)
            if about.named is not None:
                ties = {Tie.NAMED} if about.named.search(stored.markdown) else set()
            else:
                ties = {Tie.TASK} if share_together(shared.occurrences, texts) >= ENOUGH else set()
            raw = asked.row(row["id"])
            if (one := take(raw, ties)) is not None and not one.said:
                one.said = _about(question, stored, texts)
    tied = [f"branch = {sql_list([about.branch])}"] if about.branch else []
    files = [path for path in about.files[:_MAX_FILES] if path]
    if files:
        touched = " OR ".join(f"contains(files, {sql_list([path])})" for path in files)
        tied.append(f"(({touched}) AND {_within(about.windows)})")
    if about.since is not None:
        tied.append(f"completed_at >= {int(about.since.timestamp())}")
    if tied:
        where = f"{of_others(membership)} AND {projects} AND {primary} AND ({' OR '.join(tied)})"
        for row in read_rows(database.chunks, ("generation", "files", *_FACTS), where):
            names = [name for name in files if _touches(row["files"] or "", name)]
            ties = {Tie.REPOSITORY} if about.since is not None else set()
            ties |= {Tie.BRANCH} if about.branch and row["branch"] == about.branch else set()
            ties |= {Tie.FILES} if names else set()
            if (one := take(row, ties)) is not None:
                one.files |= dict.fromkeys(names)
    return found


def _within(windows: Sequence[tuple[datetime, datetime]]) -> str:
    tests = (
        f"(completed_at >= {int(first.timestamp())} AND started_at <= {int(last.timestamp())})"
        for first, last in windows
    )
    return f"({' OR '.join(tests) or 'true'})"


def _touches(files: str, path: str) -> bool:
    return any(name == path or name.endswith(f"/{path}") for name in files.split("\n"))


def _about(question: Question, stored: StoredText, texts: Sequence[str]) -> str:
    lines = excerpt(SoughtQuestion.of(question), texts, header_of(stored.sidecar), 1, voices_of(stored.sidecar)).lines
    return shorten(lines[0].text, _MAX_SAID) if lines else ""


def _last_said(stored: StoredText) -> str:
    texts = searchable_texts(stored.sidecar, stored.markdown)
    spoken = [text for text, voice in zip(texts, voices_of(stored.sidecar), strict=True) if voice == "said"]
    return shorten(spoken[-1], _MAX_SAID) if spoken else ""


_COLUMNS = ("key", "generation", "member", "chunk", "agent", "session_id", "started_at", "session_title")
_RUNS = ("automated_why", "prompt_key")


def steer_team(settings: Settings, filters: Filters, limit: int) -> MetadataAnswer:
    """The newest chunks that the filters let through, of one's own corpus and of the share that the home is part of.

    Each item has its ``member``. Raises NotFound where the home is part of no share.
    """
    membership = need_membership(settings.layout)
    wanted, lacking = limits(filters)
    shared = _Listed(settings, membership, wanted, limit)
    work = Awaited(settings.team_wait_seconds)
    if not lacking:
        work.begin(shared.look)
    own = steer(settings.layout, filters, limit)
    items = [{**item, "member": membership.member} for item in own.items]
    if lacking:
        return replace(own, items=items, notes=[*own.notes, lacks(lacking)])
    if (why_not := work.why_not()) is not None:
        return replace(own, items=items, notes=[*own.notes, only_own(why_not)])
    items = sorted([*items, *shared.items], key=lambda item: datetime.fromisoformat(item["started_at"]), reverse=True)
    return replace(own, items=items[:limit], matched=own.matched + shared.matched, notes=[*own.notes, *shared.notes])


class _Listed:
    """The newest chunks of other members that fulfil conditions, but for those of sessions that are stored here."""

    def __init__(self, settings: Settings, membership: Membership, wanted: list[str], limit: int) -> None:
        self._settings = settings
        self._membership = membership
        self._where = " AND ".join([of_others(membership), *wanted])
        self._limit = limit
        self.items: list[dict[str, Any]] = []
        self.matched = 0
        self.notes: list[str] = []

    def look(self) -> None:
        """Fills ``items``, ``matched`` and ``notes``."""
        found: list[tuple[Database, dict[str, Any]]] = []
        for database in databases(self._membership, self.notes):
            with whole(self._membership, database, self.notes):
                database.refresh(only_read=True)
                live = read_seals(database).generations()
                rows = read_rows(database.chunks, (*_COLUMNS, *_RUNS), self._where)
                found += ((database, row) for row in rows if row["generation"] in live)
        stored = set()
        with suppress(NotFound), open_catalog(self._settings.layout) as opened:
            stored = stored_sessions(opened.catalog, (row["session_id"] for _, row in found))
        # Of a chunk that several members shared the first one's counts.
        of_chunk = {
            row["chunk"]: (database, row)
            for database, row in sorted(found, key=lambda one: str(one[1]["member"]), reverse=True)
            if (row["agent"], row["session_id"]) not in stored
        }
        self.matched = len(of_chunk)
        newest = sorted(of_chunk.values(), key=lambda one: (one[1]["started_at"], one[1]["chunk"]), reverse=True)
        folded = fold_runs(newest, lambda one: str(one[1]["session_id"]), lambda one: run_key(one[1]), self._limit)
        for database in {id(one[0]): one[0] for one, _ in folded}.values():
            with whole(self._membership, database, self.notes):
                self._take(database, [(row, runs) for (of, row), runs in folded if of is database])

    def _take(self, database: Database, chosen: list[tuple[dict[str, Any], list[str]]]) -> None:
        keys = sql_list([row["key"] for row, _ in chosen])
        read = read_rows(database.chunks, ("key", "generation", "sidecar"), f"key IN ({keys})")
        sidecars = {(row["key"], row["generation"]): orjson.loads(row["sidecar"]) for row in read}
        for row, runs in chosen:
            known = {**told(row, runs), "prompt_key": row["prompt_key"]}
            item = steer_item(sidecars[row["key"], row["generation"]], Path(), row["session_title"], known)
            self.items.append({**item, "path": "", "member": row["member"]})
