"""The parts of a Gemini message's content: texts, thoughts, calls and responses; data becomes a mark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from aicx.sources.records import dump_json
from aicx.sources.values import object_of, replace_data_urls, string_of, text_of


class Parts(NamedTuple):
    """A message's content, sorted by what it is."""

    texts: list[str]
    thoughts: list[str]
    calls: list[dict[str, Any]]
    responses: list[dict[str, Any]]

    @property
    def text(self) -> str:
        return without_data("\n".join(filter(None, self.texts)))


def split_content(content: Any) -> Parts:
    """The parts of a content, which may be one part, a list of them, or plain text."""
    parts = Parts([], [], [], [])
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            parts.texts.append(part)
        elif not isinstance(part, dict):
            continue
        elif isinstance(text := part.get("text"), str):
            # A `thoughtSignature` does not make a thought: Gemini 3 signs its answers too.
            (parts.thoughts if part.get("thought") is True else parts.texts).append(text)
        elif call := object_of(part.get("functionCall")):
            parts.calls.append(call)
        elif response := object_of(part.get("functionResponse")):
            parts.responses.append(response)
        else:
            parts.texts.append(_other_part(part))
    return parts


def content_of(message: Mapping[str, Any]) -> Any:
    """What a message says, under whichever name its version of the CLI wrote it."""
    names = ("content", "displayContent", "parts", "text")
    return next((found for name in names if (found := message.get(name))), None)


def response_text(response: Mapping[str, Any]) -> str:
    """What a tool answered, its output before its error."""
    answer = response.get("response")
    if not isinstance(answer, dict):
        return string_of(answer)
    said = [answer[key] for key in ("output", "error") if answer.get(key)] or ([answer] if any(answer.values()) else [])
    return "\n".join(value if isinstance(value, str) else dump_json(value).decode() for value in said)


def displayed(call: Mapping[str, Any]) -> str:
    """What the terminal showed of a call, where the result itself was not kept."""
    shown = call.get("resultDisplay")
    return shown if isinstance(shown, str) else string_of(object_of(shown).get("fileDiff"))


def without_data(text: str) -> str:
    """``text`` with embedded files replaced by a mark."""
    return replace_data_urls(text, _mark)


def _other_part(part: Mapping[str, Any]) -> str:
    """Data becomes a mark; code that the model ran itself, and what came out, stays."""
    for key in ("inlineData", "fileData"):
        if data := object_of(part.get(key)):
            return _mark(string_of(data.get("mimeType")))
    code = text_of(object_of(part.get("executableCode")).get("code"))
    return code or string_of(object_of(part.get("codeExecutionResult")).get("output"))


def _mark(media_type: str) -> str:
    return "[image]" if media_type.startswith("image/") else f"[file: {media_type or 'unknown type'}]"
