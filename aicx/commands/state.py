"""`aicx status`: counters of the corpus, and resetting what makes re-runs free."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import console, options
from aicx.config import load_settings
from aicx.corpus.catalog.overview import LogsReset, forget_watermarks, state_of
from aicx.storage.lock import writer_lock

SCHEMA = "aicx.state/1"

_LABELS = {
    "home": "corpus",
    "chunks": "chunks",
    "sessions": "sessions",
    "messages": "messages",
    "redactions": "secrets redacted",
    "corpus_bytes": "size",
    "ignored_chunks": "hidden by .aicxignore",
    "chunks_without_tool_facts": "without tool facts",
    "first": "first message",
    "last": "last message",
    "logs_read": "logs read",
    "log_bytes_read": "size of logs read",
    "logs_with_bad_records": "logs with bad records",
}


def command(
    agent: options.Agents = None,
    reset: Annotated[
        bool, typer.Option("--reset", help="Read all logs again at the next store; stored chunks stay.")
    ] = False,
    utc: options.Utc = False,
    json: options.Json = False,
) -> None:
    """Show how much is stored, from when to when, and from how many logs.

    Example: aicx status
    Example: aicx status -a claude --json
    Example: aicx status --reset -a codex   then the next `aicx store` reads every Codex log again
    """
    settings = load_settings()
    if reset:
        with writer_lock(settings.layout.locks, settings.lock_wait_seconds, console.notify):
            count = forget_watermarks(settings.layout, tuple(agent or ()))
        if json:
            console.out_answer(SCHEMA, LogsReset(count))
        else:
            console.notify(f"{console.plural(count, 'log')} will be read again by the next `aicx store`.")
        return
    state = state_of(settings.layout, tuple(agent or ()))
    if json:
        console.out_answer(SCHEMA, state)
        return
    for name, label in _LABELS.items():
        value = getattr(state, name)
        if name in ("first", "last") and value:
            value = console.when(value)
        text = console.size(value) if "_bytes" in name else "none" if value is None else value
        console.out(f"{label:>22}  {text if not isinstance(text, int) else f'{text:,}'}")
    if state.first:
        console.say_zone()
    if state.fallback_reason:
        console.warn(state.fallback_reason)
    for note in state.notes:
        console.notify(note)
