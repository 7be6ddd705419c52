"""Takes expected types out of the JSON of a log, which may have null or another type instead."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import orjson

_MAX_NAME_LENGTH = 80
_MAX_CODE = 1 << 31
_WORDS = re.compile(r"[A-Z0-9]{1,15}(?:[_ ][A-Z0-9]{1,15})*")
_DATA_URL = re.compile(
    r"data:([\w.+/-]*)(?:;[\w=.+-]+)*;base64,[A-Za-z0-9+/=_-]+(?:\[\d+ bytes of data left out[^\]]*\])?"
)


def text_of(value: Any) -> str | None:
    """``value`` when it is a text with something in it."""
    return value if isinstance(value, str) and value else None


def string_of(value: Any) -> str:
    """``value`` when it is a text, else an empty one: for where no text and an empty one mean the same."""
    return value if isinstance(value, str) else ""


def quoted(name: Any) -> str:
    """A name from a log as part of a reason. One that is too long is not cut: no rule knows the half of a secret."""
    text = str(name)
    return text if len(text) <= _MAX_NAME_LENGTH else f"a name of {len(text)} characters"


def lowered(name: str) -> str:
    """A name in small letters if it is made of words; a key with its letters changed is one that no rule knows."""
    return name.lower() if _WORDS.fullmatch(name) else name


def object_of(value: Any) -> dict[str, Any]:
    """``value`` when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items_of(value: Any) -> list[Any]:
    """``value`` when it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def objects_of(value: Any) -> list[dict[str, Any]]:
    """The objects of a list, whatever else is in it."""
    return [item for item in items_of(value) if isinstance(item, dict)]


def exit_code_of(value: Any) -> int | None:
    """``value`` when it is a number that a command can end with."""
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _MAX_CODE else None


def parse_json(text: str | bytes) -> Any:
    """The value that ``text`` holds as JSON, None when it holds none."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def replace_data_urls(text: str, mark: Callable[[str], str]) -> str:
    """``text`` with ``mark(media type)`` in place of every file that is embedded in it as base64."""
    return _DATA_URL.sub(lambda found: mark(found[1]), text) if ";base64," in text else text


def without_data(text: str) -> str:
    """``text`` with a plain mark in place of every embedded file."""
    return replace_data_urls(text, lambda media: f"[{media or 'data'} left out]")
