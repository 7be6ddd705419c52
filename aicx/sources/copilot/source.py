"""GitHub Copilot CLI: a folder, or of old a file, for each session below ``~/.copilot/session-state``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from aicx.sources.copilot.events import AGENT, CopilotTimeline
from aicx.sources.embedded import CUT_OUT
from aicx.sources.items import BadRecord, LogFile, LogIdentity, SessionEvent, SourceItem
from aicx.sources.records import RawRecord, list_folder, parse_instant, read_jsonl, stat_log
from aicx.sources.values import object_of, text_of
from aicx.types import AgentHomes

__all__ = ["AGENT", "FORMAT", "SOURCE", "CopilotSource"]
FORMAT = "copilot-events"
_EVENTS, _ABOUT = "events.jsonl", "workspace.yaml"
_HEAD_RECORDS = 20
_MAX_ABOUT = 64 * 1024
# A value on the line of its key, in quotes or not, or, after `|` or `>`, on the line below.
_TITLE = re.compile(
    r"^(?P<key>name|summary):[ \t]*"
    r"""(?:[|>][-+\d]*[ \t]*\n[ \t]+(?P<block>.+)|"(?P<double>.*)"|'(?P<single>.*)'|(?P<plain>.+))$""",
    re.MULTILINE,
)


class CopilotSource:
    """The event logs, each with the title that is kept beside it."""

    agent = AGENT

    def discover(self, homes: AgentHomes) -> Iterator[LogFile | BadRecord]:
        """Every event log; what else a session's folder holds are its plan and files that its events tell of."""
        if homes.copilot is None:
            return
        listing = list_folder(homes.copilot / "session-state")
        for path in [listing] if isinstance(listing, BadRecord) else listing:
            if isinstance(path, BadRecord):
                yield path
            elif path.suffix == ".jsonl":
                yield stat_log(AGENT, FORMAT, path)
            elif (events := path / _EVENTS).is_symlink() or events.exists():
                log, about = stat_log(AGENT, FORMAT, events), stat_log(AGENT, FORMAT, path / _ABOUT)
                if isinstance(log, LogFile) and isinstance(about, LogFile):
                    log = replace(log, fingerprint=f"{log.fingerprint}+{about.fingerprint}")
                yield log

    def identify(self, log: LogFile) -> LogIdentity:
        """The session a log holds: the name of its folder or, of old, its own."""
        records = (item.value for item in islice(read_jsonl(log), _HEAD_RECORDS) if isinstance(item, RawRecord))
        first = next((value for value in records if value.get("type") == "session.start"), {})
        began = parse_instant(object_of(first.get("data")).get("startTime")) or parse_instant(first.get("timestamp"))
        return LogIdentity(_session_id(log, first), began)

    def read(self, log: LogFile) -> Iterator[SourceItem]:
        """The session's items, event by event."""
        session_id = self.identify(log).session_id or log.path.stem
        if log.path.name == _EVENTS and (title := _title(log.path.with_name(_ABOUT))):
            yield SessionEvent(session_id, title=title)
        timeline = CopilotTimeline(str(log.path), session_id)
        for item in read_jsonl(log):
            if isinstance(item, BadRecord):
                yield item
                continue
            if item.cut:
                timeline.skip(CUT_OUT, item.cut)
            yield from timeline.take(item)
        yield from timeline.close()


SOURCE = CopilotSource()


def _session_id(log: LogFile, first: dict[str, Any]) -> str:
    own = log.path.parent.name if log.path.name == _EVENTS else log.path.stem
    return text_of(object_of(first.get("data")).get("sessionId")) or own


def _title(path: Path) -> str | None:
    """The name that a person gave a session, else the one that Copilot did."""
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            said = stream.read(_MAX_ABOUT)
    except OSError:
        return None
    found = {one["key"]: next(filter(None, one.groups()[1:]), "").strip() for one in _TITLE.finditer(said)}
    return found.get("name") or found.get("summary") or None
