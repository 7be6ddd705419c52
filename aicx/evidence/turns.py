"""The turns of a session, and the words with which its agent ended one: what it says while it works is no report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from aicx.evidence.calls import is_edit
from aicx.evidence.patterns import command_rules
from aicx.evidence.statements import is_announcement, telling
from aicx.evidence.texts import sentences, without_lessons
from aicx.evidence.transcript import Step
from aicx.shell import simple_commands
from aicx.types import PROMPTS

# Fewer signs report nothing.
_LEAST = 12
# Calls that keep an agent's own list of steps: they may follow its last words.
_KEEPS_PLAN = re.compile(r"(?:Todo\w*|Task(?:Create|Update|List)|update_plan|write_todos)")


class TurnEnd(NamedTuple):
    """The agent's last words of a turn, and whether it changed something before: a file, the history, a request."""

    words: Step
    worked: bool


def turns_of(steps: Sequence[Step]) -> list[TurnEnd]:
    """The turns that the agent of a session ended with words of its own, in order."""
    found: list[TurnEnd] = []
    words: Step | None = None
    worked = False
    for step in steps:
        if step.role == "user":
            if words is not None:
                found.append(TurnEnd(words, worked))
            words, worked = None, worked and step.origin not in PROMPTS
        elif step.role == "assistant":
            words = step if _says_something(step) else words
        elif step.phase == "call" and not _KEEPS_PLAN.fullmatch(step.tool or ""):
            words = None
            worked = worked or _changes(step)
    if words is not None and not _goes_on(words):
        found.append(TurnEnd(words, worked))
    return found


def _says_something(step: Step) -> bool:
    return len(without_lessons(step.text).strip()) >= _LEAST


def _changes(call: Step) -> bool:
    return is_edit(call) or any(command_rules().change.match(part.text) for part in simple_commands(call.command))


def _goes_on(step: Step) -> bool:
    """Whether a message ends with what the agent does next: the log stops in the middle of a turn."""
    said = [sentence.text for sentence in sentences(telling(step.text))]
    return bool(said) and is_announcement(said[-1])
