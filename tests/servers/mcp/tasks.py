"""Ten tasks of an agent's day, each with the tool that is right for it and a call of it on the small corpus."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.corpus.builders import SESSION


class Task(NamedTuple):
    words: str
    tool: str
    arguments: dict[str, Any]


TASKS = (
    Task(
        "This error message came up before; find what past sessions said about the lexer dropping the last token.",
        "aicx_search",
        {"query": "lexer drops the last token"},
    ),
    Task(
        "Find the decision about comparing with <= that an earlier session made, and its reasons.",
        "aicx_search",
        {"query": "decided to compare with <="},
    ),
    Task(
        "List the chunks that touched the file lexer.py on that date.",
        "aicx_steer",
        {"filters": {"file": "lexer.py", "date": "2026-03-01"}},
    ),
    Task("Which sessions were worked on lately, by title?", "aicx_sessions", {"limit": 5}),
    Task("Which projects have history on this machine?", "aicx_sessions", {"by": "project"}),
    Task(
        "Catch up on the project orbit: its recent decisions and results, without a particular question.",
        "aicx_rank",
        {"project": "orbit", "hours": 0},
    ),
    Task(
        "I start a new session in this repository: what failed, what is open, and where do I go on?",
        "aicx_resume",
        {"project": ["ada/orbit"], "task": "mend the lexer"},
    ),
    Task(
        "Why is this line of src/lexer.py as it is? Explain which session made the commit before I undo it.",
        "aicx_why",
        {"target": "src/lexer.py", "repo": "/"},
    ),
    Task(
        "Is there a rule that people agreed to about exports in this repository?",
        "aicx_memory",
        {"query": "exports", "repo": "/"},
    ),
    Task(
        "The excerpt is not enough: open the whole chunk that the other tool named.",
        "aicx_read",
        {"ref": f"{SESSION[:8]}:001"},
    ),
)
