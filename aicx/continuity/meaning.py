"""Which requests say something by themselves, which texts are about one worktree alone, and ideas and prerequisites."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from aicx.evidence.patterns import note_rules
from aicx.evidence.statements import is_announcement
from aicx.evidence.texts import sentences
from aicx.evidence.transcript import Step
from aicx.types import PROMPTS

_MIN_LENGTH, _MAX_LENGTH = 10, 400  # characters of a sentence worth keeping
_LONGEST = 20_000  # characters of one message that are read
_LAST_SIGNS = " \t\n.!?,;:…\u3002\uff01\uff1f\uff0c\uff1b"
_SPLIT = re.compile("(?<=[\u3002\uff01\uff1f\uff1b])")


class Idea(NamedTuple):
    """A sentence of a session, what it is about, and when it was said."""

    kind: Literal["untried", "environment"]
    text: str
    at: datetime


def is_vague(text: str) -> bool:
    """Whether a text is nothing but an order to go on, to check again or to have a look."""
    plain = " ".join(text.split()).strip(_LAST_SIGNS + "¿¡")
    return not plain or note_rules().vague.fullmatch(plain) is not None


def is_local(text: str) -> bool:
    """Whether a text is about one worktree: it names files from its root, or the worktree or its branch."""
    return note_rules().local.search(text) is not None


def is_noise(text: str) -> bool:
    """Whether a text is from a prompt to a reviewer or a subagent."""
    return note_rules().noise.search(text) is not None


def ideas_in(steps: Sequence[Step]) -> tuple[list[Idea], int]:
    """What was named and not tried, and what has to be there first, the latest first; and how much noise was passed."""
    found: dict[str, Idea] = {}
    noise = 0
    for step in reversed(steps):
        said = step.role == "assistant" or (step.role == "user" and step.origin in PROMPTS)
        if not said or not _worth_a_look(step.text):
            continue
        if is_noise(step.text[:_LONGEST]):
            noise += 1
            continue
        for text in reversed(list(_sentences(step.text[:_LONGEST]))):
            if (kind := _kind(text)) is not None:
                found.setdefault(text, Idea(kind, text, step.at))
    return list(found.values()), noise


def _worth_a_look(text: str) -> bool:
    rules = note_rules()
    return bool(rules.untried.search(text, 0, _LONGEST) or rules.environment.search(text, 0, _LONGEST))


def _sentences(text: str) -> Iterator[str]:
    """Sentences, also those of languages that put no space between them."""
    for said in sentences(text):
        yield from (part.strip() for part in _SPLIT.split(said.text) if part.strip())


def _kind(text: str) -> Literal["untried", "environment"] | None:
    # A sign of Chinese says as much as a short word.
    length = len(text) + sum(ord(sign) > 0x2E7F for sign in text)
    if not _MIN_LENGTH <= length <= _MAX_LENGTH or is_announcement(text) or is_vague(text):
        return None
    rules = note_rules()
    if rules.untried.search(text):
        return "untried"
    asked = text.endswith(("?", "\uff1f"))
    needed = not asked and rules.environment.search(text) and not rules.not_environment.search(text)
    return "environment" if needed else None
