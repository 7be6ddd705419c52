"""Finds what one `forget` has to take out of the store. Reads the chunks themselves, so no index is needed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from aicx.corpus.catalog.names import SessionKey, find_session
from aicx.corpus.files import FORGOTTEN
from aicx.corpus.files.read import load_markdown, load_sidecar, sidecar_path, take_inventory
from aicx.corpus.forget.blanking import Targets, blank_chunk, message_texts
from aicx.corpus.forget.holding import Affected, ForgetPlan, ForgetRequest, LogCopy
from aicx.errors import CorpusDamaged, NotFound, PatternRefused, UsageError
from aicx.paths import NON_REPOSITORY, Layout, parse_chunk_name, safe_session
from aicx.regex import ExpressionSearch, searching
from aicx.types import PROMPTS
from aicx.values import dataclass

_ELIDED = re.compile(r"^\[… \d+ characters, \d+ line breaks left out …\]$", re.MULTILINE)
_MAX_CANDIDATES = 8


@dataclass(frozen=True, slots=True)
class _Row:
    """The facts about one chunk that selecting needs; the whole sidecar of every chunk would not fit in memory."""

    path: str
    agent: str
    session_id: str
    project: str
    cwd: str | None
    lane: str
    parent: str | None
    copied_in: frozenset[SessionKey]

    @property
    def session(self) -> SessionKey:
        return self.agent, self.session_id


def plan_stored(layout: Layout, request: ForgetRequest, plan: ForgetPlan) -> None:
    """Adds what of the store ``request`` takes out. Raises NotFound when nothing fits, UsageError when words do not."""
    if request.pattern is not None:
        return _plan_pattern(layout, _compile(request.pattern), plan)
    rows, damaged = _survey(layout)
    if request.session is not None:
        return _plan_session(layout, rows, damaged, request.session, plan)
    return _plan_project(layout, rows, damaged, str(request.project), plan)


def _survey(layout: Layout) -> tuple[list[_Row], list[str]]:
    """Every chunk with a readable sidecar, and the others."""
    rows: list[_Row] = []
    damaged: list[str] = []
    for path in take_inventory(layout)[0]:
        try:
            fields = load_sidecar(layout, path).fields
        except (CorpusDamaged, NotFound):
            damaged.append(path)
            continue
        copied_in = {(str(copy["agent"]), str(copy["session_id"])) for copy in fields.get("duplicates") or ()}
        rows.append(
            _Row(
                path,
                str(fields["agent"]),
                str(fields["session_id"]),
                str(fields["project"]),
                fields.get("cwd"),
                str(fields.get("lane") or "primary"),
                fields.get("parent_session"),
                frozenset(copied_in),
            )
        )
    return rows, damaged


# Sessions -----------------------------------------------------------------------------------------------------------


def _plan_session(layout: Layout, rows: list[_Row], damaged: list[str], wanted: str, plan: ForgetPlan) -> None:
    # A chunk that lost its sidecar still says in its name whose it is, as far as names keep ids as they are.
    lost = (name for path in damaged if (name := _named_session(path)) is not None)
    plan.sessions |= _with_subagents(rows, find_session(wanted, {*(row.session for row in rows), *lost}))
    names = {(agent, safe_session(session)) for agent, session in plan.sessions}
    for row in rows:
        if row.session in plan.sessions:
            _remove(layout, plan, row)
        elif row.copied_in & plan.sessions:
            plan.references.append(row.path)
    plan.removed += [path for path in damaged if _named_session(path) in names]


def _with_subagents(rows: Iterable[_Row], session: SessionKey) -> set[SessionKey]:
    """The session, the subagents it started, and theirs. A fork is a session of its own and stays."""
    children: dict[SessionKey, set[SessionKey]] = {}
    for row in rows:
        if row.lane == "subagent" and row.parent:
            children.setdefault((row.agent, row.parent), set()).add(row.session)
    found = {session}
    waiting = [session]
    while waiting:
        new = children.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def _named_session(path: str) -> SessionKey | None:
    parsed = parse_chunk_name(path.rpartition("/")[2])
    if parsed is None:
        return None
    return parsed[1], parsed[2].removesuffix("~history")


# Projects -----------------------------------------------------------------------------------------------------------


def _plan_project(layout: Layout, rows: list[_Row], damaged: list[str], wanted: str, plan: ForgetPlan) -> None:
    name = wanted.rstrip("/") or wanted
    selected = [row for row in rows if _is_in(row, name)]
    lost = [path for path in damaged if path.startswith(f"store/{name}/")]
    if not selected and not lost:
        known = sorted({row.project if row.project != NON_REPOSITORY else str(row.cwd) for row in rows})
        near = [project for project in known if wanted.lower() in project.lower()][:_MAX_CANDIDATES]
        hint = f"whole names only; perhaps {', '.join(near)}" if near else "aicx status --projects lists them all"
        raise NotFound(f"nothing is stored for a project named {wanted!r}", hint=hint)
    plan.projects.add(name)
    prompts: dict[SessionKey, set[str]] = {}
    for row in selected:
        prompts.setdefault(row.session, set()).update(_remove(layout, plan, row))
    plan.removed += lost
    left = [row for row in rows if row.session in plan.affected and not _is_in(row, name)]
    if NON_REPOSITORY in {row.project for row in selected}:
        plan.sessions = set(plan.affected) - {row.session for row in left}
    for row in left:
        # What stays of the session keeps its numbers, but no title or prompt that was said in the forgotten project.
        plan.rewritten[row.path] = Targets(said=frozenset(prompts[row.session]))


def _is_in(row: _Row, name: str) -> bool:
    return row.project == name or (row.project == NON_REPOSITORY and row.cwd is not None and row.cwd == name)


def _remove(layout: Layout, plan: ForgetPlan, row: _Row) -> set[str]:
    """Plans the removal of one chunk; returns what was typed in it, which other chunks may repeat as their title."""
    fields = load_sidecar(layout, row.path).fields
    own = {message["key"]: message for message in fields.get("messages") or () if not message.get("repeated")}
    plan.removed.append(row.path)
    plan.messages |= own.keys()
    # The same words given to another agent are that agent's own and stay with it.
    plan.copies += [copy for copy in _copies(fields, own) if copy[0]["agent"] == row.agent]
    if plan.projects:
        # When the repository itself is gone, only its folders can tell that a later log belongs to it.
        folders = fields.get("folders") or {}
        plan.projects |= {cwd for cwd, found in folders.items() if found and found.get("project") in plan.projects}
    affected = _affected(plan, fields)
    affected.chunks += 1
    affected.messages += len(own)
    try:
        texts = message_texts(load_markdown(layout, row.path), fields)
    except (CorpusDamaged, NotFound):
        return set()
    return {text for message, text in texts if message["origin"] in PROMPTS and not message.get("repeated")}


# Patterns -----------------------------------------------------------------------------------------------------------


def _compile(text: str) -> ExpressionSearch:
    try:
        pattern = searching(text)
    except PatternRefused as error:
        raise UsageError(f"the pattern {error.message}", hint=error.hint) from error
    if pattern(""):
        raise UsageError("the pattern matches the empty text, so it would forget everything")
    return pattern


def _plan_pattern(layout: Layout, pattern: ExpressionSearch, plan: ForgetPlan) -> None:
    search = _Search(pattern)
    paths: dict[SessionKey, list[str]] = {}
    damaged: list[str] = []
    for path in take_inventory(layout)[0]:
        try:
            fields = load_sidecar(layout, path).fields
            markdown = load_markdown(layout, path)
            session = str(fields["agent"]), str(fields["session_id"])
            paths.setdefault(session, []).append(path)
            search.chunk(session, markdown, fields)
        except (CorpusDamaged, NotFound):
            if any(map(pattern, _raw(layout, path))):
                damaged.append(path)
    if damaged:
        raise CorpusDamaged(
            f"{len(damaged)} damaged chunks hold a match and cannot be taken apart: {', '.join(damaged)}",
            hint="aicx doctor --fix, then again; what it cannot mend has to be deleted by hand, and is lost whole",
        )
    plan.shortened, plan.named = search.shortened, search.named
    for session in sorted(search.sessions):
        targets = Targets(frozenset(search.keys.get(session, ())), frozenset(search.said.get(session, ())), pattern)
        for path in paths[session]:
            _rewrite(layout, plan, path, targets)


def _rewrite(layout: Layout, plan: ForgetPlan, path: str, targets: Targets) -> None:
    fields = load_sidecar(layout, path).fields
    if blank_chunk(load_markdown(layout, path), fields, targets) is None:
        return
    own = {message["key"]: message for message in fields.get("messages") or () if not message.get("repeated")}
    hit = {key: message for key, message in own.items() if key in targets.keys and key not in plan.messages}
    plan.rewritten[path] = targets
    plan.messages |= hit.keys()
    plan.copies += _copies(fields, hit)
    plan.blanked += len(hit)
    affected = _affected(plan, fields)
    affected.chunks += 1
    affected.messages += len(hit)


class _Search:
    """Goes through the corpus once and notes which messages of which sessions match."""

    def __init__(self, pattern: ExpressionSearch) -> None:
        self.pattern = pattern
        self.sessions: set[SessionKey] = set()
        self.keys: dict[SessionKey, set[str]] = {}
        self.said: dict[SessionKey, set[str]] = {}
        self.shortened = self.named = 0
        # Messages that were cut into parts: a match may lie across a cut.
        self._parts: dict[tuple[SessionKey, str], dict[int, str]] = {}

    def chunk(self, session: SessionKey, markdown: bytes, fields: Mapping[str, Any]) -> None:
        for message, text in message_texts(markdown, fields):
            if text == FORGOTTEN:
                continue
            if not message.get("repeated") and message["role"] == "tool" and _ELIDED.search(text):
                self.shortened += 1
            whole = self._whole(session, message, text)
            if self.pattern(text) or (whole and self.pattern(whole)):
                self.sessions.add(session)
                self.keys.setdefault(session, set()).add(message["key"])
                if message["origin"] in PROMPTS:
                    self.said.setdefault(session, set()).add(whole or text)
        if blank_chunk(markdown, fields, Targets(pattern=self.pattern)) is not None:
            self.sessions.add(session)
        if any(map(self.pattern, _names(fields))):
            self.named += 1

    def _whole(self, session: SessionKey, message: Mapping[str, Any], text: str) -> str | None:
        if not message.get("part"):
            return None
        number, count = message["part"]
        parts = self._parts.setdefault((session, message["key"]), {})
        parts[number] = text
        if len(parts) < count:
            return None
        del self._parts[session, message["key"]]
        return "".join(parts[at] for at in sorted(parts))


def _names(fields: Mapping[str, Any]) -> Iterator[str]:
    yield str(fields["project"])
    yield str(fields["session_id"])
    for source in (fields["source"], *(fields.get("more_sources") or ()), *(fields.get("duplicates") or ())):
        if isinstance(source, dict):
            yield str(source.get("path"))


def _raw(layout: Layout, path: str) -> Iterator[str]:
    for name in (path, sidecar_path(path)):
        try:
            yield layout.inside(name).read_text("utf-8", "replace")
        except OSError:
            continue


# Both ---------------------------------------------------------------------------------------------------------------


def _copies(fields: Mapping[str, Any], messages: Mapping[str, Mapping[str, Any]]) -> list[LogCopy]:
    return [
        (copy, str(messages[copy["key"]]["text_key"]))
        for copy in fields.get("duplicates") or ()
        if copy["key"] in messages
    ]


def _affected(plan: ForgetPlan, fields: Mapping[str, Any]) -> Affected:
    session = str(fields["agent"]), str(fields["session_id"])
    if session not in plan.affected:
        plan.affected[session] = Affected(
            *session,
            project=str(fields["project"]),
            title=str(fields.get("session_title") or fields.get("topic") or fields.get("title") or "(no title)"),
            started_at=str(fields["started_at"]),
            parent_session=fields.get("parent_session") if fields.get("lane") == "subagent" else None,
        )
    return plan.affected[session]
