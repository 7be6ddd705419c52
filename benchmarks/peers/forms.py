"""The documents in the form a peer takes, all of it invented by nobody: each gets the same texts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid5

from aicx.bench.dataset import TIMELESS
from aicx.bench.rankers import full_text
from aicx.types import Document
from benchmarks.peers import Form

DOCUMENTS = "documents"
LINES = "documents.jsonl"
_NAMESPACE = UUID("6f7a1c52-4be7-4a7e-9a55-0f2f2f1c9f10")
_FOLDER = "/work/documents"


def write_documents(form: Form, documents: Sequence[Document], work: Path, *, sessions: bool) -> list[str]:
    """Writes the documents below ``work``, and gives what each number in an answer stands for.

    With ``sessions`` an answer counts for its session. A peer that reads logs then gets a log a session, as it would
    find it, and a number stands for the session's first document; else a log a document.
    """
    match form:
        case "markdown":
            folder = work / DOCUMENTS
            folder.mkdir(parents=True)
            for number, document in enumerate(documents):
                (folder / f"{number:06d}.md").write_text(full_text(document), "utf-8", "replace")
        case "lines":
            rows = ({"number": number, "text": full_text(document)} for number, document in enumerate(documents))
            _write_lines(work / LINES, rows)
        case "logs":
            logs = list(_by_session(documents).values()) if sessions else [[document] for document in documents]
            folder = work / "home" / ".claude" / "projects" / _FOLDER.replace("/", "-")
            for number, said in enumerate(logs):
                _write_log(folder, number, said)
            return [said[0].id for said in logs]
    return [document.id for document in documents]


def session_id(number: int) -> str:
    """The id of a log: its number in front, so that an answer can be read back."""
    return f"{number:08x}{str(uuid5(_NAMESPACE, str(number)))[8:]}"


def _by_session(documents: Iterable[Document]) -> dict[str, list[Document]]:
    found: dict[str, list[Document]] = {}
    for document in documents:
        found.setdefault(str(document.columns["session_id"]), []).append(document)
    return found


def _write_log(folder: Path, number: int, documents: Sequence[Document]) -> None:
    """A log of Claude Code in which every document is a prompt, said when the document was."""
    session = session_id(number)
    rows = []
    for position, document in enumerate(documents):
        rows.append(
            {
                "type": "user",
                "sessionId": session,
                "uuid": str(uuid5(_NAMESPACE, f"{number}/{position}")),
                "parentUuid": None,
                "timestamp": f"{_at(document):%Y-%m-%dT%H:%M:%S}.000Z",
                "cwd": _FOLDER,
                "version": "2.0.0",
                "isSidechain": False,
                "userType": "external",
                "message": {"role": "user", "content": full_text(document)},
            }
        )
    _write_lines(folder / f"{session}.jsonl", rows)


def _at(document: Document) -> datetime:
    seconds = document.columns.get("started_at")
    return datetime.fromtimestamp(int(seconds), UTC) if seconds else TIMELESS


def _write_lines(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", errors="replace") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")
