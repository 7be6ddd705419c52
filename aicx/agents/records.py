"""The record of where `aicx init` put something, kept for its `--undo`: texts of ours, none of other people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, field
from hashlib import sha256
from pathlib import Path

import orjson

from aicx import storage
from aicx.git.identity import Repository
from aicx.managed.blocks import Insertion
from aicx.paths import Layout
from aicx.storage import replace_file
from aicx.values import dataclass

SCHEMA = "aicx.agents/1"
# The record of files that all repositories share.
SHARED = "shared"


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """One file: what was put into it, in order, its SHA-256 afterwards, and whether it and which folders were new."""

    file: str
    digest: str
    insertions: list[Insertion] = field(default_factory=list)
    created: bool = False
    folders: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SetupRecord:
    """One working folder, its repository's id, the agents that were set up, and the files.

    ``continuity`` is whether notes are saved and shown by themselves there, None where that was never decided.
    ``recall`` are the lanes in which a session is reminded of earlier ones unasked.
    ``for_team`` is whether the files are meant to be committed, ``hidden`` what git is told to leave aside.
    """

    folder: str
    repository: str
    agents: list[str] = field(default_factory=list)
    files: list[WrittenFile] = field(default_factory=list)
    continuity: bool | None = None
    for_team: bool = False
    hidden: list[str] = field(default_factory=list)
    recall: list[str] = field(default_factory=list)

    def put(self, path: Path) -> WrittenFile | None:
        return next((put for put in self.files if put.file == str(path)), None)


def digest_of(body: bytes) -> str:
    return sha256(body).hexdigest()


def load(layout: Layout, name: str) -> SetupRecord | None:
    """The record of a working folder by its id; None for none, and for one that cannot be read."""
    with suppress(OSError, ValueError, TypeError, KeyError):
        held = orjson.loads(_file(layout, name).read_bytes())
        if held.pop("schema") == SCHEMA:
            puts = [{**put, "insertions": [Insertion(*one) for one in put["insertions"]]} for put in held.pop("files")]
            return SetupRecord(**held, files=[WrittenFile(**put) for put in puts])
    return None


def save(layout: Layout, name: str, record: SetupRecord) -> None:
    """Writes the record, or deletes one without files and agents. Raises StoreUnwritable."""
    if not record.files and not record.agents:
        _file(layout, name).unlink(missing_ok=True)
        return
    body = {"schema": SCHEMA, **asdict(record)}
    if not record.recall:
        del body["recall"]  # releases that do not know it read the record on
    option = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    replace_file(_file(layout, name), orjson.dumps(body, default=list, option=option))


def remove_unfinished(layout: Layout) -> None:
    """Deletes what a run that was killed left of a record."""
    storage.remove_unfinished(layout.agents / "folders")


def everywhere(layout: Layout) -> Iterator[tuple[str, SetupRecord]]:
    """The records of all working folders, without the shared one."""
    for file in sorted((layout.agents / "folders").glob("*.json")):
        record = None if file.stem == SHARED else load(layout, file.stem)
        if record is not None:
            yield file.stem, record


def has_recall(layout: Layout) -> bool:
    """Whether sessions of any folder are told of earlier ones unasked."""
    return any(record.recall for _, record in everywhere(layout))


def of_repository(layout: Layout, repository: Repository) -> list[SetupRecord]:
    """The records of the repository's working folders, that of this one first."""
    found = [(key, record) for key, record in everywhere(layout) if record.repository == repository.repo_id]
    return [record for _, record in sorted(found, key=lambda pair: pair[0] != repository.worktree_id)]


def has_continuity(known: Sequence[SetupRecord]) -> bool:
    """Whether notes are saved and shown by themselves: as the first of a repository's working folders decided."""
    return next((record.continuity for record in known if record.continuity is not None), False)


def _file(layout: Layout, name: str) -> Path:
    return layout.agents / "folders" / f"{name}.json"
