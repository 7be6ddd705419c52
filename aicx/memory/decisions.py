"""The decisions about each record, packed: few of many are ever asked for."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from itertools import accumulate
from typing import Any, Self

import orjson

from aicx.memory.events import Standing
from aicx.values import dataclass


@dataclass(slots=True)
class Decisions(Mapping[str, Standing]):
    """The decisions about each record, by id, as JSON in the order of the ids: few of many are ever asked for.

    ``claiming`` are the ids of records that were accepted with claims.
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
