"""Which session a note is written from: the one that was named, or the right one in a fixed order.

A source that is there and cannot be read ends the search: a note is never written from a lower one in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from aicx.config import Settings
from aicx.continuity.audit import AuditEntry
from aicx.continuity.logs import SessionLog, log_at, newest_primary, newest_stored
from aicx.continuity.note import Scope
from aicx.errors import AicxError, NotFound, SourceUnreadable
from aicx.values import dataclass
from aicx.work.place import WorkPlace

WriteMode = Literal["merge", "replace"]
SourceKind = Literal["explicit", "recovery", "audit", "latest_primary"]
_ORDER: dict[WriteMode, tuple[SourceKind, ...]] = {
    "merge": ("explicit", "recovery", "latest_primary", "audit"),
    "replace": ("explicit", "recovery", "audit", "latest_primary"),
}


class PassedOver(NamedTuple):
    """A source that was looked at and not taken, and why, as a word."""

    kind: SourceKind
    why: Literal["none", "other_scope", "other_worktree"]


@dataclass(frozen=True, slots=True)
class Selected:
    """The log that a note is written from, which rule chose it, and what was passed over before."""

    kind: SourceKind
    log: SessionLog
    passed_over: tuple[PassedOver, ...]


def select(
    settings: Settings,
    place: WorkPlace,
    scope: Scope,
    mode: WriteMode,
    explicit: Path | None,
    markers: Sequence[AuditEntry],
    entries: Sequence[AuditEntry],
) -> Selected:
    """The source for one save or refresh. ``markers`` and ``entries`` are the repository's, the last one last.

    Raises SourceUnreadable where the first source that there is cannot be read, NotFound where there is none.
    """
    if explicit is not None:
        return Selected("explicit", log_at(explicit), ())
    passed: list[PassedOver] = []
    finders: dict[SourceKind, Callable[[], SessionLog | PassedOver]] = {
        "recovery": lambda: _recorded("recovery", settings, place, scope, markers),
        "audit": lambda: _recorded("audit", settings, place, scope, entries),
        "latest_primary": lambda: (
            newest_primary(settings, place) or newest_stored(settings, place) or PassedOver("latest_primary", "none")
        ),
    }
    for kind in _ORDER[mode]:
        if kind == "explicit":
            continue
        found = finders[kind]()
        if isinstance(found, SessionLog):
            return Selected(kind, found, tuple(passed))
        passed.append(found)
    raise NotFound(
        "no session of this worktree was found", hint="--log PATH names a log; `aicx list` shows where logs are"
    )


def _recorded(
    kind: SourceKind, settings: Settings, place: WorkPlace, scope: Scope, recorded: Sequence[AuditEntry]
) -> SessionLog | PassedOver:
    """The log that the last fitting record names. Both layers are matched by both alone, and one by that one alone."""
    of_place = [one for one in recorded if one.worktree == place.worktree_id]
    fitting = [one for one in of_place if one.scope == scope]
    if not fitting:
        return PassedOver(kind, "other_scope" if of_place else "other_worktree" if recorded else "none")
    path = fitting[-1].log_path(settings)
    try:
        return log_at(path)
    except AicxError as error:
        name = "recovery marker" if kind == "recovery" else "last audit entry"
        also = "; `aicx doctor --fix` removes markers of logs that are gone" if kind == "recovery" else ""
        raise SourceUnreadable(
            f"the {name} names a log that cannot be read: {error.message}", hint=f"--log PATH names another one{also}"
        ) from error
