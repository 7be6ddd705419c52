"""`aicx.object-*/1`: objects of the content-addressed store, as every command shows them."""

from __future__ import annotations

from typing import Annotated

from aicx.cas.entry import StoredObject
from aicx.fields import taken_from
from aicx.text import instant
from aicx.values import dataclass

PUT_SCHEMA = "aicx.object-put/1"
GET_SCHEMA = "aicx.object-get/1"
LIST_SCHEMA = "aicx.object-list/1"
PIN_SCHEMA = "aicx.object-pin/1"
GC_SCHEMA = "aicx.object-gc/1"


@dataclass(frozen=True, slots=True)
class ObjectEntry:
    """An object, without its text."""

    digest: Annotated[str, "`sha256:` and 64 hexadecimal digits, of its bytes"]
    size: Annotated[int, "bytes"]
    kind: Annotated[str, "`text`, `binary`, `task_pack` or `family_pack`"]
    tags: Annotated[list[str], "words that it was put with"]
    created_at: Annotated[str, "when it was put first"]
    put_at: Annotated[str, "when it was put last, from which `gc` counts"]
    pinned: Annotated[bool, "whether `gc` leaves it"]
    sessions: Annotated[list[str], "sessions that a pack quotes, as `agent:id`"]
    projects: Annotated[list[str], "repositories that a pack is about"]


def entry_of(entry: StoredObject) -> ObjectEntry:
    return taken_from(entry, ObjectEntry, created_at=instant(entry.created_at), put_at=instant(entry.put_at))


@dataclass(frozen=True, slots=True)
class ObjectPut:
    """The outcome of `put`."""

    object: Annotated[ObjectEntry, "the object"]
    new: Annotated[bool, "whether it was not there before"]
    redactions: Annotated[int, "secrets that were taken out; the digest is of what was stored"]


@dataclass(frozen=True, slots=True)
class ObjectGot:
    """An object with what it says."""

    object: Annotated[ObjectEntry | None, "the object; null where its sidecar is lost"]
    text: Annotated[str | None, "what it says; null for a binary, and where it was written to a file"]
    written: Annotated[str | None, "the file that it was written to, or null"]


@dataclass(frozen=True, slots=True)
class ObjectList:
    """Objects, those that were put last first."""

    objects: Annotated[list[ObjectEntry], "the newest of them"]
    total: Annotated[int, "number there are"]
    damaged: Annotated[list[str], "digests of objects whose sidecars cannot be read"]


@dataclass(frozen=True, slots=True)
class ObjectPinned:
    """An object that was pinned, or is no more."""

    object: Annotated[ObjectEntry, "the object as it is now"]


@dataclass(frozen=True, slots=True)
class ObjectsCollected:
    """The objects that `gc` deleted, or would."""

    applied: Annotated[bool, "whether it was deleted; else it was only looked at"]
    objects: Annotated[list[ObjectEntry], "what goes, the longest unused first"]
    bytes: Annotated[int, "their size together"]
    pinned: Annotated[int, "objects that stay because they are pinned"]
    younger: Annotated[int, "objects that stay because they were put not long ago"]
    unknown: Annotated[list[str], "digests of objects that stay because their sidecars cannot be read"]
    leftovers: Annotated[int, "files of interrupted calls, which go too"]
