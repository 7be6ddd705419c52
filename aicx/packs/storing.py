"""Packs in the content-addressed store: canonical JSON, so that the same pack always has the same digest."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from aicx.api.answers.pack import FAMILY_SCHEMA, TASK_SCHEMA, FamilyPack, TaskPack
from aicx.api.fields import to_fields
from aicx.cas.entry import Kind
from aicx.cas.reading import entry_or_none, find, read
from aicx.cas.redacting import CANONICAL, clean_body
from aicx.cas.writing import Origin, Put, put
from aicx.config import Settings
from aicx.errors import CorpusDamaged, UsageError
from aicx.packs.query import PackQuery

_SCHEMAS: Mapping[str, Kind] = {TASK_SCHEMA: "task_pack", FAMILY_SCHEMA: "family_pack"}


def encode(pack: TaskPack | FamilyPack) -> bytes:
    """A pack as it is stored, without secrets."""
    schema = TASK_SCHEMA if isinstance(pack, TaskPack) else FAMILY_SCHEMA
    body = orjson.dumps({"schema": schema, **to_fields(pack)}, option=CANONICAL)
    return clean_body(body, _SCHEMAS[schema]).body


def store(
    settings: Settings,
    body: bytes,
    kind: Kind,
    sessions: tuple[str, ...],
    projects: tuple[str, ...],
    query: PackQuery,
    notify: Callable[[str], None],
) -> Put:
    """Puts an encoded pack. Raises StoreUnwritable, StoreLocked, UsageError for what was forgotten."""
    return put(settings, io.BytesIO(body), Origin(kind, (), sessions, projects), query.now, notify)


def open_pack(settings: Settings, digest: str) -> tuple[str, dict[str, Any]]:
    """The whole digest of a stored pack, and the pack. Raises NotFound, CorpusDamaged, UsageError for what is none."""
    name = find(settings.layout, digest)
    entry = entry_or_none(settings.layout, name)
    if entry is None or entry.kind not in _SCHEMAS.values():
        raise UsageError(f"{digest} is not a pack", hint=f"aicx cas get {digest}")
    try:
        fields = orjson.loads(read(settings.layout, name))
        if _SCHEMAS[fields["schema"]] == entry.kind:
            return entry.digest, fields
    except (orjson.JSONDecodeError, LookupError, TypeError):
        pass
    raise not_a_pack(digest)


def not_a_pack(digest: str) -> CorpusDamaged:
    """For what its sidecar calls a pack, and is none that this version can read."""
    return CorpusDamaged(f"{digest} is not a pack that this version can read", hint=f"aicx cas get {digest}")


def kind_of(fields: Mapping[str, Any]) -> Kind:
    return _SCHEMAS[fields["schema"]]
