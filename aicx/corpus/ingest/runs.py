"""Runs beyond one reading of a log: of what is stored already, and of the session that started a subagent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aicx.corpus.catalog.database import Catalog
from aicx.corpus.files.read import load_markdown, load_sidecar
from aicx.corpus.ingest.frontmatter import next_run, split_frontmatter
from aicx.corpus.ingest.segments import is_prompt
from aicx.errors import CorpusDamaged, NotFound
from aicx.paths import Layout

# What names a run and where in it one is; the first two tell whether there is any.
_RUN = ("run_id", "prompt_id", "workflow_phase", "mode", "skill_code")
# What steers from one chunk of a session to the next, as sidecars name it.
_CARRIED = (
    *("run_id", "prompt_id", "run_from", "status", "stated_started_at", "stated_completed_at", "stated_agent"),
    *("workflow_phase", "mode", "skill_code", "framework_version", "token_usage", "findings_count"),
)


def run_of_caller(catalog: Catalog, agent: str, caller: str, at: str) -> dict[str, Any]:
    """The run of a session that the session ``caller`` started at an instant; empty where there is none."""
    found = _run_of(catalog, agent, caller, at)
    return found | {"run_from": caller} if found else {}


def run_after(layout: Layout, path: str) -> dict[str, Any]:
    """Reads the state that steers after a stored chunk. Empty where it cannot be read, which `doctor` names."""
    try:
        return run_behind(layout, path, load_sidecar(layout, path).fields)
    except (NotFound, CorpusDamaged):
        return {}


def run_behind(layout: Layout, path: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    run = {name: fields[name] for name in _CARRIED if name in fields}
    # An earlier version read no block but a stretch's first one, and left the others in the text.
    markdown = load_markdown(layout, path)
    for message in fields.get("messages") or ():
        if is_prompt(message["role"], message["origin"]) and not message.get("repeated"):
            block = split_frontmatter(markdown[slice(*message["span"])].decode("utf-8", "replace"))[0]
            run = next_run(run, {name: value for name, value in block.items() if name in _CARRIED})
    return run


def _run_of(catalog: Catalog, agent: str, session_id: str, at: str) -> dict[str, str]:
    """Returns the names of the run that a session was in at an instant; empty where it was in none.

    Before the session's first chunk, what that one says: the clock of what it started may be behind its own.
    """
    row = catalog.connection.execute(
        f"SELECT {', '.join(_RUN)} FROM chunks WHERE agent=? AND session_id=? AND stream=''"
        " ORDER BY started_at<=?3 DESC, CASE WHEN started_at<=?3 THEN -number ELSE number END LIMIT 1",
        (agent, session_id, at),
    ).fetchone()
    if row is None or not (row[0] or row[1]):
        return {}
    return {name: value for name, value in zip(_RUN, row, strict=True) if value}
