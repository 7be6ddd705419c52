"""The tools: each a name, words on when to call it, what it may be given, and a function of ours that answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aicx.corpus.views import show_answer as show_answers
from aicx.corpus.views.show import show
from aicx.errors import UsageError
from aicx.evidence.conversation import ConversationTurn, conversation
from aicx.evidence.transcript import read_steps
from aicx.fields import to_fields
from aicx.paths import Layout
from aicx.servers.mcp import texts
from aicx.servers.mcp.answering import explain, index_status, list_sessions, rank, resume_here, search, steer_chunks
from aicx.servers.mcp.arguments import (
    IndexStatusArguments,
    ProposeArguments,
    RankArguments,
    ReadArguments,
    RecallArguments,
    ResumeArguments,
    SearchArguments,
    SessionsArguments,
    SteerArguments,
    WhyArguments,
)
from aicx.servers.mcp.means import ToolContext, ToolHandler
from aicx.servers.mcp.remembering import propose_memory, read_memory, recall
from aicx.servers.mcp.replies import OF_A_CHUNK, ToolReply, bounded, brief, reply, slimmed
from aicx.work import answers as task_answers
from aicx.work.entry import shown_work
from aicx.work.place import find_place

# Chunks that a reference to a file or a commit lists at once, and chunks of a session that are read for its turns.
_MAX_LISTED = 50
_OF_A_PART = ("id", "started_at", "project", "kind", "messages")
_OF_A_SIDECAR = ("agent", "session_id", "project", "cwd", "date", "title", "branch", "lane", "run_id", "prompt_id")


def read(means: ToolContext, asked: ReadArguments) -> ToolReply:
    if asked.ref.startswith(("mem:", "live:")):
        return read_memory(means, asked.ref)
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
        fields = _part(means, fields, asked)
        return reply(show_answers.SCHEMA, fields, texts.chunk_text(fields, most=means.bounds.text))
    if fields["found"] == "session":
        fields = _page(means, fields | {"matched": len(fields["chunks"])}, "chunks", asked.offset)
        text = texts.session_text(fields, _turns(layout, fields["chunks"][:_MAX_LISTED]), most=means.bounds.text)
        return reply(show_answers.SCHEMA, fields, text, "chunks", _OF_A_PART)
    fields = _page(means, brief(fields), "items", asked.offset)
    text = texts.list_text(fields, f"have to do with this {fields['found']}", most=means.bounds.text)
    return reply(show_answers.SCHEMA, fields, text, keep=OF_A_CHUNK)


def _read_work(means: ToolContext, ref: str) -> ToolReply:
    """A task or a handoff of the client's repository whole, as `aicx show` gives it."""
    if means.folder is None:
        raise UsageError(
            "which repository's work is meant is not known", hint="start the server in the folder, or use `aicx show`"
        )
    whole, _ = shown_work(means.settings, find_place(means.settings, means.folder), means.now, ref)
    fields = to_fields(whole)
    return reply(task_answers.SHOW_SCHEMA, fields, texts.work_text(fields, most=means.bounds.text))


def _turns(layout: Layout, chunks: Sequence[Mapping[str, Any]]) -> dict[str, list[ConversationTurn]]:
    """Returns the turns of a conversation, as in `aicx show SESSION`, by the id of the chunk in which it begins."""
    steps, _ = read_steps(layout, [str(Path(chunk["path"]).relative_to(layout.home)) for chunk in chunks])
    found: dict[str, list[ConversationTurn]] = {}
    for turn in conversation(steps):
        if begun := turn.prompt or turn.outcome:
            found.setdefault(begun.chunk, []).append(turn)
    return found


def _page(means: ToolContext, fields: dict[str, Any], name: str, offset: int) -> dict[str, Any]:
    """``fields`` with their list ``name`` from ``offset`` on, as far as it fits into a reply."""
    if offset and offset >= fields["matched"]:
        raise UsageError(f"offset is beyond the last of {fields['matched']} chunks")
    return bounded(
        fields | {name: fields[name][offset:], "offset": offset},
        name,
        "a larger offset lists them",
        most=means.bounds.fields,
    )


def _part(means: ToolContext, fields: dict[str, Any], asked: ReadArguments) -> dict[str, Any]:
    """A chunk's fields with the part of its text that was asked for, and where that part stands."""
    whole = fields["markdown"]
    part = texts.part_of(whole[asked.offset : asked.offset + asked.max_chars], most=means.bounds.text)
    if not part:
        raise UsageError(f"offset is beyond the chunk's end at {len(whole)}")
    sidecar = {name: fields["sidecar"][name] for name in _OF_A_SIDECAR if name in fields["sidecar"]}
    kept = {name: value for name, value in fields.items() if name not in ("path", "sources", "ref")}
    cut = {"offset": asked.offset, "chars": len(whole), "truncated": len(part) < len(whole)}
    return kept | cut | {"markdown": part, "sidecar": slimmed(sidecar)}


TOOLS = {
    tool.name: tool
    for tool in (
        ToolHandler(
            "aicx_search",
            "Search past sessions",
            "Find what was said or done in past sessions of any coding agent on this machine: an error message, a "
            "file, a symbol, a decision and its reasons. Call it before you debug, design or decide what may have "
            "come up already. Answers five sessions.",
            SearchArguments,
            search,
        ),
        ToolHandler(
            "aicx_steer",
            "List stored chunks",
            "List stored chunks of past sessions by project, agent, date, branch or touched file, newest first. Call "
            "it when you know where or when something happened.",
            SteerArguments,
            steer_chunks,
        ),
        ToolHandler(
            "aicx_sessions",
            "List sessions or projects",
            "List past sessions with their titles, newest first, or the projects that have history. Call it to see "
            "what was worked on lately.",
            SessionsArguments,
            list_sessions,
        ),
        ToolHandler(
            "aicx_rank",
            "Rank a project's chunks",
            "Rank a project's recent chunks by how much of them is decisions, reasons and results. Call it to catch "
            "up on a project without a question in mind.",
            RankArguments,
            rank,
        ),
        ToolHandler(
            "aicx_resume",
            "Brief a new session",
            "Brief a new session on a repository: state of git, the session to go on from, what failed, what is open, "
            "which files to look at first. Call it once when you start, with the task.",
            ResumeArguments,
            resume_here,
        ),
        ToolHandler(
            "aicx_why",
            "Explain a change",
            "Explain which sessions made a commit, a file or a line, and why: what was asked, decided, what failed. "
            "Call it before you change or undo something whose reason you do not know.",
            WhyArguments,
            explain,
        ),
        ToolHandler(
            "aicx_memory",
            "Recall what is agreed",
            "Recall what people agreed to for this repository (rules, decisions, facts, procedures) and what its "
            "instruction files say. Call it before you decide or change what a rule may be about.",
            RecallArguments,
            recall,
        ),
        ToolHandler(
            "aicx_read",
            "Read a stored chunk",
            "Open in full what another tool named: a chunk, a session, a record of the memory, a task. Call it when "
            "an excerpt is not enough.",
            ReadArguments,
            read,
        ),
        ToolHandler(
            "aicx_index_status",
            "State of the indexes",
            "Tell how fresh the search indexes are. Call it when answers seem to be missing or old.",
            IndexStatusArguments,
            index_status,
        ),
    )
}
# Only where whoever starts the server allows it. There is no tool that accepts, pins, edits or deletes.
PROPOSALS = {
    tool.name: tool
    for tool in (
        ToolHandler(
            "aicx_propose_memory",
            "Propose something to remember",
            "Propose a statement for this repository's memory: a rule that a person gave, a decision and its reason, "
            "steps that worked, a failure and its fix. It stays a candidate until a person accepts it. Call it when a "
            "person says that something holds from now on.",
            ProposeArguments,
            propose_memory,
            only_reads=False,
        ),
    )
}
