"""Small invented sessions for the rules for candidates."""

from __future__ import annotations

from aicx.evidence import Step
from aicx.memory.candidates.rules import propose
from aicx.memory.candidates.session import ReadSession
from aicx.memory.proposals import Proposal
from aicx.types import Lane
from tests.evidence.stories import Story


def session(story: Story, lane: Lane = "primary", number: int = 1, repository: str = "ada/orbit") -> ReadSession:
    return ReadSession("claude", f"s{number}", repository, lane, story.steps)


def proposed(story: Story, lane: Lane = "primary") -> list[Proposal]:
    return list(propose(session(story, lane)))


def statements(story: Story) -> list[tuple[str, str]]:
    """What a session proposes, as (kind, statement); checks that work are left out: every passing check is one."""
    return [(one.kind, one.statement) for one in proposed(story) if one.reason != "passed_after_failure"]


def answered(question: str, answer: str) -> Story:
    story = Story()
    text = f'User has answered your questions: "{question}"="{answer}". You can now continue.'
    story.steps.append(
        Step("claude:s:001", Story().asks("x").steps[0].at, "tool", "tool", text, "AskUserQuestion", "result")
    )
    return story
