"""An answer as JSON has it: the fields of its dataclass, under their names and in their order.

After them come the properties that say what they mean, as fields do: those whose type is `Annotated`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import datetime
from functools import cache
from typing import Any, TypeVar

from aicx.refs import Ref
from aicx.text import instant

Made = TypeVar("Made")

# Of a field, as its ``metadata``: left out of the JSON where it is None.
OPTIONAL: Mapping[str, bool] = {"optional": True}
# Of a field: in the JSON its own fields, or those of a mapping, are in its place; none are where it is None.
INLINE: Mapping[str, bool] = {"inline": True}
# Of a field: it is not in the JSON.
INTERNAL: Mapping[str, bool] = {"internal": True}


def to_fields(answer: Any) -> dict[str, Any]:
    """An answer as the object that JSON has it as."""
    found: dict[str, Any] = {}
    for one in fields(answer):
        value = getattr(answer, one.name)
        if "inline" in one.metadata:
            found |= _plain(value) if value is not None else {}
        elif "internal" not in one.metadata and (value is not None or "optional" not in one.metadata):
            found[one.name] = _plain(value)
    return found | {name: _plain(getattr(answer, name)) for name in shown_properties(answer.__class__)}


@cache
def shown_properties(kind: type[Any]) -> dict[str, Callable[[Any], Any]]:
    """The properties of a class that are in the JSON, each with its function."""
    known = {name: one.fget for name, one in vars(kind).items() if isinstance(one, property) and one.fget}
    return {name: one for name, one in known.items() if str(one.__annotations__.get("return")).startswith("Annotated[")}


def taken_from(source: object, kind: Callable[..., Made], /, **own: Any) -> Made:
    """A dataclass ``kind`` with the fields that ``source`` has under the same names, but for its ``own``."""
    names = (name for name in kind.__dataclass_fields__ if name not in own)  # type: ignore[attr-defined]
    return kind(**{name: getattr(source, name) for name in names}, **own)


def _plain(value: Any) -> Any:
    if isinstance(value, Ref):
        return str(value)
    if hasattr(value, "__dataclass_fields__"):
        return to_fields(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return instant(value) if isinstance(value, datetime) else value
