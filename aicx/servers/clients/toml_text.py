"""Changes one table of a TOML text and leaves everything else as it is, comments and layout included.

A table of ours is put at the end and taken out again as the lines it is. tomlkit does what lines cannot: a table that
is written inside a line, and one of ours that somebody has added to.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from aicx.errors import MissingExtra

_ANY_HEADER = re.compile(r"[ \t]*\[")
_BLANK_OR_COMMENT = re.compile(r"[ \t]*(#.*)?\r?\n?")


def parse(text: str) -> dict[str, Any]:
    """The value. Raises ValueError that says where the text is no TOML."""
    return tomllib.loads(text)


def put(text: str, key: str, name: str, value: Mapping[str, Any]) -> str:
    """``text`` with ``value`` as the table ``key.name``; what is missing is made."""
    tomlkit = _tomlkit()
    servers = parse(text).get(key, {})
    if name not in servers:
        newline = "\r\n" if "\r\n" in text else "\n"
        apart = newline * (2 - text.endswith("\n") - text.endswith(newline * 2)) if text else ""
        table = tomlkit.dumps({key: {name: value}}).replace("\n", newline)
        longer = f"{text}{apart}{table}"
        if _is(longer, parse(text) | {key: {**servers, name: dict(value)}}):
            return longer
    document = tomlkit.parse(text)
    if name in servers:
        for field, wanted in value.items():
            if servers[name].get(field) != wanted:
                document[key][name][field] = wanted
    else:
        document[key][name] = value
    return str(tomlkit.dumps(document))


def drop(text: str, key: str, name: str) -> str:
    """``text`` without the table ``key.name``, which is there."""
    whole = parse(text)
    del whole[key][name]
    shorter = _without_lines(text, re.compile(rf"[ \t]*\[[ \t]*{key}[ \t]*\.[ \t]*{name}[ \t]*[].]"))
    if not whole[key]:
        del whole[key]  # in lines there is no table without an entry, unless it has a heading
    if _is(shorter, whole) or _is(shorter, {**whole, key: {}}):
        return shorter
    tomlkit = _tomlkit()
    document = tomlkit.parse(text)
    del document[key][name]
    return str(tomlkit.dumps(document))


def _without_lines(text: str, header: re.Pattern[str]) -> str:
    """``text`` without the tables whose headings fit; a comment above the next table stays."""
    kept: list[str] = []
    ours: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        if _ANY_HEADER.match(line):
            was, inside = inside, header.match(line) is not None
            if was and not inside:
                kept += _tail(ours)
            ours = []
        (ours if inside else kept).append(line)
    if inside and kept and not kept[-1].strip():
        kept.pop()  # the empty line that set our table apart at the end
    return "".join(kept)


def _tail(lines: list[str]) -> list[str]:
    """The empty lines and comments at the end of a table."""
    count = 0
    while count < len(lines) and _BLANK_OR_COMMENT.fullmatch(lines[-1 - count]):
        count += 1
    return lines[len(lines) - count :]


def _is(text: str, value: dict[str, Any]) -> bool:
    try:
        return parse(text) == value
    except tomllib.TOMLDecodeError:
        return False


def _tomlkit() -> Any:
    try:
        import tomlkit
    except ModuleNotFoundError as error:
        raise MissingExtra("changing a TOML file", "mcp") from error
    return tomlkit
