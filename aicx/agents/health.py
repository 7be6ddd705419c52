"""The checks of `doctor` on what `init` wrote, and on the hooks that are called since. Only looks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from aicx.agents import background, records, wishes
from aicx.agents.table import AGENTS, SERVERS
from aicx.config import Settings
from aicx.corpus.catalog.watermarks import fingerprints
from aicx.corpus.doctor.inputs import STORE, Check, catalog_copy, counted, discover_logs
from aicx.sources.door import fingerprint_of
from aicx.storage import read_note

_SILENT = timedelta(days=1)
# A log that grew within this time may be of a session whose next hook is still to come.
_AT_WORK = timedelta(hours=1)
# As it was once written where the script was not beside the interpreter.
_START = re.compile(rb"""(-P[\s"',]+)?-m[\s"',]+aicx\b""")


def examine(settings: Settings, now: datetime) -> list[Check]:
    """The checks, none where `init` wrote nothing."""
    return [*_entries(settings), *_hooks(settings, now)]


def runs_current_folder(text: bytes) -> bool:
    """Whether settings start aicx as `python -m aicx`, which imports from the current folder first."""
    return any(not found[1] for found in _START.finditer(text))


def _entries(settings: Settings) -> Iterator[Check]:
    known = [record for _, record in records.everywhere(settings.layout)]
    shared = records.load(settings.layout, records.SHARED)
    files = {Path(put.file): "aicx init" for record in [*known, *([shared] if shared else [])] for put in record.files}
    for name, servers in SERVERS.items():
        files[servers.file(settings)] = f"aicx init --mcp {name}"
    found = {}
    for path, remedy in files.items():
        with suppress(OSError):
            if runs_current_folder(read_note(path)):
                found[str(path)] = remedy
    if found:
        detail = counted("file", list(found), "start `python -m aicx`, which runs an aicx.py of the folder one is in")
        yield Check("entries", "warning", detail, " and ".join(dict.fromkeys(found.values())))
    elif known:
        yield Check("entries", "green", "hooks and servers start aicx and nothing of the folder one is in")


def _hooks(settings: Settings, now: datetime) -> Iterator[Check]:
    layout = settings.layout
    agents = {
        name
        for _, record in records.everywhere(layout)
        for name in record.agents
        if name in AGENTS and AGENTS[name].events
    }
    if not agents:
        return
    apart = wishes.set_apart(layout)
    if apart:
        detail = counted("wish", [path.name for path in apart], "for notes, tried in vain and set apart")
        save = "`aicx task note save` makes the note; then delete the file: only the wish is lost"
        recommendation = f"agents/hooks.log says why; {save}"
        yield Check("hooks", "warning", detail, recommendation)
        return
    last = _last_stored(settings)
    missed = _missed(settings, agents, last, now) if last is not None and last < now - _SILENT else []
    if missed:
        detail = f"no hook has stored anything since {last:%Y-%m-%d}, and {counted('log', missed, 'grew meanwhile')}"
        yield Check("hooks", "warning", detail, f"{STORE}; agents/hooks.log and aicx doctor --repo . say what is wrong")
    else:
        yield Check("hooks", "green", f"hooks of {', '.join(sorted(agents))} are set up")


def _last_stored(settings: Settings) -> datetime | None:
    """When a hook last stored; when the first hook was set up, where none has yet."""
    marks = [background.last_stored(settings.layout), *sorted((settings.layout.agents / "folders").glob("*.json"))]
    for mark in marks:
        with suppress(OSError):
            return datetime.fromtimestamp(mark.stat().st_mtime, UTC)
    return None


def _missed(settings: Settings, agents: set[str], last: datetime, now: datetime) -> list[str]:
    """The logs of these agents that grew since, but not just now, and are not stored as they are."""
    with catalog_copy(settings.layout) as (catalog, _):
        known = fingerprints(catalog) if catalog else {}
    found = []
    for log in discover_logs(settings.homes)[0]:
        if log.agent in agents and fingerprint_of(known, log) != log.fingerprint:
            with suppress(OSError):
                if last < datetime.fromtimestamp(log.path.stat().st_mtime, UTC) < now - _AT_WORK:
                    found.append(str(log.path))
    return found
