"""What Claude Code and Codex remember: each file one entry, in its folder's session, in the version it has now."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from aicx.cli import run
from aicx.sources import load_source
from aicx.sources.items import BadRecord, LogFile, SkippedRecords, SourceItem, TimelineEntry
from aicx.types import AgentHomes

CWD = "/srv/work/lamp.ui"
PROJECT = "claude/projects/-srv-work-lamp-ui"
LOG = {"type": "user", "sessionId": "s1", "cwd": CWD, "timestamp": "2026-03-01T10:00:00Z", "message": {"content": "Hi"}}


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (1_772_359_200, 1_772_359_200))
    return path


def logs(root: Path, agent: str) -> list[LogFile]:
    found = load_source(agent).discover(AgentHomes(root / "claude", root / "codex", root / "gemini"))
    return [log for log in found if isinstance(log, LogFile) and log.format.endswith("-memory")]


def items(root: Path, agent: str) -> list[SourceItem]:
    return [item for log in logs(root, agent) for item in load_source(agent).read(log)]


def entries(root: Path, agent: str = "claude") -> list[TimelineEntry]:
    return [item for item in items(root, agent) if isinstance(item, TimelineEntry)]


def test_every_file_of_a_project_is_an_entry_of_one_session(tmp_path: Path) -> None:
    write(tmp_path / PROJECT / "memory/MEMORY.md", "- [wick](wick.md)")
    write(tmp_path / PROJECT / "memory/parts/wick.md", "---\nname: wick\n---\nTrim it.")
    one, two = entries(tmp_path)
    assert (one.session_id, two.session_id) == ("memory-srv-work-lamp-ui",) * 2
    assert (one.role, one.text) == ("artifact", "Memory MEMORY.md\n\n- [wick](wick.md)")
    assert two.text == "Memory parts/wick.md\n\n---\nname: wick\n---\nTrim it."
    assert one.at.isoformat() == "2026-03-01T10:00:00+00:00"


def test_the_folder_is_the_one_that_the_projects_logs_name(tmp_path: Path) -> None:
    write(tmp_path / PROJECT / "memory/MEMORY.md", "Trim the wick.")
    elsewhere = {**LOG, "cwd": "/srv/other"}
    write(tmp_path / PROJECT / "a.jsonl", json.dumps(elsewhere) + "\n")
    assert entries(tmp_path)[0].cwd is None
    write(tmp_path / PROJECT / "b.jsonl", json.dumps(LOG) + "\n")
    assert entries(tmp_path)[0].cwd == CWD


def test_a_memory_that_is_rewritten_keeps_its_id(tmp_path: Path) -> None:
    path = write(tmp_path / PROJECT / "memory/MEMORY.md", "Trim the wick.")
    (before,) = entries(tmp_path)
    write(path, "Leave the wick.")
    (after,) = entries(tmp_path)
    assert after.text != before.text
    assert after.record_id == before.record_id


def test_codex_names_the_folder_above_a_summary(tmp_path: Path) -> None:
    write(tmp_path / "codex/memories/MEMORY.md", "Small commits.")
    write(tmp_path / "codex/memories/rollout_summaries/a.md", f"thread_id: a\ncwd: {CWD}\n\nThe wick was trimmed.")
    assert [(entry.session_id, entry.cwd) for entry in entries(tmp_path, "codex")] == [
        ("memory-codex", None),
        ("memory-codex", CWD),
    ]


def test_hidden_files_and_links_to_folders_are_no_memories(tmp_path: Path) -> None:
    memory = tmp_path / "codex/memories"
    write(memory / ".git/x.md", "no")
    write(tmp_path / "elsewhere/x.md", "no")
    (memory / "linked").symlink_to(tmp_path / "elsewhere")
    assert logs(tmp_path, "codex") == []


@pytest.mark.parametrize(
    ("body", "kind"),
    [(b"\0\1\2", BadRecord), (b"", SkippedRecords), (b"  \n", SkippedRecords), (b"\xffTrim", TimelineEntry)],
)
def test_what_is_no_text_is_told(body: bytes, kind: type, tmp_path: Path) -> None:
    write(tmp_path / PROJECT / "memory/MEMORY.md", "").write_bytes(body)
    assert isinstance(items(tmp_path, "claude")[-1], kind)


def test_what_is_remembered_is_found_and_is_no_session_to_go_on_from(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = home / "lamp"
    folder.mkdir()
    project = home / ".claude/projects" / "".join(sign if sign.isalnum() else "-" for sign in str(folder))
    write(project / "a.jsonl", json.dumps({**LOG, "cwd": str(folder)}) + "\n")
    write(project / "memory/MEMORY.md", "Trim the wick before the lamp is lit.")
    monkeypatch.chdir(folder)
    assert run(["store"]) == 0
    capsys.readouterr()
    assert run(["search", "trim the wick", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["items"]
    assert found["session_id"].startswith("memory-")
    assert run(["resume"]) == 0
    assert "memory-" not in capsys.readouterr().out
    assert run(["show", found["id"], "--verify"]) == 0
    assert "unchanged" in "".join(capsys.readouterr())
