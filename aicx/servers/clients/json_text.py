"""A client's configuration in JSON, written again with one member more or less: values and their order stay."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from aicx.text import without_comments


def parse(text: str) -> Any:
    """The value, comments allowed. Raises ValueError that says where the text is no JSON."""
    return json.loads(without_comments(text))


def put(text: str, key: str, name: str, value: Mapping[str, Any]) -> str:
    """``text`` with ``value`` as the member ``name`` of the object ``key``. Raises ValueError for one with comments."""
    whole = json.loads(text)
    whole.setdefault(key, {})[name] = value
    return _rendered(whole, text)


def drop(text: str, key: str, name: str | None = None) -> str:
    """``text`` without the object ``key``, or without ``name`` in it, which is there. Raises as `put` does."""
    whole = json.loads(text)
    del (whole if name is None else whole[key])[name or key]
    return _rendered(whole, text)


def _rendered(whole: Any, text: str) -> str:
    """The value as ``text`` is laid out: what it indents by, its line ends and its end."""
    unit = re.search(r"\{[ \t]*\r?\n([ \t]+)\"", text)
    one_line = "\n" not in text.strip() and text.strip() != "{}"
    body = json.dumps(whole, ensure_ascii=False, indent=None if one_line else unit[1] if unit else "  ")
    end = text[len(text.rstrip()) :]
    return (body.replace("\n", "\r\n") if "\r\n" in text else body) + end
