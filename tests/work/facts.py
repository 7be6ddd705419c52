"""Facts of invented sessions, with only what a test says of them."""

from __future__ import annotations

from typing import Any

from aicx.work.session_facts import Failure, Ran, Said, SessionFacts

_SINGLE: dict[str, Any] = {
    "agent": "claude", "session_id": "a", "project": "ada/shop", "folder": "/home/ada/shop", "branch": "main",
    "lane": "primary", "automated": False, "title": None, "started_at": "2026-03-01T10:00:00Z",
    "ended_at": "2026-03-01T11:00:00Z", "goal": None, "asked": None, "turned_to": None, "unanswered": None,
    "progress": None, "reported": None, "finalized": False,
    "state": "completed", "state_reason": "said_done",
}  # fmt: skip


def facts(session: str = "a", **known: Any) -> SessionFacts:
    lists: dict[str, Any] = dict.fromkeys(SessionFacts.__slots__, ())
    return SessionFacts(**{**lists, **_SINGLE, "session_id": session, **known})


def said(text: str) -> Said:
    return Said(text, "2026-03-01T10:30:00Z", ("chunk:claude:a:001",))


def ran(command: str, passed: bool | None = True) -> Ran:
    return Ran(command, passed, "2026-03-01T10:40:00Z", "chunk:claude:a:001")


def failure(fingerprint: str = "f", **known: Any) -> Failure:
    fields: dict[str, Any] = {
        "fingerprint": fingerprint, "family": "generic", "toolchain": "bash", "phase": "test", "message": "it broke",
        "code": None, "file": None, "line": None, "test": None, "command": "make", "exit_code": 1,
        "first_at": "2026-03-01T10:10:00Z", "last_at": "2026-03-01T10:10:00Z", "ref": "chunk:claude:a:001",
    }  # fmt: skip
    return Failure(**{**fields, **known})
