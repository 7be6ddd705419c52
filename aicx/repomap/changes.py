"""Differences between a repository and its map, found from names, sizes and times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from aicx.repomap.examine import Examined, without_text
from aicx.repomap.exclusions import HUGE, HUGE_BYTES, excluded_by_name
from aicx.repomap.files import Stamp
from aicx.repomap.languages import language_of, may_be_script
from aicx.repomap.pool import ReadTask
from aicx.repomap.store import MapStore
from aicx.values import dataclass

# Scripts without an ending are known by their first line. Larger files without one are data.
_MAX_SCRIPT = 200_000


@dataclass(slots=True)
class MapChanges:
    """Files to be read; those of which no more than the name counts, with all there is to know; and those gone."""

    to_read: list[ReadTask] = field(default_factory=list)
    by_name: dict[str, Examined] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)


def find_changes(stamps: Mapping[str, Stamp], known: Mapping[str, Stamp], store: MapStore) -> MapChanges:
    """Compares the files there are with those that a map knows. What looks as it did is not mentioned."""
    changes = MapChanges(gone=[path for path in known if path not in stamps])
    for path, stamp in stamps.items():
        before = known.get(path)
        if before == stamp:
            continue
        language = language_of(path)
        if (reason := excluded_by_name(path)) is not None:
            changes.by_name[path] = Examined(stamp, skipped=reason)
        elif language is None and not (may_be_script(path) and stamp[0] <= _MAX_SCRIPT):
            changes.by_name[path] = without_text(path, stamp)
        elif stamp[0] > HUGE_BYTES:
            changes.by_name[path] = without_text(path, stamp, skipped=HUGE)
        else:
            changes.to_read.append(ReadTask(path, language, store.digest(path) if before else None, stamp[0]))
    return changes
