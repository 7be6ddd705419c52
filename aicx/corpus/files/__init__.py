"""Stored files: chunks with their sidecars, and the tombstones, read and written one at a time.

Here is the sidecar of a chunk: encoded, and decoded in any version without losing unknown fields; its facts of tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import orjson

from aicx.errors import CorpusDamaged
from aicx.paths import NON_REPOSITORY, chunk_stem
from aicx.text import plural
from aicx.values import dataclass

if TYPE_CHECKING:
    from aicx.sources.items import ToolUse


SCHEMA = "aicx.chunk/2"
FORGOTTEN = "[forgotten]"  # what takes the place of a forgotten text, wherever there must be one
# Sidecars of this version have no facts of tools: what a call ran and how it ended is in their text alone.
WITHOUT_TOOL_FACTS = "aicx.chunk/1"
REQUIRED = (
    "schema",
    "id",
    "project",
    "agent",
    "session_id",
    "date",
    "kind",
    "started_at",
    "completed_at",
    "content_sha256",
    "source",
    "redactions",
)


def lacks_tool_facts(fields: Mapping[str, Any]) -> bool:
    """Whether a chunk was stored before tool facts were kept, and has a message that would have some."""
    messages = fields.get("messages") or ()
    return fields.get("schema") == WITHOUT_TOOL_FACTS and any(item.get("role") == "tool" for item in messages)


def without_tool_facts(count: int) -> str:
    """Returns the note on ``count`` such chunks."""
    why = "stored by an earlier version, and their commands and outcomes are read from the text"
    return (
        f"{plural(count, 'chunk')} without tool facts: {why}. `aicx store --full-rescan` adds facts from existing logs"
    )


@dataclass(frozen=True, slots=True)
class Sidecar:
    """A sidecar as its JSON object, with the fields everything needs as attributes."""

    fields: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.fields["id"])

    @property
    def agent(self) -> str:
        return str(self.fields["agent"])

    @property
    def session_id(self) -> str:
        return str(self.fields["session_id"])

    @property
    def number(self) -> int:
        return int(self.id.rsplit(":", 1)[1])

    @property
    def stream(self) -> str:
        """``history`` for the prompts kept from a prompt history alone, empty for a session's own log."""
        return str(self.fields.get("stream") or "")

    @property
    def project(self) -> str:
        return str(self.fields["project"])

    @property
    def date(self) -> str:
        return str(self.fields["date"])

    @property
    def kind(self) -> str:
        return str(self.fields["kind"])

    @property
    def started_at(self) -> datetime:
        return datetime.fromisoformat(self.fields["started_at"])

    @property
    def content_sha256(self) -> str:
        return str(self.fields["content_sha256"])

    @property
    def stem(self) -> str:
        """Where the chunk belongs by what its sidecar says: its path below the home, without its ending."""
        project = None if self.project == NON_REPOSITORY else self.project
        return chunk_stem(project, self.date, self.kind, self.agent, self.session_id, self.number, self.stream)

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.fields.get("messages") or ())

    def get(self, name: str) -> Any:
        return self.fields.get(name)


def encode_sidecar(fields: Mapping[str, Any]) -> bytes:
    """``fields`` as the bytes of a sidecar, the same for the same fields in any order.

    Optional fields that are empty are left out, never null.
    """
    optional = sorted(name for name, value in fields.items() if value or value not in (None, [], {}, ""))
    names = dict.fromkeys((*REQUIRED, *optional))
    lines = [b"  " + orjson.dumps(name) + b": " + _encode_value(fields[name]) for name in names]
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


def _encode_value(value: Any) -> bytes:
    """One line a field, and one an element where the elements are objects: short files that still read well."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return b"[\n    " + b",\n    ".join(map(orjson.dumps, value)) + b"\n  ]"
    return orjson.dumps(value)


def decode_sidecar(body: bytes, name: str) -> Sidecar:
    """The sidecar in ``body``; the error names the file and what is wrong with it."""
    try:
        fields = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise CorpusDamaged(f"{name} is not JSON: {error}", hint="aicx doctor --fix") from error
    if not isinstance(fields, dict):
        raise CorpusDamaged(f"{name} is not a JSON object", hint="aicx doctor --fix")
    missing = [field for field in REQUIRED if field not in fields]
    if missing:
        raise CorpusDamaged(f"{name} lacks {', '.join(missing)}", hint="aicx doctor --fix")
    if not str(fields["schema"]).startswith("aicx.chunk/"):
        raise CorpusDamaged(f"{name} has the unknown schema {fields['schema']!r}", hint="a newer aicx may read it")
    if not str(fields["id"]).rpartition(":")[2].isdigit():
        raise CorpusDamaged(f"{name} has the malformed id {fields['id']!r}", hint="aicx doctor --fix")
    return Sidecar(fields)


_MAX_COMMAND = 4000
_MAX_FILES = 50
_MAX_MARK_LENGTH = 64  # of a redaction, `[REDACTED:…]`


def tool_facts(tool: ToolUse) -> dict[str, Any]:
    """The JSON object of `messages[].tool`; a fact that the log does not state is left out."""
    facts: dict[str, Any] = {"name": tool.name, "phase": tool.phase}
    if tool.call_id:
        facts["call_id"] = tool.call_id
    if tool.command:
        facts["command"] = _bounded(tool.command)
    if tool.files:
        facts["files"] = list(tool.files[:_MAX_FILES])
    for name in ("failed", "exit_code", "seconds"):
        if (value := getattr(tool, name)) is not None:
            facts[name] = value
    return facts


def identity_of(facts: dict[str, Any]) -> dict[str, Any]:
    """The facts that are left of a message the user had forgotten: which call it was, and nothing of its content."""
    return {name: facts[name] for name in ("name", "phase", "call_id") if name in facts}


def _bounded(command: str) -> str:
    """A script keeps its beginning; the chunk and the log have the rest."""
    if len(command) <= _MAX_COMMAND:
        return command
    cut = _MAX_COMMAND - 1
    mark = command.rfind("[REDACTED:", max(0, cut - _MAX_MARK_LENGTH), cut)
    return command[: mark if mark >= 0 and command.find("]", mark) >= cut else cut] + "…"
