"""The source of another package, kept from doing harm: what fails in it is one problem in the report."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from aicx.sources.items import (
    BadRecord,
    LogFile,
    LogIdentity,
    RecordMarks,
    SessionEvent,
    SkippedRecords,
    SourceItem,
    TimelineEntry,
)
from aicx.types import AgentHomes

_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_METHODS = ("discover", "identify", "read")
_OTHER_ITEMS = (SessionEvent, BadRecord, SkippedRecords, RecordMarks)


class OtherSource:
    """Passes on what the package gives if it is what the contract names. Its problems name it, not a log."""

    def __init__(self, point: EntryPoint) -> None:
        self.agent = point.name
        self._package = f"{point.dist.name if point.dist else point.module} (entry point {point.name})"
        self._source: Any = None
        self._problem: str | None = None
        try:
            self._source = getattr(point.load(), "SOURCE", None)
        except Exception as error:  # noqa: BLE001  whatever it raises, the other agents' logs are read
            self._problem = f"cannot be imported: {_said(error)}"
            return
        missing = [name for name in _METHODS if not callable(getattr(self._source, name, None))]
        if not _NAME.fullmatch(self.agent):
            self._problem = "has a name that is not of small letters, digits and hyphens"
        elif self._source is None or missing:
            self._problem = f"has no SOURCE with {', '.join(missing)}"

    def discover(self, homes: AgentHomes) -> Iterator[LogFile | BadRecord]:
        """Its logs, or the reason why there are none."""
        if self._problem:
            yield BadRecord(self._package, self._problem)
            return
        try:
            for item in self._source.discover(homes):
                is_log = isinstance(item, LogFile) and item.agent == self.agent and isinstance(item.path, Path)
                if is_log or isinstance(item, BadRecord):
                    yield item
                else:
                    yield BadRecord(self._package, "lists what is not a log of its agent")
        except Exception as error:  # noqa: BLE001  as above
            yield BadRecord(self._package, f"failed to list its logs: {_said(error)}")

    def identify(self, log: LogFile) -> LogIdentity:
        """The session as the package says, else by the name of the log."""
        try:
            found = self._source.identify(log)
        except Exception:  # noqa: BLE001  as above; `read` then says why
            found = None
        return found if isinstance(found, LogIdentity) else LogIdentity(log.path.stem, None)

    def read(self, log: LogFile) -> Iterator[SourceItem]:
        """The items that the package reads, as far as it gets."""
        try:
            for item in self._source.read(log):
                if isinstance(item, _OTHER_ITEMS) or (isinstance(item, TimelineEntry) and self._is_sound(item)):
                    yield item
                else:
                    yield BadRecord(str(log.path), f"{self._package} made of it what is not an item of the log", 1)
        except Exception as error:  # noqa: BLE001  as above
            yield BadRecord(str(log.path), f"{self._package} failed to read it: {_said(error)}")

    def elements(self, log: LogFile) -> list[Any] | None:
        """As the package has it; None where spans count bytes."""
        try:
            found = self._source.elements(log)
        except Exception:  # noqa: BLE001  as above
            return None
        return found if isinstance(found, list) else None

    def _is_sound(self, entry: TimelineEntry) -> bool:
        texts = (entry.session_id, entry.text, entry.ref.path)
        return entry.agent == self.agent and entry.at.tzinfo is not None and all(isinstance(one, str) for one in texts)


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
