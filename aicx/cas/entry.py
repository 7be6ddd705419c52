"""The facts about an object beside its bytes, why one is gone for good, and `aicx.object-*/1`, which show both.

No word of an object's text is among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args

import orjson

from aicx.errors import NotFound, UsageError
from aicx.paths import Layout
from aicx.storage import event_lines, replace_file
from aicx.storage.typed import from_json, texts_of, to_json, with_texts
from aicx.text import instant
from aicx.values import dataclass

Kind = Literal["text", "binary", "task_pack", "family_pack"]
KINDS: tuple[Kind, ...] = get_args(Kind)
SCHEMA = "aicx.object/1"
PREFIX = "sha256:"
MAX_TAGS = 64
_HEX = re.compile(r"[0-9a-f]{64}")
_BEGINNING = re.compile(r"[0-9a-f]{8,64}")
_TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,63}")
Reason = Literal["forgotten_session", "forgotten_project", "forgotten_text", "redacted"]
REASONS: tuple[Reason, ...] = get_args(Reason)
# The order of a sidecar's fields.
_ON_DISK = ("digest", "size", "kind", "created_at", "put_at", "tags", "pinned", "sessions", "projects")
CANONICAL = orjson.OPT_SORT_KEYS


class BadEntry(ValueError):
    """A sidecar that cannot be understood."""


@dataclass(frozen=True, slots=True)
class ObjectEntry:
    """An object, without its text."""

    digest: Annotated[str, "`sha256:` and 64 hexadecimal digits, of its bytes"]
    size: Annotated[int, "bytes"]
    kind: Annotated[Kind, "`text`, `binary`, `task_pack` or `family_pack`", str]
    tags: Annotated[tuple[str, ...], "words that it was put with"]
    created_at: Annotated[datetime, "when it was put first", str]
    put_at: Annotated[datetime, "when it was put last, from which `gc` counts", str]
    pinned: Annotated[bool, "whether `gc` leaves it"] = False
    sessions: Annotated[tuple[str, ...], "sessions that a pack quotes, as `agent:id`"] = ()
    projects: Annotated[tuple[str, ...], "repositories that a pack is about"] = ()

    @property
    def name(self) -> str:
        """The hexadecimal part of its digest."""
        return self.digest.removeprefix(PREFIX)

    def encode(self) -> bytes:
        fields = to_json(self)
        whole = {"schema": SCHEMA, **{name: fields[name] for name in _ON_DISK}}
        return orjson.dumps(whole, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def decode(body: bytes, name: str) -> ObjectEntry:
    """The entry of the object ``name``. Raises BadEntry."""
    try:
        fields: Mapping[str, Any] = orjson.loads(body)
        if fields["schema"] != SCHEMA or fields["digest"] != f"{PREFIX}{name}":
            raise BadEntry("it is of something else, or of another version")
        return from_json(ObjectEntry, fields)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise BadEntry(str(error)) from error


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags as they may be stored. Raises UsageError for one that is a sentence, a path or a secret."""
    from aicx.redaction import redact_plain  # imported here: reading does without its rules

    found = tuple(dict.fromkeys(tags))
    for tag in found:
        if not _TAG.fullmatch(tag) or redact_plain(tag).counts:
            raise UsageError(
                f"{tag!r} cannot be a tag", hint="a tag is one word of at most 64 letters, digits and ._:/@+-"
            )
    if len(found) > MAX_TAGS:
        raise UsageError(f"more than {MAX_TAGS} tags", hint="tags are for finding an object, not for describing it")
    return found


def object_path(layout: Layout, name: str) -> Path:
    return layout.cas / "sha256" / name[:2] / name


def sidecar_path(layout: Layout, name: str) -> Path:
    return layout.cas / "sha256" / name[:2] / f"{name}.json"


def beginning_of(digest: str) -> str:
    """The hexadecimal part of a digest, or of the beginning of one. Raises UsageError for anything else."""
    text = digest.strip().lower().removeprefix("cas:").removeprefix(PREFIX)
    if not _BEGINNING.fullmatch(text):
        raise UsageError(f"{digest!r} is not a digest", hint="write sha256: and at least 8 of its 64 digits")
    return text


def names_in(layout: Layout, beginning: str = "") -> list[str]:
    """The names of all objects that begin so, sorted. What has another name is not looked at."""
    top = layout.cas / "sha256"
    folders = [top / beginning[:2]] if len(beginning) >= 2 else sorted(top.glob("[0-9a-f][0-9a-f]"))
    found = (path.name for folder in folders if folder.is_dir() for path in folder.iterdir())
    return sorted(name for name in found if name.startswith(beginning) and _HEX.fullmatch(name))


def read_entry(layout: Layout, name: str) -> ObjectEntry:
    """The entry of an object. Raises BadEntry, also where it has none."""
    try:
        return decode(sidecar_path(layout, name).read_bytes(), name)
    except OSError as error:
        raise BadEntry(error.strerror or "it cannot be read") from error


def the_one(digest: str, found: list[str]) -> str:
    """The only one of ``found``, which all begin as ``digest`` does. Raises NotFound, UsageError for several."""
    if not found:
        raise NotFound(f"there is no object {digest}", hint="aicx pack objects list shows what there is")
    if len(found) > 1:
        raise UsageError(f"{len(found)} objects begin with {digest}", hint="write more of its digits")
    return found[0]


@dataclass(frozen=True, slots=True)
class Tombstone:
    """An object that is gone. ``session`` is the forgotten one that it quoted, ``replaced_by`` its redacted form."""

    name: str
    at: datetime
    reason: Reason
    session: str | None = None
    replaced_by: str | None = None

    @property
    def words(self) -> str:
        """Why, for people."""
        day = f"{self.at:%Y-%m-%d}"
        match self.reason:
            case "forgotten_session":
                what = f" {self.session}" if self.session else ""
                return f"deleted on {day}, because it quoted the session{what}, which was forgotten"
            case "forgotten_project":
                return f"deleted on {day}, because it quoted a project that was forgotten"
            case "forgotten_text":
                return f"deleted on {day}, because it held a text that was forgotten"
            case "redacted":
                return f"replaced on {day}, because it held a secret"


def tombstones_file(layout: Layout) -> Path:
    return layout.cas / "tombstones.jsonl"


def read_tombstones(layout: Layout) -> tuple[dict[str, Tombstone], list[int]]:
    """The tombstones by the names of their objects, and the numbers of damaged lines."""
    try:
        body = tombstones_file(layout).read_bytes()
    except FileNotFoundError:
        return {}, []
    found, damaged = event_lines.decode_lines(body, _tombstone)
    return {one.name: one for one in found}, damaged


def add_tombstones(layout: Layout, new: Iterable[Tombstone]) -> None:
    """Adds what is not known yet. The lock of the objects is held."""
    known, _ = read_tombstones(layout)
    lines = [_line(one) for one in new if one.name not in known]
    if not lines:
        return
    path = tombstones_file(layout)
    before = path.read_bytes() if path.exists() else b""
    replace_file(path, event_lines.appended(before, lines))


def _line(one: Tombstone) -> bytes:
    return event_lines.encode_line(
        {
            "digest": one.name,
            "at": instant(one.at),
            "reason": one.reason,
            "session": one.session,
            "replaced_by": one.replaced_by,
        }
    )


def _tombstone(fields: Mapping[str, Any]) -> Tombstone | None:
    reason = next((one for one in REASONS if one == fields["reason"]), None)
    at = datetime.fromisoformat(event_lines.text_of(fields, "at"))
    if reason is None or at.tzinfo is None:
        return None
    return Tombstone(event_lines.text_of(fields, "digest"), at, reason, fields["session"], fields["replaced_by"])


class CleanedBody(NamedTuple):
    """A body without secrets, and how many there were."""

    body: bytes
    redactions: int


def clean_body(body: bytes, kind: Kind) -> CleanedBody:
    """``body`` as it may be stored. Raises UsageError for what is no text."""
    from aicx.redaction import redact  # imported here: reading does without its rules

    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise UsageError(
            "this is not text in UTF-8, so no secret can be found in it",
            hint="--binary stores it as it is, with any secret in it",
        )
    value = _json(body) if kind.endswith("_pack") else None
    if value is not None:
        count = 0

        def cleaned(text: str) -> str:
            nonlocal count
            found = redact(text)
            count += sum(found.counts.values())
            return found.text

        new = with_texts(value, cleaned)
        return CleanedBody(body if new is value else orjson.dumps(new, option=CANONICAL), count)
    found = redact(text)
    return CleanedBody(found.text.encode(), sum(found.counts.values())) if found.counts else CleanedBody(body, 0)


def texts_in(body: bytes) -> Iterator[str]:
    """A body as a text, and where it is JSON each text in it, as it was before it was written as JSON."""
    yield body.decode("utf-8", "replace")
    yield from texts_of(_json(body))


def _json(body: bytes) -> Any:
    """Reads a body as JSON; None where it is not JSON."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None


PUT_SCHEMA = "aicx.object-put/1"
GET_SCHEMA = "aicx.object-get/1"
LIST_SCHEMA = "aicx.object-list/1"
PIN_SCHEMA = "aicx.object-pin/1"
GC_SCHEMA = "aicx.object-gc/1"


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
