"""Pi: the sessions below ``~/.pi/agent/sessions``, a folder for each working folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from aicx.sources.embedded import CUT_OUT
from aicx.sources.items import BadRecord, LogFile, LogIdentity, SessionEvent, SourceItem
from aicx.sources.pi.entries import AGENT, PiTimeline
from aicx.sources.records import RawRecord, list_folder, parse_instant, read_jsonl, stat_log
from aicx.sources.values import string_of, text_of
from aicx.types import AgentHomes

__all__ = ["AGENT", "FORMAT", "SOURCE", "PiSource"]
FORMAT = "pi-jsonl"
_HEAD_RECORDS = 20
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


class PiSource:
    """A session's file is a tree, of which a person can take up any branch; all that was said in it is read."""

    agent = AGENT

    def discover(self, homes: AgentHomes) -> Iterator[LogFile | BadRecord]:
        folders = list_folder(homes.pi / "sessions") if homes.pi is not None else []
        for folder in [folders] if isinstance(folders, BadRecord) else folders:
            listing = folder if isinstance(folder, BadRecord) else list_folder(folder) if folder.is_dir() else []
            for path in [listing] if isinstance(listing, BadRecord) else listing:
                if isinstance(path, BadRecord):
                    yield path
                elif path.suffix == ".jsonl":
                    yield stat_log(AGENT, FORMAT, path)

    def identify(self, log: LogFile) -> LogIdentity:
        """The session that the first record names; one without goes by the name of its file."""
        header = _header(log)
        parent = text_of(header.get("parentSession")) or text_of(header.get("branchedFrom"))
        began = parse_instant(header.get("timestamp"))
        return LogIdentity(_session_id(log, header), began, parent_session=parent and _named(parent))

    def read(self, log: LogFile) -> Iterator[SourceItem]:
        """The session's items in file order."""
        identity, header = self.identify(log), _header(log)
        session_id = identity.session_id or log.path.stem
        if identity.parent_session:
            yield SessionEvent(session_id, parent_session=identity.parent_session)
        timeline = PiTimeline(str(log.path), session_id, text_of(header.get("cwd")), identity.started_at)
        for item in read_jsonl(log):
            if isinstance(item, BadRecord):
                yield item
                continue
            if item.cut:
                timeline.skip(CUT_OUT, item.cut)
            yield from timeline.take(item)
        yield from timeline.close()


SOURCE = PiSource()


def _header(log: LogFile) -> dict[str, Any]:
    records = (item.value for item in islice(read_jsonl(log), _HEAD_RECORDS) if isinstance(item, RawRecord))
    return next((value for value in records if value.get("type") == "session"), {})


def _session_id(log: LogFile, header: dict[str, Any]) -> str:
    return text_of(header.get("id")) or _named(log.path.name)


def _named(path: str) -> str:
    """The session that a log is of, by its path: the id stands behind the time in its name."""
    stem = Path(path.replace("\\", "/")).stem
    found = _UUID.findall(stem)
    return string_of(found[-1]) if found else stem
