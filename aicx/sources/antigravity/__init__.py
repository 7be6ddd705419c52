"""Antigravity: one folder per conversation, ``brain/<uuid>``, with its artifacts and, in newer builds, a transcript.

The conversation proper lies in ``conversations/<uuid>.pb`` (or ``.db``), encrypted or opaque, and is never parsed.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from aicx.errors import SourceUnreadable
from aicx.sources.antigravity.artifacts import (
    HOMES,
    Brain,
    is_opaque,
    load_artifact,
    place_artifacts,
    place_steps,
    survey,
)
from aicx.sources.antigravity.transcript import (
    AGENT,
    Conversation,
    Transcript,
    TranscriptOutline,
    common_root,
    outline_transcript,
)
from aicx.sources.items import BadRecord, LogFile, LogIdentity, SourceItem, passed_over
from aicx.sources.records import entries_of, stat_log
from aicx.types import AgentHomes

__all__ = ["AGENT", "FORMAT", "SOURCE", "AntigravitySource", "extract_target"]

FORMAT = "antigravity-brain"


def extract_target(path: Path) -> Path:
    """The brain folder that belongs to ``path``: a conversation's ``.pb`` or ``.db``, or the folder itself."""
    if path.parent.name == "brain" and path.is_dir():
        return path
    root = path.parent.parent
    places = dict.fromkeys((root / "brain" / path.stem, *(root.parent / home / "brain" / path.stem for home in HOMES)))
    for place in places:
        if place.is_dir():
            return place
    raise SourceUnreadable(
        f"{path} is encrypted and no brain folder of this conversation was found. "
        f"Places searched: {', '.join(map(str, places))}",
        hint="Open the conversation in Antigravity once, so that it writes its artifacts, or name the brain folder.",
    )


class AntigravitySource:
    """The brain folders of the IDE and of the CLI, and a word on the conversations that have none."""

    agent = AGENT

    def discover(self, homes: AgentHomes) -> Iterator[LogFile | BadRecord]:
        """Every brain folder that holds something to read, and a BadRecord for each conversation that has none."""
        told: set[str] = set()
        for folder in _children(homes, "brain"):
            found = folder if isinstance(folder, BadRecord) else _discover_brain(folder)
            if isinstance(folder, Path) and found:
                told.add(folder.name)
            if found:
                yield found
        for path in _children(homes, "conversations"):
            if isinstance(path, BadRecord):
                yield path
            elif is_opaque(path) and path.stem not in told:
                told.add(path.stem)
                places = ", ".join(str(homes.gemini / home / "brain" / path.stem) for home in HOMES)
                reason = f"the conversation itself is encrypted or opaque and cannot be read; looked for it in {places}"
                yield BadRecord(str(path), reason)

    def identify(self, log: LogFile) -> LogIdentity:
        """The conversation's id is the folder's name; it began with its first dated step or artifact."""
        brain = survey(log.path)
        dates = [load_artifact(files).at for files in brain.artifacts]
        dates += [outline_transcript(brain.transcript).first] if brain.transcript else []
        return LogIdentity(log.path.name, min((date for date in dates if date), default=None))

    def read(self, log: LogFile) -> Iterator[SourceItem]:
        """The transcript's steps in file order, then each artifact in its newest version, the latest change last."""
        brain = survey(log.path)
        yield from brain.problems
        conversation = Conversation(log.path.name, brain.skipped.copy())
        artifacts = [load_artifact(files) for files in brain.artifacts]
        for artifact in artifacts:
            yield from artifact.problems
        links = [link for artifact in artifacts for link in artifact.links]
        outline = outline_transcript(brain.transcript) if brain.transcript else TranscriptOutline()
        conversation.cwd = root = outline.cwd or common_root([*links, *outline.files])
        if brain.transcript:
            yield from Transcript(conversation, brain.transcript, outline).items()
        elif brain.has_opaque_conversation():
            conversation.skipped["conversation itself: encrypted or opaque"] += 1
        conversation.cwd = root
        yield from place_artifacts(artifacts, conversation)
        if brain.transcript or any(artifact.body for artifact in artifacts):
            conversation.skipped["step output"] += len(brain.steps)
        else:
            dated = max((artifact.at for artifact in artifacts if artifact.at), default=None)
            yield from place_steps(brain.steps, dated, conversation)
        yield from passed_over(str(log.path), conversation.skipped)


SOURCE = AntigravitySource()


def _children(homes: AgentHomes, name: str) -> Iterator[Path | BadRecord]:
    for home in HOMES:
        for path in entries_of(homes.gemini / home / name):
            if isinstance(path, BadRecord) or not path.name.startswith("."):
                yield path


def _discover_brain(folder: Path) -> LogFile | BadRecord | None:
    """None when the folder holds nothing that can be read: one is made for every conversation, many stay empty."""
    brain = survey(folder)
    size, fingerprint = _measure(brain)
    if size:
        return LogFile(AGENT, FORMAT, folder, size, fingerprint)
    return brain.problems[0] if brain.problems else None


def _measure(brain: Brain) -> tuple[int, str]:
    """Size and fingerprint of all that reading a brain folder reads."""
    size = 0
    seen = sha256()
    for path in sorted(brain.files()):
        log = stat_log(AGENT, FORMAT, path)
        if isinstance(log, LogFile):
            size += log.size
            seen.update(f"{path.relative_to(brain.folder)}:{log.fingerprint}\n".encode("utf-8", "surrogateescape"))
    return size, seen.hexdigest()
