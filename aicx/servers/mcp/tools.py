"""The tools: each a name, words on when to call it, what it may be given, and a function of ours that answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

from aicx.api.answers import index as index_answers
from aicx.api.answers import memory as memory_answers
from aicx.api.answers import memory_recall as recall_answers
from aicx.api.answers import rank as rank_answers
from aicx.api.answers import refs as refs_answers
from aicx.api.answers import search as search_answers
from aicx.api.answers import sessions as sessions_answers
from aicx.api.answers import show as show_answers
from aicx.api.answers import steer as steer_answers
from aicx.api.answers import task as task_answers
from aicx.api.answers import to_fields
from aicx.api.answers import why as why_answers
from aicx.api.answers.resume import SCHEMA as RESUME_SCHEMA
from aicx.config import Settings
from aicx.corpus.catalog.overview import list_projects
from aicx.corpus.catalog.query import steer
from aicx.corpus.catalog.sessions import browse
from aicx.corpus.catalog.when import parse_instant
from aicx.corpus.views.rank import rank_chunks
from aicx.corpus.views.show import show
from aicx.engine.search import Searcher, SearchQuery
from aicx.engine.steering import steer_query
from aicx.engine.vector_index import lexical_state, vector_state
from aicx.errors import NotFound, UsageError
from aicx.evidence.conversation import Turn, conversation
from aicx.evidence.transcript import read_steps
from aicx.memory.assess import Assessment
from aicx.memory.entry import entry_of, whole_of
from aicx.memory.evidence import resolve_evidence
from aicx.memory.policy_records import of_records, policy_in
from aicx.memory.proposing import Draft, propose
from aicx.memory.reading import Memory, Scope
from aicx.memory.recall.live import find_live
from aicx.memory.recall.run import Recaller, RecallQuery
from aicx.memory.record import Record, Source
from aicx.paths import Layout
from aicx.resume.brief.output import json_brief, markdown_brief
from aicx.resume.query import ResumeQuery
from aicx.resume.run import resume
from aicx.servers.filters import filters_of
from aicx.servers.mcp import texts
from aicx.servers.mcp.arguments import (
    IndexStatus,
    Propose,
    Rank,
    Read,
    Recall,
    Resume,
    Search,
    Sessions,
    Steer,
    Why,
)
from aicx.servers.mcp.replies import Reply, bounded, reply, slimmed
from aicx.why.answer import answer_why
from aicx.why.markdown import why_markdown
from aicx.why.run import WhyQuery
from aicx.work.place import find_place
from aicx.work.showing import shown_work
from retrieval.decay import PROFILES

# Chunks that a reference to a file or a commit lists at once, and chunks of a session that are read for its turns.
_MAX_LISTED = 50
# Of the sidecars of a list of chunks, what the text is made of.
_BRIEF = (
    *("id", "agent", "project", "session_id", "date", "kind", "started_at", "completed_at", "title", "chunk_title"),
    *("automated", "automated_why", "runs", "branch", "cwd", "lane", "run_id", "prompt_id", "found_in", "altered"),
    "score",
)
# What structured content has of each item: what the text says of it, the id to read on included.
_OF_A_CHUNK = ("id", "score", "started_at", "project", "title", "kind", "branch", "run_id", "found_in", "automated")
_OF_AN_ANSWER = (*_OF_A_CHUNK, "session_id", "agent", "tier", "terms_found", "terms_asked", "matches")
_OF_A_RANKED = ("id", "date", "project", "title", "score", "label")
_OF_AN_ENTRY = (
    *("ref", "name", "kind", "topic", "statement", "status", "freshness", "tier", "usage", "baseline", "reasons"),
    *("source", "evidence", "score", "superseded_by"),
)
_OF_A_SESSION = ("session_id", "agent", "project", "title", "completed_at", "automated", "runs")
_OF_A_BRIEF = ("repo", "task_state", "continuity_match", "capsule", "warnings", "budget", "oracle_status")
_OF_A_REPOSITORY = ("project", "root", "branch", "head")
_OF_A_REASON = ("session_id", "confidence", "evidence", "chunks")
_OF_A_PROJECT = ("project", "sessions", "chunks", "first_date", "last_date")
_OF_A_PART = ("id", "started_at", "project", "kind", "messages")
_OF_A_SIDECAR = ("agent", "session_id", "project", "cwd", "date", "title", "branch", "lane", "run_id", "prompt_id")


@dataclass(frozen=True, slots=True)
class Means:
    """What a tool answers with: the thread's own searcher, the settings, the clock, and where the client works."""

    settings: Settings
    searcher: Searcher
    now: datetime
    folder: Path | None
    recaller: Recaller


@dataclass(frozen=True, slots=True)
class Tool:
    """``answer`` takes the means and a value of ``arguments``."""

    name: str
    title: str
    description: str
    arguments: type
    answer: Callable[[Means, Any], Reply]
    only_reads: bool = True


def _search(means: Means, asked: Search) -> Reply:
    query = SearchQuery(
        text=asked.query,
        now=means.now,
        filters=filters_of(asked, means.now),
        mode=asked.mode,
        group=asked.group,
        limit=asked.limit,
        sort=asked.sort,
        decay=PROFILES[asked.decay],
        min_score=asked.min_score,
        place=_place(means, asked),
        rerank=asked.rerank,
    )
    fields = bounded(to_fields(search_answers.search_answer(means.searcher.search(query))))
    return reply(search_answers.SCHEMA, fields, texts.search_text(fields), keep=_OF_AN_ANSWER)


def _steer(means: Means, asked: Steer) -> Reply:
    filters = filters_of(asked, means.now)
    if asked.query and asked.query.strip():
        query = steer_query(asked.query, means.now, filters, asked.limit, asked.decay, _place(means, asked))
        answer = steer_answers.ranked_answer(means.searcher.search(query))
    else:
        answer = steer_answers.steer_answer(steer(means.settings.layout, filters, asked.limit))
    fields = bounded(_brief(to_fields(answer)))
    return reply(steer_answers.SCHEMA, fields, texts.list_text(fields, "match"), keep=_OF_A_CHUNK)


def _sessions(means: Means, asked: Sessions) -> Reply:
    layout, filters, end = means.settings.layout, filters_of(asked, means.now), asked.offset + asked.limit
    if asked.by == "project":
        answer = to_fields(refs_answers.RefsAnswer(*list_projects(layout, filters)))
        counted = {"matched": len(answer["projects"]), "offset": asked.offset}
        fields = bounded(answer | counted | {"projects": answer["projects"][asked.offset : end]}, "projects")
        return reply(refs_answers.SCHEMA, fields, texts.projects_text(fields), "projects", _OF_A_PROJECT)
    page = sessions_answers.sessions_page(browse(layout, filters, asked.sort, asked.limit, asked.offset))
    fields = bounded(to_fields(sessions_answers.sessions_answer(page)))
    return reply(sessions_answers.SCHEMA, fields, texts.sessions_text(fields), keep=_OF_A_SESSION)


def _rank(means: Means, asked: Rank) -> Reply:
    since = means.now - timedelta(hours=asked.hours) if asked.hours else None
    agents = tuple(asked.agent or ())
    ranked = rank_chunks(
        means.settings.layout,
        asked.project,
        since=since,
        agents=agents,
        strict=asked.strict,
        top=asked.top,
        automated=asked.automated,
    )
    fields = bounded(to_fields(rank_answers.rank_answer(ranked, asked.project, asked.hours, asked.strict)))
    return reply(rank_answers.SCHEMA, fields, texts.rank_text(fields), keep=_OF_A_RANKED)


def _resume(means: Means, asked: Resume) -> Reply:
    projects = tuple(asked.project or ())
    folder = _folder_of(asked.repo) if asked.repo else None if projects else means.folder
    if folder is None and not projects:
        raise UsageError("which repository?", hint="name its folder with repo, or the repository with project")
    query = ResumeQuery(
        now=means.now,
        task=asked.task,
        folder=folder,
        project=projects[0] if projects else None,
        also=projects[1:],
        mode=asked.mode,
        decay=PROFILES[asked.decay],
        since=parse_instant(asked.since, means.now) if asked.since else None,
        exclude_session=tuple(asked.exclude_session or ()),
    )
    report = resume(means.settings, query)
    text = markdown_brief(means.settings, report, asked.budget).text.decode()
    fields = orjson.loads(json_brief(means.settings, report, asked.budget).text) if asked.structured else {}
    said = f"{text}\n`aicx_read` opens what stands in [brackets], too.\n"
    found = {name: fields[name] for name in _OF_A_BRIEF if name in fields}
    if found:
        found["repo"] = {name: fields["repo"].get(name) for name in _OF_A_REPOSITORY}
        if found["continuity_match"]["level"] == "low":  # the text does not go on from a session that hardly fits
            del found["capsule"]
    return reply(RESUME_SCHEMA, found, said)


def _why(means: Means, asked: Why) -> Reply:
    folder = _folder_of(asked.repo) if asked.repo else means.folder
    if folder is None:
        raise UsageError("which repository?", hint="name its folder with repo")
    answer = answer_why(means.settings, WhyQuery(asked.target, means.now, folder, asked.limit))
    fields = to_fields(answer)
    lean = {"sessions": [{name: one[name] for name in _OF_A_REASON} for one in fields["sessions"]]}
    return reply(why_answers.SCHEMA, lean | {"notes": fields["notes"]}, why_markdown(answer))


def _recall(means: Means, asked: Recall) -> Reply:
    scope = _scope(means, asked.repo)
    query = RecallQuery(
        asked.query, means.now, scope, asked.limit, with_evidence=asked.with_evidence, decay=asked.decay
    )
    fields = bounded(to_fields(means.recaller.recall(query)), "excluded", "ask for less")
    fields = bounded(fields, "entries")
    return reply(recall_answers.SCHEMA, fields, texts.memory_text(fields), "entries", _OF_AN_ENTRY)


def _propose(means: Means, asked: Propose) -> Reply:
    """Proposes, and nothing else: the origin is the assistant whatever it says, and a person decides later."""
    settings, scope = means.settings, _scope(means, asked.repo)
    policy = of_records(policy_in(settings, scope))
    draft = Draft(
        asked.statement,
        asked.kind,
        asked.topic,
        Source("subagent" if asked.lane == "subagent" else "assistant", asked.lane),
        scope.repository,
        details=asked.details or (),
        evidence=[resolve_evidence(settings, text) for text in asked.evidence or ()],
        by="mcp",
    )
    (made,) = propose(settings, scope, [draft], means.now, lambda line: None)
    with Memory.open(settings, means.now, scope=scope, policy=policy) as memory:
        (found,) = memory.assessed([memory.find(made.record.ref)])
    return _proposed(found, made.record, new=made.new)


def _proposed(found: Assessment, record: Record, *, new: bool) -> Reply:
    said = "Proposed" if new else f"Seen again, {record.sightings} times now"
    text = f"{said}: {record.ref}, {found.status}. It counts for nothing until a person accepts it by name."
    answer = memory_answers.EntryAnswer(entry_of(found), [])
    return reply(memory_answers.ENTRY_SCHEMA, to_fields(answer), text)


def _scope(means: Means, repo: str | None) -> Scope:
    """The repository that is meant; without one, what holds everywhere."""
    folder = _folder_of(repo) if repo else means.folder
    return means.recaller.scope(folder) if folder else Scope()


def _place(means: Means, asked: Search | Steer) -> Path | None:
    """The folder whose repository counts more."""
    if asked.everywhere:
        return None
    return _folder_of(asked.repo) if asked.repo else means.folder


def _folder_of(repo: str) -> Path:
    folder = Path(repo)
    if not folder.is_absolute():
        raise UsageError("repo is no absolute path", hint="write the whole path of a folder in the repository")
    return folder


def _read_memory(means: Means, ref: str) -> Reply:
    """A record whole, or what an instruction file says, as `aicx memory get` gives them."""
    settings, scope = means.settings, _scope(means, None)
    if ref.startswith("live:"):
        fields = bounded({"entries": [to_fields(one) for one in find_live(settings, scope, ref, means.now)]}, "entries")
        text = texts.statements_text(fields["entries"])
        return reply(memory_answers.LIST_SCHEMA, fields, text, "entries", _OF_AN_ENTRY)
    with Memory.open(settings, means.now, scope=scope, policy=of_records(policy_in(settings, scope))) as memory:
        record = memory.find(ref)
        (found,) = memory.assessed([record])
        fields = to_fields(whole_of(found, memory.context([record]).anchors))
    return reply(memory_answers.GET_SCHEMA, fields, texts.record_text(fields))


def _read_work(means: Means, ref: str) -> Reply:
    """A task or a handoff of the client's repository whole, as `aicx task show` gives it."""
    if means.folder is None:
        raise UsageError(
            "which repository's work is meant is not known", hint="start the server in the folder, or use `aicx show`"
        )
    whole, _ = shown_work(means.settings, find_place(means.settings, means.folder), means.now, ref)
    fields = to_fields(whole)
    return reply(task_answers.SHOW_SCHEMA, fields, texts.work_text(fields))


def _read(means: Means, asked: Read) -> Reply:
    if asked.ref.startswith(("mem:", "live:")):
        return _read_memory(means, asked.ref)
    if asked.ref.startswith("work:"):
        return _read_work(means, asked.ref)
    layout = means.settings.layout
    shown = show(layout, asked.ref, asked.offset + _MAX_LISTED)
    fields = to_fields(show_answers.show_answer(shown, asked.ref))
    fields["oracle_status"] = {
        "source_layer": "layer_1_canonical_corpus",
        "backend": "canonical_corpus",
        "index_kind": "none" if shown.fallback_reason else "metadata_steer",
        "fallback_reason": shown.fallback_reason,
        "store_root": str(layout.home),
        "stale_or_unknown": shown.fallback_reason is not None,
    }
    if fields["found"] == "chunk":
        fields = _part(fields, asked)
        return reply(show_answers.SCHEMA, fields, texts.chunk_text(fields))
    if fields["found"] == "session":
        fields = _page(fields | {"matched": len(fields["chunks"])}, "chunks", asked.offset)
        text = texts.session_text(fields, _turns(layout, fields["chunks"][:_MAX_LISTED]))
        return reply(show_answers.SCHEMA, fields, text, "chunks", _OF_A_PART)
    fields = _page(_brief(fields), "items", asked.offset)
    text = texts.list_text(fields, f"have to do with this {fields['found']}")
    return reply(show_answers.SCHEMA, fields, text, keep=_OF_A_CHUNK)


def _turns(layout: Layout, chunks: Sequence[Mapping[str, Any]]) -> dict[str, list[Turn]]:
    """What was asked and what came of it, as in `aicx show SESSION`, by the id of the chunk in which it begins."""
    steps, _ = read_steps(layout, [str(Path(chunk["path"]).relative_to(layout.home)) for chunk in chunks])
    found: dict[str, list[Turn]] = {}
    for turn in conversation(steps):
        if begun := turn.prompt or turn.outcome:
            found.setdefault(begun.chunk, []).append(turn)
    return found


def _brief(fields: dict[str, Any]) -> dict[str, Any]:
    """``fields`` with what is said of each chunk in a list, in place of its whole sidecar."""
    return fields | {"items": [{name: item[name] for name in _BRIEF if name in item} for item in fields["items"]]}


def _page(fields: dict[str, Any], name: str, offset: int) -> dict[str, Any]:
    """``fields`` with their list ``name`` from ``offset`` on, as far as it fits into a reply."""
    if offset and offset >= fields["matched"]:
        raise UsageError(f"offset is beyond the last of {fields['matched']} chunks")
    return bounded(fields | {name: fields[name][offset:], "offset": offset}, name, "a larger offset lists them")


def _part(fields: dict[str, Any], asked: Read) -> dict[str, Any]:
    """A chunk's fields with the part of its text that was asked for, and where that part stands."""
    whole = fields["markdown"]
    part = texts.part_of(whole[asked.offset : asked.offset + asked.max_chars])
    if not part:
        raise UsageError(f"offset is beyond the chunk's end at {len(whole)}")
    sidecar = {name: fields["sidecar"][name] for name in _OF_A_SIDECAR if name in fields["sidecar"]}
    kept = {name: value for name, value in fields.items() if name not in ("path", "sources", "ref")}
    cut = {"offset": asked.offset, "chars": len(whole), "truncated": len(part) < len(whole)}
    return kept | cut | {"markdown": part, "sidecar": slimmed(sidecar)}


def _index_status(means: Means, _: IndexStatus) -> Reply:
    words = lexical_state(means.settings)
    notes = []
    try:
        meaning = vector_state(means.settings)
    except NotFound as error:
        meaning = None
        notes.append(error.message)
    behind = {"lexical": {"behind": words.behind}} | ({"dense": {"behind": meaning.behind}} if meaning else {})
    fields = to_fields(index_answers.index_answer(words, meaning)) | {
        "notes": notes,
        "oracle_status": {
            "source_layer": "layer_1_canonical_corpus",
            "fallback_reason": None,
            "store_root": str(means.settings.layout.home),
            "freshness": behind,
            "stale_or_unknown": any(index["behind"] != 0 for index in behind.values()),
        },
    }
    return reply(index_answers.SCHEMA, fields, texts.index_text(fields))


TOOLS = {
    tool.name: tool
    for tool in (
        Tool(
            "aicx_search",
            "Search past sessions",
            "Find what was said or done before, in past sessions of any coding agent on this machine. Call it before "
            "you debug, design or decide something that may have come up already: an error message, a file, a symbol, "
            "a decision and its reasons. A time in the question (January 2026, last week) limits the answers to it. "
            "Evidence says how far they have what was asked.",
            Search,
            _search,
        ),
        Tool(
            "aicx_steer",
            "List stored chunks",
            "List stored chunks of past sessions by what is known of them: project, agent, date, session, branch, "
            "touched file, run id; newest first. With a query, by what they are about as well, recent ones preferred. "
            "Call it when you know where or when something happened.",
            Steer,
            _steer,
        ),
        Tool(
            "aicx_sessions",
            "List sessions or projects",
            "List past sessions with their titles, newest first, or the projects they belong to. Call it to see what "
            "there is: which repositories have history, and what was worked on lately.",
            Sessions,
            _sessions,
        ),
        Tool(
            "aicx_rank",
            "Rank a project's chunks",
            "Rank a project's recent chunks by how much of them is decisions, reasons and results. Call it to catch up "
            "on a project without a question in mind.",
            Rank,
            _rank,
        ),
        Tool(
            "aicx_resume",
            "Brief a new session",
            "Tell what was being done in a repository: state of git, the session to go on from, what failed, what is "
            "open, which files to look at first. Call it once when a session starts, with the task if there is one.",
            Resume,
            _resume,
        ),
        Tool(
            "aicx_why",
            "Explain a change",
            "Tell which sessions made a commit, a file or a line, and why: what was asked, weighed, decided, what "
            "failed and what passed. Call it before you change or undo something whose reason you do not know.",
            Why,
            _why,
        ),
        Tool(
            "aicx_memory",
            "Recall what is agreed",
            "Tell what people agreed to for this repository (rules, decisions, facts, procedures), what its "
            "instruction files say, and what is only proposed, on a question. Each says its status and tier. Call it "
            "before you decide or change something that a rule or an earlier decision may be about.",
            Recall,
            _recall,
        ),
        Tool(
            "aicx_read",
            "Read a stored chunk",
            "Open what another tool named: one chunk in full, the list of chunks of a session, a file or a commit, or "
            "a record of the memory. Call it when an excerpt is not enough.",
            Read,
            _read,
        ),
        Tool(
            "aicx_index_status",
            "State of the indexes",
            "Say how fresh the search indexes are. Call it when answers seem to be missing or old.",
            IndexStatus,
            _index_status,
        ),
    )
}
# Only where whoever starts the server allows it. There is no tool that accepts, pins, edits or deletes.
PROPOSALS = {
    tool.name: tool
    for tool in (
        Tool(
            "aicx_propose_memory",
            "Propose something to remember",
            "Propose a statement for the memory of this repository: a rule that a person gave you, a decision and its "
            "reason, a fact, steps that worked, a failure and its fix. It is a candidate until a person accepts it, "
            "and nobody believes it before. Call it when a person says that something holds from now on.",
            Propose,
            _propose,
            only_reads=False,
        ),
    )
}
