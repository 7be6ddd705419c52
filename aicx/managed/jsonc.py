"""JSON with comments and trailing commas, changed in place: one member or element more or less, no new layout."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from aicx.managed.blocks import Insertion, line_end, line_of, put_in
from aicx.values import dataclass

_BLANK = re.compile(r"(?:\s|\ufeff|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_DECODER = json.JSONDecoder()
EMPTY = "{}\n"


@dataclass(slots=True)
class Node:
    """A value and where it is. ``start`` of a member is that of its key; ``opened`` is behind a container's bracket."""

    start: int
    end: int = 0
    value: Any = None
    opened: int = 0
    items: list[Node] = field(default_factory=list)
    members: dict[str, Node] = field(default_factory=dict)

    @property
    def children(self) -> list[Node]:
        return [*self.items, *self.members.values()]


def parse(text: str) -> Node:
    """The outermost value. Raises ValueError that names the line where the text is no JSON, RecursionError if deep."""
    node = _value(text, _skip(text, 0))
    if _skip(text, node.end) != len(text):
        raise _no_json(text, _skip(text, node.end), "nothing more")
    return node


def appending(text: str, keys: Sequence[str], element: Any) -> Insertion:
    """Returns the insertion of ``element`` at the end of the list at ``keys``; missing objects and lists are made.

    Raises ValueError where something else is at the place of one of them.
    """
    node, missing = _reached(text, keys)
    if missing:
        return _made(text, node, missing, [element])
    if not isinstance(node.value, list):
        raise ValueError(f'line {line_of(text, node.start)}: "{keys[-1]}" is not a list')
    return _child(text, node, "", element)


def assigned(text: str, keys: Sequence[str], value: Any) -> str:
    """``text`` with ``value`` where ``keys`` lead to; objects that are missing are made. Raises as `appending` does.

    In an object that is there, the members of ``value`` are assigned, and its other ones stay.
    """
    node, missing = _reached(text, keys)
    if missing:
        return put_in(text, [_made(text, node, missing, value)])
    if isinstance(node.value, dict) and isinstance(value, dict):
        for name, inner in value.items():
            text = assigned(text, [*keys, name], inner)
        return text
    if node.value == value:
        return text
    start = _skip(text, _skip(text, _DECODER.raw_decode(text, node.start)[1]) + 1)  # behind the key and its colon
    is_flat = "\n" not in text[start : node.end]
    indent, end = _indent(text, node.start), line_end(text)
    body = json.dumps(value, ensure_ascii=False) if is_flat else _rendered(value, _unit(text), indent, end)
    return text[:start] + body + text[node.end :]


def dropped(text: str, keys: Sequence[str]) -> str:
    """``text`` without the member that ``keys`` lead to, which is there; comments stay. Raises as `parse` does."""
    node, parent = parse(text), None
    for key in keys:
        parent, node = node, node.members[key]
    assert parent is not None
    return removed(text, parent, node)


def loaded(text: str) -> Any:
    """The value that the text stands for. Raises as `parse` does."""
    return parse(text).value


def removed(text: str, parent: Node, child: Node) -> str:
    """``text`` without one child of a container, and without the comma that set it apart; comments stay."""
    siblings = sorted(parent.children, key=lambda node: node.start)
    place = siblings.index(child)
    before = _skip(text, siblings[place - 1].end) if place else parent.opened - 1  # a comma, or the bracket
    # A comment in front stays, and so does the end of its line.
    start = child.start if text[before + 1 : child.start].strip() else before + 1
    behind = _skip(text, child.end)
    if place and place + 1 == len(siblings):
        return text[:before] + text[before + 1 : start] + text[child.end :]
    rest = text[child.end : behind] + text[behind + 1 :] if text[behind] == "," else text[child.end :]
    alone = len(siblings) == 1 and start == parent.opened
    return text[:start] + (rest.lstrip(" \t\r\n") if alone else rest)


def _reached(text: str, keys: Sequence[str]) -> tuple[Node, list[str]]:
    """The node that the first of ``keys`` lead to, and those that are missing in it.

    Raises ValueError where they lead through anything but an object.
    """
    node, missing = parse(text), list(keys)
    while missing and isinstance(node.value, dict) and missing[0] in node.members:
        node = node.members[missing.pop(0)]
    if missing and not isinstance(node.value, dict):
        raise ValueError(f"line {line_of(text, node.start)}: it is not an object")
    return node, missing


def _made(text: str, parent: Node, missing: Sequence[str], value: Any) -> Insertion:
    for name in reversed(missing[1:]):
        value = {name: value}
    return _child(text, parent, f"{json.dumps(missing[0])}: ", value)


def _child(text: str, parent: Node, key: str, value: Any) -> Insertion:
    end = line_end(text)
    last = max(parent.children, key=lambda node: node.end, default=None)
    unit = _unit(text)
    flat = "\n" not in text.strip() and text.strip().strip("\ufeff") != "{}"
    if last is not None:
        first = min(parent.children, key=lambda node: node.start)
        if flat or "\n" not in text[parent.opened : first.start]:
            return Insertion(last.end, f", {key}{json.dumps(value, ensure_ascii=False)}")
        indent = _indent(text, first.start)
        return Insertion(last.end, f",{end}{indent}{key}{_rendered(value, unit, indent, end)}")
    if flat:
        return Insertion(parent.opened, f"{key}{json.dumps(value, ensure_ascii=False)}")
    outer = _indent(text, parent.start)
    indent = outer + unit
    inner = text[parent.opened : parent.end - 1]
    closing = "" if "\n" in inner else end + outer
    return Insertion(parent.opened, f"{end}{indent}{key}{_rendered(value, unit, indent, end)}{closing}")


def _rendered(value: Any, unit: str, indent: str, end: str) -> str:
    return json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", end + indent)


def _unit(text: str) -> str:
    found = re.search(r"\{[ \t]*\r?\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _indent(text: str, at: int) -> str:
    """The blanks that the line of character ``at`` begins with."""
    found = re.compile(r"[ \t]*").match(text, text.rfind("\n", 0, at) + 1)
    return found[0] if found else ""


def _value(text: str, at: int) -> Node:
    node = Node(at)
    opening = text[at : at + 1]
    if opening not in ("{", "["):
        try:
            node.value, node.end = _DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:
            raise _no_json(text, error.pos, "a value") from None
        return node
    node.opened = at + 1
    node.value = {} if opening == "{" else []
    closing = "}" if opening == "{" else "]"
    at = _skip(text, node.opened)
    while text[at : at + 1] != closing:
        at = _member(text, at, node) if opening == "{" else _element(text, at, node)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != closing:
            raise _no_json(text, at, f"a comma or {closing}")
    node.end = at + 1
    return node


def _member(text: str, at: int, parent: Node) -> int:
    if text[at : at + 1] != '"':
        raise _no_json(text, at, 'a key in "quotation marks"')
    try:
        key, behind = _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise _no_json(text, error.pos, "the end of the key") from None
    colon = _skip(text, behind)
    if text[colon : colon + 1] != ":":
        raise _no_json(text, colon, "a colon")
    child = _value(text, _skip(text, colon + 1))
    child.start = at
    parent.members.pop(key, None)  # as parsers have it: the last one of a name counts
    parent.members[key], parent.value[key] = child, child.value
    return _skip(text, child.end)


def _element(text: str, at: int, parent: Node) -> int:
    child = _value(text, at)
    parent.items.append(child)
    parent.value.append(child.value)
    return _skip(text, child.end)


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _no_json(text: str, at: int, wanted: str) -> ValueError:
    found = repr(text[at]) if at < len(text) else "the end"
    return ValueError(f"line {line_of(text, at)}: expected {wanted}, found {found}")
