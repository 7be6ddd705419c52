"""A record above the limit keeps its words in every agent's format: embedded data is left out and counted.

The limit is an eighth of what it is elsewhere; tests/survival/test_memory.py has logs that are above that one.
"""

from __future__ import annotations

import base64
import json
import random
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from aicx.corpus.views import provenance
from aicx.corpus.views.provenance import verify_source
from aicx.sources import load_source
from aicx.sources.antigravity import artifacts
from aicx.sources.detect import detect_log
from aicx.sources.items import BadRecord, SkippedRecords, SourceItem, TimelineEntry
from aicx.sources.records import read_json, read_json_cut, read_jsonl
from aicx.sources.values import CUT_OUT
from tests.corpus.builders import SESSION, stamp

pytestmark = pytest.mark.slow

LIMIT = 2 * 1024 * 1024
PICTURE = base64.b64encode(random.Random(11).randbytes(900_000)).decode()  # more than is read at once
WRAPPED = "\n".join(PICTURE[at : at + 76] for at in range(0, len(PICTURE), 76))
URL = f"data:image/png;base64,{PICTURE}"
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}}
PDF = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": PICTURE}}


def claude() -> dict[str, Any]:
    content = [{"type": "text", "text": f"before {URL} between"}, IMAGE, PDF, {"type": "text", "text": "after"}]
    message = {"role": "user", "content": content}
    return {"type": "user", "uuid": "u1", "sessionId": SESSION, "timestamp": stamp(0), "cwd": "/x", "message": message}


def claude_result() -> dict[str, Any]:
    result = {"type": "tool_result", "tool_use_id": "t", "content": f"before\n{WRAPPED}\nbetween {PICTURE} after"}
    message = {"role": "user", "content": [result]}
    return {"type": "user", "uuid": "u1", "sessionId": SESSION, "timestamp": stamp(0), "cwd": "/x", "message": message}


def codex() -> dict[str, Any]:
    texts = [{"type": "input_text", "text": text} for text in ("before", f"between {URL}", "after")]
    images = [{"type": "input_image", "image_url": URL}] * 2
    payload = {"type": "message", "role": "user", "content": [texts[0], *images, *texts[1:]]}
    return {"timestamp": stamp(0), "type": "response_item", "payload": payload}


def gemini() -> dict[str, Any]:
    inline = {"inlineData": {"mimeType": "image/png", "data": PICTURE}}
    parts = [{"text": "before"}, inline, {"text": f"between {URL}"}, inline, {"text": "after"}]
    return {"id": "m", "type": "user", "timestamp": stamp(0), "content": parts}


def antigravity() -> dict[str, Any]:
    text = f"<USER_REQUEST>before {URL} between {PICTURE} {PICTURE} after</USER_REQUEST>"
    return {
        "step_index": 0,
        "source": "USER_EXPLICIT",
        "type": "USER_INPUT",
        "status": "DONE",
        "created_at": stamp(0),
        "content": text,
    }


HEAD = {"timestamp": stamp(0), "type": "session_meta", "payload": {"id": SESSION, "timestamp": stamp(0), "cwd": "/x"}}
OPENING = {"sessionId": SESSION, "projectHash": "ab", "startTime": stamp(0)}
TRANSCRIPT = f"brain/{SESSION}/.system_generated/logs/transcript_full.jsonl"
LINES: dict[str, tuple[str, list[dict[str, Any]], int]] = {
    "claude": ("claude.jsonl", [claude()], 3),
    "claude's tool result": ("claude.jsonl", [claude_result()], 2),
    "codex": ("codex.jsonl", [HEAD, codex()], 3),
    "gemini": ("gemini.jsonl", [OPENING, gemini()], 3),
    "antigravity": (TRANSCRIPT, [antigravity()], 3),
}
WHOLE: dict[str, dict[str, Any]] = {
    "codex.json": {"session": {"id": SESSION, "timestamp": stamp(0)}, "items": [codex()["payload"]]},
    "gemini.json": {**OPENING, "messages": [gemini()]},
}


@pytest.fixture(autouse=True)
def limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(read_jsonl.__kwdefaults__, "limit", LIMIT)
    for reads in (read_json, read_json_cut):
        monkeypatch.setitem(reads.__kwdefaults__, "whole_up_to", LIMIT)
    for module in (artifacts, provenance):
        monkeypatch.setattr(module, "LINE_LIMIT", LIMIT)


def read(path: Path) -> list[SourceItem]:
    log = detect_log(path)
    return list(load_source(log.agent).read(log))


def write(path: Path, body: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)
    return path


def cut_out(items: list[SourceItem]) -> int:
    return sum(item.count for item in items if isinstance(item, SkippedRecords) and item.reason == CUT_OUT)


def check_words(items: list[SourceItem]) -> TimelineEntry:
    """The one entry, after a look at what it holds."""
    assert not [item for item in items if isinstance(item, BadRecord)]
    (entry,) = (item for item in items if isinstance(item, TimelineEntry))
    assert len(entry.text) < 1000
    before, between, after = (entry.text.find(word) for word in ("before", "between", "after"))
    assert -1 < before < between < after
    return entry


@pytest.mark.parametrize("case", LINES)
def test_a_large_line_keeps_its_words_and_its_place(tmp_path: Path, case: str) -> None:
    name, records, pieces = LINES[case]
    lines = [json.dumps(record).encode() for record in records]
    assert len(lines[-1]) > LIMIT
    path = write(tmp_path / name, b"\n".join(lines) + b"\n")
    items = read(path)
    ref = check_words(items).ref
    assert cut_out(items) == pieces
    assert path.read_bytes()[ref.start : ref.end] == lines[-1] + b"\n"
    assert ref.sha256 == sha256(lines[-1]).hexdigest()


def stored(name: str, entry: TimelineEntry) -> dict[str, Any]:
    digest = sha256(entry.ref.sha256.encode()).hexdigest()
    form = {"codex.json": "codex-rollout-json", "gemini.json": "gemini-json"}[name]
    return {"path": entry.ref.path, "format": form, "spans": [[entry.ref.start, entry.ref.end]], "sha256": digest}


@pytest.mark.parametrize("name", WHOLE)
def test_a_large_log_of_one_object_keeps_its_words_and_notices_changed_data(tmp_path: Path, name: str) -> None:
    body = json.dumps(WHOLE[name]).encode()
    path = write(tmp_path / name, body)
    items = read(path)
    entry = check_words(items)
    assert cut_out(items) == 3
    assert verify_source(stored(name, entry)) == "unchanged"
    middle = body.index(PICTURE.encode()) + len(PICTURE) // 2
    path.write_bytes(body[:middle] + (b"A" if body[middle : middle + 1] != b"A" else b"B") + body[middle + 1 :])
    assert verify_source(stored(name, entry)) == "changed"


def test_a_large_log_that_was_stored_with_its_data_is_still_recognised(tmp_path: Path) -> None:
    path = write(tmp_path / "gemini.json", json.dumps(WHOLE["gemini.json"]).encode())
    element = json.dumps(gemini(), separators=(",", ":")).encode()
    digest = sha256(sha256(element).hexdigest().encode()).hexdigest()
    source = {"path": str(path), "format": "gemini-json", "spans": [[0, 1]], "sha256": digest}
    assert verify_source(source) == "unchanged"


def test_a_large_artifact_keeps_its_words_behind_the_pictures(tmp_path: Path) -> None:
    folder = tmp_path / "brain" / SESSION
    body = f"# Report before\n![a]({URL})\nbetween ![b]({URL})\n{WRAPPED}\nafter\n".encode()
    path = write(folder / "report.md", body)
    write(folder / "report.md.metadata.json", json.dumps({"updatedAt": stamp(0)}).encode())
    items = read(folder)
    ref = check_words(items).ref
    assert cut_out(items) == 3
    assert (ref.path, ref.start, ref.end, ref.sha256) == (str(path), 0, len(body), sha256(body).hexdigest())


def test_an_artifact_of_too_many_words_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "brain" / SESSION
    write(folder / "report.md", b"all is well here " * (LIMIT // 16))
    write(folder / "report.md.metadata.json", json.dumps({"updatedAt": stamp(0)}).encode())
    (bad,) = (item for item in read(folder) if isinstance(item, BadRecord))
    assert bad.reason == f"is over the limit of {LIMIT} bytes, its beginning is read"
