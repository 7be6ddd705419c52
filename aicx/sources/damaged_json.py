"""JSON that orjson refuses: lone surrogates, control characters, several values on a line, a line broken off."""

from __future__ import annotations

import json
from typing import Any

BROKEN = object()  # stands for a part of a line that is not JSON


def _parse_int(digits: str) -> int | float:
    """Integers beyond 64 bits become floats, as orjson reads them: it could not write them again."""
    value = float(digits)
    return int(digits) if -(2.0**63) <= value < 2.0**64 else value


_DECODER = json.JSONDecoder(strict=False, parse_int=_parse_int)
_TAIL_ATTEMPTS = 2000  # bounds the time spent on a line that is broken all over


def decode_damaged(body: bytes) -> list[Any]:
    """The JSON values of one line in their order, with ``BROKEN`` standing for a part that is none."""
    text = body.decode("utf-8", "replace")
    values: list[Any] = []
    at = 0
    while at < len(text):
        try:
            value, at = _decode_at(text, at)
        except (ValueError, RecursionError):
            return [*values, BROKEN, *_decode_tail(text, at)]
        values.append(value)
        while at < len(text) and text[at] in " \t\r":
            at += 1
    return values


def _decode_tail(text: str, start: int) -> list[Any]:
    """The whole objects that end a line whose part from ``start`` on is broken.

    An agent that died in the middle of a line leaves half a record, and the next process writes on behind it. Read
    from the right, an object counts only if it ends where the one after it begins, so that nothing nested does.
    """
    values: list[Any] = []
    at = end = len(text)
    for _ in range(_TAIL_ATTEMPTS):
        at = text.rfind('{"', start + 1, at)
        if at < 0:
            break
        try:
            value, stop = _decode_at(text, at)
        except (ValueError, RecursionError):
            stop = -1
        if stop == end:
            values.insert(0, value)
            end = at
    return values


def _decode_at(text: str, at: int) -> tuple[Any, int]:
    value, end = _DECODER.raw_decode(text, at)
    return _without_surrogates(value), end


def _without_surrogates(value: Any) -> Any:
    """Lone surrogates (half an emoji, cut by an agent's truncation) cannot be written as UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value
