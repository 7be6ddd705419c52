"""The tools that answer questions: from sessions, from the memory; and the repository that their caller means."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, get_type_hints

import orjson

from aicx.config import Settings
from aicx.corpus.catalog import overview as refs_answers
from aicx.corpus.catalog import sessions as sessions_answers
from aicx.corpus.catalog.filters import parse_instant
from aicx.corpus.catalog.overview import list_projects
from aicx.corpus.catalog.sessions import browse
from aicx.corpus.views.rank import rank_chunks
from aicx.engine import search_answer as search_answers
from aicx.engine import steer_answer as steer_answers
from aicx.engine.index_answer import SCHEMA as INDEX_SCHEMA
from aicx.engine.search import Searcher
from aicx.engine.vector_state import index_answer, lexical_state, vector_state
from aicx.errors import NotFound, UsageError
from aicx.fields import to_fields
from aicx.memory import answers as memory_answers
from aicx.memory.answers import entry_of, whole_of
from aicx.memory.assess import Assessment
from aicx.memory.evidence import resolve_evidence
from aicx.memory.policy_records import of_records, policy_in
from aicx.memory.proposing import Draft, propose
from aicx.memory.reading import Memory, Scope
from aicx.memory.recall import asking as recall_answers
from aicx.memory.recall.asking import RecallQuery
from aicx.memory.recall.live import find_live
from aicx.memory.recall.run import Recaller
from aicx.memory.record import Record, Source
from aicx.resume import ResumeQuery
from aicx.resume.brief.answer import SCHEMA as RESUME_SCHEMA
from aicx.resume.brief.output import json_brief, markdown_brief
from aicx.resume.run import resume
from aicx.servers.mcp import texts
from aicx.servers.mcp.arguments import (
    IndexStatusArguments,
    ProposeArguments,
    RankArguments,
    RecallArguments,
    ResumeArguments,
    SearchArguments,
    SessionsArguments,
    SteerArguments,
    WhyArguments,
)
from aicx.servers.mcp.replies import OF_A_CHUNK, ToolReply, bounded, brief, of_sessions, reply, strength
from aicx.share import list_chunks, passages_of_team, sessions_of_team
from aicx.values import dataclass
from aicx.why import answer as why_answers
from aicx.why.answer import answer_why, why_markdown
from aicx.why.run import WhyQuery
from aicx.work.stated_search import search_and_stated
from retrieval.decay import PROFILES


@dataclass(frozen=True, slots=True)
class ToolContext:
    """The means of a tool: the thread's own searcher, the settings, the clock, and where the client works."""

    settings: Settings
    searcher: Searcher
    now: datetime
    folder: Path | None
    recaller: Recaller


@dataclass(frozen=True, slots=True)
class ToolHandler:
    """``answer`` takes the means and a value of ``arguments``."""

    name: str
    title: str
    description: str
    answer: Callable[[ToolContext, Any], ToolReply]
    only_reads: bool = True

    @property
    def arguments(self) -> type:
        """The model of what the tool takes, which its function is annotated with."""
        kind: type
        _, kind, _ = get_type_hints(self.answer).values()
        return kind


def scope_of(means: ToolContext, repo: str | None) -> Scope:
    """The repository that is meant; without one, what holds everywhere."""
    folder = folder_of(repo) if repo else means.folder
    return means.recaller.scope(folder) if folder else Scope()


def place(means: ToolContext, asked: SearchArguments | SteerArguments) -> Path | None:
    """The folder whose repository counts more."""
    if asked.everywhere:
        return None
    return folder_of(asked.repo) if asked.repo else means.folder


def folder_of(repo: str) -> Path:
    folder = Path(repo)
    if not folder.is_absolute():
        raise UsageError("repo is not an absolute path", hint="write the whole path of a folder in the repository")
    return folder


_MANY = 10
_OF_AN_ANSWER = (*OF_A_CHUNK, "session_id", "agent", "tier", "label", "terms_found", "terms_asked", "matches")
_OF_A_RANKED = ("id", "date", "project", "title", "score", "label")
_OF_A_SESSION = ("session_id", "agent", "project", "title", "completed_at", "automated", "runs")
_OF_A_BRIEF = ("repo", "task_state", "continuity_match", "capsule", "warnings", "budget", "oracle_status")
_OF_A_REPOSITORY = ("project", "root", "branch", "head")
_OF_A_REASON = ("session_id", "confidence", "evidence", "chunks")
_OF_A_PROJECT = ("project", "sessions", "chunks", "first_date", "last_date")


def search(means: ToolContext, asked: SearchArguments) -> ToolReply:
    # As on the command line: readers get few answers, a session in each; programs get all passages, by their scores.
    fold = asked.group is None and not asked.structured
    many = _MANY if asked.structured and "limit" not in asked.model_fields_set else None
    team = passages_of_team(means.settings, team=asked.team)
    query = asked.search_query(
        asked.query, means.now, asked.group or "chunk", place(means, asked), fold=fold, limit=many, share=team
    )
    report, stated = search_and_stated(means.settings, query, means.searcher.search)
    fields = bounded(to_fields(search_answers.search_answer(report, stated)))
    more = {hit.sidecar.id: hit.more for hit in report.hits}
    text = texts.search_text(fields, more)
    return reply(search_answers.SCHEMA, fields, text, keep=_OF_AN_ANSWER)


def steer_chunks(means: ToolContext, asked: SteerArguments) -> ToolReply:
    share = passages_of_team(means.settings, team=asked.team)
    if query := asked.steer_query(asked.query, means.now, place(means, asked), share):
        answer = steer_answers.ranked_answer(means.searcher.search(query))
    else:
        found = list_chunks(means.settings, asked.filters(means.now), asked.limit, team=asked.team)
        answer = steer_answers.steer_answer(found)
    fields = bounded(brief(to_fields(answer)))
    return reply(steer_answers.SCHEMA, fields, texts.list_text(fields, "match"), keep=OF_A_CHUNK)


def list_sessions(means: ToolContext, asked: SessionsArguments) -> ToolReply:
    layout, filters, end = means.settings.layout, asked.filters(means.now), asked.offset + asked.limit
    if asked.by == "project":
        answer = to_fields(refs_answers.RefsAnswer(*list_projects(layout, filters)))
        counted = {"matched": len(answer["projects"]), "offset": asked.offset}
        fields = bounded(answer | counted | {"projects": answer["projects"][asked.offset : end]}, "projects")
        return reply(refs_answers.SCHEMA, fields, texts.projects_text(fields), "projects", _OF_A_PROJECT)
    page = browse(layout, filters, asked.sort, asked.limit, asked.offset)
    fields = bounded(to_fields(sessions_answers.sessions_answer(page)))
    return reply(sessions_answers.SCHEMA, fields, texts.sessions_text(fields), keep=_OF_A_SESSION)


def rank(means: ToolContext, asked: RankArguments) -> ToolReply:
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
    fields = bounded(to_fields(steer_answers.rank_answer(ranked, asked.project, asked.hours, asked.strict)))
    return reply(steer_answers.RANK_SCHEMA, fields, texts.rank_text(fields), keep=_OF_A_RANKED)


def resume_here(means: ToolContext, asked: ResumeArguments) -> ToolReply:
    projects = tuple(asked.project or ())
    folder = folder_of(asked.repo) if asked.repo else None if projects else means.folder
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
        team=sessions_of_team(means.settings, team=asked.team),
    )
    report = resume(means.settings, query)
    text = markdown_brief(means.settings, report, asked.budget).text.decode()
    fields = orjson.loads(json_brief(means.settings, report, asked.budget).text) if asked.structured else {}
    resumed = [report.resumed.confidence] if report.resumed else []
    graded = of_sessions(resumed, "go on from")
    said = f"{graded}\n\n{text}\n`aicx_read` opens a reference in [brackets], too.\n"
    found = {name: fields[name] for name in _OF_A_BRIEF if name in fields}
    if found:
        found["repo"] = {name: fields["repo"].get(name) for name in _OF_A_REPOSITORY}
        if found["continuity_match"]["level"] == "low":  # the text does not go on from a session that hardly fits
            del found["capsule"]
    return reply(RESUME_SCHEMA, found, said)


def explain(means: ToolContext, asked: WhyArguments) -> ToolReply:
    folder = folder_of(asked.repo) if asked.repo else means.folder
    if folder is None:
        raise UsageError("which repository?", hint="name its folder with repo")
    share = sessions_of_team(means.settings, team=asked.team)
    answer = answer_why(means.settings, WhyQuery(asked.target, means.now, folder, asked.limit, team=share))
    fields = to_fields(answer)
    lean = {"sessions": [{name: one[name] for name in _OF_A_REASON} for one in fields["sessions"]]}
    graded = of_sessions([one.confidence for one in answer.sessions], "have made it")
    return reply(why_answers.SCHEMA, lean | {"notes": fields["notes"]}, f"{graded}\n\n{why_markdown(answer)}")


def index_status(means: ToolContext, _: IndexStatusArguments) -> ToolReply:
    words = lexical_state(means.settings)
    notes = []
    try:
        meaning = vector_state(means.settings)
    except NotFound as error:
        meaning = None
        notes.append(error.message)
    behind = {"lexical": {"behind": words.behind}} | ({"dense": {"behind": meaning.behind}} if meaning else {})
    fields = to_fields(index_answer(words, meaning)) | {
        "notes": notes,
        "oracle_status": {
            "source_layer": "layer_1_canonical_corpus",
            "fallback_reason": None,
            "store_root": str(means.settings.layout.home),
            "freshness": behind,
            "stale_or_unknown": any(index["behind"] != 0 for index in behind.values()),
        },
    }
    return reply(INDEX_SCHEMA, fields, texts.index_text(fields))


_OF_AN_ENTRY = (
    *("ref", "name", "kind", "topic", "statement", "status", "freshness", "tier", "usage", "baseline", "reasons"),
    *("source", "evidence", "score", "superseded_by"),
)


def recall(means: ToolContext, asked: RecallArguments) -> ToolReply:
    scope = scope_of(means, asked.repo)
    query = RecallQuery(
        asked.query, means.now, scope, asked.limit, with_evidence=asked.with_evidence, decay=asked.decay
    )
    fields = bounded(to_fields(means.recaller.recall(query)), "excluded", "ask for less")
    fields = bounded(fields, "entries")
    return reply(recall_answers.SCHEMA, fields, texts.memory_text(fields), "entries", _OF_AN_ENTRY)


def propose_memory(means: ToolContext, asked: ProposeArguments) -> ToolReply:
    """Proposes, and nothing else: the origin is the assistant whatever it says, and a person decides later."""
    settings, scope = means.settings, scope_of(means, asked.repo)
    policy = of_records(policy_in(settings, scope), settings, scope)
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
    ((record, new),) = propose(settings, scope, [draft], means.now, lambda line: None)
    with Memory.open(settings, means.now, scope=scope, policy=policy) as memory:
        (found,) = memory.assessed([memory.find(record.ref)])
    return _proposed(found, record, new=new)


def _proposed(found: Assessment, record: Record, *, new: bool) -> ToolReply:
    said = "Proposed" if new else f"Seen again, {record.sightings} times now"
    graded = strength("none", "a proposal shows nothing until a person has agreed to it")
    text = f"{graded}\n{said}: {record.ref}, {found.status}. It counts for nothing until a person accepts it by name."
    answer = memory_answers.EntryAnswer(entry_of(found), [])
    return reply(memory_answers.ENTRY_SCHEMA, to_fields(answer), text)


def read_memory(means: ToolContext, ref: str) -> ToolReply:
    """A record whole, or what an instruction file says, as `aicx show` gives them."""
    settings, scope = means.settings, scope_of(means, None)
    if ref.startswith("live:"):
        fields = bounded({"entries": [to_fields(one) for one in find_live(settings, scope, ref, means.now)]}, "entries")
        text = texts.statements_text(fields["entries"])
        return reply(memory_answers.LIST_SCHEMA, fields, text, "entries", _OF_AN_ENTRY)
    policy = of_records(policy_in(settings, scope), settings, scope)
    with Memory.open(settings, means.now, scope=scope, policy=policy) as memory:
        record = memory.find(ref)
        (found,) = memory.assessed([record])
        fields = to_fields(whole_of(found, memory.context([record]).anchors))
    return reply(memory_answers.GET_SCHEMA, fields, texts.record_text(fields))
