"""`aicx.extract/1`: one log, or one session, as it was read for a report."""

from __future__ import annotations

from dataclasses import field
from datetime import datetime
from typing import Annotated

from aicx.api.answers import INLINE
from aicx.corpus.views.extraction import Extract, Selection
from aicx.corpus.views.report import EntryList, MessageList, entry_list, message_list
from aicx.sources.items import BadRecord
from aicx.values import dataclass

SCHEMA = "aicx.extract/1"


@dataclass(frozen=True, slots=True)
class ExtractAnswer:
    """A log's entries; with `--conversation` its messages instead."""

    generated_at: str
    title: str
    format: Annotated[str, "the format of the log"]
    source_paths: Annotated[list[str], "the logs"]
    problems: list[BadRecord]
    skipped: Annotated[dict[str, int], "reason → records left out on purpose"]
    notes: list[str]
    what: EntryList | MessageList = field(metadata=INLINE)


def extract_answer(found: Extract, selection: Selection, now: datetime) -> ExtractAnswer:
    return ExtractAnswer(
        generated_at=now.isoformat(timespec="seconds"),
        title=found.title,
        format=found.format,
        source_paths=found.paths,
        problems=found.problems,
        skipped=found.skipped,
        notes=found.notes,
        what=message_list(found.entries, found.projects) if selection.conversation else entry_list(found.entries),
    )
