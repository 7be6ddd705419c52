"""The content of an Antigravity brain folder: artifacts with their files, a transcript, outputs of steps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import field
from pathlib import Path

from aicx.sources.items import BadRecord
from aicx.sources.records import list_folder
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
