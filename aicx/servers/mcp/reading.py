"""The tool `aicx_read`: whatever a reference opens, as `aicx show` opens it, quoted and in parts that fit a reply."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from aicx.cas import entry as object_answers
from aicx.cas.reading import entry_or_none, find
from aicx.cas.reading import read as read_object
from aicx.corpus.views import show as show_answers
from aicx.corpus.views.show import show
from aicx.errors import NotFound, UsageError
from aicx.evidence import read_steps
from aicx.evidence.conversation import ConversationTurn, conversation
from aicx.fields import to_fields
from aicx.opening import Kind, lines_of_place, open_ref
from aicx.paths import Layout
from aicx.servers.mcp import texts
from aicx.servers.mcp.answering import ToolContext, read_memory
from aicx.servers.mcp.arguments import ReadArguments
from aicx.servers.mcp.replies import OF_A_CHUNK, ToolReply, bounded, brief, reply, slimmed
from aicx.sessions import answers as session_answers
from aicx.sessions.summarize import SCHEMA as SUMMARY_SCHEMA
from aicx.sessions.summarize import summarize
from aicx.sessions.view import about_session, open_viewer
from aicx.work import answers as task_answers
from aicx.work import failures
from aicx.work.answers import shown_work
from aicx.work.place import find_place
from aicx.work.session_facts import Try

# Chunks that a reference to a file or a commit lists at once, and chunks of a session that are read for its turns.
_MAX_LISTED = 50
_OF_A_PART = ("id", "started_at", "project", "kind", "messages")
_CUT = ("offset", "chars", "truncated")
_OF_A_SIDECAR = ("agent", "session_id", "project", "cwd", "date", "title", "branch", "lane", "run_id", "prompt_id")


def read(means: ToolContext, asked: ReadArguments) -> ToolReply:
    openers: Mapping[Kind, Callable[[str], ToolReply]] = {
        "record": partial(read_memory, means),
        "task": partial(_read_work, means),
        "failure": partial(_read_failure, means),
        "object": partial(_read_object, means, asked),
        "window": partial(_read_window, means),
        "session": partial(_read_session, means),
        "place": partial(_read_place, means),
    }
    return open_ref(asked.ref, means.settings.layout, partial(_read_stored, means, asked), openers)


def _read_stored(means: ToolContext, asked: ReadArguments, ref: str) -> ToolReply:
    """Returns what the corpus has: a chunk, a session, or what has to do with a file or a commit. Raises NotFound."""
    layout = means.settings.layout
    shown = show(layout, ref, asked.offset + _MAX_LISTED)
    fields = to_fields(shown)
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
        return reply(show_answers.SCHEMA, fields, texts.chunk_text(fields))
    if fields["found"] == "session":
        fields = _page(means, fields | {"matched": len(fields["chunks"])}, "chunks", asked.offset)
        text = texts.session_text(fields, _turns(layout, fields["chunks"][:_MAX_LISTED]))
        return reply(show_answers.SCHEMA, fields, text, "chunks", _OF_A_PART)
    fields = _page(means, brief(fields), "items", asked.offset)
    text = texts.list_text(fields, f"have to do with this {fields['found']}")
    return reply(show_answers.SCHEMA, fields, text, keep=OF_A_CHUNK)


def _read_work(means: ToolContext, ref: str) -> ToolReply:
    """A task or a handoff of the client's repository whole, as `aicx show` gives it."""
    whole, _ = shown_work(means.settings, find_place(means.settings, _folder(means, ref)), means.now, ref)
    fields = to_fields(whole)
    return reply(task_answers.SHOW_SCHEMA, fields, texts.work_text(fields))


def _folder(means: ToolContext, ref: str) -> Path:
    """Where the client works. Raises UsageError where that is not known, NotFound for a name that may mean more."""
    if means.folder is None:
        refused = UsageError if ref.startswith("work:") else NotFound
        raise refused(
            "which repository's work is meant is not known", hint="start the server in the folder, or use `aicx show`"
        )
    return means.folder


def _read_failure(means: ToolContext, ref: str) -> ToolReply:
    """A failure with what was tried and what resolved it."""
    answer = failures.find_failure(means.settings, ref, lambda done, of: None)
    found = answer.failure
    at = f"{found.file}:{found.line}" if found.file and found.line else found.file
    said = {
        "message": " ".join(failures.with_code(found.code, found.message)),
        "test": found.test,
        "at": at,
        "command": found.command,
        "times": found.occurrences,
        "first": found.first_at,
        "last": found.last_at,
        "seen in": found.last_ref,
        "resolved by": [_tried(one.by, one.session) for one in found.resolutions],
        "tried without effect": list(map(_tried, found.attempts)),
        "sessions": found.sessions if len(found.sessions) > 1 else [],
    }
    labels = {"failure": found.id, "status": found.status}
    text = texts.facts_text(texts.AS_LOGGED, said, answer.notes, labels)
    return reply(failures.SCHEMA, to_fields(answer), text)


def _tried(one: Try, session: str = "") -> str:
    return f"{one.at[:10]} {failures.told(one, session)} ({one.ref})"


def _read_object(means: ToolContext, asked: ReadArguments, ref: str) -> ToolReply:
    """The text of a kept object, such as a pack, or the part of it that was asked for."""
    layout = means.settings.layout
    name = find(layout, ref)
    entry = entry_or_none(layout, name)
    if entry is None or entry.kind == "binary":
        raise UsageError(f"the object sha256:{name[:8]} is not text", hint=f"aicx show sha256:{name[:8]} > FILE")
    whole = read_object(layout, name).decode()
    said = _cut(means, whole, asked, "object")
    answer = object_answers.ObjectGot(entry, said["markdown"], None)
    text = texts.object_text({**said, "digest": entry.digest, "kind": entry.kind})
    return reply(object_answers.GET_SCHEMA, to_fields(answer) | {name: said[name] for name in _CUT}, text)


def _read_window(means: ToolContext, ref: str) -> ToolReply:
    """Returns what a context window of a session came to, by rules alone: no configured command is asked for it."""
    answer = summarize(means.settings, ref, how="deterministic")
    said = {"title": answer.title, **to_fields(answer.summary)}
    labels = {"session": answer.window.ref if answer.window else answer.session}
    text = texts.facts_text(texts.BY_RULES, said, answer.notes, labels)
    return reply(SUMMARY_SCHEMA, to_fields(answer), text)


def _read_session(means: ToolContext, ref: str) -> ToolReply:
    """A session of which something was stated, and of which nothing is stored."""
    with open_viewer(means.settings.layout, means.now, lambda done, of: None) as viewer:
        answer = about_session(means.settings, viewer, viewer.find(ref), "explicit", turns=False)
    fields = to_fields(answer)
    said = {name: fields[name] for name in ("state", "outcome", "close_inferred", "closed_at", "older", "newer")}
    labels = {"session": answer.node.ref, "agent": answer.node.agent}
    text = texts.facts_text(texts.STATED, said, answer.notes, labels)
    return reply(session_answers.SCHEMA, fields, text)


def _read_place(means: ToolContext, ref: str) -> ToolReply:
    """The lines of a file of the client's repository that no stored session touched."""
    first, answer = lines_of_place(ref, _folder(means, ref))
    fields = to_fields(answer)
    said = [f"{at:>5}  {line}" for at, line in enumerate(fields["lines"], first)]
    return reply(show_answers.SCHEMA, fields, texts.place_text(said, ref, answer.notes))


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
    return bounded(fields | {name: fields[name][offset:], "offset": offset}, name, "a larger offset lists them")


def _part(means: ToolContext, fields: dict[str, Any], asked: ReadArguments) -> dict[str, Any]:
    """A chunk's fields with the part of its text that was asked for, and where that part stands."""
    sidecar = {name: fields["sidecar"][name] for name in _OF_A_SIDECAR if name in fields["sidecar"]}
    kept = {name: value for name, value in fields.items() if name not in ("path", "sources", "ref")}
    return kept | _cut(means, fields["markdown"], asked, "chunk") | {"sidecar": slimmed(sidecar)}


def _cut(means: ToolContext, whole: str, asked: ReadArguments, what: str) -> dict[str, Any]:
    """The part of a text that was asked for, as far as it fits into a reply, and where that part stands."""
    part = texts.part_of(whole[asked.offset : asked.offset + asked.max_chars])
    if not part:
        raise UsageError(f"offset is beyond the {what}'s end at {len(whole)}")
    return {"offset": asked.offset, "chars": len(whole), "truncated": len(part) < len(whole), "markdown": part}
