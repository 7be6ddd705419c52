"""Recalled text as a quotation with its origin, which nothing inside it can end."""

from __future__ import annotations

import re

from aicx.quoting import fenced
from aicx.terminal import invisible

_UNPLAIN = re.compile(r"[^\w.:/@~+*,#-]+")
_MAX_LABEL_LENGTH = 120
# What steers a terminal, hides, or turns the direction of writing is taken out; other ends of lines become plain ones.
_TABLE: dict[int, str | None] = invisible() | dict.fromkeys((*range(0x20), *range(0x7F, 0xA0)))
_TABLE |= dict.fromkeys((0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029), "\n") | {0x09: "\t", 0x0A: "\n"}


def quoted(text: str, **labels: object) -> str:
    """``text`` between two fences, the first with the labels on it: session, date, agent and what else is known.

    The fences are longer than any inside, so the text cannot close them.
    """
    said = "".join(f" {name}={label(value)}" for name, value in labels.items() if value is not None)
    return fenced(readable(text).strip("\n"), said)


def readable(text: str) -> str:
    """``text`` without what only machines see, its lines ended as everywhere."""
    ended = text.replace("\r\n", "\n")
    plain = ended.translate(_TABLE)
    if plain == ended:
        return plain
    from aicx.redaction import redact  # imported here: its rules take a while to compile

    # What stood on both sides of a sign is now one word.
    return redact(plain).text


def label(value: object) -> str:
    """A name from a log as one word: it stands outside the quotation and may hold anything."""
    return _UNPLAIN.sub("_", str(value).translate(invisible()))[:_MAX_LABEL_LENGTH] or "_"


def line(text: str) -> str:
    """``text`` on one line, for lists inside a quotation."""
    return " ".join(readable(text).split())
