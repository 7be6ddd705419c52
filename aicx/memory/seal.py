"""The seal: which events about each record this home wrote, kept outside `memory/` and signed with the home's own key.

The log alone proves little: anybody can write a line with a fitting checksum, and an older log lacks what was decided
since. A record whose events are not those of the seal is not believed until a person accepts it again.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field, replace
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

import orjson

from aicx.memory.events import LOG, Event, Log, Standing, decode, fold
from aicx.memory.persons import is_person
from aicx.values import dataclass

KEY, SEAL = "memory-key", "memory-seal"  # beside memory/
_BYTES, _MAX_KEY = 32, 64
_FEW = 8
# What an event leaves on its record even where the log loses it: the text of such a record is shown to nobody.
_LEAVES = {"deleted": "erased", "held": "held", "proposed": "", "released": ""}


@dataclass(frozen=True, slots=True)
class SealedRecord:
    """The seal's facts about a record, known without the log.

    ``trail`` is a hash over the checksums of its events, ``left`` whether it is ``erased`` or ``held``, ``claims`` and
    ``place`` are those of its last adoption.
    """

    trail: str = ""
    left: str = ""
    claims: Mapping[str, str] = field(default_factory=dict)
    place: str | None = None


def decisions_in(memory: Path) -> tuple[dict[str, Standing], Log]:
    """Reads the decisions about each record, and the log. Where the seal has other events, that is ``unsealed``."""
    known = read_seal(memory.parent)
    log = decode(_read(memory / LOG) or b"")
    found, walked = fold(log.events, lost=bool(log.damaged)), _trails(log.events)
    for name in [*found, *(known.keys() - found.keys())]:
        sealed = known.get(name)
        if sealed is not None and sealed.trail == walked.get(name):
            continue
        one = found.setdefault(name, Standing())
        one.unsealed = True
        if sealed is not None:
            one.claims, one.place = {**one.claims, **sealed.claims}, sealed.place or one.place
            one.erased, one.held = one.erased or sealed.left == "erased", one.held or sealed.left == "held"
    return found, log


def read_seal(home: Path) -> dict[str, SealedRecord]:
    """The records of the seal by their ids; none where it is not there or not as this home wrote it."""
    key, seal = key_of(home), _read(home / SEAL)
    if not key or seal is None:
        return {}
    mark, _, body = seal.partition(b"\n")
    if mark != _mark(key, body):
        return {}
    found: dict[str, Any] = orjson.loads(body)
    return {name: SealedRecord(*fields) for name, fields in found.items()}


def key_of(home: Path) -> bytes:
    """The home's key; nothing where there is none yet."""
    return _read(home / KEY) or b""


def keyed(key: bytes, *parts: bytes) -> int:
    """A mark of 64 bits on something derived, which only who has the key can make."""
    return int.from_bytes(blake2b(b"\0".join(parts), key=key[:_MAX_KEY], digest_size=8).digest(), "big", signed=True)


def seal_with(home: Path, before: bytes, events: bytes, *, anew: Collection[str] = ()) -> bytes:
    """The seal after ``events`` are appended to the log ``before``; makes the key where there is none.

    What a person accepts is sealed as the log has it now, whatever it lacked until then, and so is what is in ``anew``.
    """
    known, new = read_seal(home), decode(events).events
    _apply(known, new)
    if anew:
        whole: dict[str, SealedRecord] = {}
        _apply(whole, decode(before + b"\n" + events).events)
        known |= {ref: whole[ref] for ref in anew if ref in whole}
        for ref in set(anew) - whole.keys():  # the log has lost it
            known.pop(ref, None)
    if accepted := {event.refs[0] for event in new if event.type == "memory.accepted" and is_person(event.by)}:
        walked = _trails(decode(_lines_about(before + b"\n" + events, accepted)).events)
        known |= {ref: replace(known[ref], trail=walked[ref]) for ref in accepted}
    body = orjson.dumps({name: [one.trail, one.left, one.claims, one.place] for name, one in known.items()})
    return _mark(_key(home), body) + b"\n" + body


def _lines_about(log: bytes, records: Collection[str]) -> bytes:
    """The lines that name one of ``records``; of many, all: looking for each would take longer than reading them."""
    names = [name.encode() for name in records]
    if len(names) > _FEW:
        return log
    return b"\n".join(line for line in log.split(b"\n") if any(name in line for name in names))


def _apply(known: dict[str, SealedRecord], events: Iterable[Event]) -> None:
    for event, ref in _about_records(events):
        before, kind = known.get(ref, SealedRecord()), event.type.removeprefix("memory.")
        left, claims, place = before.left, before.claims, before.place
        if ref == event.refs[0]:
            left = _LEAVES.get(kind, left)
            if kind == "accepted" and is_person(event.by):
                claims, place = dict(event.claims or {}), event.place
            elif kind in ("deleted", "rejected"):
                claims = {}
        known[ref] = SealedRecord(_follow(before.trail, event), left, claims, place)


def _trails(events: Iterable[Event]) -> dict[str, str]:
    found: dict[str, str] = {}
    for event, ref in _about_records(events):
        found[ref] = _follow(found.get(ref, ""), event)
    return found


def _about_records(events: Iterable[Event]) -> Iterator[tuple[Event, str]]:
    return ((event, ref) for event in events if event.type.startswith(("memory.", "review.")) for ref in event.refs)


def _follow(trail: str, event: Event) -> str:
    return sha256(f"{trail}{event.check}".encode()).hexdigest()[:16]


def _key(home: Path) -> bytes:
    key = key_of(home)
    if not key:
        from aicx.storage import replace_file  # imported here: a home does it once

        key = os.urandom(_BYTES).hex().encode()
        replace_file(home / KEY, key)
    return key


def _mark(key: bytes, body: bytes) -> bytes:
    return blake2b(body, key=key[:_MAX_KEY], digest_size=16).hexdigest().encode()


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
