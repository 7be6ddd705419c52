"""The files of work: ``work/<repository>/tasks/<id>.json`` for what is open, ``closed/<id>.json`` for what is not.

Beside them ``handoffs/`` and ``attempts/``, in which the briefs of recorded starts are too, as ``<id>.capsule.json``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field, replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import orjson

from aicx.errors import CorpusDamaged, NotFound, UsageError
from aicx.paths import Layout
from aicx.storage.typed import from_json, to_json
from aicx.text import first_of, printable
from aicx.values import dataclass, regex
from aicx.work.record import PREFIX, Attempt, WorkRecord, slug_of

SCHEMA = "aicx.work/1"
MAX_BYTES = 8_000_000  # of a file; a longer one was not written by aicx
_ID = regex(r"[0-9a-f]{12}")
# By these it is decided where a task may be used: where they are missing, it must not look as if git had said nothing.
_COMPARED = {"branch", "head", "dirty"}
_STRANGE = (orjson.JSONDecodeError, LookupError, TypeError, ValueError, AttributeError, OverflowError)
_PREFIX = regex(r"[0-9a-f]{4,11}")


class Undecodable(ValueError):
    """Says in a word or two why a file cannot be read as a work record."""


def encode(record: WorkRecord) -> bytes:
    fields = {**to_json(record), "schema": SCHEMA}
    fields["items"] = [{**to_json(item), "id": item.id} for item in record.items]
    return orjson.dumps(fields, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def decode(body: bytes, task: str) -> WorkRecord:
    """The record in a file named after ``task``. Raises Undecodable."""
    try:
        fields: dict[str, Any] = orjson.loads(body)
        if (schema := fields.pop("schema")) != SCHEMA:
            raise Undecodable(f"schema {printable(str(schema))[:40]}")
        record = _decode(fields)
    except _STRANGE as error:
        raise error if isinstance(error, Undecodable) else Undecodable(_why(error)) from error
    if record.id != task:
        raise Undecodable("not the task that its name says")
    return record


def _why(error: Exception) -> str:
    if isinstance(error, orjson.JSONDecodeError):
        return "not JSON"
    return f"without {error}" if isinstance(error, KeyError) else "a field that does not fit"


def _decode(fields: dict[str, Any]) -> WorkRecord:
    git, attempt = fields["git_context"], fields.pop("attempt", None)
    if git is not None and (missing := _COMPARED - git.keys()):
        raise KeyError(min(missing))
    record = from_json(WorkRecord, fields, printable)
    if not _ID.fullmatch(record.id):
        raise Undecodable("no id")
    if min(record.rev, record.sequence, record.focused) < 0:
        raise Undecodable("a field that does not fit")
    items = tuple({item.id: item for item in record.items}.values())
    # What an attempt has may be run or compared, and stays as it was written.
    return replace(record, items=items, attempt=None if attempt is None else from_json(Attempt, attempt))


TASKS, CLOSED = "tasks", "closed"
FOLDERS = (TASKS, CLOSED)
HANDOFFS, ATTEMPTS = "handoffs", "attempts"
EVERY = (*FOLDERS, HANDOFFS, ATTEMPTS)
CAPSULE = ".capsule.json"
NOTES = "continuity"  # of continuity notes, which are no records


@dataclass(frozen=True, slots=True)
class DamagedFile:
    path: Annotated[str, "a file that cannot be read as a task, from the corpus's folder; it is left as it is"]
    why: Annotated[str, "what is wrong with it"]


@dataclass(frozen=True, slots=True)
class Found:
    """Records, the last written first, and the files that are none; ``left_out`` counts those that were not read."""

    records: list[WorkRecord] = field(default_factory=list)
    damaged: list[DamagedFile] = field(default_factory=list)
    left_out: int = 0


def path_of(record: WorkRecord) -> str:
    """Where a record belongs, below ``work/``."""
    part = TASKS if record.is_open else CLOSED
    if record.kind != "thread":
        part = HANDOFFS if record.kind == "handoff" else ATTEMPTS
    return f"{record.repo_id}/{part}/{record.id}.json"


def read_record(layout: Layout, relative: str, *, hidden: bool = False) -> WorkRecord:
    """The record at ``relative`` below ``work/``.

    Raises CorpusDamaged, and FileNotFoundError, unless ``hidden`` also for what `.aicxignore` hides.
    """
    path = layout.work / relative
    if not hidden and _hidden(layout)(f"work/{relative}"):
        raise FileNotFoundError(relative)
    try:
        return _read(path)
    except FileNotFoundError:
        raise
    except (OSError, Undecodable) as error:
        raise CorpusDamaged(
            f"{path} cannot be read as a task: {_words(error)}",
            hint="mend the file by hand, or delete it, and the task is lost; aicx leaves it as it is",
        ) from error


def read_all(
    layout: Layout,
    folders: Iterable[str],
    parts: Iterable[str] = EVERY,
    *,
    hidden: bool = False,
    most: int | None = None,
) -> Found:
    """The records of the repositories in ``folders``, in these ``parts`` of theirs.

    With ``hidden`` also those that `.aicxignore` hides; with ``most`` only the files last written of each part.
    """
    found: dict[str, WorkRecord] = {}
    damaged: list[DamagedFile] = []
    is_hidden = (lambda _: False) if hidden else _hidden(layout)
    if most is None:
        paths = [list(list_paths(layout, folders, parts))]
    else:
        paths = [newest_paths(layout, folders, part) for part in parts]
    for relative in chain.from_iterable(one[:most] for one in paths):
        if is_hidden(f"work/{relative}"):
            continue
        try:
            record = _read(layout.work / relative)
        except FileNotFoundError:
            continue  # it was moved meanwhile
        except (OSError, Undecodable) as error:
            damaged.append(DamagedFile(f"work/{relative}", _words(error)))
            continue
        known = found.get(record.id)
        # A kill may leave a task in both parts until the next change: the later revision is what it is.
        if known is None or known.rev < record.rev:
            found[record.id] = record
    records = sorted(found.values(), key=lambda record: (-record.sequence, record.id))
    return Found(records, damaged, sum(len(one[most:]) for one in paths) if most is not None else 0)


def open_records(layout: Layout, folders: Iterable[str], most: int | None = None) -> Found:
    """The tasks of the repositories in ``folders`` that are not closed for good, the last written first.

    With ``most`` only those last written.
    """
    folders = tuple(folders)
    found = read_all(layout, folders, (TASKS,), most=most)
    closed = {Path(path).stem: path for path in list_paths(layout, folders, (CLOSED,))}
    if both := [record for record in found.records if record.id in closed]:  # an interrupted change
        for record in both:
            other = _read_or_none(layout, closed[record.id])
            if other is not None and other.rev > record.rev:
                found.records.remove(record)
    return replace(found, records=[record for record in found.records if record.is_open])


def list_paths(layout: Layout, folders: Iterable[str], parts: Iterable[str] = EVERY) -> Iterator[str]:
    """The files of records below ``work/``, sorted by name within each part."""
    parts = tuple(parts)
    for folder in folders:
        for part in parts:
            yield from (f"{folder}/{part}/{name}" for name in names_in(layout, folder, part) if _is_task(name))


def names_in(layout: Layout, folder: str, part: str) -> list[str]:
    """The names of all files in one part of a repository, sorted."""
    try:
        return sorted(entry.name for entry in os.scandir(layout.work / folder / part))
    except OSError:
        return []


def newest_paths(layout: Layout, folders: Iterable[str], part: str, most: int | None = None) -> list[str]:
    """The files of records in one part below ``work/``, the last written first by their times; at most ``most``."""
    found: list[tuple[int, str]] = []
    for folder in folders:
        with suppress(OSError):
            found += (
                (-entry.stat().st_mtime_ns, f"{folder}/{part}/{entry.name}")
                for entry in os.scandir(layout.work / folder / part)
                if _is_task(entry.name)
            )
    return [path for _, path in sorted(found)[:most]]


def every_folder(layout: Layout) -> list[str]:
    """The folders of all repositories that have work, by name."""
    try:
        return sorted(entry.name for entry in os.scandir(layout.work) if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def newest_folders(layout: Layout, part: str, most: int) -> list[str]:
    """The folders of the ``most`` repositories in whose ``part`` a file was written last, the last one first."""
    found: list[tuple[int, str]] = []
    for folder in every_folder(layout):
        with suppress(OSError):
            found.append((-(layout.work / folder / part).stat().st_mtime_ns, folder))
    return [folder for _, folder in sorted(found)[:most]]


def _is_task(name: str) -> bool:
    return name.endswith(".json") and not name.startswith(".") and not name.endswith(CAPSULE)


def _read(path: Path) -> WorkRecord:
    with path.open("rb") as stream:
        body = stream.read(MAX_BYTES + 1)
    if len(body) > MAX_BYTES:
        raise Undecodable("too long")
    record = decode(body, path.stem)
    if record.repo_id != path.parent.parent.name:
        raise Undecodable("of another repository")
    return record


def _read_or_none(layout: Layout, relative: str) -> WorkRecord | None:
    try:
        return _read(layout.work / relative)
    except (OSError, Undecodable):
        return None


def _words(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)


def _hidden(layout: Layout) -> Callable[[str], bool]:
    if not layout.ignore_file.exists():
        return lambda _: False
    from aicx.corpus.catalog.query import ignore_matcher

    return ignore_matcher(layout)


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
