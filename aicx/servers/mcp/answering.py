"""The tools that find and list: sessions, chunks, what is open, why, and how fresh the indexes are."""

from __future__ import annotations

from datetime import timedelta

import orjson

from aicx.corpus.catalog import overview as refs_answers
from aicx.corpus.catalog import sessions as sessions_answers
from aicx.corpus.catalog.overview import list_projects
from aicx.corpus.catalog.sessions import browse
from aicx.corpus.catalog.when import parse_instant
from aicx.corpus.views.rank import rank_chunks
from aicx.engine import search_answer as search_answers
from aicx.engine import steer_answer as steer_answers
from aicx.engine.index_answer import SCHEMA as INDEX_SCHEMA
from aicx.engine.vector_state import index_answer, lexical_state, vector_state
from aicx.errors import NotFound, UsageError
from aicx.fields import to_fields
from aicx.resume.brief.answer import SCHEMA as RESUME_SCHEMA
from aicx.resume.brief.output import json_brief, markdown_brief
from aicx.resume.query import ResumeQuery
from aicx.resume.run import resume
from aicx.servers.mcp import texts
from aicx.servers.mcp.arguments import (
    IndexStatusArguments,
    RankArguments,
    ResumeArguments,
    SearchArguments,
    SessionsArguments,
    SteerArguments,
    WhyArguments,
)
from aicx.servers.mcp.means import ToolContext, folder_of, place
from aicx.servers.mcp.replies import OF_A_CHUNK, ToolReply, bounded, brief, reply
from aicx.servers.mcp.strength import of_sessions
from aicx.share.wanted import list_chunks, passages_of_team, sessions_of_team
from aicx.why import answer as why_answers
from aicx.why.answer import answer_why, why_markdown
from aicx.why.run import WhyQuery
from aicx.work.stated_search import search_and_stated
from retrieval.decay import PROFILES

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
    query = asked.search_query(
        asked.query,
        means.now,
        asked.group or "chunk",
        place(means, asked),
        fold=fold,
        limit=many,
        share=passages_of_team(means.settings, team=asked.team),
    )
    report, stated = search_and_stated(means.settings, query, means.searcher.search)
    fields = bounded(to_fields(search_answers.search_answer(report, stated)), most=means.bounds.fields)
    more = {hit.sidecar.id: hit.more for hit in report.hits}
    text = texts.search_text(fields, more, most=means.bounds.text)
    return reply(search_answers.SCHEMA, fields, text, keep=_OF_AN_ANSWER)


def steer_chunks(means: ToolContext, asked: SteerArguments) -> ToolReply:
    share = passages_of_team(means.settings, team=asked.team)
    if query := asked.steer_query(asked.query, means.now, place(means, asked), share):
        answer = steer_answers.ranked_answer(means.searcher.search(query))
    else:
        found = list_chunks(means.settings, asked.filters(means.now), asked.limit, team=asked.team)
        answer = steer_answers.steer_answer(found)
    fields = bounded(brief(to_fields(answer)), most=means.bounds.fields)
    return reply(
        steer_answers.SCHEMA, fields, texts.list_text(fields, "match", most=means.bounds.text), keep=OF_A_CHUNK
    )


def list_sessions(means: ToolContext, asked: SessionsArguments) -> ToolReply:
    layout, filters, end = means.settings.layout, asked.filters(means.now), asked.offset + asked.limit
    if asked.by == "project":
        answer = to_fields(refs_answers.RefsAnswer(*list_projects(layout, filters)))
        counted = {"matched": len(answer["projects"]), "offset": asked.offset}
        fields = bounded(
            answer | counted | {"projects": answer["projects"][asked.offset : end]},
            "projects",
            most=means.bounds.fields,
        )
        return reply(
            refs_answers.SCHEMA, fields, texts.projects_text(fields, most=means.bounds.text), "projects", _OF_A_PROJECT
        )
    page = browse(layout, filters, asked.sort, asked.limit, asked.offset)
    fields = bounded(to_fields(sessions_answers.sessions_answer(page)), most=means.bounds.fields)
    return reply(
        sessions_answers.SCHEMA, fields, texts.sessions_text(fields, most=means.bounds.text), keep=_OF_A_SESSION
    )


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
    fields = bounded(
        to_fields(steer_answers.rank_answer(ranked, asked.project, asked.hours, asked.strict)), most=means.bounds.fields
    )
    return reply(steer_answers.RANK_SCHEMA, fields, texts.rank_text(fields, most=means.bounds.text), keep=_OF_A_RANKED)


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
