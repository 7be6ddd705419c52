"""The brief that a session began with, as a file beside the record that has its contract."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from datetime import datetime

from aicx.config import Settings
from aicx.paths import Layout
from aicx.refs import is_of_session
from aicx.work.files import ATTEMPTS, CAPSULE, every_folder, names_in
from aicx.work.record import WorkRecord, stored
from aicx.work.writing import changing

_OF_SESSIONS = re.compile(r'(?:session|chunk):[a-z-]+:[^"\s\]\\]+')


def write_capsule(
    settings: Settings, attempt: WorkRecord, brief: bytes, now: datetime, notify: Callable[[str], None]
) -> None:
    """Writes the brief of an attempt, in place of an earlier one. Raises StoreLocked, StoreUnwritable."""
    with changing(settings, now, "resume", notify) as change:
        change.put_file(f"{attempt.repo_id}/{ATTEMPTS}/{attempt.id}{CAPSULE}", stored(brief.decode()).encode())
        change.publish()


def capsule_paths(layout: Layout) -> list[str]:
    """Every such file, below ``work/``."""
    return [
        f"{folder}/{ATTEMPTS}/{name}"
        for folder in every_folder(layout)
        for name in names_in(layout, folder, ATTEMPTS)
        if name.endswith(CAPSULE)
    ]


def record_path(capsule: str) -> str:
    """The file of the record that a capsule is beside."""
    return f"{capsule.removesuffix(CAPSULE)}.json"


def quotes_any(brief: str, sessions: Collection[str]) -> bool:
    """Whether a brief quotes one of these sessions, ``agent:id`` each."""
    return any(is_of_session(ref, sessions) for ref in _OF_SESSIONS.findall(brief))
