"""The texts in a Codex record, without scaffolding, images and other blobs; and records in older clients' words."""

from __future__ import annotations

import re
from typing import Any

from aicx.sources.values import items_of, object_of, replace_data_urls, text_of

# What Codex itself writes into user records. Newer builds wrap nearly all of it in a tag; the sentences are the
# prompts and warnings it gives the model on its own account.
_SCAFFOLDING = (
    *("# AGENTS.md instructions", "<INSTRUCTIONS>", "<additional_context", "<apps_instructions"),
    *("<codex_internal_context", "<collaboration_mode", "<context_window", "<environment_context>"),
    *("<environments_instructions>", "<goal_context", "<hook_prompt", "<internal_model_context", "<model_switch>"),
    *("<multi_agent_mode>", "<permissions", "<personality", "<plugins", "<realtime_conversation"),
    *("<recommended_plugins>", "<rollout_budget>", "<skill>", "<skills", "<token_budget>", "<tools>"),
    *("<turn_aborted>", "<user_instructions>", "You are performing a CONTEXT CHECKPOINT COMPACTION"),
    *("You have exceeded the maximum number of tokens, please stop coding",),
    *("Warning: The maximum number of unified exec processes", "Warning: apply_patch was requested via"),
)
_LEGACY_SCAFFOLDING = ("# AGENTS.md instructions for ", "<environment_context>", "<user_instructions>")
_EMBEDDED = re.compile(r"<(environment_context|user_instructions|system-reminder)>.*?</\1>\s*", re.DOTALL)
_IDE_CONTEXT = "# Context from my IDE setup:"
_IDE_REQUEST = "## My request for Codex:"
_MARKUP = re.compile(r"\s*<([A-Za-z][\w-]*)[^>]*>.*</\1[^>]*>\s*", re.DOTALL)
_IMAGE_TAG = re.compile(r"\s*</?image\b[^>]*>\s*")
_CWD = re.compile(r"<cwd>\s*(.*?)\s*</cwd>|^Current working directory: (.+)$", re.MULTILINE)

_BLOB = re.compile(r"[A-Za-z0-9+/_-]{2048,}={0,2}")
_BLOB_RUN = re.compile(r"[A-Za-z0-9+/_-]*")
_BLOB_WINDOW = 1024


def content_texts(content: Any) -> list[str]:
    """The texts of a message's content, with a short mark in place of anything that is not text."""
    if isinstance(content, str):
        return [content]
    return [text for part in items_of(content) if (text := _part_text(part)) is not None]


def _part_text(part: Any) -> str | None:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return None
    text, kind = part.get("text"), part.get("type")
    if isinstance(text, str):
        return None if text.startswith(("<image", "</image")) and _IMAGE_TAG.fullmatch(text) else text
    if not isinstance(kind, str) or kind in ("skill", "mention"):
        return None
    for medium in ("image", "audio", "encrypted"):
        if medium in kind:
            return f"[{medium}]"
    name = part.get("filename") or part.get("name")
    return f"[document: {name}]" if isinstance(name, str) else f"[{kind}]"


def text_key(texts: list[str]) -> str:
    """Returns a key that two copies of a message share: the copies differ in white space and in how images are told."""
    return "".join("".join(text for text in texts if text != "[image]").split())


def is_scaffolding(text: str) -> bool:
    """Whether a user-role part of a model request was written by Codex, wholly, rather than by a person."""
    if not text.lstrip().startswith(_SCAFFOLDING):
        return False
    kept, _ = clean_prompt(text)
    return not kept or kept.startswith(_SCAFFOLDING)


def is_markup(text: str) -> bool:
    """Whether a text is one element and nothing else, as injected context is in every recent build."""
    return text.lstrip().startswith("<") and _MARKUP.fullmatch(text) is not None


def clean_prompt(text: str) -> tuple[str, bool]:
    """Returns the part of a prompt that a person wrote, and whether anything was cut from it.

    Empty when nothing was theirs.
    """
    kept = text.strip()
    if kept.startswith("# AGENTS.md instructions") and "</INSTRUCTIONS>" in kept:
        kept = kept.rpartition("</INSTRUCTIONS>")[2]
    if kept.startswith(_IDE_CONTEXT) and _IDE_REQUEST in kept:
        kept = kept.partition(_IDE_REQUEST)[2]
    if "</" in kept:
        kept = _EMBEDDED.sub("", kept)
    kept = kept.strip()
    if kept.startswith(_LEGACY_SCAFFOLDING):
        return "", True
    return kept, len(kept) != len(text.strip())


def environment_cwd(text: str) -> str | None:
    """The working folder an ``<environment_context>`` block names; the oldest logs say it nowhere else."""
    found = _CWD.search(text)
    return (found[1] or found[2]).strip() or None if found else None


def without_blobs(text: str) -> str:
    """``text`` with embedded base64 replaced by a mark."""
    text = replace_data_urls(text, lambda media: "[image]" if media.startswith("image/") else "[document]")
    return _BLOB.sub("[binary data]", text) if len(text) > _BLOB_WINDOW and _may_hold_blob(text) else text


def _may_hold_blob(text: str) -> bool:
    # A run of 2048 characters covers a whole aligned window of half that. Trying those windows only, and only those
    # without a space, is far cheaper than trying the expression at every character of every text.
    return any(
        text.find(" ", start, start + _BLOB_WINDOW) < 0 and _BLOB_RUN.fullmatch(text, start, start + _BLOB_WINDOW)
        for start in range(0, len(text) - _BLOB_WINDOW, _BLOB_WINDOW)
    )


def reasoning_texts(payload: dict[str, Any]) -> list[str]:
    """The readable parts of a reasoning record, in order; empty when it is encrypted."""
    fields = ("summary", "content", "summary_text", "raw_content")
    parts = [part for key in fields for part in items_of(payload.get(key))]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return [text.strip() for text in texts if isinstance(text, str) and text.strip()]


_ROLES = {"human": "user", "model": "assistant", "agent": "assistant", "ai": "assistant"}
_MESSAGE_TYPES = {
    **dict.fromkeys(("user", "human", "user_message", "input_message"), "user"),
    **dict.fromkeys(("assistant", "agent", "assistant_message", "agent_message"), "assistant"),
}
_CALL_TYPES = frozenset({"tool_call", "tool_use"})
_RESULT_TYPES = frozenset({"tool_result", "tool_output", "function_result"})
_ANSWERED = ("call_id", "tool_call_id", "tool_use_id")
_OUTPUTS = ("output", "result", "content", "stdout", "error")


def typed_item(value: dict[str, Any]) -> dict[str, Any] | None:
    """``value`` as an item of a type that rollouts have today, None when it cannot be told.

    Clients and exports of 2025 wrote messages with nothing but a role, and calls as ``tool_call`` and ``tool_result``.
    """
    kind = text_of(value.get("type"))
    if kind in _CALL_TYPES:
        return _call(value)
    if kind in _RESULT_TYPES:
        return _result(value)
    if kind not in (None, "message"):
        role = _MESSAGE_TYPES.get(kind or "")
        return _message(value, role) if role else None
    if value.get("role") == "tool":
        return _result(value)
    if message := _message(value, None):
        return message
    if kind is not None:
        return None
    if text_of(value.get("name")) and any(key in value for key in ("arguments", "input", "args")):
        return _call(value)
    answers = any(text_of(value.get(key)) for key in _ANSWERED) and any(key in value for key in _OUTPUTS)
    return _result(value) if answers else None


def _message(value: dict[str, Any], role: str | None) -> dict[str, Any] | None:
    """A message, whose role and content may stand one level further down."""
    inner = object_of(value.get("message")) or value
    named = text_of(inner.get("role")) or text_of(inner.get("sender")) or role
    content = next(
        (inner[key] for key in ("content", "text", "message") if isinstance(inner.get(key), str | list)), None
    )
    if named is None or content is None:
        return None
    return {**inner, "type": "message", "role": _ROLES.get(named.lower(), named.lower()), "content": content}


def _call(value: dict[str, Any]) -> dict[str, Any]:
    function = object_of(value.get("function"))
    name = text_of(value.get("name")) or text_of(value.get("tool")) or text_of(function.get("name"))
    arguments = next((value[key] for key in ("arguments", "input", "args") if key in value), function.get("arguments"))
    return {"type": "function_call", "name": name, "arguments": arguments, "call_id": _call_id(value)}


def _result(value: dict[str, Any]) -> dict[str, Any]:
    output = next((value[key] for key in _OUTPUTS if value.get(key)), "")
    failed = value.get("is_error", value.get("isError"))
    if isinstance(failed, bool) and isinstance(output, str):
        output = {"output": output, "is_error": failed}
    return {"type": "function_call_output", "call_id": _call_id(value), "output": output}


def _call_id(value: dict[str, Any]) -> str | None:
    return next((found for key in (*_ANSWERED, "id") if (found := text_of(value.get(key)))), None)
