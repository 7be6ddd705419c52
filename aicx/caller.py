"""The state that aicx was started in, before it changed anything for itself: for the programs that it runs."""

from __future__ import annotations

import os

from aicx.values import dataclass

_kept: list[Caller] = []


@dataclass(frozen=True, slots=True)
class Caller:
    """The environment and the umask of whoever started aicx; a umask of -1 is the one in force."""

    environment: dict[str, str]
    umask: int = -1


def keep(umask: int) -> None:
    """Remembers the environment of this moment and the umask that was in force before."""
    _kept[:] = [Caller(dict(os.environ), umask)]


def caller() -> Caller:
    """Returns what was kept; what is in force now where aicx is used as a library."""
    return _kept[0] if _kept else Caller(dict(os.environ))
