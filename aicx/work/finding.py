"""Which task a person or an agent means: by its id, the beginning of it, or the words of its title."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aicx.errors import NotFound, UsageError
from aicx.paths import Layout
from aicx.text import first_of
from aicx.work.files import FOLDERS, read_all, read_record
from aicx.work.record import PREFIX, WorkRecord, slug_of

_ID = re.compile(r"[0-9a-f]{12}")
_PREFIX = re.compile(r"[0-9a-f]{4,11}")


def find_task(layout: Layout, folders: Sequence[str], ref: str, parts: Sequence[str] = FOLDERS) -> WorkRecord:
    """The task that ``ref`` means among the repositories in ``folders``; by its whole id any record in ``parts``.

    Raises NotFound for none, UsageError where several fit, CorpusDamaged where its file is damaged.
    """
    wanted = ref.strip().removeprefix(PREFIX)
    if _ID.fullmatch(wanted):
        found = [record for folder in folders for record in _at(layout, folder, wanted, parts)]
        if found:
            return max(found, key=lambda record: record.rev)
    records = read_all(layout, folders).records
    slug = slug_of(wanted)
    fitting = [record for record in records if record.slug == slug and slug]
    if not fitting:
        fitting = [record for record in records if slug and record.slug.startswith(slug)]
    if _PREFIX.fullmatch(wanted):
        fitting += [record for record in records if record.id.startswith(wanted) and record not in fitting]
    if len(fitting) > 1:
        # Of several with one title the open one is meant.
        fitting = [record for record in fitting if record.is_open] or fitting
    if not fitting:
        raise NotFound(f"there is no task {ref!r} here", hint="`aicx task list --all` shows them")
    if len(fitting) > 1:
        some = first_of(f"{record.id} ({record.title})" for record in fitting)
        raise UsageError(f"{ref!r} may be {some}", hint="name one of them by its id")
    return fitting[0]


def _at(layout: Layout, folder: str, task: str, parts: Sequence[str]) -> list[WorkRecord]:
    found = []
    for part in parts:
        try:
            found.append(read_record(layout, f"{folder}/{part}/{task}.json"))
        except FileNotFoundError:
            continue
    return found
