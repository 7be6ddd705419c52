"""Every text in a value, found by the types of its fields: what redaction, `forget` and policies look at.

A new field of a record is looked at without anybody listing it. What aicx makes itself, such as an id or a hash, says
so in its type, `Made`; a word of a fixed list (`Literal`) can hold nothing either. `Called` are names of repositories,
agents and sessions: they may hold a secret, but are no words of a text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from datetime import datetime
from functools import cache
from types import NoneType
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

Value = TypeVar("Value")
_MADE, _CALLED = "made by aicx", "a name"
Made = Annotated[str, _MADE]  # of a field: an id or a hash that no person and no log gives
Called = Annotated[str, _CALLED]  # of a field: what a repository, an agent or a session is called
_SILENT = (bool, int, float, datetime, NoneType)


def texts_of(value: Any, *, names: bool = True) -> Iterator[str]:
    """Every text in ``value`` that is not empty: in dataclasses, lists, and mappings with their keys.

    Without ``names`` what is only called something is left out.
    """
    if isinstance(value, str):
        if value:
            yield value
    elif (known := _fields(value.__class__)) is not None:
        for name, is_name in known:
            if names or not is_name:
                yield from texts_of(getattr(value, name), names=names)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from texts_of(key, names=names)
            yield from texts_of(item, names=names)
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from texts_of(item, names=names)


def with_texts(value: Value, change: Callable[[str], str]) -> Value:
    """``value`` with ``change`` made of each of its texts; itself where nothing changes."""
    return _changed(value, change)  # type: ignore[no-any-return]


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        new = change(value) if value else value
        return value if new == value else new
    if (known := _fields(value.__class__)) is not None:
        found = {name: (old := getattr(value, name), _changed(old, change)) for name, _ in known}
        new_fields = {name: new for name, (old, new) in found.items() if new is not old}
        if not new_fields:
            return value
        return replace(value, **new_fields) if hasattr(value, "__dataclass_fields__") else value._replace(**new_fields)
    if isinstance(value, Mapping):
        items = [(name, item, _changed(name, change), _changed(item, change)) for name, item in value.items()]
        same = all(name is new_name and item is new for name, item, new_name, new in items)
        return value if same else {name: item for _, _, name, item in items}
    if isinstance(value, list | tuple | set | frozenset):
        parts = [_changed(item, change) for item in value]
        same = all(new is old for new, old in zip(parts, value, strict=True))
        return value if same else type(value)(parts)
    return value


@cache
def _fields(kind: type) -> tuple[tuple[str, bool], ...] | None:
    """The fields of a value class that may hold a text, and whether that is a name; None for what is no such class."""
    if hasattr(kind, "__dataclass_fields__"):
        names = tuple(one.name for one in fields(kind))
    elif issubclass(kind, tuple) and hasattr(kind, "_fields"):
        names = tuple(kind._fields)
    else:
        return None
    try:
        hints = get_type_hints(kind, include_extras=True)
    except NameError:  # a type that is imported for type checkers alone: the values tell
        return tuple((name, False) for name in names)
    marks = {name: _marks(hints.get(name)) for name in names}
    return tuple((name, _CALLED in found) for name, found in marks.items() if _MADE not in found)


def _marks(hint: Any) -> frozenset[str]:
    """Returns the marks of a field's type: that it has no texts that matter, that they are names, or nothing."""
    origin = get_origin(hint)
    if origin is Literal or hint in _SILENT:
        return frozenset({_MADE})
    if origin is Annotated:
        return frozenset(one for one in hint.__metadata__ if one in (_MADE, _CALLED)) or _marks(hint.__origin__)
    found = [_marks(part) for part in get_args(hint) if part is not Ellipsis]
    told = [marks for marks in found if _MADE not in marks]
    return (told[0] if told else found[0]) if found else frozenset()
