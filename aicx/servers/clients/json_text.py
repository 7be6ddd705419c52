"""Changes one member of a JSON text and leaves every other character as it is: order, indentation, comments."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# A string, which may hold what looks like a comment, or a comment: some clients allow them in their JSON.
_STRING_OR_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMENT_BEHIND = re.compile(r"[ \t]*//[^\r\n]*")
_NOT_NEWLINE = re.compile(r"[^\n]")
_SPACE = " \t\r\n"
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Member:
    """``start`` is where the key begins; the value lies at ``value:end``."""

    key: str
    start: int
    value: int
    end: int


def parse(text: str) -> Any:
    """The value, comments allowed. Raises ValueError that says where the text is no JSON."""
    return json.loads(_without_comments(text))


def put(text: str, key: str, name: str, value: Mapping[str, Any]) -> str:
    """``text`` with ``value`` as the member ``name`` of the object ``key``; what is missing is made.

    The text is an object, and ``key`` an object in it where it is there at all.
    """
    members = _members(text, text.index("{"))
    inner = _last(members, key)
    if inner is None:
        return _inserted(text, text.index("{"), members, key, {name: value})
    entries = _members(text, inner.value)
    found = _last(entries, name)
    if found is None:
        return _inserted(text, inner.value, entries, name, value)
    new = _rendered(text, value, _indent_of(text, found.start))
    return text[: found.value] + new + text[found.end :]


def drop(text: str, *path: str) -> str:
    """``text`` without the member at the end of ``path``, which is there: a key, or a key and a name in its object."""
    start = text.index("{")
    for key in path[:-1]:
        inner = _last(_members(text, start), key)
        assert inner is not None
        start = inner.value
    members = _members(text, start)
    while found := _last(members, path[-1]):
        text = _dropped(text, members, members.index(found))
        members = _members(text, start)
    return text


def _without_comments(text: str) -> str:
    """The text with spaces in place of comments, so that every character stays where it is."""
    return _STRING_OR_COMMENT.sub(lambda found: found[1] or _NOT_NEWLINE.sub(" ", found[0]), text)


def _members(text: str, start: int) -> list[_Member]:
    """The members of the object that begins at ``start`` of a text that is JSON."""
    plain = _without_comments(text)
    members = []
    at = _next(plain, start + 1)
    while plain[at] != "}":
        if plain[at] == ",":
            at = _next(plain, at + 1)
        key, after = _DECODER.raw_decode(plain, at)
        value = _next(plain, _next(plain, after) + 1)  # past the colon
        _, end = _DECODER.raw_decode(plain, value)
        members.append(_Member(key, at, value, end))
        at = _next(plain, end)
    return members


def _next(text: str, at: int) -> int:
    while text[at] in _SPACE:
        at += 1
    return at


def _last(members: list[_Member], key: str) -> _Member | None:
    """The member of that name; of several the last, which is the one that counts."""
    return next((member for member in reversed(members) if member.key == key), None)


def _inserted(text: str, start: int, members: list[_Member], key: str, value: Any) -> str:
    """A new member at the end of the object that begins at ``start``, laid out as its neighbours are."""
    newline = "\r\n" if "\r\n" in text else "\n"
    if members:
        end = members[-1].end
        indent = _indent_of(text, members[-1].start)
        if indent is None:
            return f"{text[:end]}, {json.dumps(key)}: {_rendered(text, value, None)}{text[end:]}"
        behind = _COMMENT_BEHIND.match(text, end)
        after = behind.end() if behind else end
        new = f"{newline}{indent}{json.dumps(key)}: {_rendered(text, value, indent)}"
        return f"{text[:end]},{text[end:after]}{new}{text[after:]}"
    if "\n" not in text.strip() and text.strip() != "{}":
        return f"{text[: start + 1]}{json.dumps(key)}: {_rendered(text, value, None)}{text[start + 1 :]}"
    outer = _indent_of(text, _line_start(text, start)) or ""
    indent = outer + _unit(text)
    end = _without_comments(text).index("}", start)
    inside = text[start + 1 : end].rstrip()
    new = f"{newline}{indent}{json.dumps(key)}: {_rendered(text, value, indent)}{newline}{outer}"
    return text[: start + 1] + inside + new + text[end:]


def _dropped(text: str, members: list[_Member], number: int) -> str:
    member = members[number]
    plain = _without_comments(text)
    if number + 1 < len(members):
        end = _next(text, plain.index(",", member.end) + 1)
        return text[: member.start] + text[end:]
    start = len(text[: member.start].rstrip())
    if number == 0:
        end = plain.index("}", member.end)
        last_line = text[:end].rpartition("\n")[2]
        left = text[member.end : end].rstrip() + ("" if text[start - 1] == "{" else f"\n{last_line}")
        return text[:start] + left + text[end:]
    comma = plain.index(",", members[number - 1].end)
    return text[:comma] + text[comma + 1 : max(start, comma + 1)] + text[member.end :]


def _rendered(text: str, value: Any, indent: str | None) -> str:
    """A value on lines that begin at ``indent``; on one line where that is None, as for what stands there already."""
    if indent is None:
        return json.dumps(value, ensure_ascii=False)
    newline = "\r\n" if "\r\n" in text else "\n"
    return json.dumps(value, ensure_ascii=False, indent=_unit(text)).replace("\n", newline + indent)


def _unit(text: str) -> str:
    """What the text indents by."""
    found = re.search(r"\{[ \t]*\r?\n([ \t]+)\"", text)
    return found[1] if found else "  "


def _indent_of(text: str, at: int) -> str | None:
    """The blanks in front of what begins at ``at``; None when something else stands before it on its line."""
    lead = text[text.rfind("\n", 0, at) + 1 : at]
    return lead if not lead.strip(" \t") and "\n" in text[:at] else None


def _line_start(text: str, at: int) -> int:
    """Where the first thing on the line of ``at`` begins."""
    start = text.rfind("\n", 0, at) + 1
    return start + len(text[start:]) - len(text[start:].lstrip(" \t"))
