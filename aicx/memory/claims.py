"""Reads the values that a claim names in the repository's own files, so that they can be compared: the content wins.

A claim's key may name a value in a file (``pyproject.toml#project.requires-python``), a file that is there or not
(``file:PATH`` with ``exists`` or ``absent``), or what the lock files show (``package-manager``).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

from aicx.git.roots import inside

_MAX_BYTES = 1 << 20
_FORMATS = (".toml", ".json")
_LOCKS = {
    "package-lock.json": "npm",
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "uv.lock": "uv",
    "poetry.lock": "poetry",
    "Pipfile.lock": "pipenv",
    "Cargo.lock": "cargo",
}


def normal(value: str) -> str:
    """A claim's key or value as it is compared."""
    return " ".join(unicodedata.normalize("NFKC", value).split()).casefold()


def claim_marks(topic: str, claims: Mapping[str, str]) -> dict[str, str]:
    """The claims as hashes: of topic and key, and of the value. Equal marks with another value are a conflict."""
    return {_mark(f"{normal(topic)}\0{normal(key)}"): _mark(normal(value)) for key, value in sorted(claims.items())}


def place_mark(kind: str, repository: str | None) -> str:
    """Marks a record that claims something, so that it is known when its files are gone: its kind, and its place."""
    return f"{kind}:{'' if repository is None else _mark(repository)}"


def _mark(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def repository_says(root: Path | None, keys: Iterable[str]) -> dict[str, frozenset[str]]:
    """Key -> the values that the repository has for it now, normal; without the keys of which it says nothing."""
    if root is None:
        return {}
    found = {key: _says(root, key) for key in set(keys)}
    return {key: frozenset(map(normal, values)) for key, values in found.items() if values}


def _says(root: Path, key: str) -> set[str]:
    if key == "package-manager":
        return {manager for lock, manager in _LOCKS.items() if (root / lock).is_file()}
    if key.startswith("file:"):
        path = key.removeprefix("file:")
        return {"exists" if inside(root, path) else "absent"} if path else set()
    path, mark, dotted = key.partition("#")
    if not mark or not path.endswith(_FORMATS) or not inside(root, path):
        return set()
    value = _value_at(_parsed(root / path), dotted)
    return set() if value is None else {value}


def _parsed(path: Path) -> Any:
    try:
        if path.stat().st_size > _MAX_BYTES:
            return None
        body = path.read_bytes()
        if path.suffix == ".json":
            return orjson.loads(body)
        import tomllib  # imported here: few claims name such a file

        return tomllib.loads(body.decode())
    except (OSError, ValueError):  # the errors of both parsers are ValueErrors
        return None


def _value_at(value: Any, dotted: str) -> str | None:
    """The text, number or flag at a path of keys; None for anything else, which no claim can be compared with."""
    for part in dotted.split("."):
        if not isinstance(value, dict) or part not in value:
            return None
        value = value[part]
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None
