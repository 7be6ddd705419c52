"""A change to a client's configuration: worked out first, shown, then made whole or not at all."""

from __future__ import annotations

import difflib
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any, Literal

from aicx.errors import AicxError, CorpusDamaged, StoreUnwritable
from aicx.servers.clients import json_text, toml_text
from aicx.servers.clients.table import NAME, Client

Action = Literal["added", "updated", "removed", "unchanged"]
_TEXTS = {"json": json_text, "toml": toml_text}
_BLANK = {"json": "{}\n", "toml": ""}


@dataclass(frozen=True, slots=True)
class Change:
    """What a file holds and what it would hold. ``before`` is None for a file that is not there."""

    path: Path
    action: Action
    before: bytes | None
    after: bytes


def plan(client: Client, path: Path, entry: Mapping[str, Any] | None) -> Change:
    """The change that puts our entry into the file, or with None takes it out.

    What somebody added to our entry stays in it. Raises CorpusDamaged for a file that cannot be read as what it should
    be, and for one that cannot be changed without touching anything else; nothing is changed then.
    """
    before = _read(path)
    text = _decoded(path, before)
    texts = _TEXTS[client.format]
    action: Action
    whole = _parsed(client, path, text)
    wanted = deepcopy(whole)
    if entry is None:
        if NAME not in whole.get(client.key, {}):
            return Change(path, "unchanged", before, before or b"")
        del wanted[client.key][NAME]
        after, action = texts.drop(text, client.key, NAME), "removed"
    else:
        known = whole.get(client.key, {}).get(NAME)
        merged = _merged(known, entry)
        if merged == known:
            return Change(path, "unchanged", before, before or b"")
        wanted.setdefault(client.key, {})[NAME] = merged
        after = texts.put(text if text.strip() else _BLANK[client.format], client.key, NAME, merged)
        action = "updated" if known is not None else "added"
    made = texts.parse(after)
    if {**made, client.key: made.get(client.key, {})} != wanted:
        raise CorpusDamaged(
            f"{path} cannot be changed without touching more than our entry", hint=f"change [{client.key}] by hand"
        )
    return Change(path, action, before, after.encode())


def diff(change: Change) -> Iterator[str]:
    """The change as lines of a unified diff, without the secrets that such files hold."""
    from aicx.redaction import redact

    before, after = (redact(body.decode()).text.splitlines() for body in (change.before or b"", change.after))
    name = str(change.path)
    old = name if change.before is not None else "/dev/null"
    yield from difflib.unified_diff(before, after, old, name, lineterm="")


def make(change: Change, now: datetime) -> Path | None:
    """Makes the change; returns the copy of what the file held before, None where there was none.

    Raises AicxError when somebody else changed the file meanwhile, StoreUnwritable when it cannot be written.
    """
    target = change.path.resolve()  # where a link leads, so that the link stays one
    temporary = target.with_name(f".{target.name}.aicx-{os.getpid()}")
    backup = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if change.before is not None:
            backup = _keep(target, change.before, now)
        _write_new(temporary, change.after)
        if backup:
            shutil.copymode(target, temporary)
        if _read(target) != change.before:
            raise AicxError(f"{change.path} was changed by somebody else meanwhile", hint="run it again")
        temporary.replace(target)
    except OSError as error:
        raise StoreUnwritable(f"{change.path} cannot be written: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)
    return backup


def _keep(target: Path, body: bytes, now: datetime) -> Path:
    """A copy beside the file, with its mode and times and a name that was free."""
    for number in count(1):
        again = "" if number == 1 else f"-{number}"
        backup = target.with_name(f"{target.name}.aicx-{now:%Y%m%dT%H%M%S}{again}.bak")
        with suppress(FileExistsError):
            _write_new(backup, body)
            break
    shutil.copystat(target, backup)
    return backup


def _write_new(path: Path, body: bytes) -> None:
    """Writes a file that is not there yet, whole or not at all; nobody else can read it, even for a moment."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(body)
            stream.flush()
            os.fsync(descriptor)
    except OSError:
        path.unlink()
        raise


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CorpusDamaged(f"{path} cannot be read: {error.strerror or error}", hint="nothing was changed") from error


def _decoded(path: Path, body: bytes | None) -> str:
    try:
        return (body or b"").decode()
    except UnicodeDecodeError as error:
        raise CorpusDamaged(f"{path} is not UTF-8: {error}", hint="mend it first; nothing was changed") from error


def _parsed(client: Client, path: Path, text: str) -> dict[str, Any]:
    """The file's value, checked as far as our entry reaches."""
    try:
        whole = _TEXTS[client.format].parse(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise CorpusDamaged(
            f"{path} cannot be read as {client.format.upper()}: {error}", hint="mend it first; nothing was changed"
        ) from error
    servers = whole.get(client.key, {}) if isinstance(whole, dict) else None
    if not isinstance(servers, dict) or not isinstance(servers.get(NAME, {}), dict):
        raise CorpusDamaged(f"{path}: {client.key} is no list of servers", hint="mend it first; nothing was changed")
    return whole


def _merged(known: Mapping[str, Any] | None, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Our entry over what is there; of its environment, too, only what is ours changes."""
    found = {**(known or {}), **entry}
    environment = (known or {}).get("env")
    if isinstance(environment, dict) and "env" in entry:
        found["env"] = {**environment, **entry["env"]}
    return found
