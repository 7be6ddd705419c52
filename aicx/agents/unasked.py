"""Reminders that a hook says unasked: at a prompt, after a failed command and before an edit; nothing most of the time.

It runs at every prompt and at many calls of tools, so that what is imported is what it costs: the standard library's
own parts of SQLite, JSON and regular expressions, and more only when there is something to say.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from aicx.agents import LANES

if TYPE_CHECKING:
    from aicx.reminders.index import Index
    from aicx.reminders.saying import Line

# A prompt that a program types is no question of a person, and a command asks what stands behind its name.
_PROGRAM = ("!", "<")
_COMMAND = re.compile(r"\A\s*/[\w:.-]+(?!\S)")
# Gemini CLI hands on, before the prompt, what other hooks told the model.
_HOOKS_SAID = re.compile(r"\A\s*<hook_context>.*?</hook_context>", re.DOTALL)
_MAX_RECORDS = 2000
_MAX_RECORD = 4_000_000
_MAX_PATCH = 200_000
# Of more earlier turns the first that was not told yet is not looked for.
_MAX_TURNS = 3
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.MULTILINE)
_EXIT = re.compile(r"(?:\bexit(?:ed)?(?: with)?(?: code| status)?|\bExit Code)[:=]? ?([1-9]\d{0,2})\b")
_PATHS = ("file_path", "path", "notebook_path", "absolute_path", "filePath", "target_file")
# The names that clients have for these moments; any other is answered by the first.
_NAMES = {
    "prompt": ("UserPromptSubmit", "BeforeAgent"),
    "command": ("PostToolUse", "PostToolUseFailure", "AfterTool"),
    "edit": ("PreToolUse", "BeforeTool"),
}


class _Call(NamedTuple):
    """A call of a hook: the home, the folder and the session that it is about, and what the agent says."""

    home: str
    folder: str
    agent: str
    session: str
    said: Mapping[str, Any]


def answer(event: str, agent: str, given: bytes) -> bytes:
    """The answer to print, in the agent's own JSON; empty where there is nothing to say. Raises whatever goes wrong."""
    try:
        said = json.loads(given) if given.strip() else {}
    except (ValueError, RecursionError):
        return b""
    if not isinstance(said, dict):
        return b""
    lane = next(lane for lane, name in LANES.items() if name == event)
    call = _Call(
        os.path.abspath(os.path.expanduser(os.environ.get("AICX_HOME") or "~/.aicx")),  # noqa: PTH100, PTH111
        _root(_text(said, "cwd") or os.getcwd()),  # noqa: PTH109
        agent,
        _text(said, "session_id", "thread_id", "sessionId") or "",
        said,
    )
    if not call.session or lane not in _lanes(call):
        return b""
    text = _SAYING[lane](call)
    if not text:
        return b""
    named = _text(said, "hook_event_name")
    name = named if named in _NAMES[lane] else _NAMES[lane][0]
    context = {"hookEventName": name, "additionalContext": text}
    return json.dumps({"hookSpecificOutput": context}, ensure_ascii=True).encode()


def _at_prompt(call: _Call) -> str:
    prompt = question_in(_HOOKS_SAID.sub("", _text(call.said, "prompt", "user_prompt") or ""))
    if not prompt:
        return ""
    from aicx.reminders.index import find_fix
    from aicx.reminders.prompt import find_earlier

    with _index(call) as index:
        found = find_earlier(index, call.session, prompt) if index else []
        fix = find_fix(index, call.session, prompt) if index and not found else None
    if index is None or not (found or fix):
        return ""
    from aicx.reminders.saying import of_fix, of_turn

    pasted = [of_fix(fix)._replace(lane="prompt")] if fix else []
    return _say(call, index.project, [*map(of_turn, found[:_MAX_TURNS]), *pasted])


def question_in(prompt: str) -> str:
    """Returns what a person asks in a prompt; empty for what a program types and for a command alone."""
    return "" if prompt.lstrip().startswith(_PROGRAM) else _COMMAND.sub("", prompt).strip()


def _after_command(call: _Call) -> str:
    output, is_known = _printed(call.said)
    given = call.said.get("tool_input")
    command = given.get("command") if isinstance(given, dict) else None
    if not output or not (is_known or isinstance(command, str)):
        return ""
    from aicx.reminders.index import find_fix

    with _index(call) as index:
        found = find_fix(index, call.session, output, None if is_known else command) if index else None
    if found is None or index is None:
        return ""
    from aicx.reminders.saying import of_fix

    return _say(call, index.project, [of_fix(found)])


def _before_edit(call: _Call) -> str:
    path = next(_edited(call), None)
    if path is None:
        return ""
    with _index(call) as index:
        decided = index.decided(path, call.session) if index else []
    lines = []
    if os.path.isdir(os.path.join(call.home, "memory")):  # noqa: PTH112, PTH118
        from aicx.reminders.saying import rule_for

        lines = [rule] if (rule := rule_for(call.home, call.folder, path)) else []
    if not lines and not decided:
        return ""
    from aicx.reminders.saying import of_decision

    return _say(call, index.project if index else "", lines or [of_decision(path, decided[0])])


_SAYING: Mapping[str, Callable[[_Call], str]] = {"prompt": _at_prompt, "command": _after_command, "edit": _before_edit}


def _say(call: _Call, project: str, lines: Sequence[Line]) -> str:
    from aicx.reminders.saying import say

    return say(call.home, call.agent, call.session, project, lines)


@contextmanager
def _index(call: _Call) -> Iterator[Index | None]:
    """The index of reminders, of the repository that the call is in."""
    from aicx.reminders.index import open_index

    index = open_index(call.home, call.folder, lambda: _project(call))
    try:
        yield index
    finally:
        if index is not None:
            index.close()


def _project(call: _Call) -> str:
    """Returns what the corpus calls a repository in whose folder no stored session worked: as its remote is called."""
    from pathlib import Path

    from aicx.git.identity import find_repository, parts_of, remote_urls

    common = find_repository(Path(call.folder)).common
    parts = next(map(parts_of, remote_urls(common)), None) if common is not None else None
    return "/".join(parts) if parts else ""


def _printed(said: Mapping[str, Any]) -> tuple[str, bool]:
    """Returns what a command printed, unless it passed, and whether it surely failed: Codex hands on no exit code."""
    error = said.get("error")
    if isinstance(error, str) and error:
        return error, True
    response = said.get("tool_response")
    if isinstance(response, dict):
        code = next((response[name] for name in ("exit_code", "exitCode", "returncode") if name in response), None)
        text = "\n".join(value for value in response.values() if isinstance(value, str))
        failed = code not in (None, 0) or response.get("is_error") or response.get("error") or _EXIT.search(text)
        return (text, True) if failed else ("", False)
    return (response, bool(_EXIT.search(response))) if isinstance(response, str) else ("", False)


def _edited(call: _Call) -> Iterator[str]:
    """The files that a call is about to change, as paths from the repository's root."""
    given = call.said.get("tool_input")
    if isinstance(given, str):
        given = {"input": given}
    if not isinstance(given, dict):
        return
    named = [given[name] for name in _PATHS if isinstance(given.get(name), str)]
    for name in ("input", "patch", "command"):
        text = given.get(name)
        text = "\n".join(map(str, text)) if isinstance(text, list) else text
        named += _PATCHED.findall(text[:_MAX_PATCH]) if isinstance(text, str) else []
    for path in named:
        whole = os.path.realpath(os.path.join(_text(call.said, "cwd") or call.folder, path.strip()))  # noqa: PTH118
        inside = os.path.relpath(whole, call.folder)
        if not inside.startswith(".."):
            yield inside.replace(os.sep, "/")


def _root(folder: str) -> str:
    """The working folder of git that a folder is in; the folder itself where it is in none."""
    start = os.path.realpath(folder)
    place = start
    while not os.path.exists(os.path.join(place, ".git")):  # noqa: PTH110, PTH118
        above = os.path.dirname(place)  # noqa: PTH120
        if above == place:
            return start
        place = above
    return place


def _lanes(call: _Call) -> Sequence[str]:
    """The lanes that `aicx init` switched on for this folder and agent: those of its own record.

    A worktree without a record has those of its repository.
    """
    records = list(_records(os.path.join(call.home, "agents", "folders")))  # noqa: PTH118
    record = next((one for one in records if one.get("folder") == call.folder), None)
    git = os.path.join(call.folder, ".git")  # noqa: PTH118
    if record is None and records and os.path.isfile(git):  # noqa: PTH113
        from pathlib import Path

        from aicx.git.identity import find_repository

        repository = find_repository(Path(call.folder)).repo_id
        record = next((one for one in records if one.get("repository") == repository), None)
    return (record or {}).get("recall") or () if call.agent in ((record or {}).get("agents") or ()) else ()


def _records(folder: str) -> Iterator[Mapping[str, Any]]:
    """The records of `aicx.agents.records`, without what reading them as such has to import."""
    try:
        names = sorted(os.listdir(folder))[:_MAX_RECORDS]
    except FileNotFoundError:
        return
    for name in names:
        if name.endswith(".json"):
            with suppress(OSError, ValueError), open(os.path.join(folder, name), "rb") as stream:  # noqa: PTH118, PTH123
                record = json.loads(stream.read(_MAX_RECORD))
                if isinstance(record, dict):
                    yield record


def _text(said: Mapping[str, Any], *names: str) -> str | None:
    found = (said.get(name) for name in names)
    return next((value for value in found if isinstance(value, str) and value), None)
