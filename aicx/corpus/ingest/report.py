"""The request to a run of `store`, its report, and its progress."""

from __future__ import annotations

from dataclasses import field
from datetime import datetime
from typing import Annotated

from aicx.fields import INTERNAL
from aicx.sources.items import BadRecord, TimelineEntry
from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class StoreRequest:
    """The limits of one run of `store`. Without any: everything that is not stored yet."""

    agents: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()  # sessions of any of them
    since: datetime | None = None  # sessions whose last record is at or after this
    full_rescan: bool = False
    redact_secrets: bool = True
    dry_run: bool = False
    keep_entries: bool = False  # also return what was read, redacted, for a report
    # Bytes of logs that are read before the first of them is filed: all that they show of folders decides together.
    read_ahead: int = 32 * 1024 * 1024

    @property
    def is_of_all(self) -> bool:
        """Whether no log is left out."""
        return not self.agents and not self.projects and self.since is None


@dataclass(slots=True)
class StoreReport:
    """The outcome of one run, in counts; every problem by name."""

    logs: Annotated[int, "logs found"] = 0
    logs_read: Annotated[int, "logs read because they changed"] = 0
    bytes_read: Annotated[int, "their size"] = 0
    sessions: Annotated[int, "sessions read"] = 0
    chunks_written: Annotated[int, "chunks of those sessions that are new or changed"] = 0
    chunks_unchanged: Annotated[int, "chunks of those sessions that were stored already"] = 0
    chunks_removed: Annotated[int, "chunks that those sessions no longer have"] = 0
    chunks_moved: Annotated[int, "stored before, and filed under another repository now"] = 0
    messages: Annotated[int, "messages that were not stored before"] = 0
    duplicates: Annotated[int, "messages that are copies of stored ones; recorded, not stored again"] = 0
    forgotten: Annotated[int, "sessions or chunks left out because of `aicx forget`"] = 0
    redactions: Annotated[dict[str, int], "rule → how often it fired in what was written"] = field(default_factory=dict)
    skipped: Annotated[
        dict[str, int], "reason → records left out on purpose; or, of a large record, pieces of data"
    ] = field(default_factory=dict)
    problems: Annotated[list[BadRecord], "records and logs that could not be read"] = field(default_factory=list)
    without_chunks: Annotated[list[BadRecord], "logs that were read and gave none, with the reason"] = field(
        default_factory=list
    )
    unread: Annotated[dict[str, int], "agent whose logs aicx does not read → its sessions here"] = field(
        default_factory=dict
    )
    notes: Annotated[list[str], "such as a log that grew while it was read"] = field(default_factory=list)
    buckets: Annotated[dict[str, dict[str, int]], "project → agent → chunks written"] = field(default_factory=dict)
    paths: Annotated[list[str], "chunks written, relative to `home`"] = field(default_factory=list)
    entries: list[TimelineEntry] = field(default_factory=list, metadata=INTERNAL)
