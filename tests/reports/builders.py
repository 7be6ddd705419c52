"""Small invented folders of reports; `harbour` has something broken in each of its repositories."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aicx.reports.record import Report
from aicx.reports.scan import ReportSelection, ScanResult, scan

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECRET = "ghp_" + "Q7w8E9r0T1y2U3i4O5p6A7s8D9f0G1h2J3k4"

_BLOCK = """---
run_id: impl-0731-02
agent: codex
skill_code: impl
model: model-5
status: completed
---

# Tides move the clock

The pier clock was a minute late.

## Findings

- `clock.py` assumed that every day has 24 hours.
"""


def write(path: Path, body: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body.encode() if isinstance(body, str) else body)
    return path


def meta(**fields: Any) -> str:
    """A sidecar as launchers write it."""
    found = {"status": "completed", "agent": "claude", "mode": "implement", "run_id": "impl-1", "root": "/srv/pier"}
    return json.dumps({**found, **fields})


def harbour(root: Path) -> Path:
    """Three reports, a transcript and a sidecar without one; a sidecar that is no JSON, a report that is not UTF-8."""
    day = root / "ada" / "orbit" / "2026_0131" / "reports"
    write(day / "20260131_0731_tides_codex.md", _BLOCK)
    write(day / "20260131_0731_tides_codex.meta.json", "{ torn")
    write(day / "20260131_0731_tides_codex.transcript.log", "\x1b[32mreading tides\x1b[0m\r\nDone.\r\n")
    loops = root / "ada" / "orbit" / "2026-02-03" / "marbles" / "reports"
    write(loops / "loop-3_claude.md", "# Loop 3\n\nNo open findings.\n")
    write(
        loops / "loop-3_claude.meta.json",
        meta(mode="marbles", status="failed", started_at="2026-02-03T09:00:00Z", completed_at="2026-02-03T09:20:00Z"),
    )
    lamp = root / "harbour" / "lamp" / "2026_0210"
    write(lamp / "review_gemini.md", b"# Caf\xe9 lamp\n\nThe wick is dark.\n")
    write(lamp / "stopped_codex.transcript.log", "starting\nno wind\n")
    write(lamp / "planned_claude.meta.json", meta(status="launching", mode="plan"))
    return root


def scanned(root: Path, selection: ReportSelection | None = None, **how: Any) -> tuple[list[Report], ScanResult]:
    outcome = ScanResult()
    return list(scan(root, selection or ReportSelection(), NOW, outcome, **how)), outcome


def only(root: Path) -> Report:
    """The one report of a folder."""
    [report], _ = scanned(root)
    return report
