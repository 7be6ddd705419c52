"""Records of clean data keep their bytes on disk: what they were before is in `tests/fixtures/kept`."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from aicx.cas.entry import ObjectEntry
from aicx.continuity.places import Known, NoteState
from aicx.memory import files
from aicx.memory.record import Adoption, Anchor, Hold, Record, Source, Validation, Validity
from aicx.work import files as work_files
from aicx.work.contract import Contract, EditScope, FirstAction, ProofCommand
from aicx.work.events import WorkEvent
from aicx.work.record import Attempt, GitContext, Item, Stated, WorkRecord

KEPT = Path(__file__).parent / "fixtures" / "kept"
AT = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)
CONTRACT = Contract(
    "Fix the export",
    "strict",
    FirstAction("open_file", "src/export.py", "must_open_first", "active task"),
    EditScope(("src/export.py",), ("src/reader.py",), ("src/old.py",)),
    ProofCommand("pytest tests/test_export.py", "session"),
    "aicx finalize --status success|failure",
    ("src/export.py",),
    ("active_task",),
)
TASK = WorkRecord(
    id="0123456789ab",
    kind="thread",
    title="Fix the export",
    goal="Fix the export of empty files.",
    repo_id="widgets-0a1b2c3d",
    worktree_id="4e5f6a7b",
    created_at=AT,
    updated_at=AT,
    project="acme/widgets",
    git_context=GitContext(True, AT, "fix/export", "0a" * 20, False, ("src/export.py",), "0f" * 8),
    hypothesis="The reader stops too early",
    next_action="Run the tests",
    items=(
        Item("verified", "`pytest` passed", AT, "derived", ("chunk:claude:s-1:001", "session:claude:s-1")),
        Item("uncertainties", "The reader may be slow", AT, confidence="low", needs_validation=True),
        Item("glossary", "of a later version", AT, extra={"weight": 2}),
    ),
    sources=("session:claude:s-1",),
    rev=3,
    sequence=1772359200000,
    focused=1772359200000,
    last_event="00112233aabbccdd",
    extra={"later": {"x": ["y"]}},
)
ATTEMPT = replace(
    TASK,
    kind="attempt",
    closing_note="It works",
    parent="work:0123456789ac",
    attempt=Attempt(
        "claude",
        "s-1",
        CONTRACT,
        "success",
        "It works",
        Stated(("a.py",), ("b.py",), ("make",), ("pytest",), ("E1",)),
        0,
    ),
)
MEMORY = Record(
    id="0123456789ab",
    repository="acme/widgets",
    kind="decision",
    topic="export",
    statement="The export writes UTF-8",
    source=Source("assistant", "primary", "claude", "s-1", "AGENTS.md", "0a" * 32),
    created_at=AT,
    updated_at=AT,
    name="the-export",
    details=("Also where the input is not",),
    tags=("export",),
    claims={"encoding": "utf-8"},
    evidence=("chunk:claude:s-1:001",),
    anchors=(Anchor("src/export.py", "0b" * 32, 1, 9, "0c" * 20),),
    validity=Validity(AT, 3600, True),
    supersedes=("mem:0123456789ac",),
    adoption=Adoption("adopted", "Ada", AT, "it is right"),
    hold=Hold("to be looked at", "Ada", AT),
    last_event="00112233aabbccdd",
    validation=(Validation(AT, "Ada", "by reading", "pass", ("file:src/export.py",)),),
    path="acme~widgets/decision/the-export-0123456789ab.md",
    extra={"later": 1},
    host="github.com",
)
STATE = NoteState(
    {"00" * 8: Known(AT, "primary", ("session:claude:s-1",)), "11" * 8: Known(None, "subagent", (), True)},
    ("22" * 8,),
    "/srv/ada/widgets/.aicx/continuity/local.md",
    "acme/widgets",
)
EVENT = WorkEvent(
    "00112233aabbccdd",
    AT,
    5,
    "continuity_saved",
    "note:4e5f6a7b",
    None,
    0,
    "cli",
    data={"session": "session:claude:s-1"},
)
ENTRY = ObjectEntry(
    "sha256:" + "0a" * 32, 5, "task_pack", ("release",), AT, AT, True, ("claude:s-1",), ("acme/widgets",)
)


def bodies() -> dict[str, bytes]:
    """Each file of a record as it is written now."""
    markdown, sidecar = files.encode(MEMORY)
    return {
        "task.json": work_files.encode(TASK),
        "attempt.json": work_files.encode(ATTEMPT),
        "memory.md": markdown,
        "memory.meta.json": sidecar,
        "note-state.json": STATE.encode(),
        "event.jsonl": EVENT.encode(),
        "object.json": ENTRY.encode(),
    }


@pytest.mark.parametrize("name", sorted(path.name for path in KEPT.iterdir()))
def test_a_record_without_secrets_is_written_as_before(name: str) -> None:
    assert bodies()[name] == (KEPT / name).read_bytes()
