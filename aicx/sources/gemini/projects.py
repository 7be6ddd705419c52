"""Finds the project folder of a Gemini CLI log, which names it by a hash, by a slug, or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

from aicx.sources.items import BadRecord, LogFile
from aicx.sources.records import unreadable
from aicx.sources.values import items_of, parse_json, text_of
from aicx.storage import read_note

_HASH = re.compile(r"[0-9a-f]{64}")
# A whole JSON string that is a path (it may hold spaces), a path inside running text, a Windows path. The length
# limits and the look-behind keep base64, which is full of slashes, from being taken for thousands of paths. Each
# begins with a literal, which makes them several times faster than one pattern for all three.
_QUOTED_PATH = re.compile(rb'"(/[^"\\]{1,1024})"')
_BARE_PATH = re.compile(rb"/(?<![\w/+=.~-]/)[^\s\"'\\`<>|:;,()\[\]{}*?]{1,512}")
_WINDOWS_PATH = re.compile(rb"[A-Za-z]:(?:\\\\[^\s\"\\/:*?<>|]{1,128}){1,32}")


def folder_hash(path: str) -> str:
    """The name Gemini CLI gives to the folder of a project: the SHA-256 (hex) of the project's absolute path."""
    return sha256(path.encode("utf-8", "replace")).hexdigest()


def project_root(hash_or_slug: str, candidate_paths: Iterable[str], projects_map: Mapping[str, str]) -> str | None:
    """The project folder that a hash or a slug stands for, None when nothing known leads to it.

    ``projects_map`` says which folder has which slug (Gemini's own ``projects.json``). A hash cannot be reversed, but
    every candidate path and every folder above it can be hashed, and only the right one gives the same hash.
    """
    for folder, slug in projects_map.items():
        if slug == hash_or_slug:
            return folder
    if not _HASH.fullmatch(hash_or_slug):
        return None
    tried: set[str] = set()
    for path in chain(projects_map, candidate_paths):
        folder = path
        while folder and folder not in tried:
            tried.add(folder)
            if folder_hash(folder) == hash_or_slug:
                return folder
            folder = folder[: max(folder.rfind("/"), folder.rfind("\\"), 0)]
    return None


def find_cwd(log: LogFile, header: Mapping[str, Any]) -> tuple[str | None, list[BadRecord]]:
    """The project folder, from Gemini's own notes where it keeps any, else from the paths that occur in the log.

    With it comes what kept a note from being read.
    """
    folder = _project_folder(log.path)
    home = folder.parent.parent
    bad: list[BadRecord] = []
    owner = _note(folder / ".project_root", bad).decode("utf-8", "replace").strip()
    if owner:
        return owner, bad
    projects = _json_note(home / "projects.json", bad)
    nested = projects.get("projects")
    slugs = {k: v for k, v in (nested if isinstance(nested, dict) else projects).items() if isinstance(v, str)}
    trusted = _json_note(home / "trustedFolders.json", bad)
    directories = (path for path in items_of(header.get("directories")) if isinstance(path, str))
    by_name = project_root(folder.name, (), slugs)
    if by_name:
        return by_name, bad
    project_hash = text_of(header.get("projectHash")) or folder.name
    return project_root(project_hash, chain(trusted, directories, _paths_in(log)), slugs), bad


def _project_folder(path: Path) -> Path:
    """The folder named by the project's hash or slug: above ``chats``, or right below ``history``."""
    for folder in path.parents:
        if folder.name == "chats" or folder.parent.name == "history":
            return folder.parent if folder.name == "chats" else folder
    return path.parent


def _note(path: Path, bad: list[BadRecord]) -> bytes:
    """Reads a file of Gemini's own; empty when there is none."""
    try:
        return read_note(path)
    except FileNotFoundError:
        return b""
    except OSError as error:
        bad.append(unreadable(path, error))
        return b""


def _json_note(path: Path, bad: list[BadRecord]) -> dict[str, Any]:
    body = _note(path, bad)
    value = parse_json(body) if body.strip() else {}
    if isinstance(value, dict):
        return value
    bad.append(BadRecord(str(path), "is not a JSON object, so project folders cannot be looked up in it"))
    return {}


def _paths_in(log: LogFile) -> Iterator[str]:
    """Every absolute path a log mentions, tool results included: arguments are often relative."""
    try:
        with log.path.open("rb") as stream:
            for line in stream:
                found = _QUOTED_PATH.findall(line)
                found += (path.rstrip(b".") for path in _BARE_PATH.findall(line))
                if rb":\\" in line:
                    found += (path.replace(rb"\\", b"\\") for path in _WINDOWS_PATH.findall(line))
                yield from (path.decode("utf-8", "replace") for path in found)
    except OSError:
        return  # the reader of the log itself reports this
