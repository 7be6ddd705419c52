"""A session as a conversation: what was asked, what came of it, and what failed on the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aicx.evidence import Step
from aicx.evidence.calls import answered_calls
from aicx.evidence.runs import followed, open_failures, runs_of
from aicx.evidence.statements import weigh
from aicx.evidence.texts import without_directives
from aicx.types import PROMPTS, Role
from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    """A prompt and what came of it. ``prompt`` is None for what an agent did unasked, such as at a session's start.

    ``outcome`` is the agent's last message before the next prompt, or a document of a session of which nothing else is
    stored, ``failures`` the commands that failed and that nothing fixed by then, each with what its output says of it.
    ``calls`` counts calls of tools.
    """

    prompt: Step | None
    outcome: Step | None
    failures: tuple[str, ...]
    calls: int


def conversation(steps: Sequence[Step]) -> list[ConversationTurn]:
    """The turns of a session from its messages, in order; those in which nothing came of a command are left out."""
    turns = [ConversationTurn(prompt, outcome, *_worked(group)) for prompt, outcome, group in exchanges(steps)]
    return [turn for turn in turns if turn.outcome or turn.failures or (turn.prompt and weigh(turn.prompt.text).level)]


def exchanges(steps: Sequence[Step]) -> Iterator[tuple[Step | None, Step | None, Sequence[Step]]]:
    """The prompt of each turn of a session, its outcome, and all of its messages."""
    groups: list[list[Step]] = [[]]
    # Of some sessions nothing is left but what the agent wrote: then each of its documents came of something.
    said = any(step.role == "assistant" or _is_prompt(step) for step in steps)
    outcome: Role = "assistant" if said else "artifact"
    for step in steps:
        if _is_prompt(step) or step.role == outcome == "artifact":
            groups.append([])
        groups[-1].append(step)
    for group in filter(None, groups):
        last = next((step for step in reversed(group) if step.role == outcome and step.text.strip()), None)
        yield _said(group[0]) if _is_prompt(group[0]) else None, _said(last) if last else None, group


def _worked(steps: Sequence[Step]) -> tuple[tuple[str, ...], int]:
    """The commands that failed in a turn and that nothing fixed, and how many calls it made."""
    calls = answered_calls(steps)
    failures = reversed(open_failures(runs_of(followed(calls))))
    return tuple(f"{run.line}: {run.telling}" if run.telling else run.line for run in failures), len(calls)


def _is_prompt(step: Step) -> bool:
    return step.role == "user" and step.origin in PROMPTS and bool(step.text.strip())


def _said(step: Step) -> Step:
    return step._replace(text=without_directives(step.text).strip())
