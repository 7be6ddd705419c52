"""`aicx.session_summary/1`: what a session, or one of its windows, came to."""

from __future__ import annotations

from typing import Annotated

from aicx.api.answers.session_windows import WindowAnswer
from aicx.values import dataclass

SCHEMA = "aicx.session_summary/1"


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """A line of a summary."""

    text: Annotated[str, "the statement"]
    at: Annotated[str, "when it was said or done; empty where nothing tells"]
    refs: Annotated[list[str], "references that prove it"]


@dataclass(frozen=True, slots=True)
class CountedAnswer:
    """A file, a tag or a tool, and how often it came up."""

    name: Annotated[str, "what is counted"]
    times: Annotated[int, "how often it came up"]
    refs: Annotated[list[str], "references to where it came up"]


@dataclass(frozen=True, slots=True)
class SummaryParts:
    """What a session or a window came to, worked out by rules."""

    goal: Annotated[
        SummaryLine | None,
        "what it was for: what was asked first, its title where that says more, and what it turned to",
    ]
    asked: Annotated[SummaryLine | None, "the last one, where it is another"]
    accomplished: Annotated[list[SummaryLine], "pull requests, commits, what was reported, tests that passed"]
    decisions: Annotated[list[SummaryLine], "what was decided"]
    failed: Annotated[list[SummaryLine], "commands that still fail, and what was tried without success"]
    gotchas: Annotated[list[SummaryLine], "limits that came up, and failures that took several tries"]
    preferences: Annotated[list[SummaryLine], "what the person wants in general"]
    next: Annotated[list[SummaryLine], "what was left to be done"]
    questions: Annotated[list[SummaryLine], "what was asked and not answered"]
    key_files: Annotated[list[CountedAnswer], "files that were changed, the most often changed first"]
    tags: Annotated[list[CountedAnswer], "languages, parts of the repository, tools that found mistakes"]
    tools: Annotated[list[CountedAnswer], "tools that were called, the most often called first"]


@dataclass(frozen=True, slots=True)
class SessionSummaryAnswer:
    """A summary of a session or of one of its windows, or the prompt of a new session."""

    status: Annotated[
        str, "`summarized` (made now), `exists` (made before, of the same text) or `seeded` (a prompt was made)"
    ]
    session: Annotated[str, "its reference"]
    title: str | None
    window: Annotated[WindowAnswer | None, "the window that was summed up; null for the whole session"]
    windows: Annotated[list[WindowAnswer], "all windows of the session"]
    summary: Annotated[SummaryParts | None, "null for a seed"]
    claims: Annotated[list[SummaryLine], "of the configured summarizer, each with the evidence that it names"]
    summary_by: Annotated[str, "`rules` or `summarizer`"]
    summary_note: Annotated[str | None, "what became of asking the summarizer"]
    seed_prompt: Annotated[str | None, "what a new session begins with; null for a summary"]
    seed_windows: Annotated[list[str], "references of the windows in it, the latest first"]
    omitted: Annotated[int, "how many lines had no room in the prompt"]
    notes: list[str]
