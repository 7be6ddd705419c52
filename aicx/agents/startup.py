"""What a session is told at its start: the banner, once, and the brief as `aicx resume` gives it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from aicx.config import Settings

# Beyond 10,000 characters Claude Code puts context into a file, and beyond 10,000 bytes Codex cuts out its middle.
MAX_BYTES = 9_500
_BUDGETS = (2000, 1500, 1000, 500)  # tokens


def startup_text(
    settings: Settings, agent: str, folder: Path, now: datetime, *, session: str | None = None, compacted: bool = False
) -> str:
    """The context of a session that begins in ``folder``, of at most MAX_BYTES; nothing if it knows it already.

    ``session`` is its own id, of which nothing is quoted. One that was ``compacted`` has lost its brief, and gets it
    again without the banner. That it began is recorded with its contract. Everything from logs and git is between
    fences. Raises UsageError for a folder that cannot be read.
    """
    from aicx.lifecycle.identity import Asker
    from aicx.lifecycle.prepare import prepare
    from aicx.resume.brief.markdown import fenced
    from aicx.resume.brief.output import markdown_brief

    found = prepare(settings, folder, Asker(agent, session), now, derive=False, source="hook")
    if found.already_shown and not compacted:
        return ""
    header, _, quoted = found.banner.partition("\n")
    said = [] if found.already_shown else quoted.splitlines()
    if found.previous is not None:
        said.append(f"How the last session kept to its contract: {found.previous.compliance.compact_summary}")
    lines = [*([] if found.already_shown else [header]), *([fenced("\n".join(said))] if said else [])]
    text = ""
    for budget in _BUDGETS:
        brief = markdown_brief(settings, found.report, budget).text.decode("utf-8", "replace")
        text = "\n\n".join([*lines, brief])
        if len(text.encode()) <= MAX_BYTES:
            break
    return text
