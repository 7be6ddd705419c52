"""The rules by which one session proposes memories."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from aicx.memory.candidates.commands import commands
from aicx.memory.candidates.concluded import concluded
from aicx.memory.candidates.session import Session
from aicx.memory.candidates.stated import stated
from aicx.memory.proposals import Proposal

RULES: tuple[Callable[[Session], Iterator[Proposal]], ...] = (stated, commands, concluded)


def propose(session: Session) -> Iterator[Proposal]:
    """What one session proposes, by every rule."""
    for rule in RULES:
        yield from rule(session)
