"""The event log: who decided what about which record and when, without a word of what it says.

`fold` makes of the events what was decided about each record, and `Decisions` keeps that packed. The sidecars cache it,
and `aicx.memory.seal` knows which events this home wrote: an event that it does not know proves nothing.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from itertools import accumulate
from typing import Any, Self, get_args

import orjson

from aicx.memory.persons import is_model, is_person
from aicx.memory.record import Result
from aicx.storage import event_lines
from aicx.storage.event_lines import new_id as new_id
from aicx.storage.typed import from_json, to_json
from aicx.values import dataclass

LOG = "events.jsonl"  # below memory/
TYPES = frozenset(
    {
        *("memory.proposed", "memory.seen", "memory.edited", "memory.accepted", "memory.rejected", "memory.superseded"),
        *("memory.held", "memory.released", "memory.pinned", "memory.unpinned", "memory.archived", "memory.restored"),
        *("memory.validated", "memory.deleted", "manifest.recorded", "curator.applied", "curator.skipped"),
        "seal.renewed",
        *("review.adopted", "review.approved", "review.proposed", "review.applied"),
    }
)


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. ``refs`` are ids of records, the one it is about first.

    ``digest`` is that of the record afterwards, ``before`` the one it replaces, ``code`` a result, a reason's code or
    the digest of a proposal's file.
    """

    id: str
    at: datetime
    by: str
    type: str
    refs: tuple[str, ...]
    digest: str | None = None
    before: str | None = None
    code: str | None = None
    claims: Mapping[str, str] | None = None  # of what was accepted, as marks; see `claim_marks`
    place: str | None = None  # with claims: its kind and the mark of its repository; see `place_mark`
    check: str = field(default="", compare=False)  # the checksum of its line, where it was read from one

    def encode(self) -> bytes:
        """Its line, with a checksum, so that a damaged one says nothing rather than something else."""
        fields = to_json(replace(self, claims=self.claims or None))
        del fields["check"]
        return event_lines.encode_line({name: value for name, value in fields.items() if value is not None})


@dataclass(frozen=True, slots=True)
class Log:
    """The events in their order, and the numbers of the lines that are none."""

    events: Sequence[Event] = ()
    damaged: Sequence[int] = ()


@dataclass(slots=True)
class Standing:
    """The decisions about one record, by the events alone. Times are None where nothing of the kind happened."""

    adopted: str | None = None  # the digest that a person accepted
    adopted_by: str | None = None
    adopted_at: datetime | None = None
    claims: Mapping[str, str] = field(default_factory=dict)  # of what was accepted, whatever became of its files
    contested: bool = False  # whether it was edited in nobody's name since then: what it claimed still counts
    place: str | None = None  # see `Event`
    unsealed: bool = False  # whether these are not the events that this home wrote about it, as the seal says
    rejected: str | None = None
    held: bool = False
    released: str | None = None  # the digest whose findings a person looked at
    pinned: bool = False
    archived: bool = False
    erased: bool = False
    superseded_by: str | None = None
    replaced_by: set[str] = field(default_factory=set)  # adopted records that list it, where it was pinned
    validated: Result | None = None  # the last result of a person or a program
    validated_by: str | None = None
    doubted_by: str | None = None  # the model that said since then that it no longer holds
    validated_at: datetime | None = None
    passed_at: datetime | None = None
    last: str | None = None  # id of the last event about it, which its sidecar names too
    # Steps of a review, each by the digest that it holds for. None of them makes anything believed.
    unblocked: str | None = None  # a person took it out of the subagents' lane
    approved: str | None = None  # a person agrees that it is worth keeping
    patched: str | None = None  # a patch for an instruction file waits for a person
    proposal: str | None = None  # the digest of that proposal's file
    applied: str | None = None  # the patch was found in the file


def decode(body: bytes) -> Log:
    """The events of a log file. A line that is not as it was written is skipped, and its number kept."""
    return Log(*event_lines.decode_lines(body, _event))


def appended(before: bytes, events: Iterable[Event]) -> bytes:
    """The log file as it has to be with ``events`` at its end."""
    return event_lines.appended(before, (event.encode() for event in events))


def fold(events: Iterable[Event], *, lost: bool = False) -> dict[str, Standing]:
    """Folds events into the decisions about each record. Where lines are ``lost``, nothing gains trust by that."""
    found: dict[str, Standing] = {}
    for event in events:
        if event.refs:
            _apply(found, event, lost)
    return found


def _apply(found: dict[str, Standing], event: Event, lost: bool) -> None:
    topic, _, kind = event.type.partition(".")
    if topic == "review" and (reviewed := found.get(event.refs[0])) is not None:
        _review(reviewed, kind, event)
    if topic != "memory":
        return
    for ref in event.refs:
        found.setdefault(ref, Standing()).last = event.id
    one, others = found[event.refs[0]], event.refs[1:]
    if kind in _DECISIONS and not is_person(event.by):
        return
    if kind in ("rejected", "held", "archived") and is_person(event.by):
        one.contested = False
    match kind:
        case "proposed" if one.erased:  # stated again after it was deleted
            found[event.refs[0]] = Standing(superseded_by=one.superseded_by, last=event.id)
        case "edited":  # what was decided on may be the same still: a name, or more evidence
            if one.adopted != event.digest:
                one.contested = (one.contested or one.adopted is not None) and not is_person(event.by)
            one.adopted = one.adopted if one.adopted == event.digest else None
            one.rejected = one.rejected if one.rejected == event.digest else None
        case "accepted":
            one.adopted, one.adopted_by, one.adopted_at = event.digest, event.by, event.at
            one.claims, one.place = event.claims or {}, event.place
            one.rejected = one.superseded_by = one.doubted_by = None
            one.contested = False
            _supersede(found, event.refs[0], others, ask_for_pinned=True)
        case "rejected":
            one.adopted, one.rejected = None, event.digest
        case "superseded" if one.adopted is not None and one.adopted == event.before:
            one.adopted = event.digest
            _supersede(found, event.refs[0], others, ask_for_pinned=False)
        case "superseded" if lost:  # it may have been adopted by a line that cannot be read
            _supersede(found, event.refs[0], others, ask_for_pinned=False)
        case "held":
            one.held = True
        case "released":
            one.held, one.released = False, event.digest
        case "pinned":
            one.pinned = True
        case "unpinned":
            one.pinned = False
            replacing = [name for name in one.replaced_by if found[name].adopted is not None]
            if replacing and is_person(event.by):  # it was the pin alone that kept it
                one.superseded_by = min(replacing)
        case "archived":
            one.archived = True
        case "restored":
            one.archived = False
            if not is_person(event.by):
                one.adopted = None
        case "validated":
            _validate(one, event)
        case "deleted":
            found[event.refs[0]] = Standing(erased=True, superseded_by=one.superseded_by, last=event.id)


def _review(one: Standing, kind: str, event: Event) -> None:
    if kind == "applied":  # which a program sees for itself
        one.applied = event.digest
    elif not is_person(event.by):
        return
    elif kind == "adopted":
        one.unblocked = event.digest
    elif kind == "approved":
        one.approved = event.digest
    elif kind == "proposed":
        one.patched, one.proposal = event.digest, event.code


# What only a person may do.
_DECISIONS = frozenset({"accepted", "superseded", "released", "pinned"})


def _supersede(found: dict[str, Standing], new: str, old: Iterable[str], *, ask_for_pinned: bool) -> None:
    for name in old:
        other = found[name]
        if other.pinned and ask_for_pinned:
            other.replaced_by.add(new)
        else:
            other.superseded_by = new


def _validate(one: Standing, event: Event) -> None:
    if event.code not in get_args(Result):
        return
    if is_model(event.by):  # its word proves nothing: a person is asked to look
        one.doubted_by = event.by if event.code == "fail" else one.doubted_by
        return
    one.validated = "pass" if event.code == "pass" else "fail"
    one.validated_at, one.validated_by, one.doubted_by = event.at, event.by, None
    if event.code == "pass":
        one.passed_at = event.at
        if one.adopted is not None and one.adopted == event.before:
            one.adopted = event.digest  # its anchors were taken anew; what was agreed is the same


def _event(fields: Mapping[str, Any]) -> Event | None:
    event = from_json(Event, fields)
    return event if event.type in TYPES else None


def last_about(log: bytes, record: str) -> Event | None:
    """The last of its own events that names a record, found from the end of the log: of a long one, little is read."""
    end = len(log)
    while (at := log.rfind(record.encode(), 0, end)) >= 0:
        start = log.rfind(b"\n", 0, at) + 1
        line, _, _ = log[start:].partition(b"\n")
        event = event_lines.decode_line(line, _event)
        if event is not None and event.type.startswith("memory.") and record in event.refs:
            return event
        end = start
    return None


def events_of(log: Log, record: str) -> Iterator[Event]:
    """The events that name a record."""
    return (event for event in log.events if record in event.refs)


@dataclass(slots=True)
class Decisions(Mapping[str, Standing]):
    """The decisions about each record, by id, as JSON in the order of the ids: few of many are ever asked for.

    ``claiming`` are the ids of records that were accepted with claims. With 10,000 accepted records a cold recall took
    374 ms of CPU with them kept so, and 770 ms where it read the log (medians of 8 runs that alternated).
    """

    names: list[str]
    ends: array[int]
    packed: bytes
    damaged: list[int]
    claiming: frozenset[str]
    made: dict[str, Standing] = field(default_factory=dict)

    @classmethod
    def of(cls, decided: Mapping[str, Standing], damaged: Sequence[int]) -> Self:
        names = sorted(decided)
        every = [orjson.dumps(_fields(decided[name])) for name in names]
        claiming = frozenset(name for name in names if decided[name].claims)
        return cls(names, array("I", accumulate(map(len, every))), b"".join(every), list(damaged), claiming)

    @classmethod
    def unpack(cls, kept: bytes) -> Self:
        """Reads what `pack` returned."""
        head, _, rest = kept.partition(b"\n")
        names, damaged, claiming = orjson.loads(head)
        ends = array("I", rest[: 4 * len(names)])
        return cls(names, ends, rest[4 * len(names) :], damaged, frozenset(claiming))

    def pack(self) -> bytes:
        head = orjson.dumps([self.names, self.damaged, sorted(self.claiming)])
        return b"%b\n%b%b" % (head, self.ends.tobytes(), self.packed)

    def __getitem__(self, key: str) -> Standing:
        found = self.made.get(key)
        if found is None:
            at = bisect_left(self.names, key)
            if self.names[at : at + 1] != [key]:
                raise KeyError(key)
            begin = self.ends[at - 1] if at else 0
            found = self.made[key] = _standing(orjson.loads(self.packed[begin : self.ends[at]]))
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


_TIMES = frozenset({"adopted_at", "validated_at", "passed_at"})


def _fields(standing: Standing) -> dict[str, Any]:
    """Returns the fields that differ from a standing of which nothing was decided."""
    found: dict[str, Any] = {}
    for name in Standing.__slots__:
        value = getattr(standing, name)
        if value:
            found[name] = sorted(value) if name == "replaced_by" else value
    return found


def _standing(fields: dict[str, Any]) -> Standing:
    fields = dict(fields)
    for name in _TIMES & fields.keys():
        fields[name] = datetime.fromisoformat(fields[name])
    if "replaced_by" in fields:
        fields["replaced_by"] = set(fields["replaced_by"])
    return Standing(**fields)
