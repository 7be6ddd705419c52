"""The files of an Antigravity brain folder, and what artifacts such as plans, and outputs of single steps, say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import field
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from aicx.sources.antigravity.transcript import STAMPS, Conversation, linked_paths
from aicx.sources.items import BadRecord, EntryDraft, SourceRef, TimelineEntry
from aicx.sources.records import LINE_LIMIT, changed_at, list_folder, parse_instant, unreadable
from aicx.sources.values import CUT_OUT, lowered, parse_json, read_cut, string_of
from aicx.storage import read_note
from aicx.values import dataclass

HOMES = ("antigravity", "antigravity-cli", "antigravity-ide")
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp")
MEDIA = (*IMAGES, ".mp4", ".webm", ".mov", ".pdf", ".zip")

_RESOLVED = re.compile(r"(.+)\.resolved(?:\.(\d+))?")
_METADATA = ".metadata.json"


@dataclass(frozen=True, slots=True)
class ArtifactFiles:
    """The files of one artifact: its newest text, the text with links resolved, and what is said about it."""

    name: str
    newest: Path | None
    resolved: Path | None
    metadata: Path | None


@dataclass(frozen=True, slots=True)
class Brain:
    """The files of one conversation, and how many others of its folder were passed over."""

    folder: Path
    artifacts: tuple[ArtifactFiles, ...] = ()
    transcript: Path | None = None
    steps: tuple[Path, ...] = ()
    problems: tuple[BadRecord, ...] = ()
    skipped: Counter[str] = field(default_factory=Counter)

    def files(self) -> set[Path]:
        """All that reading this folder reads."""
        parts = {path for a in self.artifacts for path in (a.newest, a.resolved, a.metadata) if path}
        return parts | set(self.steps) | ({self.transcript} if self.transcript else set())

    def has_opaque_conversation(self) -> bool:
        """Whether the conversation proper lies beside this folder, in a form that cannot be read."""
        listing = list_folder(self.folder.parent.parent / "conversations")
        paths = [] if isinstance(listing, BadRecord) else listing
        return any(path.stem == self.folder.name and is_opaque(path) for path in paths)


def is_opaque(path: Path) -> bool:
    """Whether a file is a conversation as Antigravity keeps it for itself."""
    return path.suffix in (".pb", ".db")


def survey(folder: Path) -> Brain:
    """Lists a brain folder without reading its files."""
    listing = list_folder(folder)
    if isinstance(listing, BadRecord):
        return Brain(folder, problems=(listing,))
    skipped: Counter[str] = Counter()
    generated = folder / ".system_generated"
    logs, steps = list_folder(generated / "logs"), list_folder(generated / "steps")
    problems = tuple(found for found in (logs, steps) if isinstance(found, BadRecord))
    names = {} if isinstance(logs, BadRecord) else {path.name: path for path in logs}
    numbered = [] if isinstance(steps, BadRecord) else [path for path in steps if path.name.isdecimal()]
    return Brain(
        folder,
        tuple(_artifacts(listing, skipped)),
        # The plain transcript cuts long arguments and outputs.
        names.get("transcript_full.jsonl") or names.get("transcript.jsonl"),
        tuple(path / "output.txt" for path in sorted(numbered, key=lambda path: int(path.name))),
        problems,
        skipped,
    )


def _artifacts(listing: list[Path], skipped: Counter[str]) -> Iterator[ArtifactFiles]:
    """The newest version of each artifact.

    ``<name>`` itself is the text being worked on, ``<name>.resolved`` the last version shown with its links resolved,
    ``<name>.resolved.N`` the versions shown before. In real folders the first is never behind the second (it lacks
    the links, or is ahead by an edit), the second is at or past the highest N, and the first can be missing.
    """
    plain: dict[str, Path] = {}
    metadata: dict[str, Path] = {}
    versions: dict[str, dict[int, Path]] = {}
    for path in listing:
        if found := _RESOLVED.fullmatch(path.name):
            # The unnumbered one goes before all the numbered ones.
            versions.setdefault(found[1], {})[int(found[2]) if found[2] else 1 << 62] = path
        elif path.name.endswith(_METADATA):
            metadata[path.name.removesuffix(_METADATA)] = path
        elif not path.name.startswith("."):
            plain[path.name] = path
    for name in sorted(plain.keys() | metadata.keys() | versions.keys()):
        history = versions.get(name, {})
        if name not in metadata and not history and not name.endswith(".md"):
            skipped["image or recording" if Path(name).suffix.lower() in MEDIA else "file that is no artifact"] += 1
            continue
        resolved = history[max(history)] if history else None
        skipped["older version of an artifact"] += len(history) - (1 if resolved and name not in plain else 0)
        yield ArtifactFiles(name, plain.get(name, resolved), resolved, metadata.get(name))


@dataclass(frozen=True, slots=True)
class Artifact:
    """An artifact as read: its entry's first line, its text, and what is known about it."""

    name: str
    title: str
    body: str
    ref: SourceRef
    at: datetime | None
    links: list[str]
    problems: list[BadRecord]
    cut: int = 0  # pieces of embedded data left out


def load_artifact(files: ArtifactFiles) -> Artifact:
    """The artifact in its newest version; an image or a recording has no body."""
    problems: list[BadRecord] = []
    about_raw = _read(files.metadata, problems)
    about = _json_object(about_raw, files.metadata, problems)
    kind = lowered(string_of(about.get("artifactType")).removeprefix("ARTIFACT_TYPE_").replace("_", " ")) or "untyped"
    summary = " ".join(string_of(about.get("summary")).split())
    path = files.newest
    raw, ref, cut = b"", None, 0
    if path and Path(files.name).suffix.lower() not in MEDIA:
        raw, ref, cut = _read_body(path, problems)
    body = "" if b"\0" in raw else raw.decode("utf-8", "replace").strip()
    shown = _read(files.resolved, problems) if files.resolved != path else b""
    return Artifact(
        files.name,
        f"Artifact {files.name} ({kind})" + (f": {summary}" if summary else ""),
        body,
        ref if ref and body else _whole(files.metadata or path, about_raw),
        parse_instant(about.get("updatedAt")),
        linked_paths(body) + linked_paths(shown.decode("utf-8", "replace")),
        problems,
        cut,
    )


def place_artifacts(artifacts: list[Artifact], conversation: Conversation) -> Iterator[TimelineEntry | BadRecord]:
    """Artifacts by the time of their last change: one that is edited moves to the end."""
    dated: list[tuple[datetime, str, Artifact]] = []
    for index, artifact in enumerate(artifacts):
        if artifact.cut:
            conversation.skipped[CUT_OUT] += artifact.cut
        before = (a.at for a in reversed(artifacts[:index]) if a.at)
        after = (a.at for a in artifacts[index:] if a.at)
        at = artifact.at or next(before, None) or next(after, None) or conversation.last
        at = at or changed_at(Path(artifact.ref.path))
        if at is None:
            reason = f"artifact {artifact.name} has no date, and nothing else in its folder has one"
            yield BadRecord(artifact.ref.path, reason)
        else:
            dated.append((at, artifact.name, artifact))
    for at, name, artifact in sorted(dated, key=lambda item: item[:2]):
        text = f"{artifact.title}\n\n{artifact.body or _mark(name)}"
        # The text is part of the id: an artifact that was edited is not a copy of what it was.
        key = f"{name}#{artifact.ref.sha256[:16]}"
        yield conversation.place(EntryDraft("artifact", "artifact", text, key), artifact.ref, at)


def place_steps(
    outputs: tuple[Path, ...], dated: datetime | None, conversation: Conversation
) -> Iterator[TimelineEntry | BadRecord]:
    """The outputs of single steps: all that is left where there is neither a transcript nor an artifact.

    One that does not say when it was written gets ``dated``.
    """
    for path in outputs:
        problems: list[BadRecord] = []
        raw = _read(path, problems)
        yield from problems
        text = raw.decode("utf-8", "replace")
        stamp = STAMPS.match(text)
        at = (parse_instant(stamp[1]) if stamp else None) or dated or changed_at(path)
        body = STAMPS.sub("", text).strip()
        if not body:
            conversation.skipped["empty step output"] += 0 if problems else 1
        elif at is None:
            yield BadRecord(str(path), "step output has no date, and nothing in its folder has one")
        else:
            number = path.parent.name
            note = f"[Fallback: output of step {number}; no full transcript of this conversation is available]"
            key = f"steps/{number}#{sha256(raw).hexdigest()[:16]}"
            yield conversation.place(
                EntryDraft("artifact", "artifact", f"{note}\n\n{body}", key), _whole(path, raw), at
            )


def _read_body(path: Path, problems: list[BadRecord]) -> tuple[bytes, SourceRef, int]:
    """An artifact's text, the place of all of it, and how many pieces of embedded data a large one lost."""
    with suppress(OSError):  # which `_read` reports
        if path.stat().st_size > LINE_LIMIT:
            kept, size, digest, pieces = read_cut(path, LINE_LIMIT)
            if len(kept) <= LINE_LIMIT:
                return kept, SourceRef(str(path), 0, size, digest), pieces
            problems.append(BadRecord(str(path), f"is over the limit of {LINE_LIMIT} bytes, its beginning is read"))
    raw = _read(path, problems)
    return raw, _whole(path, raw), 0


def _read(path: Path | None, problems: list[BadRecord]) -> bytes:
    if path is None:
        return b""
    try:
        return read_note(path, LINE_LIMIT)
    except OSError as error:
        problems.append(unreadable(path, error))
        return b""


def _json_object(raw: bytes, path: Path | None, problems: list[BadRecord]) -> dict[str, Any]:
    value = parse_json(raw) if raw else {}
    if isinstance(value, dict):
        return value
    problems.append(BadRecord(str(path), "is not a JSON object, so the artifact's type and date are unknown"))
    return {}


def _whole(path: Path | None, raw: bytes) -> SourceRef:
    return SourceRef(str(path), 0, len(raw), sha256(raw).hexdigest())


def _mark(name: str) -> str:
    return f"[image: {name}]" if name.lower().endswith(IMAGES) else f"[file: {name}]"
