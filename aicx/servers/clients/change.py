"""A change to a client's configuration: worked out first, shown, then made whole or not at all."""

from __future__ import annotations

import difflib
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from aicx.errors import AicxError, CorpusDamaged, StoreUnwritable
from aicx.servers.clients import json_text, toml_text
from aicx.servers.clients.copies import copies_of, keep
from aicx.servers.clients.table import NAME, Client
from aicx.storage.atomic import create_private, part_of, remove_parts
from aicx.storage.reading import read_whole
from aicx.text import without_comments
from aicx.values import dataclass

Action = Literal["added", "updated", "removed", "unchanged"]
_TEXTS = {"json": json_text, "toml": toml_text}
_BLANK = {"json": "{}\n", "toml": ""}


@dataclass(frozen=True, slots=True)
class Change:
    """What a file holds and what it would hold; None where there is no file."""

    path: Path
    action: Action
    before: bytes | None
    after: bytes | None


def plan(client: Client, path: Path, entry: Mapping[str, Any] | None) -> Change:
    """The change that puts our entry into the file, or with None takes it out.

    What somebody added to our entry stays in it. Without the entry, the file is as it was before it was put there, byte
    for byte, unless something else in it changed since. Raises CorpusDamaged for a file that cannot be read as what it
    should be, and AicxError for JSON with comments, which would be lost; nothing is changed then.
    """
    before = _read(path)
    text = _decoded(path, before)
    texts = _TEXTS[client.format]
    action: Action
    whole = _parsed(client, path, text)
    wanted = deepcopy(whole)
    if entry is None:
        if NAME not in whole.get(client.key, {}):
            return Change(path, "unchanged", before, before)
        origins = _origins(client, path.resolve())
        for body, origin, _ in origins:
            with suppress(ValueError):  # comments: such a copy was never written from
                if _put(client, origin, whole[client.key][NAME]) == text:
                    return Change(path, "removed", before, body)
        _require_no_comments(client, path, text, f'take "{NAME}" out of "{client.key}" by hand')
        del wanted[client.key][NAME]
        after, action = texts.drop(text, client.key, NAME), "removed"
        # In TOML the list is gone with its last table.
        if client.format == "json" and not (wanted[client.key] or any(client.key in held for *_, held in origins)):
            after = json_text.drop(after, client.key)
    else:
        known = whole.get(client.key, {}).get(NAME)
        merged = _merged(known, entry)
        if merged == known:
            return Change(path, "unchanged", before, before)
        _require_no_comments(client, path, text, f'by hand, put into "{client.key}": "{NAME}": {json.dumps(entry)}')
        wanted.setdefault(client.key, {})[NAME] = merged
        after = _put(client, text, merged)
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

    bodies = (change.before, change.after)
    before, after = (redact((body or b"").decode()).text.splitlines() for body in bodies)
    old, new = ("/dev/null" if body is None else str(change.path) for body in bodies)
    yield from difflib.unified_diff(before, after, old, new, lineterm="")


def make(change: Change, now: datetime) -> Path | None:
    """Makes the change; returns the copy of what the file held before our entry was put there, None for no copy.

    Raises AicxError when somebody else changed the file meanwhile, StoreUnwritable when it cannot be written.
    """
    target = change.path.resolve()  # where a link leads, so that the link stays one
    temporary = part_of(target)
    remove_parts(target)
    backup = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if change.before is not None and change.action != "removed":
            backup = keep(target, change.before, now)
        if change.after is not None:
            with create_private(temporary) as stream:
                stream.write(change.after)
            if change.before is not None:
                shutil.copymode(target, temporary)
        if _read(target) != change.before:
            raise AicxError(f"{change.path} was changed by somebody else meanwhile", hint="run it again")
        if change.after is None:
            target.unlink()
        else:
            temporary.replace(target)
    except OSError as error:
        raise StoreUnwritable(f"{change.path} cannot be written: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)
    return backup


def _origins(client: Client, target: Path) -> list[tuple[bytes | None, str, dict[str, Any]]]:
    """What the file may have held before our entry was put there, with text and value: its copies, or no file at all.

    Copies that cannot be read are passed over, since they only help.
    """
    found: list[tuple[bytes | None, str, dict[str, Any]]] = []
    for copy in copies_of(target):
        with suppress(OSError, CorpusDamaged):
            body = copy.read_bytes()
            text = _decoded(copy, body)
            whole = _parsed(client, copy, text)
            if NAME not in whole.get(client.key, {}):
                found.append((body, text, whole))
    return [*found, (None, "", {})]


def _require_no_comments(client: Client, path: Path, text: str, hint: str) -> None:
    if client.format == "json" and without_comments(text) != text:
        raise AicxError(f"{path} has comments, which aicx would lose; nothing was changed", hint=hint)


def _put(client: Client, text: str, entry: Mapping[str, Any]) -> str:
    changed: str = _TEXTS[client.format].put(text if text.strip() else _BLANK[client.format], client.key, NAME, entry)
    return changed


def _read(path: Path) -> bytes | None:
    try:
        return read_whole(path)
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
        raise CorpusDamaged(f"{path}: {client.key} is not a list of servers", hint="mend it first; nothing was changed")
    return whole


def _merged(known: Mapping[str, Any] | None, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Our entry over what is there; of its environment, too, only what is ours changes."""
    found = {**(known or {}), **entry}
    environment = (known or {}).get("env")
    if isinstance(environment, dict) and "env" in entry:
        found["env"] = {**environment, **entry["env"]}
    return found
