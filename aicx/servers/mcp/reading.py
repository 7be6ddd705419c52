"""The tool that opens what the others named: a chunk, a list of chunks, a record of the memory, or a task."""

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
from aicx.servers.mcp.arguments import ReadArguments
from aicx.servers.mcp.listed import OF_A_CHUNK, brief
from aicx.servers.mcp.means import ToolContext
from aicx.servers.mcp.remembering import read_memory
from aicx.servers.mcp.replies import ToolReply, bounded, reply, slimmed
from aicx.work import answers as task_answers
from aicx.work.listing import shown_work
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
