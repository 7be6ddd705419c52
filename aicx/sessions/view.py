"""A session as it is shown: its facts and turns from the corpus, its windows, its edges, and where it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from typing import Any

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.names import SessionKey, find_session, match_sessions
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.catalog.sessions import facts_of
from aicx.errors import NotFound
from aicx.evidence import Step
from aicx.paths import Layout
from aicx.refs import Ref
from aicx.sessions.answers import Ages, EdgeCount, SessionAnswer, SessionNode, SessionStatsAnswer, SessionWork, Turn
from aicx.sessions.family import SessionFamily, open_family
from aicx.sessions.stated import Life, standing_of
from aicx.text import instant, shorten
from aicx.values import dataclass
from aicx.work.facts_index import session_facts

_SPAN = """SELECT count(*) AS chunks, sum(messages) AS messages, min(started_at) AS started_at,
 max(completed_at) AS completed_at FROM chunks WHERE agent=? AND session_id=? AND ignored=0"""
# The plus keeps SQLite from looking all shown chunks through.
_KEYS = "SELECT DISTINCT agent, session_id FROM chunks WHERE +ignored=0"
_LAST = "\U0010ffff"  # comes after every character that an id may go on with
_EVERY = """SELECT agent, session_id, max(completed_at) AS completed_at, max(lane='subagent') AS subagent
 FROM chunks WHERE ignored=0 GROUP BY agent, session_id"""
NOT_CURRENT = "some sessions were not looked at for edges yet; `aicx store` does that"


@dataclass(frozen=True, slots=True)
class Viewer:
    """The stored sessions, their edges and the clock, as every view of a session needs them."""

    catalog: Catalog
    family: SessionFamily
    now: datetime

    def find(self, wanted: str) -> SessionKey:
        """The session with an id, or the beginning of one, that is stored or of which something was stated.

        Raises NotFound, UsageError where several fit.
        """
        wanted = wanted.removeprefix("session:")
        start = wanted.rpartition(":")[2]
        near = self.catalog.rows(f"{_KEYS} AND session_id>=? AND session_id<?", (start, f"{start}{_LAST}"))
        known = {*((row[0], row[1]) for row in near), *self._stated(start)}
        if not match_sessions(wanted, known):  # for what it may have meant
            known = {*((row[0], row[1]) for row in self.catalog.rows(_KEYS)), *self._stated("")}
        return find_session(wanted, known)

    def node(self, key: SessionKey) -> SessionNode:
        """A session, stored or not."""
        (span,) = self.catalog.rows(_SPAN, key)
        facts: Mapping[str, Any] = facts_of(self.catalog, *key) if span["chunks"] else {}
        ref = str(Ref.of_session(*key))
        standing = standing_of(
            self.family.stated.lives.get(ref, Life()),
            _at(span["completed_at"]),
            self.now,
            followed=any(edge.type == "continues" for edge in self.family.newer(ref)),
        )
        return SessionNode(
            ref=ref,
            agent=key[0],
            session_id=key[1],
            stored=bool(span["chunks"]),
            title=self.catalog.session_title(*key) if span["chunks"] else None,
            project=facts.get("project"),
            lane=facts.get("lane"),
            started_at=span["started_at"],
            completed_at=span["completed_at"],
            state=standing.state,
            outcome=standing.outcome,
            close_inferred=standing.close_inferred,
            closed_at=instant(standing.closed_at) if standing.closed_at else None,
        )

    def kept(self, key: SessionKey) -> Ages:
        """How much of a session is stored."""
        (span,) = self.catalog.rows(_SPAN, key)
        facts: Mapping[str, Any] = facts_of(self.catalog, *key) if span["chunks"] else {}
        why = self.catalog.rows("SELECT automated_why FROM sessions WHERE agent=? AND session_id=?", key)
        opened = self.family.stated.lives.get(str(Ref.of_session(*key)), Life()).opened_at
        return Ages(
            projects=facts.get("projects", []),
            cwd=facts.get("cwd"),
            branch=facts.get("branch"),
            chunks=span["chunks"],
            messages=span["messages"] or 0,
            automated_why=why[0]["automated_why"] if why else None,
            opened_at=instant(opened) if opened else None,
        )

    def stats(self) -> SessionStatsAnswer:
        """All sessions counted by what is known of them."""
        edges = self.family.every()
        followed = {edge.to_ref for edge in edges if edge.type == "continues"}
        rows = {str(Ref.of_session(row["agent"], row["session_id"])): row for row in self.catalog.rows(_EVERY)}
        lives = self.family.stated.lives
        agents, lanes, states, outcomes = (Counter[str]() for _ in range(4))
        for ref in [*rows, *(ref for ref in lives if ref not in rows)]:
            row = rows.get(ref)
            last = _at(row["completed_at"]) if row else None
            standing = standing_of(lives.get(ref, Life()), last, self.now, followed=ref in followed)
            agents[key_of(ref)[0]] += 1
            lanes["subagent" if row and row["subagent"] else "primary" if row else "unknown"] += 1
            states[f"closed: {standing.close_inferred}" if standing.close_inferred else standing.state] += 1
            outcomes[standing.outcome or "none"] += 1
        kinds = Counter((edge.type, edge.origin) for edge in edges)
        return SessionStatsAnswer(
            sessions=agents.total(),
            stored=len(rows),
            by_agent=_sorted(agents),
            by_lane=_sorted(lanes),
            by_state=_sorted(states),
            by_outcome=_sorted(outcomes),
            edges=[EdgeCount(*kind, count) for kind, count in sorted(kinds.items())],
            notes=self.notes(),
        )

    def notes(self) -> list[str]:
        return [] if self.family.is_current else [NOT_CURRENT]

    def _stated(self, start: str) -> list[SessionKey]:
        """The sessions of which something was stated, of those whose ids may begin with ``start``."""
        stated = self.family.stated
        return [key_of(ref) for ref in {*stated.lives, *stated.ends} if f":{start}" in ref]


@contextmanager
def open_viewer(layout: Layout, now: datetime, on_progress: Callable[[int, int], None]) -> Iterator[Viewer]:
    """The stored sessions and their edges, which are worked out first where something is new."""
    with ExitStack() as stack:
        try:
            catalog = stack.enter_context(open_catalog(layout)).catalog
        except NotFound:  # nothing is stored, and yet a session may have been opened
            catalog = Catalog.in_memory()
            stack.callback(catalog.close)
        yield Viewer(catalog, stack.enter_context(open_family(layout, catalog, on_progress)), now)


def key_of(ref: str) -> SessionKey:
    """The agent and the id of a session's reference. Raises NotFound for another one."""
    kind, agent, session_id = [*ref.split(":", 2), "", ""][:3]
    if kind != "session" or not agent or not session_id:
        raise NotFound(f"{ref!r} is not a reference to a session", hint="session:<agent>:<id>")
    return agent, session_id


def work_of(layout: Layout, catalog: Catalog, key: SessionKey) -> list[SessionWork]:
    """Returns what a stored session did, by repository."""
    found = session_facts(layout, catalog, "agent=? AND session_id=?", list(key))
    return [
        SessionWork(
            project=facts.project,
            goal=facts.goal.text if facts.goal else None,
            next=[said.text for said in facts.next],
            files=list(facts.edited),
            commits=[said.text for said in facts.commits],
            progress=facts.state,
            progress_reason=facts.state_reason,
        )
        for facts in sorted(found, key=lambda facts: facts.project)
    ]


def _at(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))


MAX_TURNS = 500
_LENGTH = 300  # characters of a message
_MAX_FILES = 20


def turns_of(steps: Sequence[Step]) -> list[Turn]:
    """The last turns of a session."""
    parts = list(_parts(steps))
    first = max(0, len(parts) - MAX_TURNS)
    return [_turn(number, part) for number, part in enumerate(parts[first:], first)]


def _parts(steps: Sequence[Step]) -> Iterator[Sequence[Step]]:
    begins = [number for number, step in enumerate(steps) if step.role == "user" and step.tool is None]
    for start, end in zip([0, *begins], [*begins, len(steps)], strict=True):
        if start < end:
            yield steps[start:end]


def _turn(index: int, part: Sequence[Step]) -> Turn:
    def said(role: str) -> Iterator[str]:
        return (step.text for step in part if step.role == role and step.tool is None and step.text.strip())

    prompt, answer = next(said("user"), None), next(iter(list(said("assistant"))[-1:]), None)
    calls = [step for step in part if step.phase == "call"]
    files = dict.fromkeys(path for step in calls for path in step.files)
    return Turn(
        index=index,
        at=instant(part[0].at),
        ended_at=instant(part[-1].at),
        prompt=None if prompt is None else shorten(prompt, _LENGTH),
        answer=None if answer is None else shorten(answer, _LENGTH),
        messages=len(part),
        tool_calls=dict(Counter(step.tool for step in calls if step.tool)),
        files=list(files)[:_MAX_FILES],
        failed=sum(step.failed for step in part),
        chunk=str(Ref("chunk", part[0].chunk)),
    )


def about_session(settings: Settings, viewer: Viewer, key: SessionKey, found_by: str, *, turns: bool) -> SessionAnswer:
    """Returns what is known of a session, stored or not; its turns only if they are wanted."""
    from aicx.sessions.summarize import open_session, windows_answer  # imported here: a list of sessions needs neither

    node = viewer.node(key)
    reader = open_session(settings, ":".join(key)) if node.stored else None
    return SessionAnswer(
        found_by=found_by,
        node=node,
        kept=viewer.kept(key),
        work=work_of(settings.layout, viewer.catalog, key),
        windows=windows_answer(reader).windows if reader else [],
        turns=turns_of([step for part in reader.steps for step in part]) if reader and turns else [],
        older=viewer.family.older([node.ref]),
        newer=viewer.family.newer(node.ref),
        notes=viewer.notes(),
    )
