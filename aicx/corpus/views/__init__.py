"""Reading the corpus for people and for indexes: chunks, sessions and reports; here the documents that are indexed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any

from aicx.corpus.catalog import Catalog
from aicx.corpus.files import Sidecar
from aicx.corpus.files.read import StoredText, read_chunk, read_intact
from aicx.errors import CorpusDamaged, NotFound
from aicx.paths import NON_REPOSITORY, Layout
from aicx.types import Document, Part, Voice

# A text's nature, and how much it counts where a ranker has one weight for all of it.
FIELDS = ("said", "thought", "tool")
_VOICE_OF_ROLE: dict[str, Voice] = {"reasoning": "thought", "tool": "tool"}
_FIELD_OF_ROLE = {"reasoning": "thought", "tool": "tool"}
_WEIGHTS = {"said": 1.0, "thought": 0.7, "tool": 0.3}
TEXT_COLUMNS = (
    *("project", "agent", "kind", "session_id", "parent_session"),
    *("lane", "branch", "run_id", "prompt_id", "cwd"),
)
NUMBER_COLUMNS = ("day", "started_at", "completed_at")
_FILES_IN_HEADER = 20


def load_document(layout: Layout, path: str) -> Document | None:
    """The chunk at ``path`` as a document for an index; None when it is altered, damaged or gone, which `doctor` names.

    An index keeps what it takes in: words that were put into a chunk later must not become history there.
    """
    return _document(layout, path, read_intact)


def _document(layout: Layout, path: str, read: Callable[[Layout, str], StoredText]) -> Document | None:
    try:
        found = read(layout, path)
        return to_document(found.sidecar, found.markdown)
    except (CorpusDamaged, NotFound, LookupError, TypeError, ValueError, AttributeError):
        return None


def documents(layout: Layout, catalog: Catalog, chunk_ids: Iterable[str]) -> Iterator[Document]:
    """The named chunks as documents, without those that cannot be read.

    An altered one is among them as it is: whoever quotes it reads it again and says so.
    """
    for chunk_id in chunk_ids:
        path = catalog.path_of(chunk_id)
        document = _document(layout, path, read_chunk) if path else None
        if document is not None:
            yield document


def to_document(sidecar: Sidecar, markdown: bytes) -> Document:
    """One chunk as an index sees it.

    Left out is what stands elsewhere: messages repeated from the chunk before, and answers of aicx itself.
    """
    parts = tuple(
        Part(text, _WEIGHTS[field], field)
        for message, text in zip(own_messages(sidecar), searchable_texts(sidecar, markdown), strict=True)
        for field in (_FIELD_OF_ROLE.get(message["role"], "said"),)
    )
    header = header_of(sidecar)
    version = sha256(f"{sidecar.content_sha256}\0{header}".encode()).hexdigest()
    return Document(sidecar.id, version, header, parts, columns_of(sidecar))


def searchable_texts(sidecar: Sidecar, markdown: bytes) -> list[str]:
    """The texts of a chunk as its document has them, part by part."""
    return [
        markdown[low:high].decode("utf-8", "replace")
        for low, high in (message["span"] for message in own_messages(sidecar))
    ]


def tool_text_indexes(sidecar: Sidecar) -> list[int]:
    """Which of the texts that `searchable_texts` gives nobody said: what tools were asked and printed."""
    return [place for place, voice in enumerate(voices_of(sidecar)) if voice == "tool"]


def voices_of(sidecar: Sidecar) -> list[Voice]:
    """Who speaks in each of the texts that `searchable_texts` gives."""
    return [voice_of(message) for message in own_messages(sidecar)]


def voice_of(message: Mapping[str, Any]) -> Voice:
    """Who speaks in a message, from its entry in the sidecar."""
    if message.get("origin") == "injected":
        return "tool"  # a client wrote it into the conversation: nobody said it, whatever role it has
    return "asked" if message["role"] == "user" else _VOICE_OF_ROLE.get(message["role"], "said")


def own_messages(sidecar: Sidecar) -> list[dict[str, Any]]:
    """The messages of a chunk that are not in the chunk before, nor answers of aicx itself."""
    return [message for message in sidecar.messages if not message.get("repeated") and not message.get("echo")]


def header_of(sidecar: Sidecar) -> str:
    """The context of a chunk: where, about what, in answer to what, touching which files."""
    project = sidecar.project if sidecar.project != NON_REPOSITORY else None
    title = sidecar.get("session_title") or sidecar.get("topic") or sidecar.get("title")
    files = sidecar.get("files") or ()
    facts = (project, sidecar.get("branch"), title, sidecar.get("prompt"), " ".join(files[:_FILES_IN_HEADER]))
    return "\n".join(fact for fact in facts if fact)


def columns_of(sidecar: Sidecar) -> dict[str, Any]:
    completed = sidecar.fields["completed_at"]
    return {
        **{name: sidecar.get(name) for name in TEXT_COLUMNS},
        "day": int(sidecar.date.replace("-", "")),
        "started_at": int(sidecar.started_at.timestamp()),
        "completed_at": int(type(sidecar.started_at).fromisoformat(completed).timestamp()),
    }
