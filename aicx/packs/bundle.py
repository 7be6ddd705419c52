"""A pack with what `forget` has to know of it: the sessions that it quotes, and the repositories that it is about."""

from __future__ import annotations

from collections.abc import Iterable

from aicx.packs.answers import FamilyPack, TaskPack
from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class PackBundle:
    """``sessions`` are named as `forget` names them, ``claude:3f2a…``."""

    pack: TaskPack | FamilyPack
    sessions: tuple[str, ...]
    projects: tuple[str, ...]


def bundle(pack: TaskPack | FamilyPack, refs: Iterable[str]) -> PackBundle:
    """A pack that quotes what ``refs`` name, and what its memory rests on."""
    sources = (entry.source for entry in pack.memory)
    known = [f"session:{one['agent']}:{one['session']}" for one in sources if "agent" in one and "session" in one]
    every = [*refs, *known, *(ref for entry in pack.memory for ref in entry.evidence)]
    project = pack.place.project
    return PackBundle(pack, tuple(dict.fromkeys(filter(None, map(session_name, every)))), (project,) if project else ())


def session_name(ref: str) -> str | None:
    """``claude:3f2a…`` of a reference to a session or one of its chunks; None for any other."""
    kind, _, rest = ref.partition(":")
    agent, _, session = rest.partition("#")[0].partition(":")
    if kind not in ("session", "chunk") or not session:
        return None
    if kind == "chunk":
        session = session.rpartition(":")[0] or session
        session = session.replace("~~", "\0").partition("~")[0].replace("\0", "~")
    return f"{agent}:{session}"
