"""The turns of a session: each from a person's message to their next one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from aicx.evidence.transcript import Step
from aicx.refs import Ref
from aicx.sessions.answers import Turn
from aicx.text import instant, shorten

MAX_TURNS = 500
_LENGTH = 300  # characters of a message
_MAX_FILES = 20


def turns_of(steps: Sequence[Step]) -> list[Turn]:
    """The last turns of a session."""
    parts = list(_parts(steps))
    first = max(0, len(parts) - MAX_TURNS)
    return [_turn(number, part) for number, part in enumerate(parts[first:], first)]


def _parts(steps: Sequence[Step]) -> Iterator[Sequence[Step]]:
    begins = [number for number, step in enumerate(steps) if step.role == "user" and step.tool is None]
    for start, end in zip([0, *begins], [*begins, len(steps)], strict=True):
        if start < end:
            yield steps[start:end]


def _turn(index: int, part: Sequence[Step]) -> Turn:
    def said(role: str) -> Iterator[str]:
        return (step.text for step in part if step.role == role and step.tool is None and step.text.strip())

    prompt, answer = next(said("user"), None), next(iter(list(said("assistant"))[-1:]), None)
    calls = [step for step in part if step.phase == "call"]
    files = dict.fromkeys(path for step in calls for path in step.files)
    return Turn(
        index=index,
        at=instant(part[0].at),
        ended_at=instant(part[-1].at),
        prompt=None if prompt is None else shorten(prompt, _LENGTH),
        answer=None if answer is None else shorten(answer, _LENGTH),
        messages=len(part),
        tool_calls=dict(Counter(step.tool for step in calls if step.tool)),
        files=list(files)[:_MAX_FILES],
        failed=sum(step.failed for step in part),
        chunk=str(Ref("chunk", part[0].chunk)),
    )
