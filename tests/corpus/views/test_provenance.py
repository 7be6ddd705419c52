"""Verifying sources: what a source yields is found again in its log, for every way a format says where a record is."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from aicx.corpus.views.provenance import is_there, sources_of, verify_source
from aicx.sources import load_source
from aicx.sources.detect import detect_log
from aicx.sources.items import TimelineEntry
from tests.corpus.builders import SESSION, ClaudeLog, CodexLog, stamp

TEXT = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Is it lit?"}]}
LOGS = {
    "claude.jsonl": ClaudeLog().prompt("Is it lit?", 0).answer("It is.", 1).body() + b"  \0\0\n",
    "codex.jsonl": CodexLog().prompt("Is it lit?", 0).answer("It is.", 1).body(),
    "codex.json": json.dumps(
        {"session": {"id": SESSION, "timestamp": stamp(0)}, "items": ["broken", TEXT]}, indent=1
    ).encode(),
    "gemini.json": json.dumps(
        {
            "sessionId": SESSION,
            "projectHash": "ab",
            "messages": [None, {"id": "m", "type": "user", "timestamp": stamp(0), "content": "Is it \ud83d lit?"}],
        }
    ).encode(),
    "logs.json": json.dumps(
        [3, {"sessionId": SESSION, "messageId": 0, "type": "user", "timestamp": stamp(0), "message": "Is it lit?"}]
    ).encode(),
}


def write(path: Path, body: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)
    return path


def source_of(path: Path) -> dict[str, Any]:
    """The provenance of everything a log yields, as a sidecar records it."""
    log = detect_log(path)
    refs = [item.ref for item in load_source(log.agent).read(log) if isinstance(item, TimelineEntry)]
    assert refs
    spans = {(ref.start, ref.end): ref.sha256 for ref in refs}
    digest = sha256("".join(spans.values()).encode()).hexdigest()
    return {"path": refs[0].path, "format": log.format, "spans": [list(span) for span in spans], "sha256": digest}


@pytest.mark.parametrize("name", LOGS)
def test_log_as_it_was_read_is_unchanged(tmp_path: Path, name: str) -> None:
    assert verify_source(source_of(write(tmp_path / name, LOGS[name]))) == "unchanged"


@pytest.mark.parametrize("name", LOGS)
def test_log_with_another_word_in_it_is_changed(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, LOGS[name])
    source = source_of(path)
    path.write_bytes(LOGS[name].replace(b"lit?", b"dim?"))
    assert verify_source(source) == "changed"


@pytest.mark.parametrize("name", LOGS)
def test_log_cut_in_half_is_changed(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, LOGS[name])
    source = source_of(path)
    path.write_bytes(LOGS[name][: len(LOGS[name]) // 2])
    assert verify_source(source) == "changed"


@pytest.mark.parametrize("name", LOGS)
def test_log_that_is_no_more_is_gone(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, LOGS[name])
    source = source_of(path)
    path.unlink()
    assert verify_source(source) == "gone"


@pytest.mark.parametrize("name", LOGS)
def test_log_that_became_a_folder_is_unreadable(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, LOGS[name])
    source = source_of(path)
    path.unlink()
    path.mkdir()
    assert verify_source(source) == "unreadable"


def test_artifact_is_compared_as_a_whole_file_with_the_white_space_at_its_ends(tmp_path: Path) -> None:
    about = json.dumps({"artifactType": "ARTIFACT_TYPE_TASK", "updatedAt": stamp(0)}).encode()
    write(tmp_path / "brain" / SESSION / "task.md.metadata.json", about)
    task = write(tmp_path / "brain" / SESSION / "task.md", b"\n- [ ] buy a wick\n\n")
    source = source_of(task.parent)
    assert verify_source(source) == "unchanged"
    task.write_bytes(b"\n- [x] buy a wick\n\n")
    assert verify_source(source) == "changed"


def test_session_record_of_a_whole_rollout_is_found_before_its_items(tmp_path: Path) -> None:
    session = {"id": SESSION}
    path = write(tmp_path / "codex.json", json.dumps({"session": session, "items": [TEXT]}).encode())
    digest = sha256(json.dumps(session, separators=(",", ":")).encode()).hexdigest()
    source = {"path": str(path), "format": "codex-rollout-json", "spans": [[-1, 0]]}
    assert verify_source({**source, "sha256": sha256(digest.encode()).hexdigest()}) == "unchanged"


def test_malformed_spans_never_verify(tmp_path: Path) -> None:
    path = write(tmp_path / "claude.jsonl", b"torn")
    assert verify_source({"path": str(path), "spans": [["a", 4], "b", None], "sha256": "0" * 64}) == "changed"


def test_path_that_cannot_be_one_is_not_there() -> None:
    assert not is_there("/srv/\0lamp")


def test_every_log_of_a_chunk_is_listed_and_what_is_no_source_left_out() -> None:
    fields = {"source": {"path": "/a"}, "more_sources": [{"path": "/b"}, "broken", {"path": None}]}
    assert [source["path"] for source in sources_of(fields)] == ["/a", "/b"]
