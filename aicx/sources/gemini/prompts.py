"""Gemini CLI's ``logs.json``: the prompts typed in one project, of all its sessions; the sessions hold them too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aicx.sources.gemini.messages import Draft
from aicx.sources.gemini.projects import find_cwd
from aicx.sources.gemini.timeline import Timeline, first_instant
from aicx.sources.items import BadRecord, LogFile, SourceItem
from aicx.sources.records import Element, unreadable
from aicx.sources.values import object_of, parse_json, quoted, string_of
from aicx.sources.voices import speaker_of

_BARE_COMMAND = re.compile(r"/[A-Za-z][\w:-]*")


def read_prompts(log: LogFile) -> Iterator[SourceItem]:
    """One entry a prompt, in file order."""
    path = str(log.path)
    try:
        prompts = parse_json(log.path.read_bytes())
    except OSError as error:
        yield unreadable(log.path, error)
        return
    if not isinstance(prompts, list):
        yield BadRecord(path, "is not a JSON array of prompts")
        return
    cwd, problems = find_cwd(log, {})
    yield from problems
    timeline = Timeline(path, "", cwd, first_instant(prompts))
    for index, value in enumerate(prompts):
        prompt = object_of(value)
        timeline.session_id, text = string_of(prompt.get("sessionId")), string_of(prompt.get("message"))
        kind = prompt.get("type", "user")
        if not timeline.session_id or not text.strip():
            yield BadRecord(path, "prompt without a session or a text", index + 1)
        elif kind != "user":
            timeline.skipped[f"unknown type: {quoted(kind)}"] += 1
        elif _BARE_COMMAND.fullmatch(text.strip()):
            timeline.skipped["slash command"] += 1
        else:
            # Without an id on purpose: the same prompt stands in the session's own log, and is recognised by its text.
            drafts = [Draft("user", speaker_of(text) or "typed", text)]
            place = Element(prompt, index, index + 1)
            yield from timeline.place({"timestamp": prompt.get("timestamp")}, drafts, place)
    yield from timeline.close()
