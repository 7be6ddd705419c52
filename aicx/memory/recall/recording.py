"""Keeps that something was recalled: an event with references alone, for `aicx memory eval` to look at later."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from hashlib import sha256

import orjson

from aicx.config import Settings
from aicx.fields import to_fields
from aicx.memory.events import Event, new_id
from aicx.memory.recall.asking import RecallAnswer
from aicx.memory.record import PREFIX
from aicx.memory.writing import changing

_BY = "aicx memory recall"


def record_recall(settings: Settings, answer: RecallAnswer, now: datetime, notify: Callable[[str], None]) -> Event:
    """Adds one event: the records that were shown, in their order, and a hash of the answer. No text of any of them."""
    refs = tuple(one.ref.removeprefix(PREFIX) for one in answer.entries if one.ref.startswith(PREFIX))
    digest = sha256(orjson.dumps(to_fields(answer))).hexdigest()[:32]
    event = Event(new_id(), now, _BY, "manifest.recorded", refs, digest, code="recall")
    with changing(settings, now, notify) as change:
        change.note(event)
        change.publish()
    return event
