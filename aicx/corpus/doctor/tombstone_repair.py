"""Sets bad lines of the tombstones apart, and keeps out whatever they may have named.

What a bad line said can be gone for good. What it kept out cannot be: it is what the logs hold, what was read before
and is not stored. Each such message is entombed by its key, so that only what was written later can be stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import orjson

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.chunks import messages_with_keys, prompts_of, stored_chunks
from aicx.corpus.files.read import load_sidecar, walk_chunks
from aicx.corpus.files.tombstones import parse_tombstones
from aicx.corpus.forget.blanking import FORGOTTEN_TEXT_KEY
from aicx.corpus.ingest.dedup import covered_by_log, separate_copies
from aicx.corpus.ingest.drafts import MessageDraft
from aicx.corpus.ingest.reading import make_plan, read_logs
from aicx.corpus.ingest.session_chunks import SessionScope
from aicx.errors import CorpusDamaged, NotFound
from aicx.paths import Layout
from aicx.redaction import redactor
from aicx.sources import every_agent, is_agent
from aicx.storage import replace_file

_NAMED = re.compile(rb'"(agent|session|project)"\s*:\s*("(?:[^"\\]|\\.)+")')
_KEY = re.compile(rb'"([0-9a-f]{16})"')


def mend_tombstones(settings: Settings, catalog: Catalog) -> list[str]:
    """Mends ``forgotten.jsonl`` under the writer's lock; returns what was done, a line each. Idempotent.

    The bad lines are durable in ``set-apart/`` before they leave their file, which is replaced whole.
    """
    layout = settings.layout
    rows, bad = parse_tombstones(layout.tombstones)
    if not bad:
        return []
    before = layout.tombstones.stat().st_mtime
    known = {key for row in rows for key in row.get("messages", ())}
    kept_out = sorted({*_blanked(layout), *_unstored(settings, catalog, before)} - known)
    rows += [row for _, body, _ in bad for row in _named_in(body, catalog) if row not in rows]
    if kept_out:
        rows.append({"messages": kept_out})
    _put_aside(layout, [body for _, body, _ in bad])
    replace_file(layout.tombstones, b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))
    numbers = ", ".join(str(number) for number, _, _ in bad)
    where = f"set line {numbers} of {layout.tombstones.name} apart in {layout.bad_tombstones}"
    return [f"{where}; {len(kept_out)} messages that were read before and are not stored stay forgotten"]


def _put_aside(layout: Layout, bad: Iterable[bytes]) -> None:
    path = layout.bad_tombstones
    there = path.read_bytes().split(b"\n") if path.exists() else []
    lines = [line for line in there if line] + [line for line in bad if line not in there]
    replace_file(path, b"".join(line + b"\n" for line in lines))


def _named_in(line: bytes, catalog: Catalog) -> Iterator[dict[str, Any]]:
    """Reads the fields that are left of a bad line. Never what is stored now: that was not forgotten."""
    said = {}
    for name, value in _NAMED.findall(line):
        try:
            said[name.decode()] = orjson.loads(value)
        except orjson.JSONDecodeError:
            continue
    if "session" in said:
        agents = [said["agent"]] if is_agent(str(said.get("agent"))) else list(every_agent())
        stored = catalog.rows("SELECT agent FROM chunks WHERE session_id=?", (said["session"],))
        taken = {row["agent"] for row in stored}
        yield from ({"agent": agent, "session": said["session"]} for agent in agents if agent not in taken)
    elif "project" in said:
        name = said["project"]
        if not catalog.rows("SELECT 1 FROM chunks WHERE project=? OR cwd=? LIMIT 1", (name, name)):
            yield {"project": name}
    keys = [key.decode() for key in _KEY.findall(line)]
    stored_keys = {found.key for found in messages_with_keys(catalog, keys)} if keys else set()
    if left := sorted(set(keys) - stored_keys):
        yield {"messages": left}


def _blanked(layout: Layout) -> Iterator[str]:
    """The messages that stored chunks have as forgotten."""
    for path in walk_chunks(layout):
        try:
            fields = load_sidecar(layout, path).fields
        except (CorpusDamaged, NotFound):
            continue  # `doctor` names it
        for message in fields.get("messages") or ():
            if message.get("text_key") == FORGOTTEN_TEXT_KEY:
                yield message["key"]


def _unstored(settings: Settings, catalog: Catalog, before: float) -> Iterator[str]:
    """The messages of all logs that had been read and are not stored.

    Where the catalogue was made anew and does not say how far logs were read, all until ``before`` (Unix time) count.
    """
    found = catalog.rows("SELECT path, size, fingerprint FROM sources")
    read = {row["path"]: row for row in found}  # how far: all of a log while its fingerprint is the same
    until = None if read else datetime.fromtimestamp(before, UTC)
    plan = make_plan(settings.homes, every_agent(), catalog, redactor(settings.redact_secrets), full_rescan=True)
    now = {str(log.path): log.fingerprint for session in plan.sessions for log, _ in session.logs}
    now |= {str(log.path): log.fingerprint for log in plan.shared}

    def was_read(draft: MessageDraft) -> bool:
        if until is not None:
            return draft.entry.at <= until
        log = read.get(draft.entry.ref.path)
        if log is None:
            return False
        if now.get(draft.entry.ref.path) == log["fingerprint"]:
            return True
        if draft.entry.ref.path.endswith(".jsonl"):
            return draft.entry.ref.end <= int(log["size"])
        return draft.entry.at.timestamp() * 1e9 <= int(log["fingerprint"].split(":")[1])

    for session in plan.sessions:
        drafts = read_logs(session.agent, [log for log, _ in session.logs], settings.redact_secrets).drafts
        own, _ = separate_copies(drafts, catalog, SessionScope(session.agent, session.session_id))
        stored = {key for chunk in stored_chunks(catalog, session.agent, session.session_id, "") for key in chunk.keys}
        yield from (draft.key for draft in own if draft.key not in stored and was_read(draft))
    for log in plan.shared:
        by_session: dict[str, list[MessageDraft]] = {}
        for draft in read_logs(log.agent, [log], settings.redact_secrets).drafts:
            by_session.setdefault(draft.entry.session_id, []).append(draft)
        for session_id, drafts in by_session.items():
            missing, _ = covered_by_log(drafts, prompts_of(catalog, log.agent, session_id))
            own, _ = separate_copies(missing, catalog, SessionScope(log.agent, session_id, "history"))
            kept = stored_chunks(catalog, log.agent, session_id, "history")
            stored = {key for chunk in kept for key in chunk.keys}
            yield from (draft.key for draft in own if draft.key not in stored and was_read(draft))
