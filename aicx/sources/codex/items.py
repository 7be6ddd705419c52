"""A call in a Codex record: the request as readable text, and its outcome."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from aicx.sources.codex.texts import content_texts
from aicx.sources.items import ToolUse
from aicx.sources.records import dump_json
from aicx.sources.tools import describe_call, patch_files
from aicx.sources.values import object_of, objects_of, parse_json, string_of, text_of
from aicx.values import dataclass

# Parameters that steer the client and say nothing of what was done; they are in nearly every call.
_CLIENT_KEYS = frozenset({"max_output_tokens", "max_tokens", "timeout", "timeout_ms", "yield_time_ms"})
_SCRIPT_COMMAND = re.compile(
    r"""cmd["']?\s*:\s*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)""", re.DOTALL
)
_SCRIPT_PATCH = re.compile(r'"\*\*\* Begin Patch(?:[^"\\\n]|\\.)*"')

_HEADER_STARTS = ("Chunk ID:", "Exit code:", "Wall time", "Script ", "Process ", "Command:")
_HEADER_SECONDS = re.compile(r"^Wall time:? (\d+(?:\.\d+)?) seconds", re.MULTILINE)
_HEADER_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,10})\b", re.MULTILINE)
_ENVELOPE_KEYS = frozenset(
    {
        *("chunk_id", "exit_code", "metadata", "original_token_count", "output", "process_id", "session_id"),
        *("success", "wall_time_seconds"),
    }
)
_MCP_KEYS = frozenset({"_meta", "content", "isError", "is_error", "structuredContent", "structured_content"})
_PART_TYPES = ("text", "input_text", "output_text", "image", "input_image", "audio")
_FAILURES = (
    "Script failed",
    "aborted by user",
    "apply_patch verification failed",
    "exec_command failed",
    "execution error",
    "failed to parse function arguments",
    "unsupported call",
    "write_stdin failed",
)


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """How a call ended: its output, and what the log says of its success."""

    text: str
    exit_code: int | None = None
    failed: bool | None = None
    files: tuple[str, ...] = ()
    seconds: float | None = None


def describe_call_item(payload: dict[str, Any], cwd: str | None) -> tuple[str, ToolUse]:
    """Any item by which the model asks for something to be run. ``cwd`` goes without saying and is left out."""
    kind, call_id = payload.get("type"), text_of(payload.get("call_id")) or text_of(payload.get("id"))
    if kind == "function_call":
        return _describe_function(_qualified_name(payload), payload.get("arguments"), call_id, cwd)
    if kind == "custom_tool_call":
        return _describe_free_text(_qualified_name(payload), payload.get("input"), call_id)
    name = str(kind).removesuffix("_call")
    if kind == "image_generation_call":
        return describe_call(name, {"prompt": string_of(payload.get("revised_prompt"))}, call_id)
    arguments = payload.get("arguments" if kind == "tool_search_call" else "action")
    if isinstance(arguments, dict) and arguments.get("type") == "exec":
        arguments = {key: value for key, value in arguments.items() if key != "type"}
    return _describe_function(name, arguments, call_id, cwd)


def _qualified_name(payload: dict[str, Any]) -> str:
    name, namespace = text_of(payload.get("name")) or "unknown", text_of(payload.get("namespace"))
    return f"{namespace.rstrip('_')}__{name.lstrip('_')}" if namespace else name


def _describe_function(name: str, arguments: Any, call_id: str | None, cwd: str | None) -> tuple[str, ToolUse]:
    """The arguments are an object, or the same as JSON in a string, or a string that should have been JSON."""
    decoded = parse_json(arguments) if isinstance(arguments, str) else arguments
    if not isinstance(decoded, dict):
        return describe_call(name, "" if arguments is None else arguments, call_id)
    kept = {key: value for key, value in decoded.items() if key not in _CLIENT_KEYS and value is not None}
    if kept.get("workdir") == cwd:
        kept.pop("workdir", None)
    if name == "update_plan":
        return _plan(kept), ToolUse(name, "call", call_id)
    return describe_call(name, kept, call_id)


def _describe_free_text(name: str, script: Any, call_id: str | None) -> tuple[str, ToolUse]:
    """The input is a patch, or a script that runs other tools, whose commands and patches are named as well."""
    if not isinstance(script, str):
        return describe_call(name, script, call_id)
    text, use = describe_call(name, script, call_id)
    if use.files and script.startswith("*** Begin Patch"):
        return text, use
    commands = [_script_string(found) for found in _SCRIPT_COMMAND.findall(script)]
    patches = [_script_string(found) for found in _SCRIPT_PATCH.findall(script)]
    files = dict.fromkeys((*use.files, *(path for part in (*patches, *commands) for path in patch_files(part))))
    return text, replace(use, command="\n".join(commands) or None, files=tuple(files))


def _script_string(literal: str) -> str:
    if literal[0] == '"' and isinstance(value := parse_json(literal), str):
        return value
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), literal[1:-1])


def _plan(arguments: dict[str, Any]) -> str:
    lines = ["update_plan"]
    if isinstance(arguments.get("explanation"), str):
        lines.append(arguments["explanation"])
    lines += [f"- [{step.get('status')}] {step.get('step')}" for step in objects_of(arguments.get("plan"))]
    return "\n".join(lines)


def read_outcome(output: Any) -> CallOutcome:
    """The outcome in a call's output record: text with or without a header, a list of parts, or JSON holding either."""
    if isinstance(output, dict):
        return _outcome_of_object(output)
    if not isinstance(output, str):
        return _outcome_of_parts(output)
    if output.startswith(("{", "[{")):
        value = parse_json(output)
        if isinstance(value, dict) and _tells_outcome(value):
            return _outcome_of_object(value)
        if value and _are_parts(value):
            return _outcome_of_parts(value)
    return _outcome_of_text(output)


def _tells_outcome(value: dict[str, Any]) -> bool:
    """Whether an object is a client's own envelope: a command's output may well be some other JSON."""
    if isinstance(value.get("output"), str):
        return value.keys() <= _ENVELOPE_KEYS
    return _are_parts(value.get("content")) and value.keys() <= _MCP_KEYS


def _are_parts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, dict) and part.get("type") in _PART_TYPES for part in value)


def _outcome_of_text(text: str) -> CallOutcome:
    failed = True if text.startswith(_FAILURES) else None
    if not text.startswith(_HEADER_STARTS):
        return CallOutcome(text, failed=failed)
    header = text[:600].partition("Output:\n")[0]
    waited = _HEADER_SECONDS.search(header)
    seconds = float(waited[1]) if waited else None
    if found := _HEADER_EXIT.search(header):
        code = int(found[1])
        return CallOutcome(text, code, code != 0, seconds=seconds)
    return CallOutcome(text, failed=False if header.startswith("Script completed") else failed, seconds=seconds)


def _outcome_of_parts(parts: Any) -> CallOutcome:
    """Parts of one output: a script's header stands in the first, the JSON its commands returned in others."""
    outcomes = [read_outcome(text) for text in content_texts(parts)]
    codes = [outcome.exit_code for outcome in outcomes if outcome.exit_code is not None]
    verdicts = [outcome.failed for outcome in outcomes if outcome.failed is not None]
    return CallOutcome(
        "\n".join(outcome.text.rstrip("\n") for outcome in outcomes),
        next((code for code in codes if code), codes[0] if codes else None),
        any(verdicts) if verdicts else None,
        seconds=next((outcome.seconds for outcome in outcomes if outcome.seconds is not None), None),
    )


def _outcome_of_object(value: dict[str, Any]) -> CallOutcome:
    text = next((value[key] for key in ("output", "content", "text") if isinstance(value.get(key), str)), None)
    if text is None:
        text = _content_of(value)
    facts = {**object_of(value.get("metadata")), **value}
    code = facts.get("exit_code")
    if isinstance(code, int) and not isinstance(code, bool):
        return CallOutcome(text, code, code != 0, seconds=_seconds(facts))
    if isinstance(running := value.get("session_id"), int):
        # In the words of outputs that are text: later calls ask by this number how it went on.
        return CallOutcome(f"Process running with session ID {running}\n{text}")
    for key, when_failed in (("isError", True), ("is_error", True), ("success", False)):
        if isinstance(value.get(key), bool):
            return CallOutcome(text, failed=value[key] is when_failed)
    return CallOutcome(text)


def _seconds(facts: dict[str, Any]) -> float | None:
    """How long a command ran: `duration_seconds`, or the seconds and nanoseconds of an event's `duration`."""
    duration = facts.get("duration")
    found = facts.get("duration_seconds", facts.get("wall_time_seconds"))
    if isinstance(duration, dict) and isinstance(duration.get("secs"), int):
        found = duration["secs"] + int(duration.get("nanos") or 0) / 1e9
    return round(float(found), 3) if isinstance(found, int | float) and not isinstance(found, bool) else None


def _content_of(value: dict[str, Any]) -> str:
    """Returns the text of an MCP tool's answer.

    Its structured content is told after its texts, unless one of them is the same.
    """
    texts = content_texts(value.get("content"))
    structured = next((value[key] for key in ("structuredContent", "structured_content") if value.get(key)), None)
    if structured is not None:
        # A plain value has to be wrapped to be structured.
        same = (
            (structured, *structured.values())
            if isinstance(structured, dict) and len(structured) == 1
            else (structured,)
        )
        if not any(text in same or parse_json(text) in same for text in texts):
            texts.append(dump_json(structured).decode())
    return "\n".join(texts) or dump_json(value).decode()


def outcome_of_event(payload: dict[str, Any]) -> CallOutcome:
    """The outcome in an ``exec_command_end``, ``patch_apply_end`` or ``mcp_tool_call_end`` event."""
    result = payload.get("result")
    if isinstance(result, dict):
        if "Err" in result:
            return CallOutcome(str(result["Err"]), failed=True)
        outcome = _outcome_of_object(result["Ok"] if isinstance(result.get("Ok"), dict) else result)
        return replace(outcome, failed=bool(outcome.failed))
    texts = [text for key in ("stdout", "stderr") if isinstance(text := payload.get(key), str) and text]
    whole = payload.get("aggregated_output") or "\n".join(texts) or payload.get("formatted_output")
    files = tuple(object_of(payload.get("changes")))
    outcome = _outcome_of_object({**payload, "output": whole if isinstance(whole, str) else "\n".join(files)})
    return replace(outcome, files=files)
