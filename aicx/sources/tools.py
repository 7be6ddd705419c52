"""How a tool call of any agent becomes readable text, and the commands and files it names."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

from aicx.sources.items import ToolUse
from aicx.sources.records import dump_json
from aicx.values import regex

_COMMAND_KEYS = ("command", "cmd", "CommandLine", "script")
# File tools of several agents name their operation in `command`; none of these is a program somebody runs.
_FILE_OPERATIONS = frozenset({"view", "create", "str_replace", "insert", "undo_edit", "delete", "rename"})
_FILE_KEYS = (
    *("file_path", "filePath", "notebook_path", "path", "absolute_path", "AbsolutePath", "TargetFile"),
    *("relative_path", "filename", "file_paths", "paths"),
)
# Tools of all agents that change files.
_CHANGES = regex(
    r"(?:Edit|MultiEdit|Write|NotebookEdit|Update|Create|apply_patch|write_file|replace|edit_file|create_file|edit"
    r"|str_replace\w*|insert_edit_into_file|replace_file_content|multi_replace_file_content|write_to_file)",
    re.IGNORECASE,
)
_PATCH_FILE = regex(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.MULTILINE)
_PATCH_KEYS = ("patch", "input", "code")
_LONG_KEYS = ("content", "new_string", "old_string", *_PATCH_KEYS, "prompt", "plan", "new_source")


def describe_call(name: str, arguments: Any, call_id: str | None = None) -> tuple[str, ToolUse]:
    """A call as text a person can read, and what it says of itself.

    ``arguments`` is the decoded argument object, or free text (a patch, a script) where the tool takes that.
    """
    if not isinstance(arguments, dict):
        text = "" if arguments is None else arguments if isinstance(arguments, str) else _compact(arguments)
        return f"{name}\n{text}".rstrip(), ToolUse(name, "call", call_id, files=patch_files(text))
    command_key, command = _command(arguments)
    files = _files(arguments)
    lines = [name if not files else f"{name} {files[0]}"]
    rest = dict(arguments)
    if command_key is not None and command is not None:
        lines.append(f"$ {command}")
        del rest[command_key]
        files = (*files, *patch_files(command))
    for key in _FILE_KEYS:
        if files and rest.get(key) == files[0]:
            del rest[key]
            break
    bodies = {key: rest.pop(key) for key in _LONG_KEYS if isinstance(rest.get(key), str)}
    for key, value in (*rest.items(), *bodies.items()):
        lines += _argument(key, value)
    for key in _PATCH_KEYS:
        files = (*files, *patch_files(bodies.get(key, "")))
    return "\n".join(lines), ToolUse(name, "call", call_id, command=command, files=tuple(dict.fromkeys(files)))


def changes_files(name: str | None, text: str = "") -> bool:
    """Whether a call of the tool ``name`` changes files, or its ``text`` holds a patch that does."""
    return _CHANGES.fullmatch(name or "") is not None or "*** Begin Patch" in text


def patch_files(text: str) -> tuple[str, ...]:
    """The paths an ``apply_patch`` envelope inside ``text`` adds, updates, deletes or moves to."""
    if "*** " not in text:
        return ()
    return tuple(dict.fromkeys((first or second).strip() for first, second in _PATCH_FILE.findall(text)))


def _command(arguments: dict[str, Any]) -> tuple[str | None, str | None]:
    """The argument that holds a command line, and the command line."""
    for key in _COMMAND_KEYS:
        value = arguments.get(key)
        if isinstance(value, str) and value.strip() and value not in _FILE_OPERATIONS:
            return key, value
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            # `bash -lc SCRIPT` is how several agents wrap what is really one script.
            return key, value[2] if len(value) == 3 and value[1] in ("-c", "-lc") else shlex.join(value)
    return None, None


def _files(arguments: dict[str, Any]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for key in _FILE_KEYS:
        value = arguments.get(key)
        for path in value if isinstance(value, list) else [value]:
            if isinstance(path, str) and path.strip():
                found[path] = None
    return tuple(found)


def _argument(key: str, value: Any) -> Iterator[str]:
    """One argument as lines. Text inside lists and objects is written out where JSON would escape its line breaks,
    since an escaped break glues itself to the next word and hides it from search and from redaction."""
    if isinstance(value, str):
        yield f"{key}:\n{value}" if "\n" in value else f"{key}: {value}"
        return
    compact = _compact(value)
    if "\\n" not in compact:
        yield f"{key}: {compact}"
    elif isinstance(value, dict):
        for inner, item in value.items():
            yield from _argument(f"{key}.{inner}", item)
    else:
        for index, item in enumerate(value):
            yield from _argument(f"{key}[{index}]", item)


def _compact(value: Any) -> str:
    return dump_json(value).decode()
