"""Frozen dataclasses as JSON and back: the types of their fields say what a file may hold, and anything else raises.

A field ``extra`` has the fields that this version does not know; they are written as they were read. A field may be
missing only where its default says nothing, such as None or an empty list: a file that does not say who stated
something must not be read as if a person had.

The same types find every text in a value, which redaction, `forget` and policies look at: a new field of a record is
looked at without anybody listing it. What aicx makes itself, such as an id or a hash, says so in its type, `Made`; a
word of a fixed list (`Literal`) can hold nothing either. `Called` are names of repositories, agents and sessions: they
may hold a secret, but are no words of a text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from datetime import datetime
from functools import cache, partial
from itertools import chain
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from aicx.text import instant

Loaded = TypeVar("Loaded")
Read = Callable[[Any], Any]
_EXTRA = "extra"
# Of a field, as its ``metadata``: not in the file where it is empty.
SPARSE: Mapping[str, bool] = {"sparse": True}
_PLAIN, _LISTS = (int, float), (list, tuple)


def to_json(value: Any) -> Any:
    """A value as JSON has it: an object for a dataclass, an instant in UTC.

    What is not UTF-8 in a text, such as the name of a file, becomes question marks.
    """
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if value is None or isinstance(value, _PLAIN):
        return value
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, _LISTS):
        return list(map(to_json, value))
    if isinstance(value, Mapping):
        return {to_json(name): to_json(part) for name, part in value.items()}
    names, sparse = _names(value.__class__)
    found = {name: to_json(held) for name in names if (held := getattr(value, name)) or name not in sparse}
    return {**found.pop(_EXTRA, {}), **found}


def from_json(kind: Callable[..., Loaded], value: Any, clean: Callable[[str], str] = str) -> Loaded:
    """The dataclass ``kind`` of what `to_json` wrote, or the named tuple of a list, each text made ``clean``.

    Raises KeyError for a field that is missing and needed, TypeError or ValueError for one that does not fit.
    """
    made: Loaded = _object(kind, clean)(value)
    return made


def _reader(kind: Any, clean: Callable[[str], str]) -> Read:
    origin, parts = get_origin(kind), get_args(kind)
    if hasattr(kind, "__dataclass_fields__") or hasattr(kind, "_fields"):
        return partial(from_json, kind, clean=clean)  # whose types are looked up where there is one
    if kind is str:
        return lambda value: clean(value) if isinstance(value, str) else _checked(value, str)
    if kind is datetime:
        return _instant
    if origin is Literal:
        return lambda value: _known(value, parts)
    if origin in (Union, UnionType):
        rest = [part for part in parts if part is not NoneType]
        # What may be one of several words is written as a union of them too.
        some = _reader(rest[0] if len(rest) == 1 else Literal[tuple(chain.from_iterable(map(get_args, rest)))], clean)
        return some if NoneType not in parts else lambda value: None if value is None else some(value)
    if origin in (tuple, Sequence):
        each = _reader(parts[0], clean)
        return lambda value: tuple(map(each, _checked(value, _LISTS)))
    if origin is Mapping:
        held = _reader(parts[1], clean)
        return lambda value: {clean(name): held(one) for name, one in _checked(value, dict).items()}
    plain = (int, float) if kind is float else kind
    return lambda value: value if kind is Any else _checked(value, plain)


@cache
def _names(kind: Any) -> tuple[tuple[str, ...], frozenset[str]]:
    """The fields of a dataclass, and which of them are not in the file where they are empty."""
    found = fields(kind)
    return tuple(one.name for one in found), frozenset(one.name for one in found if "sparse" in one.metadata)


@cache
def _object(kind: Any, clean: Callable[[str], str]) -> Read:
    hints = get_type_hints(kind)
    if hasattr(kind, "_fields"):
        parts = [_reader(hints[name], clean) for name in kind._fields]
        return lambda value: kind(*(one(part) for one, part in zip(parts, _checked(value, _LISTS), strict=True)))
    own = [one for one in fields(kind) if one.name != _EXTRA]
    readers = {one.name: _reader(hints[one.name], clean) for one in own}
    # `MISSING` counts as a default that says something.
    needed = {one.name for one in own if one.default_factory is MISSING and one.default}

    def is_unknown(name: str) -> bool:
        return name not in readers and not isinstance(getattr(kind, name, None), property)

    def read(value: Any) -> Any:
        given = _checked(value, dict)
        found = {name: one(given[name]) for name, one in readers.items() if name in given or name in needed}
        if _EXTRA in hints:
            found[_EXTRA] = {name: one for name, one in given.items() if is_unknown(name)}
        return kind(**found)

    return read


def _checked(value: Any, kind: Any) -> Any:
    """``value``, which has to be of ``kind``. True is not a number here."""
    if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        raise TypeError(f"not of the type {kind}")
    return value


def _known(value: Any, known: Sequence[Any]) -> Any:
    if value not in known:
        raise ValueError("unknown value")
    return value


def _instant(value: Any) -> datetime:
    found = datetime.fromisoformat(_checked(value, str))
    if found.tzinfo is None:
        raise ValueError("no zone")
    return found


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
