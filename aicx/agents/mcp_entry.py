"""The entry for aicx in an agent's list of MCP servers: put in and taken out without changing anything else."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from glob import escape
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from aicx.agents.change import SetupChange, read
from aicx.agents.table import Servers
from aicx.errors import CorpusDamaged, StoreUnwritable
from aicx.managed import jsonc, toml_text
from aicx.storage import create_private, part_of

Action = Literal["added", "updated", "removed", "unchanged"]
NAME = "aicx"
_MEND = "mend it first; nothing was changed"


def plan_entry(servers: Servers, path: Path, entry: Mapping[str, Any] | None) -> tuple[Action, SetupChange]:
    """The change that puts our entry into the file, or with None takes it out, and what becomes of the entry.

    What somebody added to our entry stays in it. Without the entry, the file is as it was before it was put there, byte
    for byte, unless something else in it changed since. Raises CorpusDamaged for a file that cannot be read as what it
    should be, or not be changed without touching more.
    """
    target = path.resolve()  # where a link leads, so that the link stays one
    before = read(target)
    text = _decoded(path, before)
    texts, key = _texts(path), servers.key
    whole = _parsed(servers, path, text)
    listed = whole.get(key, {})
    known = listed.get(NAME)

    def change(after: bytes | None) -> SetupChange:
        return SetupChange(path, target, before, after, private=True)

    if entry is not None:
        merged = _merged(known, entry)
        if merged == known:
            return "unchanged", change(before)
        after = _put(servers, path, text, merged)
        _require(_parsed(servers, path, after) == {**whole, key: {**listed, NAME: merged}}, path, key)
        return "updated" if known is not None else "added", change(after.encode())
    if known is None:
        return "unchanged", change(before)
    origins = _origins(servers, target)
    for body, origin, _ in origins:
        if _put(servers, path, origin, known) == text:
            return "removed", change(body)
    others = {name: server for name, server in listed.items() if name != NAME}
    after = texts.dropped(text, [key, NAME])
    # In TOML the list is gone with its last table.
    if texts is jsonc and not (others or any(key in held for *_, held in origins)):
        after = jsonc.dropped(after, [key])
    made = _parsed(servers, path, after)
    _require({**made, key: made.get(key, {})} == {**whole, key: others}, path, key)
    return "removed", change(after.encode())


def keep_copy(change: SetupChange, now: datetime) -> Path | None:
    """Keeps a copy of the file beside it, with its mode and times: of the same bytes one; None for no file.

    Raises StoreUnwritable.
    """
    if change.before is None:
        return None
    target = change.target
    temporary = part_of(target)
    try:
        for copy in _copies_of(target):
            if copy.read_bytes() == change.before:
                return copy
        with create_private(temporary) as stream:
            stream.write(change.before)
        shutil.copystat(target, temporary)
        for number in count(1):
            again = "" if number == 1 else f"-{number}"
            backup = target.with_name(f"{target.name}.aicx-{now:%Y%m%dT%H%M%S}{again}.bak")
            with suppress(FileExistsError):
                os.link(temporary, backup)
                break
    except OSError as error:
        raise StoreUnwritable(f"{change.path} cannot be written: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)
    return backup


def _copies_of(target: Path) -> list[Path]:
    """The copies of the file that were kept, the newest first."""
    return sorted(target.parent.glob(f"{escape(target.name)}.aicx-*.bak"), reverse=True)


def _origins(servers: Servers, target: Path) -> list[tuple[bytes | None, str, dict[str, Any]]]:
    """Returns the possible states of the file before our entry, with text and value: its copies, or no file at all.

    Copies that cannot be read are passed over, since they only help.
    """
    found: list[tuple[bytes | None, str, dict[str, Any]]] = []
    for copy in _copies_of(target):
        with suppress(OSError, CorpusDamaged):
            body = copy.read_bytes()
            text = _decoded(copy, body)
            whole = _parsed(servers, target, text)
            if NAME not in whole.get(servers.key, {}):
                found.append((body, text, whole))
    return [*found, (None, "", {})]


def _texts(path: Path) -> ModuleType:
    return toml_text if path.suffix == ".toml" else jsonc


def _put(servers: Servers, path: Path, text: str, entry: Mapping[str, Any]) -> str:
    texts = _texts(path)
    changed: str = texts.assigned(text if text.strip() else texts.EMPTY, [servers.key, NAME], entry)
    return changed


def _require(as_planned: bool, path: Path, key: str) -> None:
    if not as_planned:
        raise CorpusDamaged(
            f"{path} cannot be changed without touching more than our entry", hint=f"change [{key}] by hand"
        )


def _decoded(path: Path, body: bytes | None) -> str:
    try:
        return (body or b"").decode()
    except UnicodeDecodeError as error:
        raise CorpusDamaged(f"{path} is not UTF-8: {error}", hint=_MEND) from error


def _parsed(servers: Servers, path: Path, text: str) -> dict[str, Any]:
    """The file's value, checked as far as our entry reaches."""
    texts = _texts(path)
    try:
        whole = texts.loaded(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        kind = path.suffix[1:].upper()
        raise CorpusDamaged(f"{path} cannot be read as {kind}: {error}", hint=_MEND) from error
    found = whole.get(servers.key, {}) if isinstance(whole, dict) else None
    if not isinstance(found, dict) or not isinstance(found.get(NAME, {}), dict):
        raise CorpusDamaged(f"{path}: {servers.key} is not a list of servers", hint=_MEND)
    return whole


def _merged(known: Mapping[str, Any] | None, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Our entry over what is there; of its environment, too, only what is ours changes."""
    found = {**(known or {}), **entry}
    environment = (known or {}).get("env")
    if isinstance(environment, dict) and "env" in entry:
        found["env"] = {**environment, **entry["env"]}
    return found
