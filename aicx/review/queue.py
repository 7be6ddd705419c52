"""The queue of a repository: every record that a person has not decided about, and what became of the others.

It is the one of the page Memory: whatever is decided there or here is an event of the same log.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from aicx.memory.assess import Assessment
from aicx.memory.reading import Memory
from aicx.review.states import OPEN, Candidate, State, candidate_of
from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class Queue:
    """``candidates`` are those in the states that were asked for, ``counts`` those in each state."""

    candidates: tuple[Candidate, ...]
    counts: dict[str, int]


def read_queue(memory: Memory, states: Collection[State] = OPEN) -> Queue:
    """The records of the memory's scope in these states, what a person can finish first."""
    every = [candidate_of(found, memory.decisions.get(found.record.id)) for found in memory.assessed()]
    wanted = sorted((one for one in every if one.state in states), key=_place)
    return Queue(tuple(wanted), dict(sorted(Counter(one.state for one in every).items())))


def waits(found: Assessment) -> tuple[bool, int, float, str]:
    """What a person said before what a subagent said, what was said often before what was said once."""
    record = found.record
    return record.source.lane == "subagent", -record.sightings, -record.created_at.timestamp(), record.id


def waiting(memory: Memory, assessed: Iterable[Assessment]) -> list[Candidate]:
    """The candidates among ``assessed`` that nobody has decided about, in their order."""
    found = [one for one in assessed if one.status == "candidate"]
    every = [candidate_of(one, memory.decisions.get(one.record.id)) for one in sorted(found, key=waits)]
    return [one for one in every if one.state != "manual-applied"]


def _place(one: Candidate) -> tuple[int, tuple[bool, int, float, str]]:
    return OPEN.index(one.state) if one.state in OPEN else len(OPEN), waits(one.found)
