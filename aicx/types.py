"""The values that move between modules: plain, frozen, and free of behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from aicx.values import dataclass

Role = Literal["user", "assistant", "reasoning", "tool", "system", "artifact"]

# Who really wrote a text, which the role alone does not say: agents put their own scaffolding, their summaries
# and their tools' output into "user" records.
# `program` is a prompt that a program gave (`claude -p`, `codex exec`, a hook), `pasted` one that is nothing but what a
# terminal or an agent had printed.
Origin = Literal["typed", "program", "pasted", "agent", "tool", "injected", "compaction", "artifact"]
# What opens a turn: the model was asked something.
PROMPTS: frozenset[Origin] = frozenset(("typed", "program", "pasted"))
# How the line begins that Claude Code writes where a person stopped the agent.
INTERRUPTED = "[Request interrupted by user"

# Who speaks in a text: one who answers, the same thinking aloud, one who asks, or a tool that prints.
Voice = Literal["said", "thought", "asked", "tool"]

# What exports call the sorts of messages, by the role that has each.
Frame = Literal["user_msg", "agent_reply", "internal_thought", "tool_call"]
FRAMES: Mapping[str, Frame] = {
    "user": "user_msg",
    "assistant": "agent_reply",
    "reasoning": "internal_thought",
    "tool": "tool_call",
}

Lane = Literal["primary", "subagent"]

# How history is searched; auto takes what there is for it.
Mode = Literal["auto", "lexical", "dense", "hybrid", "scan"]

Kind = Literal["conversations", "plans", "reports", "other"]
KINDS: tuple[Kind, ...] = ("conversations", "plans", "reports", "other")


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that could not be read, or not in full."""

    path: Annotated[str, "of the file"]
    reason: Annotated[str, "why"]


@dataclass(frozen=True, slots=True)
class AgentHomes:
    """The folders the agents keep their logs in; ``runs`` is where `aicx run` keeps what programs printed."""

    claude: Path
    codex: Path
    gemini: Path
    runs: Path | None = None
    opencode: Path | None = None
    opencode_database: Path | None = None  # where it is not in that folder
    copilot: Path | None = None
    pi: Path | None = None
    cursor: Path | None = None
    cursor_user: Path | None = None  # where the editor keeps its data
    user: Path | None = None  # the home folder of the person, for sources of other packages


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text with its secrets replaced, and how often each rule fired.

    ``plain`` where it is known that the text holds nothing a terminal would obey.
    """

    text: str
    counts: dict[str, int] = field(default_factory=dict)
    plain: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Part:
    """One text inside a document. ``weight`` says how much it counts: below 1 for what tools printed.

    ``field`` groups texts of one nature for rankers that weigh fields on their own.
    """

    text: str
    weight: float = 1.0
    field: str = "said"


@dataclass(frozen=True, slots=True)
class Document:
    """A document for an indexer: opaque texts under an id, with columns to filter on.

    ``version`` changes whenever anything else does. ``header`` is context that belongs in front of every passage of
    the document and is not part of its text.
    """

    id: str
    version: str
    header: str
    parts: tuple[Part, ...]
    columns: Mapping[str, str | int | None]


class Candidate(NamedTuple):
    """A ranker's vote for a document: its score on the ranker's own scale, and the passage that earned it."""

    id: str
    score: float
    passage: int = 0
