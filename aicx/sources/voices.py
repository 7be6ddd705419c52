"""Tells texts that stand in a person's place in a log, and that no person typed, by what they look like.

Every source asks here first of what its own format does not tell, and so does the corpus, of texts whose log is gone.
"""

from __future__ import annotations

import re

import orjson

from aicx.types import INTERRUPTED, Origin

# How what took the place of a full context begins in a log of Claude Code.
CONTINUED = "This session is being continued from a previous conversation"
_HOOKS = "Stop|SubagentStop|SessionStart|SessionEnd|UserPromptSubmit|PreToolUse|PostToolUse|PreCompact|Notification"
_MARKS: dict[Origin, str] = {
    "agent": r"(?:Another \w+ session sent a message:|Message from (?:teammate|agent) )"
    r"|<(?:teammate-message|agent-message|cross-session-message|inter_agent_message|codex_delegation)[\s>]",
    "compaction": rf"{CONTINUED}|<(?:state_snapshot|conversation_summary)>"
    r"|Another language model started to solve this problem and produced a summary",
    "tool": r"<(?:tool_result|tool_use_result|function_results|function_call_output|task-notification)[\s>]"
    r"|Chunk ID: \w+\nWall time: ",
    "injected": rf"(?:{_HOOKS})(?::\S+)? hook "
    r"(?:feedback|(?:blocking|stopping) error|additional context|success|stopped)\b"
    r"|<(?:heartbeat|hook_prompt|system-reminder|new-diagnostics|user-prompt-submit-hook|session-start-hook)[\s>]"
    rf"|{re.escape(INTERRUPTED)}[^\]\n]*\]\s*\Z",
}
_MARKED = tuple((origin, re.compile(marks)) for origin, marks in _MARKS.items())
# How a line begins that a shell or an agent shows: its prompt, an answer, a tool's output.
_SHELL = re.compile(r"(?:[\u276f\u279c\u23fa\u23bf]\s|[\w.-]+@[\w.-]+[^\n]{0,60}[$#%] |PS [A-Z]:\\|\$ \S)")
# A last paragraph of words, as somebody writes under what they pasted.
_WORDS_BELOW = re.compile(r"\n\s*\n[^\n\u276f\u279c\u23fa\u23bf$#%]*\b(?:[a-z']{1,}\s+){3,}[^\n]*\Z", re.IGNORECASE)
_MIN_PASTED_LINES = 3
_MAX_RECAP = 600  # a recap is a sentence or two; what takes the place of a full context is pages


def speaker_of(text: str) -> Origin | None:
    """Who a text in a person's place is from, None where a person may have typed it."""
    if text[:1] == "{" and _is_task_record(text):
        return "injected"
    for origin, marks in _MARKED:
        if marks.match(text):
            return origin
    return "pasted" if is_transcript(text) else None


def is_transcript(text: str) -> bool:
    """Whether a text is what a terminal or an agent showed from its first line to its last, without a word on it."""
    return (
        text.count("\n") + 1 >= _MIN_PASTED_LINES
        and _SHELL.match(text) is not None
        and _WORDS_BELOW.search(text[-600:].rstrip()) is None
    )


def _is_task_record(text: str) -> bool:
    """Whether a text is what a client notes of a task in the background, as JSON."""
    if not text.startswith('{"task_id"'):
        return False
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return '"task_type":"' in text  # a redaction may have broken it
    return isinstance(value, dict) and {"task_type", "status", "tool_use_id"} & value.keys() != set()


def is_recap(text: str) -> bool:
    """Whether a summary is what a person who was away is told, and not what took the place of a full context."""
    return len(text) <= _MAX_RECAP and not text.startswith(CONTINUED)
