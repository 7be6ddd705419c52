"""Names from outside as they may be stored: redacted, and still another one for every other name."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from aicx.types import Redacted
from aicx.values import regex

Redact = Callable[[str], Redacted]
_UNSAFE = regex(r"[\[\]:]+")


def clean_id(text: str, redact: Redact) -> str:
    """``text`` redacted, and still another one for every other text: with a piece of its hash where it held a secret.

    For what has to stay distinct: two sessions must not become one because each has a token for its id.
    """
    found = redact(text)
    if not found.counts:
        return text
    return f"{found.text}-{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def clean_project(project: str, redact: Redact) -> str:
    """``org/repo`` redacted, and still a name for folders and another one for every other project."""
    return "/".join(_UNSAFE.sub("-", clean_id(part, redact)).strip("-") for part in project.split("/"))
